"""All that was sent is asked for once a week, final or not, and by `--full`."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from recon.lake import Lake, commits, lake, writing
from recon.pull.rounds import MOST_UNANSWERED
from recon.settings import Gateway
from tests.pull.lookup_shops import GATEWAY, LONG_AGO, Shops
from tests.pull.provider_stub import all_products
from tests.reconcile.lake_history import MovingClock


@pytest.fixture
def shops(tmp_path: Path) -> Shops:
    return Shops(all_products(tmp_path))


def test_what_is_final_is_asked_again_by_a_whole_pull(
    shops: Shops, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That is due a week after the last one, or on the night of the same hour."""
    shops.codes = {"done": 2, "failed": 4}
    shops.send("gateway_tokens", "token", list(shops.codes), LONG_AGO)
    started = Lake(shops.settings.lake_path).now()
    assert shops.pull("gateway_transactions").status == "complete"
    shops.codes["done"] = 4
    for days, seconds, asked in ((6, 0, []), (7, -30, ["done", "failed"])):
        later = started + timedelta(days=days, seconds=seconds)
        monkeypatch.setattr(Lake, "now", lambda _, later=later: later)
        found = shops.pull("gateway_transactions")
        assert shops.asked_tokens == asked
        assert found.status == ("complete" if asked else "partial")
    assert shops.rows("gateway_transactions")["done"]["code"] == 4


def test_in_another_zone_all_times_are_read_again(shops: Shops) -> None:
    """What was final before has no time of the old zone beside those of the new one."""
    settled(shops, ["a"])
    known = shops.settings.gateway or Gateway()
    for zone, hour in (("UTC", 10), ("Asia/Dubai", 6), ("UTC", 10)):
        gateway = replace(known, timezone=ZoneInfo(zone))
        shops.settings = replace(shops.settings, gateway=gateway)
        for asked in (["a"], []):
            shops.pull("gateway_transactions")
            assert shops.asked_tokens == asked
        assert shops.rows("gateway_transactions")["a"]["created_at"].hour == hour


def test_a_whole_pull_that_failed_for_one_asks_for_no_other_again(
    shops: Shops,
) -> None:
    """Whole it is once that one was answered, and in part from then on."""
    shops.codes = {"a": 2, "b": 2}
    shops.send("gateway_tokens", "token", ["a", "b"], LONG_AGO)
    honest = shops.stub.endpoints[GATEWAY]
    shops.stub.endpoints[GATEWAY] = lambda query, body: (
        (500, b"") if body["token"] == "b" else honest(query, body)
    )
    for asked in (["a", "b"], ["b"]):
        assert shops.pull("gateway_transactions").status == "incomplete"
        assert sorted(set(shops.asked_tokens)) == asked
    shops.stub.endpoints[GATEWAY] = honest
    assert shops.pull("gateway_transactions").status == "complete"
    assert shops.pull("gateway_transactions").status == "partial"
    assert shops.asked_tokens == []


@contextmanager
def silent(shops: Shops, tokens: list[str]) -> Iterator[None]:
    honest = shops.stub.endpoints[GATEWAY]
    shops.stub.endpoints[GATEWAY] = lambda query, body: (
        (500, b"") if body["token"] in tokens else honest(query, body)
    )
    yield
    shops.stub.endpoints[GATEWAY] = honest


@contextmanager
def a_week_later(shops: Shops) -> Iterator[None]:
    later = Lake(shops.settings.lake_path).now() + timedelta(days=8)
    with pytest.MonkeyPatch.context() as patched:
        for module in (commits, lake, writing):
            patched.setattr(module, "datetime", MovingClock)
        patched.setattr(MovingClock, "present", later)
        yield


def settled(shops: Shops, tokens: list[str]) -> None:
    shops.codes = dict.fromkeys(tokens, 2)
    shops.send("gateway_tokens", "token", tokens, LONG_AGO)
    assert shops.pull("gateway_transactions").status == "complete"


def test_what_got_no_answer_when_all_was_asked_for_is_asked_for_though_final(
    shops: Shops,
) -> None:
    """The others need not be."""
    settled(shops, ["a", "b"])
    with a_week_later(shops):
        with silent(shops, ["b"]):
            assert shops.pull("gateway_transactions").status == "incomplete"
        with silent(shops, ["a", "b"]):
            assert shops.pull("gateway_transactions").status == "incomplete"
        shops.codes = {"a": 4, "b": 4}
        assert shops.pull("gateway_transactions").status == "complete"
        assert shops.asked_tokens == ["b"]
        rows = shops.rows("gateway_transactions")
        assert (rows["a"]["code"], rows["b"]["code"]) == (2, 4)
        assert shops.pull("gateway_transactions").status == "partial"
        assert shops.asked_tokens == []


@pytest.mark.parametrize("down", [MOST_UNANSWERED, MOST_UNANSWERED + 1, 40])
def test_where_too_many_got_no_answer_all_are_asked_for_again(
    shops: Shops, down: int
) -> None:
    tokens = [f"{number:02}" for number in range(40)]
    settled(shops, tokens)
    with a_week_later(shops):
        with silent(shops, tokens[-down:]):
            assert shops.pull("gateway_transactions").status == "incomplete"
        assert shops.pull("gateway_transactions").status == "complete"
        again = tokens if down > MOST_UNANSWERED else tokens[-down:]
        assert shops.asked_tokens == again
        assert shops.pull("gateway_transactions").status == "partial"
        assert shops.asked_tokens == []
