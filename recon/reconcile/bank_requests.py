"""Which requests of several entries the bank paid entry by entry after all.

`int_bank_claims` lets such a request ask for one debit of its sum where the statement
has one. That may be a debit of something else: where each entry has a debit that
nothing else claims, these are the request's, and that of the sum is left to others.
Where a claim of that sum has no debit, other claims take other debits for it, as long
as all have one.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from recon.reconcile import bank_matching
from recon.reconcile.bank_matching import BANK_MATCHES, Row, serve
from recon.reconcile.bank_names import preferred
from recon.reconcile.engine import Engine

_ENTRIES = """
select
    claims.claim_id as request_id,
    claims.claim_rial as request_rial,
    entries.record_id as claim_id,
    entries.iban,
    entries.claim_rial as rial,
    entries.requested_at,
    entries.until_at
from int_bank_entries as entries
inner join int_bank_claims as claims
    on 'track:' || entries.track_id || ':' || entries.iban = claims.claim_id
where entries.requested_at < timestamptz '9999-12-01 00:00:00+00'
order by claims.requested_at, claims.claim_id, entries.requested_at desc, claim_id
"""

_AMOUNTS = """
amounts as (
    select claims.iban, claims.claim_rial as rial
    from int_bank_entries as entries
    inner join int_bank_claims as claims
        on 'track:' || entries.track_id || ':' || entries.iban = claims.claim_id
    union
    select entries.iban, entries.claim_rial as rial
    from int_bank_entries as entries
    inner join int_bank_claims as claims
        on 'track:' || entries.track_id || ':' || entries.iban = claims.claim_id
)
"""
"""The accounts and amounts of such requests and of their entries."""

_DEBITS = f"""
with {_AMOUNTS}
select
    debits.iban, debits.debit_rial as rial, debits.debit_id,
    debits.booked_at, debits.at_latest
from int_bank_debits as debits
inner join amounts
    on debits.iban = amounts.iban and debits.debit_rial = amounts.rial
where debits.booked_at is not null
order by debits.at_latest, debits.debit_id
"""

_CLAIMS = f"""
with {_AMOUNTS}
select
    claims.iban, claims.claim_rial as rial, claims.claim_id,
    claims.requested_at, claims.until_at
from int_bank_claims as claims
inner join amounts
    on claims.iban = amounts.iban and claims.claim_rial = amounts.rial
where claims.requested_at < timestamptz '9999-12-01 00:00:00+00'
order by claims.requested_at desc, claims.claim_id
"""

Amount: TypeAlias = tuple[str, int]
"""An account and rials."""


def compute(engine: Engine) -> dict[str, pa.Table]:
    """Compute `int_bank_matches`: a request that was paid so has a row for each entry.

    The others are as `bank_matching` pairs them, and as many as before are served.
    Debits that name the provider go first (`bank_names`).
    """
    matches = bank_matching.compute(engine)["int_bank_matches"]
    entries = engine.query(_ENTRIES).to_pylist()
    if entries:
        matches = _reassigned(engine, matches, entries)
    return {"int_bank_matches": preferred(engine, matches)}


def _reassigned(engine: Engine, matches: pa.Table, entries: Sequence[Row]) -> pa.Table:
    debits = engine.query(_DEBITS).to_pylist()
    known = pa.array([each["debit_id"] for each in debits], pa.string())
    near = matches.filter(pc.is_in(matches["debit_id"], known)).to_pylist()
    served = {row["claim_id"]: row["debit_id"] for row in near}
    claims = [
        row | {"debit_id": served.get(row["claim_id"])}
        for row in engine.query(_CLAIMS).to_pylist()
    ]
    serving = _Serving(debits, claims)
    requests = [
        (request, list(rows))
        for request, rows in groupby(entries, key=lambda row: row["request_id"])
    ]
    requests.sort(key=lambda each: each[0] in served)
    paid = [each for each in requests if serving.pay(*each)]
    if not paid:
        return matches
    serving.serve_others({_sum_of(rows[0]) for _, rows in paid})
    ours = pa.array([row["claim_id"] for row in claims], pa.string())
    kept = matches.filter(pc.invert(pc.is_in(matches["claim_id"], ours)))
    rows = [
        dict(zip(BANK_MATCHES.names, pair, strict=True)) for pair in serving.pairs()
    ]
    return pa.concat_tables([kept, pa.Table.from_pylist(rows, BANK_MATCHES)])


class _Serving:
    """Which debit serves which claim, by account and amount; each debit once.

    An entry of a request that is paid entry by entry is a claim from then on, and the
    request is none any more.
    """

    def __init__(self, debits: Sequence[Row], claims: Sequence[Row]) -> None:
        self._debits = _by_amount(debits)
        self._claims: dict[Amount, dict[str, Row]] = defaultdict(dict)
        for claim in claims:
            self._claims[_amount(claim)][claim["claim_id"]] = claim
        self._requests: dict[str, str] = {}  # by claim, where that is an entry

    def pay(self, request: str, entries: Sequence[Row]) -> bool:
        """Serve all entries of a request, if each can have a debit of its own."""
        is_wanted = any(
            row["debit_id"] is None
            for row in self._claims[_sum_of(entries[0])].values()
        )
        asked = _by_amount(
            [
                {**row, "claim_id": f"{request}#{row['claim_id']}", "debit_id": None}
                for row in entries
            ]
        )
        found: dict[Amount, Mapping[str, str]] = {}
        for amount, asking in asked.items():
            found[amount] = self._found(amount, asking, is_wanted)
            if not all(row["claim_id"] in found[amount] for row in asking):
                return False
        for amount, asking in asked.items():
            for row in asking:
                self._claims[amount][row["claim_id"]] = row
                self._requests[row["claim_id"]] = request
            self._keep(amount, found[amount])
        del self._claims[_sum_of(entries[0])][request]
        return True

    def serve_others(self, amounts: Iterable[Amount]) -> None:
        """Serve whom the debits of sums that are free now can serve."""
        for amount in sorted(amounts):
            claims = list(self._claims[amount].values())
            self._keep(amount, serve(claims, self._debits.get(amount, ())))

    def pairs(self) -> list[tuple[str, str]]:
        """Return the claims and requests that are served, with their debits."""
        return sorted(
            (self._requests.get(claim, claim), row["debit_id"])
            for rows in self._claims.values()
            for claim, row in rows.items()
            if row["debit_id"] is not None
        )

    def _found(
        self, amount: Amount, asking: Sequence[Row], is_wanted: bool
    ) -> Mapping[str, str]:
        """Serve claims by what is free; if need be, others take other debits."""
        served = [row for row in self._claims[amount].values() if row["debit_id"]]
        used = {row["debit_id"] for row in served}
        debits = self._debits.get(amount, [])
        free = [row for row in debits if row["debit_id"] not in used]
        found = serve(asking, free)
        if len(found) < len(asking) and len(free) >= len(asking) and is_wanted:
            found = serve([*served, *asking], debits)
        return found

    def _keep(self, amount: Amount, found: Mapping[str, str]) -> None:
        claims = self._claims[amount]
        for claim, debit in found.items():
            claims[claim] = {**claims[claim], "debit_id": debit}


def _by_amount(rows: Iterable[Row]) -> dict[Amount, list[Row]]:
    found: dict[Amount, list[Row]] = defaultdict(list)
    for row in rows:
        found[_amount(row)].append(row)
    return found


def _amount(row: Row) -> Amount:
    return row["iban"], row["rial"]


def _sum_of(row: Row) -> Amount:
    return row["iban"], row["request_rial"]
