"""Which credit of the bank is which settlement of the wallet: as many as can be paired.

Amounts are equal, each credit serves once, and of equal ones the earliest comes first,
but those that name the provider before all others. What is no settlement by its kind
may have paid somebody else, and has only what no settlement needs.
Whose account a settlement went to is not shown, so every account of the business may
have it.
"""

from collections.abc import Mapping, Sequence

import pyarrow as pa

from recon.lake.schema import TEXT
from recon.reconcile.bank.matching import serve
from recon.reconcile.bank.sides import Row, grouped
from recon.reconcile.engine import Engine

SETTLEMENT_MATCHES = pa.schema({"settlement_id": TEXT, "credit_id": TEXT})
"""`int_settlement_matches`: one row a settlement and its credit; each at most once."""

_SETTLEMENTS = """
select
    '' as iban, settled_rial as rial, settlement_id as claim_id,
    from_at as requested_at, until_at, cast(null as varchar) as debit_id, is_settlement
from int_settlements
semi join int_bank_credits on settled_rial = credit_rial
where
    settled_at > timestamptz '0001-01-03 00:00:00+00'
    and settled_at < timestamptz '9999-12-01 00:00:00+00'
order by settled_rial, settled_at, settlement_id
"""

_CREDITS = """
select
    '' as iban, credit_rial as rial, credit_id as debit_id, booked_at, at_latest,
    is_provider_named
from int_bank_credits
semi join int_settlements on credit_rial = settled_rial
where
    booked_at > timestamptz '0001-01-03 00:00:00+00'
    and booked_at < timestamptz '9999-12-01 00:00:00+00'
order by credit_rial, at_latest, credit_id
"""


def compute(engine: Engine) -> dict[str, pa.Table]:
    """Pair settlements and credits: a largest set of pairs."""
    arrived = grouped(engine.query(_CREDITS).to_pylist())
    settled = grouped(engine.query(_SETTLEMENTS).to_pylist())
    rows = [
        {"settlement_id": settlement, "credit_id": credit}
        for amount, settlements in settled.items()
        for settlement, credit in _paired(settlements, arrived.get(amount, [])).items()
    ]
    return {"int_settlement_matches": pa.Table.from_pylist(rows, SETTLEMENT_MATCHES)}


def _paired(settlements: Sequence[Row], arrived: Sequence[Row]) -> dict[str, str]:
    """Pair settlements and credits of one amount.

    A credit that serves one goes on serving, so as many named ones as can be are used.
    """
    named = serve(settlements, [each for each in arrived if each["is_provider_named"]])
    found = serve(_served(settlements, named), arrived)
    owed = [row for row in settlements if row["is_settlement"]]
    if len(owed) == len(settlements) or all(row["claim_id"] in found for row in owed):
        return found
    used = {*found.values()}
    taken = [each for each in arrived if each["debit_id"] in used]
    return serve(_served(settlements, serve(owed, taken)), taken)


def _served(settlements: Sequence[Row], found: Mapping[str, str]) -> list[Row]:
    return [{**row, "debit_id": found.get(row["claim_id"])} for row in settlements]
