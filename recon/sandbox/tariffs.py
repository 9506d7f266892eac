"""The payment methods of the invented provider and what each of them costs."""

from dataclasses import dataclass
from typing import Any

from recon.sandbox.rhythm import Days

ANY_METHOD = "*"
_BASIS_POINTS = 10_000
_BEFORE_SECONDS = 150 * 86_400  # the first schedule is older than any record


@dataclass(frozen=True)
class Method:
    """A payment method of unified payment, and how often it is chosen and fails."""

    slug: str
    type: str
    name: str
    limit: int  # rials
    popularity: float
    failure_rate: float


METHODS = (
    Method("debit-alvand", "debit", "برداشت مستقیم الوند", 500_000_000, 0.24, 0.05),
    Method("debit-zagros", "debit", "برداشت مستقیم زاگرس", 300_000_000, 0.14, 0.11),
    Method("credit-sepidar", "credit", "اعتباری سپیدار", 200_000_000, 0.11, 0.08),
    Method("credit-nilufar", "credit", "اعتباری نیلوفر", 100_000_000, 0.06, 0.14),
    Method("card-damavand", "card", "درگاه کارت دماوند", 1_000_000_000, 0.31, 0.09),
    Method("card-hirmand", "card", "درگاه کارت هیرمند", 1_000_000_000, 0.14, 0.17),
)


def method_entries() -> list[dict[str, Any]]:
    """Return the payment method list. Source: document 3, Payment method entry."""
    return [
        {
            "modes": ["once"],
            "slug": method.slug,
            "type": method.type,
            "name": method.name,
            "logo": f"https://assets.example/methods/{method.slug}.svg",
            "is_healthy": True,
            "limit": method.limit,
        }
        for method in METHODS
    ]


@dataclass(frozen=True)
class Fee:
    """One row of the tariff. Amounts are rials; None is no limit."""

    product: str
    payment_method: str
    rate_bps: int
    fixed: int
    minimum: int | None
    maximum: int | None
    valid_from: int  # Unix seconds

    def wage(self, amount: int) -> int:
        """Return the wage of an amount, in rials."""
        wage = amount * self.rate_bps // _BASIS_POINTS + self.fixed
        if self.minimum is not None:
            wage = max(wage, self.minimum)
        if self.maximum is not None:
            wage = min(wage, self.maximum)
        return wage


class Tariff:
    """What the provider charges, by product and payment method, over time."""

    def __init__(self, days: Days) -> None:
        """Make the schedules of a history; one of them changes in its middle."""
        start = days.starts_at - _BEFORE_SECONDS
        change = days.midnights[len(days) // 2]
        self.fees = (
            Fee("unified", "debit-alvand", 40, 0, 1_500, 40_000, start),
            Fee("unified", "debit-zagros", 25, 500, 1_000, 60_000, start),
            Fee("unified", "debit-zagros", 30, 700, 1_200, 60_000, change),
            Fee("unified", "credit-sepidar", 450, 5_000, None, None, start),
            Fee("unified", "credit-nilufar", 390, 0, 10_000, None, start),
            Fee("unified", "card-damavand", 100, 0, 1_200, 120_000, start),
            Fee("unified", "card-hirmand", 20, 1_200, None, 50_000, start),
            Fee("gateway", ANY_METHOD, 90, 0, 1_200, 90_000, start),
            Fee("hosted", ANY_METHOD, 60, 800, None, 80_000, start),
            Fee("cash_in", ANY_METHOD, 1, 0, 5_000, 50_000, start),
        )

    def fee(self, product: str, method: str, at: int) -> Fee:
        """Return the row that holds: the named method, the latest `valid_from`."""
        valid = [
            fee
            for fee in self.fees
            if fee.product == product
            and fee.payment_method in {method, ANY_METHOD}
            and fee.valid_from <= at
        ]
        return max(
            valid, key=lambda fee: (fee.payment_method == method, fee.valid_from)
        )

    def wage(self, product: str, method: str, amount: int, at: int) -> int:
        """Return the wage of an amount in rials at an instant."""
        return self.fee(product, method, at).wage(amount)
