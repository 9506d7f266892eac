"""Requests of several entries: paid by one debit, or split so that most are served."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import permutations, product
from random import Random
from typing import Any, NamedTuple, TypeAlias

import pytest

from recon.reconcile.bank import choices
from tests.reports.lake_rows import engine
from tests.reports.test_report_flows_query import deposit

MIDNIGHT = datetime(2026, 3, 1, 20, 30, tzinfo=UTC)  # of the business's clock
LAST_DAYS = (datetime(9999, 12, 15, tzinfo=UTC) - MIDNIGHT) // timedelta(hours=1)

Entry: TypeAlias = tuple[int, int]
"""Rials, and the hour since a midnight; of a debit the same."""


class World(NamedTuple):
    """Requests by name, each with its entries; and debits of one account."""

    requests: dict[str, list[Entry]]
    debits: list[Entry]


class Found(NamedTuple):
    """How many claims have no debit, and how many debits serve any."""

    unserved: int
    used: int


def at(hours: int) -> datetime:
    return MIDNIGHT + timedelta(hours=hours)


def fits(claim: Entry, debit: Entry, longest: int = 72) -> bool:
    latest = debit[1] + 23 if debit[1] % 24 == 0 else debit[1]
    is_in_time = claim[1] <= latest and debit[1] <= claim[1] + longest
    return claim[0] == debit[0] and is_in_time


def pairs(claims: Iterable[tuple[Entry, int]], debits: Sequence[Entry]) -> list[bool]:
    """Tell of each claim, with its hours, whether it is served beside those before."""
    owners: dict[int, tuple[Entry, int]] = {}

    def is_served(claim: tuple[Entry, int], seen: set[int]) -> bool:
        for place, debit in enumerate(debits):
            if place not in seen and fits(claim[0], debit, claim[1]):
                seen.add(place)
                if place not in owners or is_served(owners[place], seen):
                    owners[place] = claim
                    return True
        return False

    return [is_served(claim, set()) for claim in claims]


def fewest_unserved(world: World) -> int:
    """Count the claims that no choice of splits can serve, by trying each choice."""
    singles: list[tuple[Entry, int]] = []
    several: list[tuple[tuple[Entry, int], list[tuple[Entry, int]]]] = []
    for entries in world.requests.values():
        hours = [hour for _, hour in entries]
        sum_of = sum(rials for rials, _ in entries), min(hours)
        claim = sum_of, max(hours) - min(hours) + 72
        parts = [(entry, 72) for entry in entries]
        if len(entries) > 1 and any(
            fits(*claim[:1], each, claim[1]) for each in world.debits
        ):
            several.append((claim, parts))
        else:
            singles += parts
    counts = []
    for splits in product((False, True), repeat=len(several)):
        choices = list(zip(several, splits, strict=True))
        entries = [part for each, is_split in choices if is_split for part in each[1]]
        claims = singles + [each[0] for each, is_split in choices if not is_split]
        served = pairs([*entries, *claims], world.debits)
        if all(served[: len(entries)]):
            counts.append(served.count(False))
    return min(counts)


def found(worlds: Sequence[World]) -> list[Found]:
    """Match the worlds, each at an account of its own, and look at all pairs."""
    ibans = [f"IR{number:024}" for number in range(len(worlds))]
    deposits = [
        deposit(
            0,
            track_id=f"{name}-{iban}",
            gateway_transaction_id=f"{name}{turn}-{iban}",
            amount=rials,
            wage=0,
            iban=iban,
            requested_at=at(hour),
        )
        for iban, world in zip(ibans, worlds, strict=True)
        for name, entries in world.requests.items()
        for turn, (rials, hour) in enumerate(entries)
    ]
    lines = [
        {"booked_at": at(hour), "amount": -rials, "iban": iban}
        for iban, world in zip(ibans, worlds, strict=True)
        for rials, hour in world.debits
    ]
    with engine(deposits=deposits, bank_statement=lines) as models:
        rows = models.query(PAIRS).to_pylist()
        brackets = models.query(LOST).num_rows
        claims = models.query("select iban, claim_id from int_bank_claims").to_pylist()
    assert brackets == 0
    assert len({row["debit_id"] for row in rows}) == len(rows)
    by_claim = defaultdict(list)
    for row in rows:
        by_claim[row["claim_id"]].append(row)
    for each in by_claim.values():
        assert_is_paid(each)
    used = Counter(row["iban"] for row in rows)
    unserved = Counter(row["iban"] for row in claims if row["claim_id"] not in by_claim)
    return [Found(unserved[iban], used[iban]) for iban in ibans]


def assert_is_paid(rows: Sequence[dict[str, Any]]) -> None:
    """One debit of the claim's rials, or one for each entry, all in their windows."""
    if len(rows) == 1:
        assert rows[0]["fits"]
        return
    entries = [(part["rials"], part["at"]) for part in rows[0]["entries"]]
    ways = permutations(rows)
    assert len(entries) == len(rows)
    assert any(
        all(
            row["debit_rial"] == rials
            and since <= row["at_latest"]
            and row["booked_at"] <= since + timedelta(days=3)
            for row, (rials, since) in zip(way, entries, strict=True)
        )
        for way in ways
    )


PAIRS = """
with entries as (
    select
        track_id,
        list({'rials': claim_rial, 'at': requested_at}) as entries,
    from int_bank_entries
    group by track_id
)
select
    matches.claim_id, matches.debit_id, claims.iban, entries.entries,
    debits.debit_rial, debits.booked_at, debits.at_latest,
    claims.claim_rial = debits.debit_rial
    and claims.requested_at <= debits.at_latest
    and claims.until_at >= debits.booked_at as fits,
from int_bank_matches as matches
inner join int_bank_claims as claims using (claim_id)
inner join int_bank_debits as debits using (debit_id)
inner join entries on claims.track_id = entries.track_id
"""

LOST = """
select claim_id from int_bank_brackets
anti join int_bank_matches using (claim_id)
"""


def world(chance: Random) -> World:
    """A few requests and the debits of most of them, at once or of each entry."""
    amounts = chance.choice([[50, 100], [50, 100, 150], [1, 2, 3, 4], [10, 20]])
    days = chance.choice([0, 0, 24, 100])
    later = chance.choice([[0], [0], [0, 1, 30]])
    requests: dict[str, list[Entry]] = {}
    debits: list[Entry] = []
    for number in range(chance.randint(2, 6)):
        hour = chance.randint(0, days)
        entries = [
            (chance.choice(amounts), hour + chance.choice(later))
            for _ in range(chance.choice([1, 2, 2, 3]))
        ]
        requests[f"{chance.random()}{number}"] = entries
        whole = [(sum(rials for rials, _ in entries), hour)]
        paid = chance.choice([whole, entries, whole, entries, []])
        debits += [(rials, since + chance.randint(0, 72)) for rials, since in paid]
    for _ in range(chance.choice([0, 0, 1, 2])):
        debits.append((chance.choice(amounts) * chance.choice([1, 2, 3]), days))
    if chance.random() < 0.3:
        debits = [(rials, hour // 24 * 24) for rials, hour in debits]
    return World(requests, debits)


CROSSED = [(50, 0)] * 3 + [(100, 0), (150, 0)]
"""Debits of three requests: of 50 and 50, of 50 and 100, and of 150."""


def crossed(*names: str) -> World:
    asked = [[(50, 0), (50, 0)], [(50, 0), (100, 0)], [(150, 0)]]
    return World(dict(zip(names, asked, strict=True)), CROSSED)


@pytest.mark.parametrize("few", [choices.FEW_REQUESTS, 0])
def test_two_requests_are_split_for_a_third_whatever_they_are_called(
    few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choices, "FEW_REQUESTS", few)
    worlds = [crossed(*names) for names in permutations("ABC")]
    assert found(worlds) == [Found(0, 5)] * 6


def test_where_a_debit_is_missing_one_claim_is_whatever_they_are_called() -> None:
    worlds = [
        World(crossed(*names).requests, [*CROSSED[:place], *CROSSED[place + 1 :]])
        for names in permutations("ABC")
        for place in (2, 3, 4)
    ]
    assert {each.unserved for each in found(worlds)} == {1}


def test_no_choice_of_splits_serves_more() -> None:
    chance = Random(11)
    worlds = [world(chance) for _ in range(1_000)]
    counts = [each.unserved for each in found(worlds)]
    assert counts == [fewest_unserved(each) for each in worlds]
    assert 200 < sum(count > 0 for count in counts) < 800


def test_chains_serve_nearly_as_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choices, "FEW_REQUESTS", 0)
    chance = Random(12)
    worlds = [world(chance) for _ in range(600)]
    missed = [
        each.unserved - fewest_unserved(given)
        for each, given in zip(found(worlds), worlds, strict=True)
    ]
    assert min(missed) == 0
    assert sum(missed) < 3


def test_a_request_keeps_the_one_debit_of_its_sum_where_an_entry_has_none() -> None:
    asked = {"a": [(1_000, 0), (200, 0)], "b": [(1_000, 0)]}
    both = World(asked, [(1_200, 1), (1_000, 1), (200, 1)])
    assert found([both]) == [Found(0, 2)]


def test_of_two_requests_that_need_no_split_the_one_of_more_debits_has_it() -> None:
    asked = {"a": [(100, 0), (100, 0)], "b": [(100, 0), (100, 0), (50, 0)]}
    paid = [(200, 0), (250, 0), (100, 0), (100, 0), (50, 0)]
    assert found([World(asked, paid)]) == [Found(0, 4)]


def test_an_entry_at_the_end_of_the_calendar_is_not_left_out_of_a_split() -> None:
    """Its request is missing, as long as the debit of the sum is another one's."""
    far = [(100, 0), (50, LAST_DAYS)]
    worlds = [World({"a": [(150, 0)], "b": far}, [(150, 1), (100, 1)])]
    assert found(worlds) == [Found(1, 1)]


def test_a_large_world_is_served_whole() -> None:
    """Thousands of requests of one instant and of few amounts."""
    requests: dict[str, list[Entry]] = {}
    for number in range(1_500):
        three = crossed(*(f"{name}{number}" for name in "BAC"))
        requests |= three.requests
    assert found([World(requests, CROSSED * 1_500)]) == [Found(0, 7_500)]
