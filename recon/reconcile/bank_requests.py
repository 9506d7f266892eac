"""Which requests of several entries the bank paid entry by entry after all.

`int_bank_claims` lets such a request ask for one debit of its sum where the statement
has one. That may be a debit of something else: where each entry has a debit that
nothing else claims, these are the request's, and that of the sum is left to others.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from recon.reconcile import bank_matching
from recon.reconcile.bank_matching import BANK_MATCHES, Row, serve
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
    """
    matches = bank_matching.compute(engine)["int_bank_matches"]
    entries = engine.query(_ENTRIES).to_pylist()
    if entries:
        matches = _reassigned(engine, matches, entries)
    return {"int_bank_matches": matches}


def _reassigned(engine: Engine, matches: pa.Table, entries: Sequence[Row]) -> pa.Table:
    debits = engine.query(_DEBITS).to_pylist()
    known = pa.array([each["debit_id"] for each in debits], pa.string())
    near = matches.filter(pc.is_in(matches["debit_id"], known)).to_pylist()
    served = {row["claim_id"]: row["debit_id"] for row in near}
    used = set(served.values())
    left = [row for row in debits if row["debit_id"] not in used]
    paid = _paid(entries, served, left)
    if not paid:
        return matches
    spent = {debit for each in paid.values() for debit in each}
    freed = {_sum_of(row) for row in entries if row["request_id"] in paid}
    claims = [
        row | {"debit_id": served.get(row["claim_id"])}
        for row in engine.query(_CLAIMS).to_pylist()
        if (row["iban"], row["rial"]) in freed
    ]
    pairs = [(request, debit) for request, each in paid.items() for debit in each]
    for amount in sorted(freed):
        free = [row for row in debits if row["debit_id"] not in spent]
        others = [row for row in _of(amount, claims) if row["claim_id"] not in paid]
        pairs += serve(others, _of(amount, free)).items()
    ours = pa.array([row["claim_id"] for row in claims], pa.string())
    kept = matches.filter(pc.invert(pc.is_in(matches["claim_id"], ours)))
    rows = [dict(zip(BANK_MATCHES.names, pair, strict=True)) for pair in sorted(pairs)]
    return pa.concat_tables([kept, pa.Table.from_pylist(rows, BANK_MATCHES)])


def _paid(
    entries: Sequence[Row], served: Mapping[str, str], left: Iterable[Row]
) -> dict[str, list[str]]:
    """Return the debits of each request whose entries all have one that is left.

    A request without a debit of its sum comes first.
    """
    free: dict[Amount, list[Row]] = defaultdict(list)
    for row in left:
        free[row["iban"], row["rial"]].append(row)
    requests = [
        (request, list(rows))
        for request, rows in groupby(entries, key=lambda row: row["request_id"])
    ]
    requests.sort(key=lambda each: each[0] in served)
    paid: dict[str, list[str]] = {}
    for request, rows in requests:
        taken = _one_each(rows, free)
        if len(taken) == len(rows):
            paid[request] = sorted(taken)
            for amount in {(row["iban"], row["rial"]) for row in rows}:
                free[amount] = [
                    row for row in free[amount] if row["debit_id"] not in taken
                ]
    return paid


def _one_each(rows: Sequence[Row], free: Mapping[Amount, Sequence[Row]]) -> set[str]:
    """Return debits for as many entries as have one of their amount and window."""
    taken: set[str] = set()
    for amount in {(row["iban"], row["rial"]) for row in rows}:
        asking = [{**row, "debit_id": None} for row in _of(amount, rows)]
        taken.update(serve(asking, free.get(amount, ())).values())
    return taken


def _of(amount: Amount, rows: Iterable[Any]) -> list[Any]:
    return [row for row in rows if (row["iban"], row["rial"]) == amount]


def _sum_of(row: Row) -> Amount:
    return row["iban"], row["request_rial"]
