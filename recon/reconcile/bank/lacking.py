"""Requests that lack a debit, and what could be paired otherwise for them.

That is of amounts which such a request asks for, and requests of several entries ask
for, too: where there are single claims only, `matching` serves as many as can be.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from recon.reconcile.bank import fewest
from recon.reconcile.bank.fewest import DepositRequest
from recon.reconcile.bank.matching import BANK_MATCHES, replaced, serve
from recon.reconcile.bank.names import preferred
from recon.reconcile.bank.sides import (
    Row,
    Sides,
    amount_key,
    grouped,
    is_in,
    only,
    pairs_of,
    rows_by,
)
from recon.reconcile.engine import Engine

_MATCHES = "select claim_id, debit_id from int_bank_matches"


def compute(engine: Engine) -> dict[str, pa.Table]:
    """Compute `int_bank_pairs` of `int_bank_matches`: few requests lack a debit."""
    matches = engine.query(_MATCHES).cast(BANK_MATCHES)
    sides = Sides.of(engine)
    split = _split(sides, matches)
    pairs = {claim: debit for each in split.values() for claim, debit in each.items()}
    matches = replaced(matches, split, sorted(pairs.items()))
    is_served = is_in(sides.claims["claim_id"], matches["claim_id"])
    lacking = [
        row
        for row in sides.claims.filter(pc.invert(is_served)).to_pylist()
        if row["claim_id"] not in split
    ]
    if lacking:
        matches = _lessened(sides, matches, lacking)
    return {"int_bank_pairs": matches}


def _split(sides: Sides, matches: pa.Table) -> dict[str, dict[str, str]]:
    """Return the debits of entries, by the claim of their request's sum."""
    counted = pc.value_counts(matches["claim_id"])
    names = counted.field("values").filter(pc.greater(counted.field("counts"), 1))
    if not len(names):
        return {}
    ours = only(matches, "claim_id", names)
    debits = {
        row["debit_id"]: row
        for row in only(sides.debits, "debit_id", ours["debit_id"]).to_pylist()
    }
    owned: dict[str, list[Row]] = defaultdict(list)
    for claim, debit in zip(*ours.to_pydict().values(), strict=True):
        owned[claim].append(debits[debit])
    return {
        claim: {
            entry: debit
            for amount, rows in grouped(sides.parts[claim]).items()
            for entry, debit in serve(rows, grouped(each)[amount]).items()
        }
        for claim, each in owned.items()
    }


def _lessened(sides: Sides, matches: pa.Table, lacking: Sequence[Row]) -> pa.Table:
    """Return `matches` with as few requests that lack a debit as can be found."""
    requests, amounts = _requests(sides, lacking)
    if not requests:
        return matches
    rows = sides.all_of(amounts)
    owned = pairs_of(only(matches, "claim_id", [row["claim_id"] for row in rows]))
    found = fewest.served(
        requests,
        [{**row, "debit_id": owned.get(row["claim_id"])} for row in rows],
        sides.debits_of(amounts),
    )
    return preferred(sides, replaced(matches, owned, sorted(found.items())))


def _requests(
    sides: Sides, lacking: Sequence[Row]
) -> tuple[list[DepositRequest], set[str]]:
    """Return requests that lack a debit or could leave one, and amounts of these."""
    claims, parts = sides.claims, sides.parts
    names = [row["request"] for row in lacking]
    asked = {
        amount_key(each)
        for row in only(claims, "request", names).to_pylist()
        for each in (row, *parts.get(row["claim_id"], ()))
    }
    wanted = {*only(sides.debits, "amount", asked)["amount"].to_pylist()}
    near = {
        name
        for name, rows in parts.items()
        if any(amount_key(row) in wanted for row in rows)
    }
    touched = pa.concat_tables(
        [only(claims, "amount", wanted), only(claims, "claim_id", near)]
    )
    touched_rows = only(claims, "request", touched["request"]).to_pylist()
    rows_of = rows_by(touched_rows, "request")
    several = {
        name: _request(name, rows, parts)
        for name, rows in rows_of.items()
        if len(rows) > 1 or rows[0]["claim_id"] in parts
    }
    amounts = {
        amount_key(row) for request in several.values() for row in request.claims
    }
    single = [
        _request(row["request"], [row], parts)
        for row in lacking
        if row["request"] not in several and amount_key(row) in amounts
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
