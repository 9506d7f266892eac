"""The products that a row of the business's files may name."""

PRODUCTS = ("unified", "gateway", "hosted", "escrow", "cash_in")
