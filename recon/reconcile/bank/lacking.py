"""Requests that lack a debit, and what could be paired otherwise for them.

That is of amounts which such a request asks for, and requests of several entries ask
for, too: where there are single claims only, `matching` serves as many as can be.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from recon.reconcile.bank import fewest
from recon.reconcile.bank.fewest import DepositRequest
from recon.reconcile.bank.matching import BANK_MATCHES, Row, replaced, serve
from recon.reconcile.bank.names import preferred
from recon.reconcile.bank.splits import grouped
from recon.reconcile.engine import Engine

_MATCHES = "select claim_id, debit_id from int_bank_matches"

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
"""Those of requests that may be paid by one debit of their sum, claim `request_id`."""

_DEBITS = """
select
    iban, debit_rial as rial, debit_id, booked_at, at_latest, is_provider_named,
    iban || ':' || cast(debit_rial as varchar) as amount
from int_bank_debits
where booked_at is not null
order by at_latest, debit_id
"""


def compute(engine: Engine) -> dict[str, pa.Table]:
    """Compute `int_bank_pairs` of `int_bank_matches`: few requests lack a debit."""
    matches = engine.query(_MATCHES).cast(BANK_MATCHES)
    claims = engine.query(_CLAIMS)
    entries = engine.query(_ENTRIES).to_pylist()
    parts = _grouped(entries, "request_id")
    split = _split(engine, matches, parts)
    pairs = {claim: debit for each in split.values() for claim, debit in each.items()}
    matches = replaced(matches, split, sorted(pairs.items()))
    is_served = pc.is_in(claims["claim_id"], matches["claim_id"])
    lacking = [
        row
        for row in claims.filter(pc.invert(is_served)).to_pylist()
        if row["claim_id"] not in split
    ]
    if lacking:
        matches = _lessened(engine, matches, claims, lacking, parts)
    return {"int_bank_pairs": matches}


def _split(
    engine: Engine, matches: pa.Table, parts: Mapping[str, Sequence[Row]]
) -> dict[str, dict[str, str]]:
    """Return the debits of entries, by the claim of their request's sum."""
    counted = pc.value_counts(matches["claim_id"])
    names = counted.field("values").filter(pc.greater(counted.field("counts"), 1))
    if not len(names):
        return {}
    ours = _only(matches, "claim_id", names)
    debits = {
        row["debit_id"]: row
        for row in _only(
            engine.query(_DEBITS), "debit_id", ours["debit_id"]
        ).to_pylist()
    }
    owned: dict[str, list[Row]] = defaultdict(list)
    for claim, debit in zip(*ours.to_pydict().values(), strict=True):
        owned[claim].append(debits[debit])
    return {
        claim: {
            entry: debit
            for amount, rows in grouped(parts[claim]).items()
            for entry, debit in serve(rows, grouped(each)[amount]).items()
        }
        for claim, each in owned.items()
    }


def _lessened(
    engine: Engine,
    matches: pa.Table,
    claims: pa.Table,
    lacking: Sequence[Row],
    parts: Mapping[str, Sequence[Row]],
) -> pa.Table:
    """Return `matches` with as few requests that lack a debit as can be found."""
    debits = engine.query(_DEBITS)
    requests, amounts = _requests(claims, lacking, parts, debits)
    if not requests:
        return matches
    others = [row for rows in parts.values() for row in rows if _key(row) in amounts]
    rows = [*_only(claims, "amount", amounts).to_pylist(), *others]
    ours = _only(matches, "claim_id", [row["claim_id"] for row in rows])
    owned = {row["claim_id"]: row["debit_id"] for row in ours.to_pylist()}
    found = fewest.served(
        requests,
        [{**row, "debit_id": owned.get(row["claim_id"])} for row in rows],
        _only(debits, "amount", amounts).to_pylist(),
    )
    return preferred(engine, replaced(matches, owned, sorted(found.items())))


def _requests(
    claims: pa.Table,
    lacking: Sequence[Row],
    parts: Mapping[str, Sequence[Row]],
    debits: pa.Table,
) -> tuple[list[DepositRequest], set[str]]:
    """Return requests that lack a debit or could leave one, and amounts of these."""
    names = [row["request"] for row in lacking]
    asked = {
        _key(each)
        for row in _only(claims, "request", names).to_pylist()
        for each in (row, *parts.get(row["claim_id"], ()))
    }
    keys = pa.table({"amount": pa.array(sorted(asked), pa.string())})
    wanted = {*_only(keys, "amount", debits["amount"])["amount"].to_pylist()}
    near = {
        name for name, rows in parts.items() if any(_key(row) in wanted for row in rows)
    }
    touched = pa.concat_tables(
        [_only(claims, "amount", wanted), _only(claims, "claim_id", near)]
    )
    touched_rows = _only(claims, "request", touched["request"]).to_pylist()
    rows_of = _grouped(touched_rows, "request")
    several = {
        name: _request(name, rows, parts)
        for name, rows in rows_of.items()
        if len(rows) > 1 or rows[0]["claim_id"] in parts
    }
    amounts = {_key(row) for request in several.values() for row in request.claims}
    single = [
        _request(row["request"], [row], parts)
        for row in lacking
        if row["request"] not in several and _key(row) in amounts
    ]
    return [*several.values(), *single] if several else [], amounts


def _request(
    name: str, rows: Sequence[Row], parts: Mapping[str, Sequence[Row]]
) -> DepositRequest:
    """Return a request by its claims: that of its sum, or those of its entries."""
    entries = parts.get(rows[0]["claim_id"], rows)
    rials = [row["rial"] for row in entries]
    is_whole = None not in rials and sum(rials) == sum(row["rial"] for row in rows)
    if entries is rows:
        return DepositRequest(name, [rows], rows)
    return DepositRequest(name, [rows, entries] if is_whole else [rows], entries)


def _key(row: Row) -> str:
    return f"{row['iban']}:{row['rial']}"


def _grouped(rows: Iterable[Row], name: str) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        found[row[name]].append(row)
    return found


def _only(
    table: pa.Table, name: str, values: Iterable[str] | pa.ChunkedArray
) -> pa.Table:
    if not isinstance(values, pa.ChunkedArray):
        values = pa.array(values, pa.string())
    return table.filter(pc.is_in(table[name], values))
