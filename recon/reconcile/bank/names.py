"""Debits that name the provider serve claims before others of the same amount.

A salary of the amount of a deposit may be booked just before the deposit's own debit,
which then is left and told as one that no deposit accounts for. Here it takes the
other one's place. Whoever was served stays so.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from recon.reconcile.bank.matching import Row, replaced, serve
from recon.reconcile.bank.splits import amount_of, grouped
from recon.reconcile.engine import Engine

_NAMED = """
select debit_id, iban, debit_rial as rial, booked_at, at_latest
from int_bank_debits
where is_provider_named and booked_at is not null and debit_id is not null
order by at_latest, debit_id
"""

_CLAIMS = """
select claim_id, iban, claim_rial as rial, requested_at, until_at
from int_bank_claims
where claim_rial is not null and requested_at is not null
union
select claim_id, iban, claim_rial as rial, requested_at, until_at
from int_bank_entries
where claim_rial is not null and requested_at is not null
order by requested_at, claim_id
"""
"""Those of entries, too: a request that was paid in part has the debits of some."""


def preferred(engine: Engine, matches: pa.Table) -> pa.Table:
    """Return `int_bank_matches` with named debits in place of others, if they fit.

    A request that is paid entry by entry keeps its debits.
    """
    named = engine.query(_NAMED)
    left = named.filter(pc.invert(pc.is_in(named["debit_id"], matches["debit_id"])))
    if not left.num_rows or not matches.num_rows:
        return matches
    counts = Counter(matches["claim_id"].to_pylist())
    pairs = {
        claim: debit
        for claim, debit in zip(*matches.to_pydict().values(), strict=True)
        if counts[claim] == 1
    }
    wanted = grouped(left.to_pylist())
    claims = [
        row
        for row in engine.query(_CLAIMS).to_pylist()
        if row["claim_id"] in pairs and amount_of(row) in wanted
    ]
    others = set(matches["debit_id"].to_pylist()) - set(pairs.values())
    free = [row for row in named.to_pylist() if row["debit_id"] not in others]
    moves = moved(claims, free, pairs)
    return replaced(matches, moves, moves.items())


def moved(
    claims: Sequence[Row], named: Sequence[Row], pairs: Mapping[str, str]
) -> dict[str, str]:
    """Return the debits of claims that get another one.

    `pairs` has the debit of each claim. `named` are those that may serve these claims
    and name the provider, in the order of `at_latest`; those that do go on serving.
    """
    names = {row["debit_id"] for row in named}
    debits = grouped(named)
    found: dict[str, str] = {}
    for amount, rows in grouped(claims).items():
        now = [(row, pairs[row["claim_id"]]) for row in rows]
        served = [
            {**row, "debit_id": debit if debit in names else None} for row, debit in now
        ]
        found |= serve(served, debits.get(amount, []))
    return {claim: debit for claim, debit in found.items() if pairs[claim] != debit}
