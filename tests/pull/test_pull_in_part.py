"""A night reads what is new and what is open, proves it by count, or reads all."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from recon.lake import Lake, commits
from recon.pull import runner
from recon.pull.runner import SourceOutcome, plan
from recon.settings import LakeSettings, Settings
from tests.pull.provider_stub import Stub, all_products, checkout, payment
from tests.reconcile.lake_history import MovingClock

ROOT = "GET /mpg/v1/business/teahouse/checkouts"
NOW = int(datetime.now(UTC).timestamp())
COUNT = 300


def made(number: int, **changes: Any) -> dict[str, Any]:
    """Return a checkout of the last weeks; the higher its number, the newer."""
    at = NOW - 600_000 + number * 1000
    return checkout(number, **{"created_at": at, "updated_at": at, **changes})


class Shop:
    """A shop with a long list that was pulled whole once."""

    def __init__(self, folder: Path) -> None:
        self.settings = all_products(folder)
        self.stub = Stub()
        self.answered_as: dict[str, str] = {}
        self.written_as: dict[str, str] = {}
        self.stub.checkouts = [made(number) for number in range(COUNT, 0, -1)]

    def pull(self, *, full: bool = False) -> SourceOutcome:
        self.stub.asked.clear()
        by_id = {row["id"]: row for row in self.stub.checkouts}
        for record_id in by_id:
            row = by_id[self.answered_as.get(record_id, record_id)]
            row = row | {"id": self.written_as.get(record_id, row["id"])}
            body = {"message": "", "data": {"checkout": row}}
            self.stub.answers(f"{ROOT}/{record_id}", body)
        lake = Lake(self.settings.lake_path)
        report = runner.pull(
            self.settings, lake, ["checkouts"], full=full, transport=self.stub.transport
        )
        return report.sources[0]

    @property
    def pages_asked(self) -> int:
        return self.stub.asked.count(ROOT)

    @property
    def reread(self) -> list[str]:
        return sorted(
            each.rpartition("/")[2] for each in self.stub.asked if each != ROOT
        )

    def statuses(self) -> dict[str, str]:
        rows = Lake(self.settings.lake_path).current("checkouts").to_pylist()
        return {row["id"]: row["status"] for row in rows}


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path)


def test_only_the_new_end_is_read(shop: Shop) -> None:
    assert shop.pull().certificate["order"] == "newest_first"
    shop.stub.checkouts[:0] = [made(COUNT + 3 - number) for number in range(3)]
    found = shop.pull()
    assert (found.status, found.counts.new, found.counts.pages) == ("partial", 3, 1)
    assert shop.pages_asked == 1
    assert found.certificate["proof"] == "counted"
    shop.stub.checkouts[:0] = [made(COUNT + 28 - number) for number in range(25)]
    assert shop.pull().counts.new == 25
    assert shop.pages_asked == 3
    assert len(shop.statuses()) == COUNT + 28


def test_nothing_new_costs_one_request(shop: Shop) -> None:
    shop.pull()
    found = shop.pull()
    assert (found.status, found.counts.new, found.counts.changed) == ("partial", 0, 0)
    assert shop.stub.asked == [ROOT]


def test_a_partial_pull_is_committed_as_such_and_keeps_no_ids(shop: Shop) -> None:
    shop.pull()
    shop.pull()
    lake = Lake(shop.settings.lake_path)
    whole, part = lake.commits(kind="pull")
    assert (whole.whole, part.whole, part.complete) == (True, False, True)
    swept = lake.last_whole_sweep("checkouts")
    assert swept is not None
    assert swept[0].id == whole.id


def test_open_records_are_read_again_one_by_one(shop: Shop) -> None:
    waits = payment(50, status="pending_redirect", paid_at=None)
    shop.stub.checkouts[250] = made(50, status="not_paid", payments=[waits])
    shop.stub.checkouts[100] = made(200, payments=[payment(200), {**waits, "id": "x"}])
    shop.pull()
    shop.stub.checkouts[250] = made(50)
    shop.stub.checkouts[200] = made(100, amount=5)  # final: for the next whole pull
    found = shop.pull()
    assert found.status == "partial"
    assert shop.reread == ["c200", "c50"]
    assert found.certificate["reread"] == 2
    assert (found.counts.new, found.counts.changed) == (0, 1)
    assert shop.statuses()["c50"] == "paid"
    assert shop.pull(full=True).counts.changed == 1


def test_the_detail_of_another_checkout_is_no_answer(shop: Shop) -> None:
    """Else the open one stays as it was, and the night says that all was read."""
    waits = payment(50, status="pending_redirect", paid_at=None)
    shop.stub.checkouts[250] = made(50, status="not_paid", payments=[waits])
    shop.pull()
    shop.stub.checkouts[250] = made(50)
    shop.answered_as["c50"] = "c49"
    found = shop.pull()
    assert found.status == "incomplete"
    assert "c49" in str(found.error)
    shop.answered_as.clear()
    assert shop.pull().status == "partial"
    assert shop.statuses()["c50"] == "paid"


def test_a_detail_that_writes_the_id_otherwise_makes_no_second_checkout(
    shop: Shop,
) -> None:
    """Kept by that name it would count twice, and the next whole pull would miss it."""
    waits = payment(50, status="pending_redirect", paid_at=None)
    shop.stub.checkouts[250] = made(50, status="not_paid", payments=[waits])
    shop.pull()
    shop.stub.checkouts[250] = made(50)
    shop.written_as["c50"] = "C50"
    found = shop.pull()
    assert found.status == "complete"
    assert "C50" in found.certificate["not_in_part"]
    assert shop.statuses().keys() == {row["id"] for row in shop.stub.checkouts}
    assert shop.statuses()["c50"] == "paid"


def test_an_old_open_record_is_left_to_whole_pulls(shop: Shop) -> None:
    old = NOW - int(timedelta(days=40).total_seconds())
    shop.stub.checkouts[-1] = made(1, status="not_paid", created_at=old)
    shop.pull()
    assert shop.pull().status == "partial"
    assert shop.reread == []


def gone(shop: Shop) -> None:
    del shop.stub.checkouts[150]


def gone_while_another_came(shop: Shop) -> None:
    gone(shop)
    shop.stub.checkouts.insert(0, made(COUNT + 1))


def came_elsewhere(shop: Shop) -> None:
    shop.stub.checkouts.insert(150, made(COUNT + 1))


def gone_while_a_page_and_another_came(shop: Shop) -> None:
    """After the first page the count is right: one is missing, one too many known."""
    gone(shop)
    shop.stub.checkouts[:0] = [made(COUNT + 11 - number) for number in range(11)]


def new_end_out_of_order(shop: Shop) -> None:
    shop.stub.checkouts.insert(5, made(COUNT + 1))


@pytest.mark.parametrize(
    "change",
    [
        gone,
        gone_while_another_came,
        gone_while_a_page_and_another_came,
        came_elsewhere,
        new_end_out_of_order,
    ],
)
def test_a_list_that_does_not_add_up_is_read_whole_at_once(
    shop: Shop, change: Callable[[Shop], None]
) -> None:
    shop.pull()
    change(shop)
    found = shop.pull()
    assert found.status == "complete"
    assert found.certificate["not_in_part"]
    standing = {row["id"] for row in shop.stub.checkouts}
    assert found.counts.vanished == len({f"c{n + 1}" for n in range(COUNT)} - standing)
    assert set(shop.statuses()) >= standing


def test_an_open_record_that_is_refused_has_the_list_read_whole(shop: Shop) -> None:
    shop.stub.checkouts[250] = made(50, status="not_paid")
    shop.pull()
    honest = shop.stub.answers
    shop.stub.answers = lambda endpoint, body, status=200: honest(  # type: ignore[method-assign]
        endpoint, body, 404 if endpoint.endswith("c50") else status
    )
    found = shop.pull()
    assert found.status == "complete"
    assert "refused" in found.certificate["not_in_part"]


def test_many_open_records_have_the_list_read_whole(shop: Shop) -> None:
    for place in range(40):
        shop.stub.checkouts[place] = made(COUNT - place, status="not_paid")
    shop.pull()
    found = shop.pull()
    assert found.status == "complete"
    assert "40 open records" in found.certificate["not_in_part"]
    assert shop.reread == []


@pytest.mark.parametrize("refusal", [502, 401, 403])
def test_an_open_record_that_cannot_be_read_makes_the_source_incomplete(
    shop: Shop, refusal: int
) -> None:
    shop.stub.checkouts[250] = made(50, status="not_paid")
    shop.pull()
    honest = shop.stub.answers
    shop.stub.answers = lambda endpoint, body, status=200: honest(  # type: ignore[method-assign]
        endpoint, body, refusal if endpoint.endswith("c50") else status
    )
    assert shop.pull().status == "incomplete"


def with_no_order(shop: Shop) -> None:
    shop.stub.checkouts.sort(key=lambda row: hash((row["id"], "mixed")))


def with_a_time_missing(shop: Shop) -> None:
    shop.stub.checkouts[77]["created_at"] = None


def with_one_time_for_all(shop: Shop) -> None:
    for row in shop.stub.checkouts:
        row["created_at"] = NOW


@pytest.mark.parametrize(
    "arrange", [with_no_order, with_a_time_missing, with_one_time_for_all]
)
def test_a_list_without_an_order_is_always_read_whole(
    shop: Shop, arrange: Callable[[Shop], None]
) -> None:
    arrange(shop)
    assert "order" not in shop.pull().certificate
    assert shop.pull().status == "complete"
    assert shop.pages_asked >= 30


def test_a_list_with_the_oldest_first_is_read_from_its_end(shop: Shop) -> None:
    shop.stub.checkouts.reverse()
    assert shop.pull().certificate["order"] == "oldest_first"
    shop.stub.checkouts.extend(made(COUNT + 1 + number) for number in range(15))
    found = shop.pull()
    assert (found.status, found.counts.new) == ("partial", 15)
    assert shop.pages_asked <= 4


def test_rows_that_come_while_the_end_is_read_are_met(shop: Shop) -> None:
    shop.pull()
    shop.stub.checkouts[:0] = [made(COUNT + 25 - number) for number in range(25)]
    honest = shop.stub.endpoints[ROOT]
    came = iter(range(3))

    def busy(query: dict[str, str], body: dict[str, Any]) -> Any:
        for number in came:
            shop.stub.checkouts.insert(0, made(COUNT + 26 + number))
            break
        return honest(query, body)

    shop.stub.endpoints[ROOT] = busy
    found = shop.pull()
    assert (found.status, found.counts.new) == ("partial", 28)


def test_one_of_the_same_second_that_goes_in_further_on_is_met(shop: Shop) -> None:
    """Among rows of one time nobody knows where a new one goes in."""
    at = NOW - 600_000 + COUNT * 1000
    for place in range(15):
        shop.stub.checkouts[place] |= {"created_at": at}
    assert shop.pull().certificate["order"] == "newest_first"
    shop.stub.checkouts.insert(12, made(COUNT + 1, created_at=at))
    shop.stub.checkouts.insert(0, made(COUNT + 2))
    found = shop.pull()
    assert (found.status, found.counts.new, shop.pages_asked) == ("partial", 2, 2)


@pytest.mark.parametrize("leaves", [0, 3])
@pytest.mark.parametrize("oldest_first", [False, True])
def test_a_record_that_leaves_while_the_end_is_read_hides_none(
    shop: Shop, oldest_first: bool, leaves: int
) -> None:
    """It puts another onto a page that was read; the count is right without that."""
    if oldest_first:
        shop.stub.checkouts.reverse()
    shop.pull()
    fresh = [made(COUNT + 1 + number) for number in range(15)]
    place = COUNT if oldest_first else 0
    shop.stub.checkouts[place:place] = fresh if oldest_first else fresh[::-1]
    honest, asked = shop.stub.endpoints[ROOT], iter(range(100))

    def losing(query: dict[str, str], body: dict[str, Any]) -> Any:
        if next(asked) == 2 - (not oldest_first):
            del shop.stub.checkouts[leaves]
        return honest(query, body)

    shop.stub.endpoints[ROOT] = losing
    found = shop.pull()
    assert found.status == "complete"
    assert "left it" in found.certificate["not_in_part"]
    assert set(shop.statuses()) >= {row["id"] for row in shop.stub.checkouts}


def test_a_list_is_read_whole_when_asked_or_when_it_is_time(shop: Shop) -> None:
    shop.pull()
    assert [each.action for each in _plan(shop.settings)] == ["part"]
    assert [each.action for each in _plan(shop.settings, full=True)] == ["whole"]
    assert shop.pull(full=True).status == "complete"
    lake = LakeSettings(path=shop.settings.lake.path, full_every=timedelta(0))
    shop.settings = replace(shop.settings, lake=lake)
    assert [each.action for each in _plan(shop.settings)] == ["whole"]
    assert shop.pull().status == "complete"


def test_a_sweep_of_the_future_is_nothing_to_build_on(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A clock that was a year ahead for one night does not stop sweeps for a year."""
    with monkeypatch.context() as patch:
        patch.setattr(commits, "datetime", MovingClock)
        patch.setattr(MovingClock, "present", datetime.now(UTC) + timedelta(days=365))
        shop.pull()
    assert [each.action for each in _plan(shop.settings)] == ["whole"]
    assert shop.pull().status == "complete"


def test_an_incomplete_pull_is_nothing_to_build_on(shop: Shop) -> None:
    honest = shop.stub.endpoints[ROOT]
    shop.stub.endpoints[ROOT] = lambda query, body: (
        (500, b"") if query["page"] == "9" else honest(query, body)
    )
    assert shop.pull().status == "incomplete"
    shop.stub.endpoints[ROOT] = honest
    assert shop.pull().status == "complete"


def _plan(settings: Settings, **more: Any) -> list[Any]:
    return plan(settings, Lake(settings.lake_path), ["checkouts"], **more)


def test_a_night_costs_a_hundredth_of_a_sweep_and_the_open_look_ups(
    tmp_path: Path,
) -> None:
    shop = Shop(tmp_path)
    count = 5_000
    shop.stub.checkouts = [
        made(number, status="not_paid" if number % 100 == 0 else "paid")
        for number in range(count, 0, -1)
    ]
    assert shop.pull(full=True).status == "complete"
    sweep = shop.pages_asked
    for number in range(count + 1, count + 21):
        shop.stub.checkouts.insert(0, made(number))
    found = shop.pull()
    assert (found.status, found.counts.new) == ("partial", 20)
    assert shop.pages_asked <= sweep / 100
    assert len(shop.reread) == 49  # the newest stands on the page after the new ones
    assert "c5000" not in shop.reread
