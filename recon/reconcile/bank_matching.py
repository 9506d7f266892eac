"""Which debit of the bank serves which claim of a deposit, as many as can be served.

`int_bank_brackets` pairs nearly all. Here a claim that it left takes a debit of its
window, whose claim takes another one, and so on, until a debit is used that was left,
too. So none is called missing that could be there, and none that was served is not.
"""

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from itertools import groupby
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from recon.lake.schema import TEXT
from recon.reconcile.engine import Engine

BANK_MATCHES = pa.schema({"claim_id": TEXT, "debit_id": TEXT})
"""`int_bank_matches`: one row a claim and a debit that serves it; each debit once."""

_LONGEST_DEBIT = timedelta(days=1)  # of one that a statement gives by its day only

_LEFT = """
claims_left as (
    select claims.iban, claims.claim_rial
    from int_bank_claims as claims
    anti join int_bank_brackets as served
        on claims.claim_id = served.claim_id
),
debits_left as (
    select debits.iban, debits.debit_rial
    from int_bank_debits as debits
    anti join int_bank_brackets as used
        on debits.debit_id = used.debit_id
    where debits.booked_at is not null
),
contested as (
    select distinct claims_left.iban, claims_left.claim_rial as rial
    from claims_left
    inner join debits_left
        on
            claims_left.iban = debits_left.iban
            and claims_left.claim_rial = debits_left.debit_rial
)
"""
"""The accounts and amounts of which both a claim and a debit are left."""

_CLAIMS = f"""
with {_LEFT}
select
    claims.iban, claims.claim_rial as rial, claims.claim_id,
    claims.requested_at, claims.until_at, served.debit_id
from int_bank_claims as claims
inner join contested
    on claims.iban = contested.iban and claims.claim_rial = contested.rial
left join int_bank_brackets as served
    on claims.claim_id = served.claim_id
where claims.requested_at < timestamptz '9999-12-01 00:00:00+00'
order by claims.iban, claims.claim_rial, claims.requested_at desc, claims.claim_id
"""

_DEBITS = f"""
with {_LEFT}
select
    debits.iban, debits.debit_rial as rial, debits.debit_id,
    debits.booked_at, debits.at_latest
from int_bank_debits as debits
inner join contested
    on debits.iban = contested.iban and debits.debit_rial = contested.rial
where debits.booked_at is not null
order by debits.iban, debits.debit_rial, debits.at_latest, debits.debit_id
"""

_BRACKETS = "select claim_id, debit_id from int_bank_brackets"

Row = Mapping[str, Any]


def compute(engine: Engine) -> dict[str, pa.Table]:
    """Pair claims and debits: a largest set of pairs that has all the brackets'.

    `bank_requests` makes `int_bank_matches` of it.
    """
    debits = dict(by_amount(engine.query(_DEBITS).to_pylist()))
    served: dict[str, str] = {}
    for amount, claims in by_amount(engine.query(_CLAIMS).to_pylist()):
        served |= serve(claims, debits[amount])
    rows = [{"claim_id": each, "debit_id": served[each]} for each in sorted(served)]
    found = pa.Table.from_pylist(rows, BANK_MATCHES)
    brackets = engine.query(_BRACKETS).cast(BANK_MATCHES)
    is_found = pc.is_in(brackets["claim_id"], found["claim_id"])
    others = brackets.filter(pc.invert(is_found))
    return {"int_bank_matches": pa.concat_tables([others, found])}


def serve(claims: Sequence[Row], debits: Sequence[Row]) -> dict[str, str]:
    """Serve as many claims of one account and amount as can be, by claim.

    A claim's `debit_id` is that which serves it as yet; it may get another one, but
    stays served. `debits` are in the order of `at_latest`.
    """
    search = _Search(debits, claims)
    for claim in claims:
        if claim["debit_id"] is None:
            search.serve(claim)
    return {claim["claim_id"]: debit for debit, claim in search.owners.items()}


class _Search:
    """Seeks a way from a claim without a debit to a debit without a claim."""

    def __init__(self, debits: Sequence[Row], claims: Sequence[Row]) -> None:
        self.owners = {row["debit_id"]: row for row in claims if row["debit_id"]}
        self._debits = debits
        self._latest = [row["at_latest"] for row in debits]
        self._vain: set[int] = set()

    def serve(self, claim: Row) -> None:
        """Serve a claim, the claims on the way taking other debits; or nobody.

        What was looked at in vain leads nowhere for any other claim either.
        """
        asked: dict[int, tuple[Row, int | None]] = {}
        waiting: deque[tuple[Row, int | None]] = deque([(claim, None)])
        while waiting:
            asking, given_up = waiting.popleft()
            for place in self._window(asking):
                if place in asked or place in self._vain:
                    continue
                asked[place] = asking, given_up
                owner = self.owners.get(self._debits[place]["debit_id"])
                if owner is None:
                    self._hand_over(place, asked)
                    return
                waiting.append((owner, place))
        self._vain.update(asked)

    def _window(self, claim: Row) -> Iterator[int]:
        """Yield the places of the debits that may serve a claim."""
        first = bisect_left(self._latest, claim["requested_at"])
        end = bisect_right(self._latest, claim["until_at"] + _LONGEST_DEBIT)
        for place in range(first, end):
            if self._debits[place]["booked_at"] <= claim["until_at"]:
                yield place

    def _hand_over(
        self, place: int | None, asked: Mapping[int, tuple[Row, int | None]]
    ) -> None:
        while place is not None:
            debit = self._debits[place]["debit_id"]
            self.owners[debit], place = asked[place]


def by_amount(rows: Iterable[Row]) -> Iterator[tuple[tuple[str, int], list[Row]]]:
    """Yield the rows of each account and amount, which they are ordered by."""
    for key, group in groupby(rows, key=lambda row: (row["iban"], row["rial"])):
        yield key, list(group)
