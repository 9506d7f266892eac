"""Debits that name the provider serve claims before others of the same amount.

A salary of the amount of a deposit may be booked just before the deposit's own debit,
which then is left and told as one that no deposit accounts for. Here it takes the
other one's place. Whoever was served stays so.
"""

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from recon.reconcile.bank_matching import BANK_MATCHES, Row
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
order by requested_at, claim_id
"""


def preferred(engine: Engine, matches: pa.Table) -> pa.Table:
    """Return `int_bank_matches` with named debits in place of others, if they fit.

    A request that is paid entry by entry keeps its debits.
    """
    named = engine.query(_NAMED)
    left = named.filter(pc.invert(pc.is_in(named["debit_id"], matches["debit_id"])))
    if not left.num_rows or not matches.num_rows:
        return matches
    pairs = dict(zip(*matches.to_pydict().values(), strict=True))
    counts = Counter(matches["claim_id"].to_pylist())
    claims = engine.query(_CLAIMS)
    near = claims.filter(pc.is_in(claims["rial"], pc.unique(left["rial"])))
    moves = _moves(
        [row for row in near.to_pylist() if counts[row["claim_id"]] == 1],
        {row["debit_id"]: row for row in named.to_pylist()},
        left.to_pylist(),
        pairs,
    )
    if not moves:
        return matches
    kept = matches.filter(
        pc.invert(pc.is_in(matches["claim_id"], pa.array(list(moves), pa.string())))
    )
    rows = [dict(zip(BANK_MATCHES.names, each, strict=True)) for each in moves.items()]
    return pa.concat_tables([kept, pa.Table.from_pylist(rows, BANK_MATCHES)])


def _moves(
    claims: Sequence[Row],
    named: Mapping[str, Row],
    left: Sequence[Row],
    pairs: Mapping[str, str],
) -> dict[str, str]:
    """Return the debits of claims that get another one."""
    by_amount: dict[tuple[str, int], list[Row]] = defaultdict(list)
    for claim in claims:
        by_amount[claim["iban"], claim["rial"]].append(claim)
    searches = {
        amount: _Search(rows, named, pairs) for amount, rows in by_amount.items()
    }
    for debit in left:
        if search := searches.get((debit["iban"], debit["rial"])):
            search.use(debit)
    moved: dict[str, str] = {}
    for search in searches.values():
        moved |= search.moved
    return {claim: debit for claim, debit in moved.items() if pairs[claim] != debit}


class _Search:
    """Seeks a way from a named debit that is left to one that is used and unnamed.

    A claim takes the one, and another claim takes its debit, if that is a named one.
    """

    def __init__(
        self, claims: Sequence[Row], named: Mapping[str, Row], pairs: Mapping[str, str]
    ) -> None:
        """Take the claims of one account and amount, in the order of their time."""
        self.moved: dict[str, str] = {}
        self._claims = claims
        self._named = named
        self._pairs = pairs
        self._times = [each["requested_at"] for each in claims]
        self._longest = max(each["until_at"] - each["requested_at"] for each in claims)
        self._vain: set[str] = set()

    def use(self, left: Row) -> None:
        """Let a debit serve a claim, if an unnamed one is given up for that.

        What was looked at in vain leads nowhere for any other debit either.
        """
        came: dict[str, tuple[str, str | None]] = {}  # claims: their debits, and whence
        waiting: deque[tuple[Row, str | None]] = deque([(left, None)])
        while waiting:
            debit, before = waiting.popleft()
            for name in self._takers(debit):
                if name in came or name in self._vain:
                    continue
                came[name] = debit["debit_id"], before
                given_up = self.moved.get(name, self._pairs[name])
                if given_up not in self._named:
                    self._move(name, came)
                    return
                waiting.append((self._named[given_up], name))
        self._vain.update(came)

    def _move(
        self, taker: str | None, came: Mapping[str, tuple[str, str | None]]
    ) -> None:
        while taker is not None:
            self.moved[taker], taker = came[taker]

    def _takers(self, debit: Row) -> Iterator[str]:
        """Yield the claims that a debit may serve."""
        first = bisect_left(self._times, debit["booked_at"] - self._longest)
        end = bisect_right(self._times, debit["at_latest"])
        for claim in self._claims[first:end]:
            if debit["booked_at"] <= claim["until_at"]:
                yield claim["claim_id"]
