"""Wider matching of the books: by amount and time, then sums within a family.

What a reference links is matched by it alone (`int_book_matches`). Of the rest, an
order and a paid record of exactly its amount within a day are a pair; and an order may
be paid by several records (`split`), or a record pay several orders (`bundle`), of the
same reference with suffixes or of the same customer, where the sum is exact. Nothing
is picked among several that fit: then all of them are `ambiguous`. A match of this
kind is a clue for people and closes no break.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import pyarrow as pa

from recon.lake.schema import INSTANT, RIALS, TEXT, WHOLE
from recon.reconcile.engine import Engine
from recon.reconcile.explain import find_sets

WIDE_MATCHES = pa.schema(
    {
        "order_id": TEXT,
        "reference": TEXT,
        "book_occurred_at": INSTANT,
        "product": TEXT,
        "record_id": TEXT,
        "method": TEXT,
        "confidence": TEXT,
        "book_amount_rial": RIALS,
        "record_amount_rial": RIALS,
        "difference_rial": RIALS,
        "proposal": WHOLE,
    }
)
"""`int_book_wide_matches`: one row an order and a record of a proposal, in rials.

`method` is `amount_time`, `split` or `bundle`; `confidence` is `likely` where the
proposal is the only one for all it joins, else `ambiguous`. Of a split or bundle a row
has the part of the amounts that its two share, so that parts add up to the whole; rows
of one `proposal` belong together.
"""

LIKELY = "likely"
AMBIGUOUS = "ambiguous"

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Proposal:
    """A whole and members that sum to it, as no other set of all does where `alone`."""

    members: tuple[Row, ...]
    alone: bool

    def items(self) -> tuple[str, ...]:
        """Return the ids of all that it joins."""
        return (
            self.members[0]["whole_id"],
            *(row["member_id"] for row in self.members),
        )

    def contested(self) -> bool:
        """Tell whether any of them is a candidate by amount and time besides."""
        return any(
            row["whole_is_contested"] or row["member_is_contested"]
            for row in self.members
        )


def compute(engine: Engine) -> dict[str, pa.Table]:
    """Compute `int_book_wide_matches` from what no reference links."""
    pairs = engine.query(
        "select order_id, reference, book_occurred_at, product, record_id, "
        "'amount_time' as method, "
        f"case when is_unique then '{LIKELY}' else '{AMBIGUOUS}' end as confidence, "
        "amount_rial as book_amount_rial, amount_rial as record_amount_rial, "
        "cast(0 as bigint) as difference_rial, "
        "row_number() over (order by order_id, product, record_id) as proposal "
        "from int_book_near_pairs order by proposal"
    ).cast(WIDE_MATCHES)
    families = engine.query(
        "select * from int_book_families "
        "order by method, whole_id, member_at nulls last, member_id"
    )
    found = proposals(families.to_pylist())
    sums = pa.Table.from_pylist(list(_rows(found, pairs.num_rows)), WIDE_MATCHES)
    return {"int_book_wide_matches": pa.concat_tables([pairs, sums])}


def proposals(rows: Sequence[Row]) -> list[Proposal]:
    """Return every set of two or more members that sums to its whole, in rials.

    `rows` are those of `int_book_families`, together by whole. Of the sets of a whole
    the smallest size counts, and as many are listed as `find_sets` shows.
    """
    found = []
    for _, group in groupby(rows, key=lambda row: row["whole_id"]):
        family = list(group)
        sets = find_sets(
            [row["member_rial"] for row in family], family[0]["whole_rial"]
        )
        alone = sets.count == 1 and sets.searched
        found += [
            Proposal(tuple(family[place] for place in places), alone)
            for places in sets.sets
        ]
    return found


def _rows(found: Sequence[Proposal], before: int) -> Iterable[dict[str, Any]]:
    """Yield a row an order and a record, numbered after the pairs."""
    claims = Counter(item for proposal in found for item in proposal.items())
    for number, proposal in enumerate(found, before + 1):
        single = all(claims[item] == 1 for item in proposal.items())
        likely = proposal.alone and single and not proposal.contested()
        for row in proposal.members:
            yield {
                **{name: row[name] for name in WIDE_MATCHES.names if name in row},
                "confidence": LIKELY if likely else AMBIGUOUS,
                "book_amount_rial": row["member_rial"],
                "record_amount_rial": row["member_rial"],
                "difference_rial": 0,
                "proposal": number,
            }
