"""Debits and credits that name the provider are paired before others of an amount."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest

from recon.reconcile.bank.names import moved
from recon.reconcile.engines import DuckEngine
from recon.settings import Business, Checks, Settings
from tests.builders import AS_OF, BANK, WALLET, lake_tables

SETTINGS = Settings(
    business=Business(name="shop"), checks=Checks(provider_names=("paywell",))
)
MIDNIGHT = datetime(2026, 10, 4, 20, 30, tzinfo=UTC)  # of the business's clock
HOUR = timedelta(hours=1)
TEXTS = ("salary of staff", "to Paywell")
Row = dict[str, Any]


def at(hour: int) -> datetime:
    return MIDNIGHT + hour * HOUR


def entry(hour: int, amount: int, text: str | None) -> Row:
    return {"booked_at": at(hour), "amount": amount, "description": text, "iban": BANK}


def used(model: str, side: str, **rows: Sequence[Row]) -> list[str]:
    """Which of the two texts the entries have that are paired, sorted."""
    raw = {name: list(each) for name, each in rows.items()}
    for number, row in enumerate(raw.get("bank_statement", ())):
        row["position"] = number + 1
    with DuckEngine.open(lake_tables(raw), SETTINGS, AS_OF) as engine:
        found = engine.query(
            f"select lines.is_provider_named as named from {model} as pairs "
            f"inner join int_bank_lines as lines on pairs.{side} = lines.line_id"
        )
    return sorted(TEXTS[each] for each in found["named"].to_pylist())


def asked(*hours: int, amount: int = 200) -> list[Row]:
    return [
        {
            "track_id": f"t{number}",
            "gateway_transaction_id": str(number),
            "requested_at": at(hour),
            "amount": amount,
            "wage": 0,
            "iban": BANK,
        }
        for number, hour in enumerate(hours)
    ]


@pytest.mark.parametrize("hours", [(10, 11), (11, 10), (0, 0), (0, 24)])
def test_a_debit_that_names_the_provider_is_the_deposits(
    hours: tuple[int, int],
) -> None:
    """A salary of its amount is booked before it, after it, or on the same day."""
    lines = [entry(hour, -200, text) for hour, text in zip(hours, TEXTS, strict=True)]
    found = used(
        "int_bank_matches", "debit_id", deposits=asked(0), bank_statement=lines
    )
    assert found == ["to Paywell"]


@pytest.mark.parametrize(
    ("requests", "lines", "expected"),
    [
        # the named one is another deposit's day, and each keeps its own
        ((0, 100), [(1, 0), (101, 1)], [0, 1]),
        # three days are over
        ((0,), [(1, 0), (80, 1)], [0]),
        # it was booked before the request
        ((24,), [(25, 0), (23, 1)], [0]),
        # the first takes the second's, and that the one that is left
        ((0, 60), [(5, 0), (61, 1), (100, 1)], [1, 1]),
        ((0,), [(5, 0), (6, 0)], [0]),
        ((0,), [(5, 1), (6, 1)], [1]),
        ((), [(5, 1)], []),
    ],
)
def test_whoever_was_served_stays_so(
    requests: tuple[int, ...], lines: list[tuple[int, int]], expected: list[int]
) -> None:
    statement = [entry(hour, -200, TEXTS[kind]) for hour, kind in lines]
    given = {"deposits": asked(*requests), "bank_statement": statement}
    found = used("int_bank_matches", "debit_id", **given)
    assert found == sorted(TEXTS[kind] for kind in expected)


def test_a_debit_without_a_text_or_a_time_is_no_named_one() -> None:
    lines = [entry(5, -200, None), {**entry(6, -200, TEXTS[1]), "booked_at": None}]
    given = {"deposits": asked(0), "bank_statement": lines}
    assert used("int_bank_matches", "debit_id", **given) == ["salary of staff"]


@pytest.mark.parametrize("hours", [(10, 11), (11, 10), (0, 0), (10, 40)])
def test_a_credit_that_names_the_provider_is_the_settlements(
    hours: tuple[int, int],
) -> None:
    lines = [entry(hour, 200, text) for hour, text in zip(hours, TEXTS, strict=True)]
    left = {"at": at(9), "amount": -200, "kind": "settlement", "description": ""}
    given = {"adjustments": [left], "bank_statement": lines}
    assert used("int_settlement_matches", "credit_id", **given) == ["to Paywell"]
    given["bank_statement"] = [{**line, "iban": WALLET} for line in lines[:1]]
    assert len(used("int_settlement_matches", "credit_id", **given)) == 1


def largest(claims: Sequence[Row], debits: Sequence[Row]) -> int:
    """Count how many of the debits can serve, where each claim has one of any."""
    owners: dict[str, Row] = {}

    def is_used(debit: Row, seen: set[str]) -> bool:
        for claim in claims:
            name = claim["claim_id"]
            if name not in seen and fits(claim, debit):
                seen.add(name)
                if name not in owners or is_used(owners[name], seen):
                    owners[name] = debit
                    return True
        return False

    return sum(is_used(debit, set()) for debit in debits)


def fits(claim: Row, debit: Row) -> bool:
    return bool(
        claim["requested_at"] <= debit["at_latest"]
        and debit["booked_at"] <= claim["until_at"]
    )


def test_as_many_named_debits_are_used_as_can_be() -> None:
    """Of the claims that are served, with any debits, over worlds drawn by chance."""
    count = 0
    for seed in range(1_500):
        chance = Random(seed)
        claims, debits, pairs = drawn(chance)
        named = {each: row for each, row in debits.items() if chance.random() < 0.5}
        in_order = sorted(named.values(), key=lambda row: row["at_latest"])
        moves = moved(claims, in_order, pairs)
        after = pairs | moves
        assert after.keys() == pairs.keys()
        assert max(Counter(after.values()).values(), default=1) == 1
        by_name = {row["claim_id"]: row for row in claims}
        assert all(fits(by_name[each], debits[d]) for each, d in after.items())
        best = largest(claims, list(named.values()))
        assert sum(each in named for each in after.values()) == best
        count += bool(moves)
    assert count > 100


def drawn(chance: Random) -> tuple[list[Row], dict[str, Row], dict[str, str]]:
    """Draw claims of one amount, debits, and pairs of them in which all have one."""
    claims: list[Row] = []
    debits: dict[str, Row] = {}
    pairs: dict[str, str] = {}
    for number, hour in enumerate(sorted(chance.choices(range(120), k=5))):
        row = {"claim_id": f"c{number}", "iban": BANK, "rial": 5}
        ends = {"requested_at": at(hour), "until_at": at(hour + 72)}
        claims.append(row | ends)
        pairs[f"c{number}"] = f"d{number}"
        debits[f"d{number}"] = paid(f"d{number}", hour + chance.randint(0, 72))
    for number in range(5, 5 + chance.randint(0, 3)):
        debits[f"d{number}"] = paid(f"d{number}", chance.randrange(200))
    return claims, debits, pairs


def paid(name: str, hour: int) -> Row:
    times = {"booked_at": at(hour), "at_latest": at(hour)}
    return {"debit_id": name, "iban": BANK, "rial": 5} | times
