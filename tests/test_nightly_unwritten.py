"""A night killed between its run and its report: the next one makes good on it."""

import csv
import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from recon import nightly, notify
from recon.cli.group import run
from recon.errors import UsageError
from recon.reconcile.run import reconcile
from recon.reports import unwritten
from recon.settings import Settings
from tests.night_shop import CHECK, shop_in
from tests.reconcile.lake_history import History, at, unpaid


class Killed(BaseException):
    """Ends a night at once, as SIGKILL would: nothing of it catches this."""


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What each night said of new critical breaks, in one line."""
    lines: list[str] = []

    def announced(_: Settings, make: Callable[[], notify.Message]) -> list[str]:
        body = make().body.splitlines()
        lines.extend(line for line in body if line.startswith("New critical"))
        return []

    monkeypatch.setattr(notify, "_announced", announced)
    return lines


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> History:
    """A shop whose night of the second of October found the break of "a"."""
    history = shop_in(tmp_path, monkeypatch)
    history.clock(at(2))
    history.pull("checkouts", unpaid("a"))
    night(history)
    return history


def night(shop: History, as_of: datetime | None = None) -> nightly.Night:
    return nightly.run(shop.settings, shop.lake, as_of=as_of)


def killed(
    shop: History,
    monkeypatch: pytest.MonkeyPatch,
    where: str = "write",
    as_of: datetime | None = None,
) -> None:
    """Run a night that is killed where it would call that."""

    def kill(*_: Any, **__: Any) -> Any:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(nightly, where, kill)
        with pytest.raises(Killed):
            night(shop, as_of)


def paid_and_killed(shop: History, monkeypatch: pytest.MonkeyPatch) -> None:
    """The payment of "a" comes, and the night that sees it is killed."""
    shop.clock(at(3))
    shop.pull("checkouts", unpaid("a", paid=True))
    killed(shop, monkeypatch)


def of_day(shop: History, day: int) -> Path:
    return shop.settings.reports_path / f"2026-10-{day:02d}"


def statuses(path: Path) -> list[tuple[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return [(row["record_id"], row["status"]) for row in csv.DictReader(file)]


def signs(shop: History) -> list[Path]:
    return [*shop.settings.reports_path.glob(".*")]


def test_what_a_killed_night_found_gone_is_in_its_report_after_all(
    shop: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    paid_and_killed(shop, monkeypatch)
    assert not of_day(shop, 3).exists()
    shop.clock(at(4))
    found = night(shop)
    line = (
        "the run of 2026-10-03T00:00:00Z had no report, as its night did not come to "
        f"its end: it has one now, in {of_day(shop, 3)}"
    )
    assert found.notices == [line]
    assert statuses(of_day(shop, 3) / "breaks.csv") == [("a", "gone")]
    assert statuses(of_day(shop, 4) / "breaks.csv") == []
    assert signs(shop) == []


def test_the_report_made_good_is_that_of_the_killed_night_to_the_byte(
    shop: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    paid_and_killed(shop, monkeypatch)
    shop.clock(at(4))
    night(shop)
    made = {p.name: p.read_bytes() for p in of_day(shop, 3).iterdir()}
    night(shop, as_of=at(3))
    assert made == {p.name: p.read_bytes() for p in of_day(shop, 3).iterdir()}
    said = json.loads(made["summary.json"])
    assert said["run_kept"] is True
    shop.clock(at(5))
    assert night(shop).notices == []  # no run is lost, nothing is unknown


def test_a_night_that_came_to_its_end_leaves_nothing_to_make_good(
    shop: History,
) -> None:
    for day in (3, 4):
        shop.clock(at(day))
        assert night(shop).notices == []
        assert signs(shop) == []


def test_on_the_same_date_what_is_gone_is_kept_aside(
    shop: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder of a date has the report of its last night."""
    paid_and_killed(shop, monkeypatch)
    shop.clock(at(3, hour=2))
    (line,) = night(shop).notices
    (aside,) = of_day(shop, 3).glob("breaks-*.csv")
    run_id = shop.lake.commits(kind="run")[1].certificate["run_id"]
    assert aside.name == f"breaks-{run_id}.csv"
    assert line.endswith(
        f": what it found gone (1 break) is in no other, and stands in {aside}"
    )
    assert statuses(aside) == [("a", "gone")]
    assert statuses(of_day(shop, 3) / "breaks.csv") == []
    shop.clock(at(3, hour=3))
    assert night(shop).notices == []
    assert aside.exists()


def test_on_the_same_date_where_nothing_is_gone_nothing_is_said(
    shop: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.clock(at(3))
    killed(shop, monkeypatch)
    shop.clock(at(3, hour=2))
    assert night(shop).notices == []
    assert not [*of_day(shop, 3).glob("breaks-*.csv")]


def test_several_killed_nights_get_a_report_each(
    shop: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    paid_and_killed(shop, monkeypatch)
    shop.clock(at(4))
    shop.pull("checkouts", unpaid("b"))
    killed(shop, monkeypatch)
    shop.clock(at(5))
    killed(shop, monkeypatch, "pull")  # before its run
    shop.clock(at(6))
    assert len(night(shop).notices) == 2
    assert statuses(of_day(shop, 3) / "breaks.csv") == [("a", "gone")]
    assert statuses(of_day(shop, 4) / "breaks.csv") == [("b", "open")]
    assert not of_day(shop, 5).exists()


def test_a_night_killed_while_it_makes_good_has_its_own_report(
    shop: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    paid_and_killed(shop, monkeypatch)
    shop.clock(at(4))
    with monkeypatch.context() as patch:
        patch.setattr(unwritten, "write", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            night(shop)
    assert (of_day(shop, 4) / "summary.json").exists()
    shop.clock(at(5))
    assert len(night(shop).notices) == 1
    assert statuses(of_day(shop, 3) / "breaks.csv") == [("a", "gone")]


def test_a_night_killed_after_its_report_has_no_line(
    shop: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.clock(at(3))
    shop.pull("checkouts", unpaid("a", paid=True))
    killed(shop, monkeypatch, "notify")
    shop.clock(at(4))
    assert night(shop).notices == []


@pytest.mark.parametrize("where", ["write", "notify"])
def test_what_a_killed_night_did_not_announce_is_news_to_the_next(
    shop: History, told: list[str], monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    shop.clock(at(3))
    shop.pull("checkouts", unpaid("b"))
    killed(shop, monkeypatch, where)
    for day in (4, 5):
        shop.clock(at(day))
        night(shop)
    assert told[-2:] == [
        f"New critical breaks: {CHECK} 1.",
        "New critical breaks: none.",
    ]


def test_a_report_that_a_later_one_of_the_date_replaced_was_one(
    shop: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.clock(at(3))
    shop.pull("checkouts", unpaid("a", paid=True))
    killed(shop, monkeypatch, "notify")
    assert statuses(of_day(shop, 3) / "breaks.csv") == [("a", "gone")]
    shop.clock(at(3, hour=2))
    assert night(shop).notices == []
    assert not [*of_day(shop, 3).glob("breaks-*.csv")]


@pytest.mark.parametrize("where", ["_cleared", "_compacted"])
def test_what_a_night_announced_before_it_was_killed_is_no_news(
    shop: History, told: list[str], monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    shop.clock(at(3))
    shop.pull("checkouts", unpaid("b"))
    killed(shop, monkeypatch, where)
    assert told[-1] == f"New critical breaks: {CHECK} 1."
    assert signs(shop) == []
    shop.clock(at(4))
    night(shop)
    assert told[-1] == "New critical breaks: none."


def test_a_night_of_an_earlier_time_leaves_news_of_a_killed_one_to_the_next(
    shop: History, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.clock(at(3))
    shop.pull("checkouts", unpaid("b"))
    killed(shop, monkeypatch)
    shop.clock(at(4))
    assert len(night(shop, as_of=at(2, hour=5)).notices) == 1
    assert statuses(of_day(shop, 3) / "breaks.csv") == [("a", "open"), ("b", "open")]
    for day in (5, 6):
        shop.clock(at(day))
        assert night(shop).notices == []
    assert told[-3:] == [
        "New critical breaks: none.",
        f"New critical breaks: {CHECK} 1.",
        "New critical breaks: none.",
    ]
    assert signs(shop) == []


def test_a_killed_night_of_an_earlier_time_makes_no_news_of_what_was_told(
    shop: History, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.clock(at(3))
    shop.pull("checkouts", unpaid("b"))
    night(shop)
    shop.clock(at(4))
    killed(shop, monkeypatch, as_of=at(2, hour=5))
    shop.clock(at(5))
    assert len(night(shop).notices) == 1
    assert told[-2:] == [
        f"New critical breaks: {CHECK} 1.",
        "New critical breaks: none.",
    ]
    said = json.loads((of_day(shop, 2) / "summary.json").read_bytes())
    assert said["as_of"] == "2026-10-02T05:00:00Z"


def test_a_run_that_follows_a_killed_night_by_itself_is_owed_no_report(
    shop: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    paid_and_killed(shop, monkeypatch)
    shop.clock(at(4))
    with monkeypatch.context() as patch:
        patch.setattr(unwritten, "write", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            night(shop)
    shop.clock(at(5))
    with reconcile(shop.lake, shop.settings):
        pass
    shop.clock(at(6))
    assert len(night(shop).notices) == 1
    assert not of_day(shop, 5).exists()


def test_a_report_whose_making_ends_nights_is_given_up(
    shop: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    paid_and_killed(shop, monkeypatch)
    with monkeypatch.context() as patch:
        patch.setattr(unwritten, "write", lambda *_, **__: 1 / 0)
        for day in (4, 5, 6):
            shop.clock(at(day))
            with pytest.raises(ZeroDivisionError):
                night(shop)
            assert (of_day(shop, day) / "summary.json").exists()
        shop.clock(at(7))
        (line,) = night(shop).notices
    assert line == (
        "the run of 2026-10-03T00:00:00Z had no report, as its night did not come to "
        "its end, and nights ended while it was written: try "
        "recon report --as-of 2026-10-03T00:00:00Z"
    )
    assert signs(shop) == []


@pytest.mark.parametrize("days", [1, 2])
def test_what_nights_found_gone_while_no_report_could_be_written_is_told(
    shop: History, told: list[str], days: int
) -> None:
    """Not even the sign could be left where the reports are."""
    reports = shop.settings.reports_path
    aside = reports.rename(reports.with_name("aside"))
    reports.touch()  # no folder can be made there
    shop.pull("checkouts", unpaid("b"))
    for day in range(3, 3 + days):
        shop.clock(at(day))
        shop.pull("checkouts", unpaid("a", paid=True))
        with pytest.raises(UsageError, match=r"reports\.path: .* cannot be written"):
            night(shop)
    reports.unlink()
    aside.rename(reports)
    told.clear()
    shop.clock(at(6))
    found = night(shop)
    assert len(found.notices) == days
    assert ("a", "gone") in statuses(of_day(shop, 3) / "breaks.csv")
    assert told == [f"New critical breaks: {CHECK} 1."]
    assert signs(shop) == [*shop.lake.root.glob(".*")] == []
    shop.clock(at(7))
    assert night(shop).notices == []


def test_a_report_that_cannot_be_made_good_fails_no_night(
    shop: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    paid_and_killed(shop, monkeypatch)
    of_day(shop, 3).touch()  # no folder can be made there
    shop.clock(at(4))
    (line,) = night(shop).notices
    assert "cannot be written now (reports.path: " in line
    assert line.endswith("): try recon report --as-of 2026-10-03T00:00:00Z")


@pytest.mark.parametrize(
    "said",
    [
        "",
        "[]",
        '{"lake": "elsewhere", "after": "", "is_news": true, "owed": {}}',
        '{"lake": "HERE", "after": "unknown", "is_news": true, "owed": {}}',
        '{"lake": "HERE", "after": "", "is_news": true, "owed": {"reports": ["soon"]}}',
        '{"lake": "HERE", "after": "", "is_news": true, "owed": {"tries": "2"}}',
        '{"lake": "HERE", "after": "", "owed": {"untold": "2026-10-02T00:00:00"}}',
    ],
)
def test_a_sign_that_is_not_of_this_lake_says_nothing(shop: History, said: str) -> None:
    sign = shop.settings.reports_path / unwritten._SIGN
    sign.write_text(said.replace("HERE", str(shop.lake.place)))
    shop.clock(at(4))
    assert night(shop).notices == []
    assert signs(shop) == []


def test_the_command_says_so_in_one_line(
    shop: History,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    paid_and_killed(shop, monkeypatch)
    shop.clock(at(4))
    code = run(["nightly"])
    lines = capsys.readouterr().err.splitlines()
    assert code == 0
    assert len([line for line in lines if "had no report" in line]) == 1
