"""KIND hosted_checkouts: what was sent to the hosted page, one row a checkout; rials.

Source: contract, document 2 part C, get token (the number is optional there).
"""

from recon.imports.agreement import Agreement
from recon.imports.columns import amount, instant, reference
from recon.imports.tables import Kind
from recon.journal import hosted_requests

KIND = Kind(
    name="hosted_checkouts",
    table="hosted_requests",
    columns=(
        reference("checkout_id", ("hosted_checkouts", "id")),
        amount("amount"),
        reference(
            "checkout_number", ("hosted_checkouts", "checkout_number"), filled=False
        ),
        instant("sent_at"),
    ),
    agrees=(Agreement(by=("checkout_id",), on=("amount",)),),
    journaled=hosted_requests,
)
