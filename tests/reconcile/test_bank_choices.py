"""Requests of several entries, each paid in one sum or split: as many as can be served.

Small worlds are held against every choice of requests, and every way to pair.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import combinations, permutations
from random import Random
from typing import Any

import pytest

from recon.reconcile.bank_choices import MOST_LOOKS
from recon.reconcile.bank_matching import serve
from recon.reconcile.bank_requests import paired
from tests.reports.lake_rows import engine
from tests.reports.test_report_flows_query import deposit

MIDNIGHT = datetime(2026, 3, 1, 20, 30, tzinfo=UTC)  # of the business's clock
BANK = "IR890170000000100324200002"
HOUR, LAST = timedelta(hours=1), timedelta(hours=23, minutes=59, seconds=59)
MILLION = 1_000_000

Row = dict[str, Any]
Asked = tuple[str, int, Sequence[int]]
"""A request: its name, the hour since a midnight, and its entries in rials."""
Paid = tuple[int, int]
"""A debit: its hour, and rials."""


def world(
    asked: Iterable[Asked], paid: Iterable[Paid]
) -> tuple[list[Row], dict[str, list[Row]], list[Row]]:
    """Return claims, requests and debits, the claims served as without any split."""
    debits = [
        {
            "iban": BANK,
            "rial": rial,
            "debit_id": f"d{number:03}",
            "booked_at": MIDNIGHT + hour * HOUR,
            "at_latest": MIDNIGHT
            + hour * HOUR
            + (LAST if hour % 24 == 0 else 0 * HOUR),
        }
        for number, (hour, rial) in enumerate(paid)
    ]
    debits.sort(key=lambda row: (row["at_latest"], row["debit_id"]))
    claims, requests = [], {}
    for name, hour, amounts in asked:
        whole = claim(name, hour, sum(amounts))
        if len(amounts) > 1 and any(fits(whole, debit) for debit in debits):
            claims.append(whole)
            requests[name] = [
                claim(f"{name}#{at}", hour, rial) | {"request_rial": sum(amounts)}
                for at, rial in enumerate(amounts)
            ]
        else:
            claims += [claim(f"{name}.{at}", hour, r) for at, r in enumerate(amounts)]
    claims.sort(key=lambda row: (-row["requested_at"].timestamp(), row["claim_id"]))
    served: dict[str, str] = {}
    for rial in {row["rial"] for row in claims}:
        of_rial = [[r for r in rows if r["rial"] == rial] for rows in (claims, debits)]
        served |= serve(*of_rial)
    for row in claims:
        row["debit_id"] = served.get(row["claim_id"])
    return claims, requests, debits


def claim(name: str, hour: int, rial: int) -> Row:
    at = MIDNIGHT + hour * HOUR
    ends = {"requested_at": at, "until_at": at + 72 * HOUR}
    return {"iban": BANK, "rial": rial, "claim_id": name, "debit_id": None, **ends}


def fits(claim: Mapping[str, Any], debit: Mapping[str, Any]) -> bool:
    return bool(
        claim["rial"] == debit["rial"]
        and claim["requested_at"] <= debit["at_latest"]
        and debit["booked_at"] <= claim["until_at"]
    )


def most(
    must: Sequence[Row], others: Sequence[Row], debits: Sequence[Row]
) -> int | None:
    """Count how many others are served at most; None where one that must is not."""
    owners: dict[int, Row] = {}

    def is_served(claim: Row, seen: set[int]) -> bool:
        for at, debit in enumerate(debits):
            if at not in seen and fits(claim, debit):
                seen.add(at)
                if at not in owners or is_served(owners[at], seen):
                    owners[at] = claim
                    return True
        return False

    if not all(is_served(each, set()) for each in must):
        return None
    return sum(is_served(each, set()) for each in others)


def best(
    claims: Sequence[Row], requests: Mapping[str, Sequence[Row]], debits: Sequence[Row]
) -> int:
    """Count how many claims are served at most, by looking at every choice."""
    found = 0
    for count in range(len(requests) + 1):
        for split in combinations(requests, count):
            must = [row for each in split for row in requests[each]]
            others = [row for row in claims if row["claim_id"] not in split]
            if (served := most(must, others, debits)) is not None:
                found = max(found, count + served)
    return found


def count_served(
    claims: Sequence[Row], requests: Mapping[str, Sequence[Row]], debits: Sequence[Row]
) -> int:
    """Count what is served, and hold that each debit serves one claim, in its time."""
    pairs = paired(claims, requests, debits)
    before = {row["claim_id"]: row["debit_id"] for row in claims if row["debit_id"]}
    if pairs is None:
        return len(before)
    by_debit = {row["debit_id"]: row for row in debits}
    by_claim = {row["claim_id"]: row for row in claims}
    found: dict[str, list[Row]] = {}
    for name, debit in pairs:
        found.setdefault(name, []).append(by_debit[debit])
    assert len({debit for _, debit in pairs}) == len(pairs)
    assert before.keys() <= found.keys()  # whoever was served stays so
    for name, used in found.items():
        if len(used) == 1:
            assert fits(by_claim[name], used[0])
        else:
            assert len(used) == len(requests[name])
            assert most(list(requests[name]), [], used) is not None
    return len(found)


def by_chance(chance: Random) -> tuple[list[Asked], list[Paid]]:
    """Draw a few requests of a few amounts, and debits for most of them."""
    rials = chance.choice([[50, 100], [50, 100, 150], [1, 2, 3, 4], [10, 20]])
    span = chance.choice([0, 24, 100])
    asked: list[Asked] = [
        (
            name,
            chance.randint(0, span),
            chance.choices(rials, k=chance.choice([1, 2, 2, 3])),
        )
        for name in chance.sample("ABCDE", chance.randint(1, 5))
    ]
    paid: list[Paid] = []
    for _, hour, amounts in asked:
        sums = chance.choice([[sum(amounts)], amounts, []])
        paid += [(hour + chance.randint(0, 72), rial) for rial in sums]
    for _ in range(chance.choice([0, 0, 1, 2])):
        paid.append((chance.randint(0, span + 72), chance.choice(rials) * 2))
    if chance.random() < 1 / 3:  # a statement of days
        paid = [(hour // 24 * 24, rial) for hour, rial in paid]
    return asked, paid


def test_as_many_are_served_as_by_any_choice_of_requests() -> None:
    worlds = [world(*by_chance(Random(seed))) for seed in range(3_000)]
    some = [each for each in worlds if each[1]]
    assert [count_served(*each) for each in some] == [best(*each) for each in some]
    assert len(some) > 1_000


PAID = [(1, 50 * MILLION)] * 3 + [(1, 100 * MILLION), (1, 150 * MILLION)]


@pytest.mark.parametrize("names", [*permutations("ABC")])
def test_two_requests_that_have_to_be_split_together(names: tuple[str, ...]) -> None:
    """The one sum that was paid is the third one's: each has what it asked for."""
    asked = zip(
        names,
        [
            [50 * MILLION, 50 * MILLION],
            [50 * MILLION, 100 * MILLION],
            [150 * MILLION],
        ],
        strict=True,
    )
    deposits = [
        deposit(
            100 * n + part,
            track_id=name,
            amount=amount,
            wage=0,
            iban=BANK,
            requested_at=MIDNIGHT,
        )
        for n, (name, amounts) in enumerate(asked)
        for part, amount in enumerate(amounts)
    ]
    statement = [
        {"booked_at": MIDNIGHT + hour * HOUR, "amount": -rial, "iban": BANK}
        for hour, rial in PAID
    ]
    with engine(deposits=deposits, bank_statement=statement) as models:
        left = "select claim_id from int_bank_claims anti join int_bank_matches"
        assert models.query(f"{left} using (claim_id)").num_rows == 0
        used = models.table("int_bank_matches")["debit_id"].unique().to_pylist()
        assert len(used) == len(PAID)


def test_a_request_without_enough_debits_is_left() -> None:
    asked: list[Asked] = [("A", 0, [50, 50]), ("B", 0, [50, 100]), ("C", 0, [150])]
    without_one = [(hour, rial // MILLION) for hour, rial in PAID[1:]]
    claims, requests, debits = world(asked, without_one)
    assert count_served(claims, requests, debits) == best(claims, requests, debits) == 2


def test_nothing_is_split_where_nothing_was_paid() -> None:
    assert paired(*world([("A", 0, [50, 50]), ("B", 0, [70])], [])) is None
    assert paired([], {}, []) is None


def test_a_part_of_many_requests_is_served_as_far_as_one_by_one() -> None:
    """Every choice of twenty requests is a million; nobody waits for that."""
    count = MOST_LOOKS.bit_length() + 5
    asked: list[Asked] = [(f"{n:02}", 0, [50, 50]) for n in range(count)]
    paid = [(1, 100)] + [(1, 50)] * (2 * count - 2)
    claims, requests, debits = world(asked, paid)
    assert count_served(claims, requests, debits) == count
