"""KIND books: the business's own orders, one row an order line; amounts in rials."""

from recon.imports.columns import amount, choice, instant, prose, reference
from recon.imports.products import PRODUCTS
from recon.imports.tables import Kind
from recon.lake.schema import PASSED_OVER

KIND = Kind(
    name="books",
    table="books",
    columns=(
        reference(
            "reference",
            ("checkouts", "checkout_number"),
            ("checkouts", "request_id"),
            ("gateway_transactions", "factor_number"),
            ("hosted_checkouts", "checkout_number"),
            ("agreements", "trace_id"),
        ),
        amount("amount"),
        choice("status", "paid", "unpaid", "refunded"),
        instant("occurred_at"),
        choice("product", *PRODUCTS, needed=False, filled=False),
        prose("description", needed=False),
    ),
    gone=(("status", PASSED_OVER),),
)
