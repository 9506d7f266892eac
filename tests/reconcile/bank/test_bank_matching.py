"""Debits of the bank against claims of deposits: as many are served as can be."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any, TypeAlias

import pytest

from recon.reconcile.bank.matching import serve
from tests.reports.lake_rows import engine
from tests.reports.test_report_flows_query import deposit

MIDNIGHT = datetime(2026, 3, 1, 20, 30, tzinfo=UTC)  # of the business's clock
BANK = "IR890170000000100324200002"
DAY = timedelta(days=1)

World: TypeAlias = tuple[list[int], list[int]]
"""Of one amount, the hours of claims and of debits since a midnight."""


def at(hours: int) -> datetime:
    return MIDNIGHT + timedelta(hours=hours)


def largest(claims: Sequence[int], debits: Sequence[int]) -> int:
    """Count how many claims can be served at most, by trying each way; in hours."""
    if not claims:
        return 0
    first, *rest = claims
    found = largest(rest, debits)
    for place, debit in enumerate(debits):
        latest = debit + 23 if debit % 24 == 0 else debit
        if first <= latest and debit <= first + 72:
            left = [*debits[:place], *debits[place + 1 :]]
            found = max(found, 1 + largest(rest, left))
    return found


def served(worlds: Sequence[World]) -> list[tuple[int, int]]:
    """How many claims of each world are served by brackets alone, and by matches."""
    deposits: list[dict[str, Any]] = []
    lines: list[dict[str, Any]] = []
    for amount, (claims, debits) in enumerate(worlds, start=1):
        deposits += [
            deposit(
                len(deposits) + n,
                amount=amount,
                wage=0,
                iban=BANK,
                requested_at=at(hours),
            )
            for n, hours in enumerate(claims)
        ]
        lines += [
            {"booked_at": at(hours), "amount": -amount, "iban": BANK}
            for hours in debits
        ]
    with engine(deposits=deposits, bank_statement=lines) as models:
        brackets = models.query(PAIRS.format(model="int_bank_brackets")).to_pylist()
        found = models.query(PAIRS.format(model="int_bank_matches")).to_pylist()
    assert {row["claim_id"] for row in brackets} <= {row["claim_id"] for row in found}
    assert all(row["fits"] for row in found)
    for side in ("claim_id", "debit_id"):
        assert len({row[side] for row in found}) == len(found)
    counts = [Counter(row["amount"] for row in each) for each in (brackets, found)]
    return [(counts[0][n], counts[1][n]) for n in range(1, len(worlds) + 1)]


PAIRS = """
select
    pairs.claim_id,
    pairs.debit_id,
    claims.claim_rial as amount,
    claims.claim_rial = debits.debit_rial
    and claims.requested_at <= debits.at_latest
    and claims.until_at >= debits.booked_at as fits,
from {model} as pairs
left join int_bank_claims as claims
    on pairs.claim_id = claims.claim_id
left join int_bank_debits as debits
    on pairs.debit_id = debits.debit_id
"""


def test_as_many_are_served_as_can_be_and_none_that_brackets_served_is_left() -> None:
    chance = Random(7)
    worlds: list[World] = [
        (
            [chance.randrange(140) for _ in range(chance.randint(1, 6))],
            [chance.randrange(0, 200, chance.choice([1, 24])) for _ in range(size)],
        )
        for size in [1, 2, 3, 4, 5, 6] * 60
    ]
    counts = served(worlds)
    assert [count for _, count in counts] == [largest(*each) for each in worlds]
    assert sum(left < count for left, count in counts) > 5  # brackets alone fall short


@pytest.mark.parametrize(
    ("requests", "lines", "used_count"),
    [
        # two were paid at once; a third could take what is left: its entry has the
        # choice of two debits, and the nearer one is the only one of the first
        (
            [(0, (1_000, 200)), (9, (1_000, 200)), (54, (1_000, 200))],
            [(1_200, 22), (200, 24), (1_000, 66), (1_000, 106), (200, 120)],
            5,
        ),
        # the one debit of the sum is in the window of both; the later request has a
        # debit for each entry, once the single ones take those of other days
        (
            [
                (5, (1_000, 200)),
                (50, (1_000, 200)),
                (98, (1_000,)),
                (125, (1_000, 1_000)),
            ],
            [
                (1_200, 48),
                (1_000, 96),
                (200, 96),
                (1_000, 120),
                (1_000, 120),
                (1_000, 144),
            ],
            6,
        ),
    ],
)
def test_another_entry_takes_another_debit_for_a_request_that_has_none(
    requests: list[tuple[int, tuple[int, ...]]],
    lines: list[tuple[int, int]],
    used_count: int,
) -> None:
    deposits = [
        deposit(
            100 * n + part,
            track_id=f"t{n}",
            amount=amount,
            wage=0,
            iban=BANK,
            requested_at=at(hours),
        )
        for n, (hours, amounts) in enumerate(requests)
        for part, amount in enumerate(amounts)
    ]
    statement = [
        {"booked_at": at(hours), "amount": -amount, "iban": BANK}
        for amount, hours in lines
    ]
    with engine(deposits=deposits, bank_statement=statement) as models:
        found = models.query("select distinct debit_id from int_bank_matches").num_rows
        claims = models.query(
            "select claim_id from int_bank_claims "
            "anti join int_bank_matches using (claim_id)"
        )
    assert (found, claims.num_rows) == (used_count, 0)


def test_a_debit_without_a_time_serves_nobody_and_stops_nothing() -> None:
    line = {"booked_at": None, "amount": -700, "iban": BANK}
    asked = deposit(1, amount=700, wage=0, iban=BANK, requested_at=at(0))
    with engine(deposits=[asked], bank_statement=[line]) as models:
        assert models.table("int_bank_matches").num_rows == 0


def test_a_chain_of_thousands_is_served_in_no_time() -> None:
    """Each claim has the debit that the next one needs, and the first has none."""
    claims = [
        {
            "claim_id": f"c{n}",
            "requested_at": MIDNIGHT + n * DAY,
            "until_at": MIDNIGHT + n * DAY + 3 * DAY,
            "debit_id": f"d{n - 1:05}" if n else None,
        }
        for n in range(3_000)
    ]
    debits = [
        {
            "debit_id": f"d{n:05}",
            "booked_at": MIDNIGHT + n * DAY + 3 * DAY,
            "at_latest": MIDNIGHT + n * DAY + 3 * DAY,
        }
        for n in range(3_000)
    ]
    found = serve(claims, debits)
    assert len(found) == len(set(found.values())) == 3_000
