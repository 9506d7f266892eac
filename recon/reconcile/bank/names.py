"""Debits that name the provider serve claims before others of the same amount.

A salary of the amount of a deposit may be booked just before the deposit's own debit,
which then is left and told as one that no deposit accounts for. Here it takes the
other one's place. Whoever was served stays so.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from recon.reconcile.bank.matching import replaced, serve
from recon.reconcile.bank.sides import Row, Sides, grouped, is_in, pairs_of


def preferred(sides: Sides, matches: pa.Table) -> pa.Table:
    """Return `int_bank_matches` with named debits in place of others, if they fit.

    A request that is paid entry by entry keeps its debits; of one that is paid in part,
    entries may change theirs.
    """
    named = sides.debits.filter(sides.debits["is_provider_named"])
    left = named.filter(pc.invert(is_in(named["debit_id"], matches["debit_id"])))
    if not left.num_rows or not matches.num_rows:
        return matches
    counts = Counter(matches["claim_id"].to_pylist())
    pairs = {
        claim: debit for claim, debit in pairs_of(matches).items() if counts[claim] == 1
    }
    near = sides.all_of({*left["amount"].to_pylist()})
    claims = [row for row in near if row["claim_id"] in pairs]
    claims.sort(key=lambda row: (row["requested_at"], row["claim_id"]))
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
