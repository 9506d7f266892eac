"""A list that moves while it is walked is proven whole, or said not to be."""

import asyncio
import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recon.api.paging import ListPage, Walk
from recon.records.unified import mandate_list
from tests.api.list_server import (
    ListServer,
    mandate,
)
from tests.api.walking import Walked, hundred, ids


def at_head(server: ListServer, number: int) -> None:
    server.rows.insert(0, mandate(10_000 + len(server.rows)))


def at_tail(server: ListServer, number: int) -> None:
    server.rows.append(mandate(10_000 + len(server.rows)))


def anywhere(server: ListServer, number: int) -> None:
    place = random.Random(len(server.asked)).randrange(len(server.rows) + 1)
    server.rows.insert(place, mandate(10_000 + len(server.rows)))


@pytest.mark.parametrize("come", [at_head, at_tail, anywhere])
@pytest.mark.parametrize("concurrency", [1, 4, 16])
def test_rows_that_come_with_every_page_do_not_keep_a_list_from_being_whole(
    come: Callable[[ListServer, int], None], concurrency: int
) -> None:
    server = ListServer(mandate(number) for number in range(300, 0, -1))
    at_start = ids(server.rows)
    server.before = come
    walked = Walked(server, concurrency=concurrency)
    assert walked.certificate.complete, walked.certificate
    assert walked.ids >= at_start


def test_rows_that_come_in_bursts_are_caught_up_with() -> None:
    server = hundred()

    def burst(server: ListServer, number: int) -> None:
        if len(server.asked) % 4 == 0:
            for _ in range(15):
                at_head(server, number)

    server.before = burst
    at_start = ids(server.rows)
    walked = Walked(server)
    assert walked.certificate.complete
    assert walked.ids >= at_start


def test_rows_that_leave_while_the_list_is_walked_are_not_among_its_ids() -> None:
    server = ListServer(mandate(number) for number in range(300, 0, -1))
    before = ids(server.rows)

    def leave(server: ListServer, number: int) -> None:
        if len(server.asked) <= 27:
            del server.rows[3 * len(server.asked) % len(server.rows)]

    server.before = leave
    walked = Walked(server)
    assert walked.certificate.complete
    assert walked.ids == ids(server.rows)
    assert len(before - walked.ids) == 27


def test_a_row_that_leaves_while_another_comes_is_noticed() -> None:
    server = ListServer(mandate(number) for number in range(300, 0, -1))

    def swap(server: ListServer, number: int) -> None:
        if len(server.asked) == 15:
            del server.rows[5]  # a page that was read: what follows moves up …
        if len(server.asked) == 20:
            at_tail(server, number)  # … and the total is soon what it was

    server.before = swap
    walked = Walked(server, concurrency=1)
    assert walked.certificate.complete
    assert walked.ids == ids(server.rows)


def test_a_list_that_loses_rows_all_the_time_is_incomplete() -> None:
    server = ListServer(mandate(number) for number in range(2000, 0, -1))
    server.before = lambda server, number: server.rows.__delitem__(0)
    walked = Walked(server)
    assert not walked.certificate.complete
    assert "moved" in str(walked.certificate.reason)


Step = Callable[[list[dict[str, Any]]], object]


def _leaves(at: int) -> Step:
    return lambda rows: rows.pop(at)


def _comes(at: int, number: int) -> Step:
    return lambda rows: rows.insert(at, mandate(number))


@pytest.mark.parametrize("concurrency", [1, 4])
@pytest.mark.parametrize(
    ("count", "steps"),
    [
        # One goes that was read, then two come: the rows after it move up unseen.
        (60, {3: [_leaves(5), _comes(59, 900), _comes(60, 901)]}),
        # As many go as come at the tail, within one instant: the total stands still.
        (60, {4: [_leaves(25), _comes(59, 900)]}),
        # One goes and others come at both ends, so that the count is right.
        (60, {4: [_leaves(15), _comes(59, 900)], 8: [_comes(0, 901)]}),
    ],
)
def test_rows_that_come_at_the_ends_hide_none_that_is_passed_over(
    count: int, steps: dict[int, list[Step]], concurrency: int
) -> None:
    server = ListServer(mandate(number) for number in range(count, 0, -1))

    def before(server: ListServer, number: int) -> None:
        for step in steps.get(len(server.asked), []):
            step(server.rows)

    at_start = ids(server.rows)
    server.before = before
    walked = Walked(server, concurrency=concurrency)
    assert walked.certificate.complete
    assert walked.ids >= at_start & ids(server.rows)


class Overtaking:
    """A list that grows, whose answers arrive in another order than they were made."""

    def __init__(self, seed: int, count: int, step: int) -> None:
        self.server = ListServer(mandate(number) for number in range(count, 0, -1))
        self.random = random.Random(seed)
        self.step = step

    async def ask(self, number: int) -> ListPage[Any]:
        for _ in range(self.random.randrange(3)):
            await asyncio.sleep(0)
        if self.random.randrange(self.step) == 0:
            at_head(self.server, number)
        body = json.dumps(self.server.page(number, 10)).encode()
        for _ in range(self.random.randrange(5)):
            await asyncio.sleep(0)
        decoded = mandate_list(body).value
        return ListPage(number, decoded.data, decoded.meta, answer=None)  # type: ignore[arg-type]


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.integers(0, 140), st.integers(1, 20))
def test_a_growing_list_is_whole_however_its_answers_overtake_each_other(
    seed: int, count: int, step: int
) -> None:
    shop = Overtaking(seed, count, step)
    at_start = ids(shop.server.rows)
    walk: Walk[Any] = Walk(
        shop.ask, lambda row: row.id, lambda page: None, concurrency=6
    )
    certificate = asyncio.run(walk.run())
    assert certificate.complete, certificate
    assert walk.ids >= at_start
    assert walk.ids <= ids(shop.server.rows)
