"""KIND tariff: what the provider may charge, one row a method and first day; rials.

The wage is `min(max(floor(amount × rate_bps / 10000) + fixed, minimum), maximum)`; an
empty limit is none. `payment_method` is `*` for every method; empty means the same.
"""

from recon.imports.columns import amount, choice, instant, text, whole
from recon.imports.products import PRODUCTS
from recon.imports.tables import Kind

KIND = Kind(
    name="tariff",
    table="tariff",
    columns=(
        choice("product", *PRODUCTS),
        text("payment_method", filled=False, default="*"),
        whole("rate_bps"),
        amount("fixed"),
        amount("minimum", filled=False),
        amount("maximum", filled=False),
        instant("valid_from"),
    ),
)
