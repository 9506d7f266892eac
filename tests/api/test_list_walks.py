"""Lists that move at random while they are walked: what is proven whole is whole."""

import asyncio
import random
from collections import Counter
from datetime import UTC, datetime

import pytest

from recon.api.answers import Answer
from recon.api.paging import ListPage, Walk
from recon.errors import Unauthenticated
from recon.records.lists import Meta

SIZE = 10
WALKS = 250


class MovingList:
    """A list that new rows enter at one end while others leave it anywhere."""

    def __init__(self, seed: int, rate: float, kinds: list[str]) -> None:
        self._random = random.Random(seed)
        self._rate = rate
        self._kinds = kinds
        self._rows = [f"r{number}" for number in range(self._random.randrange(5, 120))]
        self._at_head = self._random.random() < 0.5
        self._new_count = 0
        self.always = set(self._rows)

    def _move(self) -> None:
        if self._random.random() >= self._rate:
            return
        kind = self._random.choice(self._kinds)
        if kind in ("both", "come"):
            self._new_count += 1
            place = 0 if self._at_head else len(self._rows)
            self._rows.insert(place, f"n{self._new_count}")
        if kind in ("both", "leave") and self._rows:
            left = self._rows.pop(self._random.randrange(len(self._rows)))
            self.always.discard(left)

    async def _wait(self) -> None:
        for _ in range(self._random.randrange(3)):
            await asyncio.sleep(0)

    async def ask(self, number: int) -> ListPage[str]:
        await self._wait()
        self._move()
        total = len(self._rows)
        meta = Meta(
            current_page=number,
            last_page=max(1, -(-total // SIZE)),
            per_page=SIZE,
            total=total,
        )
        rows = self._rows[(number - 1) * SIZE : number * SIZE]
        answer = Answer("GET", "", 200, {}, b"", datetime.now(UTC), None)
        await self._wait()
        return ListPage(number, rows, meta, answer)


@pytest.mark.parametrize(
    ("rate", "kinds", "fewest"),
    [
        (0.05, ["both"], 0.98),
        (0.2, ["both"], 0.65),
        (0.1, ["both", "come", "leave"], 0.9),
        (0.3, ["both", "come", "leave"], 0.5),
        (0.3, ["come", "leave"], 0.65),
        (0.5, ["come"], 0.98),
    ],
)
def test_no_row_that_stayed_is_missing_from_a_proven_list(
    rate: float, kinds: list[str], fewest: float
) -> None:
    ended: Counter[str] = Counter()
    for seed in range(WALKS):
        moving, met = MovingList(seed, rate, kinds), set[str]()
        walk = Walk(
            moving.ask,
            lambda row: row,
            lambda page, met=met: met.update(page.rows),  # type: ignore[misc]
            concurrency=4,
        )
        if asyncio.run(walk.run()).complete:
            ended["complete"] += 1
            ended["false"] += bool(moving.always - met)
    assert ended["false"] == 0
    assert ended["complete"] >= fewest * WALKS


class Steps:
    """A still list of some pages; what a walk does with it, step by step."""

    def __init__(self, last: int, refused: int | None = None) -> None:
        self.done: list[tuple[str, int]] = []
        self.most_at_once = 0
        self._last = last
        self._refused = refused
        self._at_once = 0

    async def ask(self, number: int) -> ListPage[str]:
        self.done.append(("asked", number))
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        for _ in range(5):
            await asyncio.sleep(0)
        self._at_once -= 1
        if number == self._refused:
            raise Unauthenticated("the key was withdrawn")
        self.done.append(("came", number))
        total = self._last * SIZE
        meta = Meta(
            current_page=number, last_page=self._last, per_page=SIZE, total=total
        )
        rows = [f"r{number * SIZE + row}" for row in range(SIZE)]
        answer = Answer("GET", "", 200, {}, b"", datetime.now(UTC), None)
        return ListPage(number, rows, meta, answer)

    def walk(self, concurrency: int) -> bool:
        def take(page: ListPage[str]) -> None:
            self.done.append(("taken", page.number))

        walk = Walk(self.ask, lambda row: row, take, concurrency=concurrency)
        return asyncio.run(walk.run()).complete

    def pages(self, what: str) -> list[int]:
        return [number for step, number in self.done if step == what]


def test_a_page_is_taken_while_the_next_one_is_on_its_way() -> None:
    steps = Steps(6)
    steps.walk(1)
    between = steps.done.index(("came", 2)), steps.done.index(("taken", 2))
    assert ("asked", 3) in steps.done[slice(*between)]
    assert steps.most_at_once == 1


def test_no_more_pages_are_asked_for_at_once_than_allowed() -> None:
    steps = Steps(40)
    steps.walk(4)
    assert steps.most_at_once == 4


@pytest.mark.parametrize("refused", range(2, 12))
def test_every_page_that_came_before_an_error_is_taken_in_its_turn(
    refused: int,
) -> None:
    steps = Steps(12, refused)
    assert not steps.walk(4)
    assert steps.pages("taken") == steps.pages("came")
    assert len(steps.pages("came")) > 1
