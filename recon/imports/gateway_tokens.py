"""KIND gateway_tokens: what was sent to the card gateway, one row a token; in rials.

`real_amount`, `wage` and `verified_at` are the answer of `verify` that the business
kept: all three, or none; then the answer that the journal holds stays.
Source: contract, document 2 part B, steps 1 and 4.
"""

from recon.imports.agreement import Agreement
from recon.imports.columns import amount, instant, reference
from recon.imports.formats.rows import Refusal
from recon.imports.shape import Record
from recon.imports.tables import Kind
from recon.journal import gateway_requests

_VERIFIED = (
    amount("real_amount", needed=False, filled=False),
    amount("wage", needed=False, filled=False),
    instant("verified_at", needed=False, filled=False),
)


def _check(record: Record) -> None:
    empty = [each.name for each in _VERIFIED if record[each.name] is None]
    if empty and len(empty) < len(_VERIFIED):
        raise Refusal(
            "is empty; real_amount, wage and verified_at are filled together or not",
            column=empty[0],
        )


KIND = Kind(
    name="gateway_tokens",
    table="gateway_tokens",
    columns=(
        reference("token", ("gateway_transactions", "token")),
        amount("amount"),
        reference(
            "factor_number", ("gateway_transactions", "factor_number"), filled=False
        ),
        instant("sent_at"),
        *_VERIFIED,
    ),
    check=_check,
    agrees=(
        Agreement(by=("token",), on=("amount",)),
        Agreement(by=("token",), on=("real_amount", "wage"), may_be_empty=True),
    ),
    journaled=gateway_requests,
)
