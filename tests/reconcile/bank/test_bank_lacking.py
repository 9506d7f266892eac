"""As few requests lack a debit as can be, against every way to give debits away."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import product
from random import Random
from typing import Any, NamedTuple

import pytest

from recon.reconcile.engines import DuckEngine
from recon.settings import Business, CashIn, Checks, Settings
from tests.builders import AS_OF, lake_tables

MIDNIGHT = datetime(2026, 10, 4, 20, 30, tzinfo=UTC)  # of the business's clock
AMOUNTS = ([100, 50], [100, 200], [100, 100, 50], [100, 50, 150])


class Entry(NamedTuple):
    """Rials, and the hour since a midnight; of a debit the wage is none."""

    rials: int
    hour: int
    wage: int = 0


class World(NamedTuple):
    requests: list[list[Entry]]
    debits: list[Entry]


class Left(NamedTuple):
    """How many requests lack a debit, and how many debits serve nobody."""

    missing: int
    unexplained: int


def at(hour: int) -> datetime:
    return MIDNIGHT + timedelta(hours=hour)


def world(chance: Random, wage_from: str) -> World:
    """A few requests of two or three amounts, some of them paid in part or not."""
    amounts = chance.choice(AMOUNTS)
    span = chance.choice([0, 0, 30, 110])
    requests: list[list[Entry]] = []
    debits: list[Entry] = []
    for _ in range(chance.randint(2, 5)):
        hour = chance.randint(0, span)
        later = chance.choice([[0], [0], [0], [0, 1, 30]])
        entries = [
            Entry(
                chance.choice(amounts),
                hour + chance.choice(later),
                chance.choice([0, 0, 5]),
            )
            for _ in range(chance.choice([1, 1, 2, 2, 3]))
        ]
        requests.append(entries)
        asked = claims(entries, wage_from)
        whole = [Entry(sum(each.rials for each in asked), asked[0].hour)]
        some = asked[: chance.randint(0, len(asked))]
        paid = chance.choice([whole, asked, some, some, []])
        debits += [
            Entry(each.rials, each.hour + chance.randint(0, 72)) for each in paid
        ]
    for _ in range(chance.choice([0, 0, 1, 2])):
        rials = chance.choice(amounts) * chance.choice([1, 1, 2, 3])
        debits.append(Entry(rials, chance.randint(0, span + 48)))
    if chance.random() < 0.3:
        debits = [Entry(each.rials, each.hour // 24 * 24) for each in debits]
    return World(requests, debits[:9])


def claims(entries: Sequence[Entry], wage_from: str) -> list[Entry]:
    if wage_from == "wallet":
        return [Entry(each.rials, each.hour) for each in entries]
    return [Entry(each.rials + each.wage, each.hour) for each in entries]


def fewest(given: World, wage_from: str) -> Left:
    """Return what is left at the best, by trying all: few missing go first."""
    states = {0: 0}  # how many requests lack a debit, by the debits that are used
    for entries in given.requests:
        ways = ways_of(claims(entries, wage_from), given.debits)
        found: dict[int, int] = {}
        for used, missing in states.items():
            for debits, lacks in ways:
                if not used & debits:
                    now = found.get(used | debits, len(given.requests))
                    found[used | debits] = min(now, missing + lacks)
        states = found
    return min(
        Left(missing, len(given.debits) - used.bit_count())
        for used, missing in states.items()
    )


def ways_of(asked: Sequence[Entry], debits: Sequence[Entry]) -> set[tuple[int, bool]]:
    """Return which debits a request may use, and whether it lacks one with them."""

    def fitting(rials: int, since: int, until: int) -> list[int]:
        return [
            1 << place
            for place, debit in enumerate(debits)
            if debit.rials == rials
            and since <= (debit.hour + 23 if debit.hour % 24 == 0 else debit.hour)
            and debit.hour <= until
        ]

    hours = [each.hour for each in asked]
    total = sum(each.rials for each in asked)
    found = {(each, False) for each in fitting(total, min(hours), max(hours) + 72)}
    choices = [[0, *fitting(each.rials, each.hour, each.hour + 72)] for each in asked]
    for choice in product(*choices):
        used = [each for each in choice if each]
        if len({*used}) == len(used):
            found.add((sum(used), len(used) < len(asked)))
    return found


def tables(worlds: Sequence[World], wage_from: str, *names: str) -> list[Any]:
    """Return the rows of models, each world at an account of its own."""
    deposits: list[dict[str, Any]] = []
    lines: list[dict[str, Any]] = []
    for number, given in enumerate(worlds):
        iban = f"IR{number:024}"
        deposits += [
            {
                "track_id": f"{number}-{turn}",
                "gateway_transaction_id": f"{number}-{turn}-{place}",
                "amount": entry.rials,
                "wage": entry.wage,
                "iban": iban,
                "requested_at": at(entry.hour),
            }
            for turn, entries in enumerate(given.requests)
            for place, entry in enumerate(entries)
        ]
        moved = [(-each.rials, each.hour) for each in given.debits]
        quiet = [(1, day * 24) for day in range(-2, 14)]
        lines += [
            {"booked_at": at(hour), "amount": rials, "iban": iban}
            for rials, hour in moved + quiet
        ]
    for place, line in enumerate(lines, start=1):
        line |= {"position": place, "description": "to Paywell"}
    settings = Settings(
        business=Business(name="shop"),
        cash_in=CashIn(wage_from=wage_from),
        checks=Checks(provider_names=("paywell",)),
    )
    rows = lake_tables({"deposits": deposits, "bank_statement": lines})
    with DuckEngine.open(rows, settings, AS_OF) as engine:
        return [engine.table(name).to_pylist() for name in names]


@pytest.mark.parametrize("wage_from", ["wallet", "bank"])
def test_few_requests_are_missing_and_paid_entries_are_matched(wage_from: str) -> None:
    chance = Random(3)
    worlds = [world(chance, wage_from) for _ in range(400)]
    missing, unexplained, rows = tables(
        worlds,
        wage_from,
        "check_bank_debit_missing",
        "check_bank_debit_unexplained",
        "report_bank_matches",
    )
    counts = [
        Counter(row["related_id"] for row in each) for each in (missing, unexplained)
    ]
    ibans = [f"IR{number:024}" for number in range(len(worlds))]
    found = [Left(*(each[iban] for each in counts)) for iban in ibans]
    best = [fewest(each, wage_from) for each in worlds]
    assert all(each >= least for each, least in zip(found, best, strict=True))
    assert sum(each.missing for each in found) - sum(each.missing for each in best) < 3
    assert sum(each != least for each, least in zip(found, best, strict=True)) < 8
    told = Counter[tuple[str, str]]()
    for row in rows:
        told[row["track_id"], row["status"]] += row["amount"]
    for row in missing:
        track = row["record_id"]
        assert row["actual"] == told[track, "matched"]
        assert row["expected"] == row["actual"] + told[track, "missing"]
    used = sum(row["status"] in ("matched", "unexplained") for row in rows)
    assert used == sum(len(each.debits) for each in worlds)


def test_of_thousands_of_equal_amounts_few_are_missing() -> None:
    chance = Random(5)
    requests = [
        [Entry(rials, hour) for rials in chance.choice([[100], [100, 100], [100, 50]])]
        for hour in (chance.randint(0, 100) for _ in range(4_000))
    ]
    debits = [
        Entry(entry.rials, entry.hour + chance.randint(0, 72))
        for entries in requests
        if chance.random() < 0.6
        for entry in entries
    ]
    (missing,) = tables([World(requests, debits)], "wallet", "check_bank_debit_missing")
    assert 0 < len(missing) < 0.42 * len(requests)
