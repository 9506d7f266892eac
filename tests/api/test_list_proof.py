"""A list is proven whole, or said not to be; no server makes the walk hang."""

import asyncio
import json
import random
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recon.api.client import Client
from recon.api.paging import ListPage, Walk
from recon.api.proofs import Certificate, Proof
from recon.api.unified import UnifiedReads
from recon.records.unified import Mandate, mandate_list
from tests.api.list_server import (
    BUSINESS,
    ListServer,
    Reply,
    mandate,
    unified_settings,
)


class Walked:
    """A walk's end: its certificate, its proven ids, every row it handed on."""

    def __init__(self, server: ListServer, **changes: Any) -> None:
        self.taken: set[str] = set()
        self.certificate, self.ids = asyncio.run(self._walk(server, changes))

    async def _walk(
        self, server: ListServer, changes: dict[str, Any]
    ) -> tuple[Certificate, set[str]]:
        chosen = unified_settings(**changes)
        assert chosen.unified is not None
        async with Client(
            chosen.unified, chosen.http, transport=server.transport
        ) as client:
            reads = UnifiedReads(client, chosen.unified, BUSINESS)
            walk: Walk[Mandate] = Walk(
                reads.mandates,
                lambda row: row.id,
                self._take,
                concurrency=client.concurrency,
            )
            return await walk.run(), walk.ids

    def _take(self, page: ListPage[Mandate]) -> None:
        self.taken.update(row.id for row in page.rows)


def ids(rows: Iterable[dict[str, Any]]) -> set[str]:
    return {row["id"] for row in rows}


def hundred() -> ListServer:
    return ListServer(mandate(number) for number in range(100, 0, -1))


def changed(reply: Reply, change: Callable[[dict[str, Any]], None]) -> Reply:
    body = json.loads(reply.body)
    change(body)
    return Reply(body)


def shortened(reply: Reply, kept_count: int) -> Reply:
    return changed(reply, lambda body: body.update(data=body["data"][:kept_count]))


def test_a_still_list_is_whole_after_one_sweep() -> None:
    server = ListServer(mandate(number) for number in range(95))
    walked = Walked(server)
    assert walked.certificate.proof is Proof.STILL
    assert walked.ids == walked.taken == ids(server.rows)
    assert sorted(server.asked) == [1, *range(1, 11), 10]


def test_an_empty_list_is_whole() -> None:
    server = ListServer([])
    walked = Walked(server)
    assert walked.certificate.proof is Proof.STILL
    assert server.asked == [1]


def test_a_full_last_page_is_looked_behind() -> None:
    server = hundred()
    assert Walked(server).certificate.complete
    assert sorted(server.asked) == [1, *range(1, 11), 10, 11]


@pytest.mark.parametrize("parameters", ["query", "body"])
def test_parameters_travel_where_the_setting_says(parameters: str) -> None:
    server = hundred()
    assert Walked(server, list_parameters=parameters).certificate.complete
    assert all(bool(body) == (parameters == "body") for *_, body in server.requests)


def test_a_capped_per_page_that_is_admitted_is_followed() -> None:
    server = hundred()
    server.most = 7
    walked = Walked(server)
    assert walked.certificate.proof is Proof.STILL
    assert len(walked.ids) == 100


def test_a_capped_per_page_that_is_not_admitted_is_noticed_by_its_rows() -> None:
    server = hundred()
    server.most = 5
    server.instead = lambda server, number, reply: changed(
        reply, lambda body: body["meta"].update(per_page=10, last_page=10)
    )
    walked = Walked(server)
    assert walked.certificate.proof is Proof.STILL
    assert len(walked.ids) == 100


def test_counts_written_as_digits_are_counts() -> None:
    server = hundred()

    def written(body: dict[str, Any]) -> None:
        for name in ("current_page", "last_page", "per_page", "total"):
            body["meta"][name] = str(body["meta"][name])

    server.instead = lambda server, number, reply: changed(reply, written)
    assert Walked(server).certificate.complete


@pytest.mark.parametrize("kept_count", [0, 9])
def test_a_page_that_is_short_once_is_read_again(kept_count: int) -> None:
    server = hundred()

    def instead(server: ListServer, number: int, reply: Reply) -> Reply | None:
        if number == 5 and server.asked.count(5) == 1:
            return changed(
                reply, lambda body: body.update(data=body["data"][:kept_count])
            )
        return None

    server.instead = instead
    walked = Walked(server)
    assert walked.certificate.complete
    assert walked.certificate.sweeps == 2
    assert walked.ids == ids(server.rows)


@pytest.mark.parametrize("kept_count", [0, 9])
def test_a_page_that_stays_short_makes_the_list_incomplete(kept_count: int) -> None:
    server = hundred()
    server.instead = lambda server, number, reply: (
        shortened(reply, kept_count) if number == 5 else None
    )
    walked = Walked(server)
    assert not walked.certificate.complete
    assert f"page 5 had {kept_count} rows where 10" in str(walked.certificate.reason)
    assert len(walked.taken) == 90 + kept_count
    assert walked.certificate.sweeps == 2  # both agree: a third would say no more


def test_a_page_number_that_is_ignored_makes_the_list_incomplete() -> None:
    server = hundred()
    server.instead = lambda server, number, reply: Reply(server.page(1, 10))
    walked = Walked(server)
    assert not walked.certificate.complete
    assert "came as page 1" in str(walked.certificate.reason)
    assert len(server.asked) < 50


def test_a_page_number_that_is_ignored_and_echoed_is_noticed_by_its_rows() -> None:
    server = hundred()
    server.instead = lambda server, number, reply: changed(
        reply, lambda body: body.update(data=server.page(1, 10)["data"])
    )
    walked = Walked(server)
    assert not walked.certificate.complete
    assert "10 distinct ids of 100" in str(walked.certificate.reason)


@pytest.mark.parametrize("lie", [50, 80, 85, 101, 200, 1000])
def test_a_total_that_lies_makes_the_list_incomplete(lie: int) -> None:
    server = hundred()
    server.instead = lambda server, number, reply: changed(
        reply, lambda body: body["meta"].update(total=lie)
    )
    walked = Walked(server)
    assert not walked.certificate.complete
    assert str(lie) in str(walked.certificate.reason)


def test_rows_behind_a_low_total_are_kept_though_the_list_is_incomplete() -> None:
    server = hundred()
    server.instead = lambda server, number, reply: changed(
        reply, lambda body: body["meta"].update(total=80, last_page=8)
    )
    walked = Walked(server)
    assert not walked.certificate.complete
    assert len(walked.taken) == 100


def test_a_last_page_that_lies_is_of_no_consequence() -> None:
    server = hundred()
    server.instead = lambda server, number, reply: changed(
        reply, lambda body: body["meta"].update(last_page=3 if number > 1 else 10**9)
    )
    walked = Walked(server)
    assert walked.certificate.proof is Proof.STILL
    assert len(walked.ids) == 100


def test_a_last_page_that_runs_away_ends() -> None:
    server = hundred()
    server.before = lambda server, number: server.rows.extend(
        mandate(len(server.rows) + offset + 1000) for offset in range(30)
    )
    walked = Walked(server)
    assert not walked.certificate.complete
    assert "moved" in str(walked.certificate.reason)
    assert len(server.asked) < 3000


def test_duplicates_across_pages_of_a_still_list_make_it_incomplete() -> None:
    server = hundred()
    server.rows[55] = server.rows[12]
    walked = Walked(server)
    assert not walked.certificate.complete
    assert "99 distinct ids of 100" in str(walked.certificate.reason)
    assert walked.certificate.duplicates == 2  # one a sweep


def test_links_to_elsewhere_or_in_a_circle_are_not_followed() -> None:
    server = hundred()
    server.instead = lambda server, number, reply: changed(
        reply, lambda body: body.update(links={"next": "https://evil.test/?page=1"})
    )
    walked = Walked(server)
    assert walked.certificate.proof is Proof.STILL
    assert all(headers["host"] == "provider.test" for *_, headers, _ in server.requests)


def test_pages_that_are_refused_behind_the_end_do_no_harm() -> None:
    server = hundred()
    server.instead = lambda server, number, reply: (
        Reply({"message": "no such page", "code": "not_found_error"}, 404)
        if number > 10
        else None
    )
    assert Walked(server).certificate.proof is Proof.STILL


def test_a_last_page_repeated_behind_the_end_does_no_harm() -> None:
    server = hundred()
    server.instead = lambda server, number, reply: (
        Reply(server.page(10, 10)) if number > 10 else None
    )
    assert Walked(server).certificate.proof is Proof.STILL


def test_a_list_that_fails_behind_its_end_is_still_whole() -> None:
    server = hundred()
    server.instead = lambda server, number, reply: (
        Reply(b"oops", 500) if number > 10 else None
    )
    assert Walked(server).certificate.proof is Proof.STILL


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply(b"<html>busy</html>"), "not the documented answer"),
        (Reply(b'{"data": [{"id": "m1", '), "truncated"),
        (Reply({"message": "try later", "code": "busy"}), "try later"),
        (Reply({"data": []}), "meta"),
        (Reply({"data": {}, "meta": {}}), "not the documented answer"),
        (Reply(b""), "not the documented answer"),
        (Reply(b"[" * 100_000), "not the documented answer"),
        (Reply(b'{"message": "later"}', 500), "500"),
        (Reply(b"", 429), "429"),
        (Reply(b"", 302, {"location": "https://evil.test/"}), "redirect"),
        (Reply({"error": "Unauthenticated"}, 401), "Unauthenticated"),
        (Reply({"message": "no", "code": "forbidden_error"}, 403), "forbidden_error"),
    ],
)
def test_a_page_that_is_no_answer_ends_the_list_with_the_reason(
    reply: Reply, reason: str
) -> None:
    server = hundred()
    server.instead = lambda server, number, honest: reply if number == 4 else None
    walked = Walked(server)
    assert not walked.certificate.complete
    assert reason in str(walked.certificate.reason)
    assert walked.taken  # what was got is kept
    assert len(server.asked) < 20


@pytest.mark.parametrize(
    "wrong",
    [
        {"limit": 12.5},
        {"limit": True},
        {"limit": "12.5"},
        {"limit": 2**63},
        {"id": None},
        {"created_at": "yesterday"},
        {"status": 7},
    ],
)
def test_a_page_of_wrong_types_is_asked_again_and_then_ends_the_list(
    wrong: dict[str, Any],
) -> None:
    server = hundred()
    server.rows[45] = mandate(55, **wrong)
    walked = Walked(server, retries=2)
    assert not walked.certificate.complete
    assert "not the documented answer" in str(walked.certificate.reason)
    assert server.asked.count(5) == 3


@pytest.mark.parametrize("body", [b"<html>busy</html>", b'{"data": [', b"", b"oops"])
def test_trouble_that_passes_leaves_no_trace(body: bytes) -> None:
    server = hundred()
    server.instead = lambda server, number, reply: (
        Reply(body, 200 if server.asked.count(number) == 1 else 502)
        if server.asked.count(number) < 3
        else None
    )
    walked = Walked(server, retries=2)
    assert walked.certificate.proof is Proof.STILL
    assert walked.certificate.sweeps == 1


def test_a_storm_of_429_is_sat_out() -> None:
    server = hundred()
    server.instead = lambda server, number, reply: (
        Reply(b"", 429, {"retry-after": "0"}) if len(server.asked) % 3 else None
    )
    walked = Walked(server, retries=20)
    assert walked.certificate.proof is Proof.STILL


def test_a_storm_of_429_without_end_ends() -> None:
    server = hundred()
    server.instead = lambda server, number, reply: Reply(b"", 429)
    walked = Walked(server)
    assert not walked.certificate.complete
    assert len(server.asked) == 3


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


@settings(max_examples=60, deadline=None)
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
