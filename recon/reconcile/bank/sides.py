"""The two sides that are paired here: claims of deposits, and debits of the bank.

What is asked for in the last month of the calendar is passed over: its window may end
beyond it.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from recon.reconcile.engine import Engine

_CLAIMS = """
select
    claim_id, iban, claim_rial as rial, requested_at, until_at,
    coalesce(track_id || ':' || iban, claim_id) as request,
    iban || ':' || cast(claim_rial as varchar) as amount
from int_bank_claims
where requested_at < timestamptz '9999-12-01 00:00:00+00'
order by requested_at desc, claim_id
"""

_ENTRIES = """
select
    claims.claim_id as request_id,
    entries.claim_id,
    entries.iban,
    entries.claim_rial as rial,
    entries.requested_at,
    entries.until_at,
    cast(null as varchar) as debit_id
from int_bank_entries as entries
inner join int_bank_claims as claims
    on entries.request_claim_id = claims.claim_id
where entries.requested_at < timestamptz '9999-12-01 00:00:00+00'
order by entries.requested_at desc, entries.record_id
"""

_DEBITS = """
select
    iban, debit_rial as rial, debit_id, booked_at, at_latest, is_provider_named,
    iban || ':' || cast(debit_rial as varchar) as amount
from int_bank_debits
where booked_at is not null
order by at_latest, debit_id
"""

Row = Mapping[str, Any]
Amount: TypeAlias = tuple[str, int]
"""An account and rials."""


@dataclass(frozen=True)
class Sides:
    """Claims, the latest first, and debits, in the order of `at_latest`; in rials.

    `parts` are the entries of requests that may be paid by one debit of their sum, by
    the claim of the sum. `amount` names an account and rials, as `amount_key` does.
    """

    claims: pa.Table
    debits: pa.Table
    parts: Mapping[str, Sequence[Row]]

    @classmethod
    def of(cls, engine: Engine) -> Self:
        """Read them."""
        entries = engine.query(_ENTRIES).to_pylist()
        return cls(
            claims=engine.query(_CLAIMS),
            debits=engine.query(_DEBITS),
            parts=rows_by(entries, "request_id"),
        )

    def claims_of(self, amounts: Iterable[str], matches: pa.Table) -> list[Row]:
        """Return the claims of amounts, each with the debit that serves it as yet."""
        rows = only(self.claims, "amount", amounts)
        owned = pairs_of(only(matches, "claim_id", rows["claim_id"]))
        return [
            {**row, "debit_id": owned.get(row["claim_id"])} for row in rows.to_pylist()
        ]

    def all_of(self, amounts: Collection[str]) -> list[Row]:
        """Return the claims of amounts, and then the entries of `parts` of them."""
        rows: list[Row] = only(self.claims, "amount", amounts).to_pylist()
        entries = (row for rows in self.parts.values() for row in rows)
        return rows + [row for row in entries if amount_key(row) in amounts]

    def debits_of(self, amounts: Iterable[str]) -> list[Row]:
        """Return the debits of amounts."""
        found: list[Row] = only(self.debits, "amount", amounts).to_pylist()
        return found


def amount_of(row: Row) -> Amount:
    return row["iban"], row["rial"]


def amount_key(row: Row) -> str:
    """Return the account and rials as one text, as the tables have it."""
    return f"{row['iban']}:{row['rial']}"


def grouped(rows: Iterable[Row]) -> dict[Amount, list[Row]]:
    """Return rows together by account and amount."""
    found: dict[Amount, list[Row]] = defaultdict(list)
    for row in rows:
        found[amount_of(row)].append(row)
    return found


def pairs_of(matches: pa.Table) -> dict[str, str]:
    """Return the debit of each claim, by claim."""
    return dict(zip(*matches.to_pydict().values(), strict=True))


def rows_by(rows: Iterable[Row], name: str) -> dict[str, list[Row]]:
    """Return rows together by a column."""
    found: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        found[row[name]].append(row)
    return found


def only(
    table: pa.Table, name: str, values: Iterable[str] | pa.ChunkedArray
) -> pa.Table:
    """Return the rows of which a column has one of these values."""
    return table.filter(is_in(table[name], values))


def is_in(
    column: pa.ChunkedArray, values: Iterable[str] | pa.ChunkedArray
) -> pa.ChunkedArray:
    """Tell of each text whether it is one of these."""
    if not isinstance(values, pa.ChunkedArray):
        values = pa.array(values, pa.string())
    return pc.is_in(column, values)
