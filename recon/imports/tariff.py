"""KIND tariff: what the provider may charge, one row a method and first day; rials.

The wage is `min(max(floor(amount × rate_bps / 10000) + fixed, minimum), maximum)`; an
empty limit is none. `payment_method` is `*` for every method; empty means the same.
Two lines of one product, method and first day would leave it to chance which counts.
"""

from recon.imports.agreement import Agreement
from recon.imports.columns import amount, choice, instant, text, whole
from recon.imports.formats.rows import Refusal
from recon.imports.products import PRODUCTS
from recon.imports.shape import Record
from recon.imports.tables import Kind

_WHOLE_AMOUNT = 10_000  # basis points
_WITHOUT_WAGES = "escrow"  # as int_wages has it
_WITH_METHODS = "unified"


def _check(record: Record) -> None:
    """Refuse a wage above its amount: a slip, as where the fixed part stands there.

    A rate far above it would leave 64 bits with an amount, and stop every night. So is
    a minimum above its maximum: every wage would then be outside.
    """
    if record["rate_bps"] > _WHOLE_AMOUNT:
        reason = f"{record['rate_bps']:,} is more than {_WHOLE_AMOUNT:,} basis points"
        raise Refusal(reason, column="rate_bps")
    least, most = record["minimum"], record["maximum"]
    if least is not None and most is not None and least > most:
        reason = f"{least:,} rials are more than the maximum of {most:,}"
        raise Refusal(reason, column="minimum")


def _doubt(record: Record) -> str | None:
    """Say of a line that no record can ever have to do with it.

    An agreement bears no wage, and only unified payments name a method.
    """
    product, method = record["product"], record["payment_method"]
    if product == _WITHOUT_WAGES:
        return f"no record of {product} bears a wage, so the line is for nothing"
    if method != "*" and product != _WITH_METHODS:
        return (
            f"no record of {product} names a payment_method, so the line is for "
            "nothing: * is every method"
        )
    return None


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
        instant("valid_from", may_be_far=True),
    ),
    check=_check,
    doubt=_doubt,
    agrees=(
        Agreement(
            by=("product", "payment_method", "valid_from"),
            on=("rate_bps", "fixed", "minimum", "maximum"),
        ),
    ),
)
