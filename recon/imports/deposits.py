"""KIND deposits: entries of cash-in requests, one row an entry; amounts in rials.

A row with `outcome` unknown is a request that ended without a clear answer: only it
may leave the entry's own fields empty. What a request asked for stays as the journal
has it where a file does not say. Source: contract, document 2, deposit entry.
"""

from recon.imports.agreement import Agreement
from recon.imports.columns import (
    amount,
    choice,
    iban,
    instant,
    reference,
    text,
    whole,
    whole_id,
)
from recon.imports.formats.rows import Refusal
from recon.imports.shape import Record
from recon.imports.tables import Kind
from recon.journal import deposit_entries

_ENTRY = (
    whole_id("gateway_transaction_id", filled=False),
    amount("amount", filled=False),
    whole("amount_toman", filled=False),
    amount("wage", filled=False),
    whole("wage_toman", filled=False),
    text("status", filled=False),
    iban(filled=False),
    text("receipt_url", filled=False),
)


def _check(record: Record) -> None:
    if record["outcome"] == "unknown":
        return
    for column in _ENTRY:
        if record[column.name] is None:
            raise Refusal(
                "is empty; only a row with outcome unknown may leave it so",
                column=column.name,
            )


KIND = Kind(
    name="deposits",
    table="deposits",
    columns=(
        reference("track_id"),
        *_ENTRY,
        instant("requested_at"),
        instant("settled_at", needed=False, filled=False),
        amount("requested_amount", needed=False, filled=False),
        choice("outcome", "unknown", needed=False, filled=False),
    ),
    fixed=(("origin", "import"),),
    check=_check,
    agrees=(Agreement(by=("track_id",), on=("requested_amount",), may_be_empty=True),),
    journaled=deposit_entries,
)
