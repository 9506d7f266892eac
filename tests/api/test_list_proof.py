"""A list is proven whole, or said not to be; no server makes the walk hang."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from recon.api.proofs import Proof
from tests.api.list_server import (
    ListServer,
    Reply,
    mandate,
)
from tests.api.walking import Walked, hundred, ids


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


@pytest.mark.parametrize(
    "reply",
    [Reply(b"", 429), Reply({"error": "Unauthenticated"}, 401)],
    ids=["429", "401"],
)
def test_who_may_not_look_behind_a_low_total_proves_nothing(reply: Reply) -> None:
    server = hundred()
    server.instead = lambda server, number, honest: (
        reply
        if number > 8
        else changed(honest, lambda body: body["meta"].update(total=80, last_page=8))
    )
    walked = Walked(server)
    assert not walked.certificate.complete
    assert str(reply.status) in (walked.certificate.reason or "")


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
        (Reply({"message": "try later", "code": "busy"}), "(it says: try later)"),
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


def test_a_certificate_counts_what_a_still_list_showed() -> None:
    """Ten pages, one past the end, the last one before its turn, and both once more."""
    found = Walked(hundred(), concurrency=1).certificate
    assert (found.sweeps, found.pages, found.distinct) == (1, 14, 100)
    assert (found.first_total, found.last_total) == (100, 100)
    assert (found.duplicates, found.drift, found.broken_pages) == (0, 0, 0)


def test_a_certificate_counts_each_time_that_the_total_moved() -> None:
    server = hundred()

    def before(server: ListServer, number: int) -> None:
        if number in (5, 8) and len(server.rows) < 102:
            server.rows.append(mandate(0, id=f"late{number}"))

    server.before = before
    found = Walked(server, concurrency=1).certificate
    assert found.complete
    assert (found.first_total, found.last_total, found.distinct) == (100, 102, 102)
    assert found.drift == 2


@pytest.mark.parametrize("kept_count", [4, None])
def test_a_certificate_counts_the_pages_that_broke_their_promise(
    kept_count: int | None,
) -> None:
    """One page is short, or refused, in each of two sweeps."""
    server = hundred()
    refused = Reply({"message": "no", "code": "no_such_page"}, 404)
    server.instead = lambda server, number, reply: (
        None
        if number != 5
        else refused
        if kept_count is None
        else shortened(reply, kept_count)
    )
    found = Walked(server, concurrency=1).certificate
    assert (found.sweeps, found.broken_pages) == (2, 2)
    assert found.distinct == 90 + (kept_count or 0)
    assert "page 5" in str(found.reason)
