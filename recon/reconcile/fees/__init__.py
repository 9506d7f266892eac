"""The fee schedules that the wages themselves follow, where no tariff was imported."""
