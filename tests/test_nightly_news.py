"""Which critical breaks a night announces as new: those that nobody was told of."""

import json
import shutil
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from recon import nightly, notify
from recon.cli.group import run
from recon.errors import UsageError
from recon.reconcile.breaks import break_id
from recon.reports import writing
from recon.settings import Settings
from tests.night_shop import CHECK, shop_in
from tests.reconcile.lake_history import History, at, unpaid

NONE = "New critical breaks: none."


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


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a shop that had one calm night, on the second of October."""
    folder = tmp_path_factory.mktemp("calm")
    with pytest.MonkeyPatch.context() as patch:
        history = shop_in(folder, patch)
        history.clock(at(2))
        history.pull("checkouts", {})
        night(history)
    return folder


@pytest.fixture
def shop(calm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> History:
    """A copy of that shop."""
    shutil.copytree(calm, tmp_path, dirs_exist_ok=True)
    return shop_in(tmp_path, monkeypatch)


def night(shop: History, as_of: datetime | None = None) -> nightly.Night:
    return nightly.run(shop.settings, shop.lake, as_of=as_of)


def new(count: int) -> str:
    return f"New critical breaks: {CHECK} {count}."


def failed(shop: History, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a night keep its run and find no room for its report."""

    def full(*_: Any, **__: Any) -> Any:
        raise UsageError("reports.path: No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(nightly, "write", full)
        with pytest.raises(UsageError):
            night(shop)


def test_a_break_of_a_night_without_a_report_is_new_to_the_next_one(
    shop: History, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.clock(at(3))
    shop.pull("checkouts", unpaid("a"))
    failed(shop, monkeypatch)
    for day in (4, 5):
        shop.clock(at(day))
        night(shop)
    assert told[-2:] == [new(1), NONE]


def test_so_it_is_where_no_night_ever_had_a_report(
    shop: History, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.rmtree(shop.settings.reports_path)
    shop.clock(at(3))
    shop.pull("checkouts", unpaid("a"))
    failed(shop, monkeypatch)
    shop.clock(at(4))
    night(shop)
    assert told[-1] == new(1)


def test_what_a_run_by_day_found_is_new_to_the_night(
    shop: History, told: list[str]
) -> None:
    shop.clock(at(2, 12))
    shop.pull("checkouts", unpaid("a"))
    assert run(["reconcile"]) == 1
    shop.clock(at(3))
    shop.pull("checkouts", unpaid("b"))
    night(shop)
    assert told[-1] == new(2)


def test_each_of_several_nights_of_a_date_tells_its_own(
    shop: History, told: list[str]
) -> None:
    for hour, name in ((1, "a"), (2, "b")):
        shop.clock(at(2, hour))
        shop.pull("checkouts", unpaid(name))
        night(shop)
    shop.clock(at(2, 3))
    night(shop)
    assert told[-3:] == [new(1), new(1), NONE]


def test_as_of_an_earlier_night_what_was_new_then_is_told_again(
    shop: History, told: list[str]
) -> None:
    shop.clock(at(3))
    shop.pull("checkouts", unpaid("a"))
    third = datetime.fromisoformat(night(shop).summary["as_of"])
    shop.clock(at(4))
    shop.pull("checkouts", unpaid("b", "c"))
    night(shop)
    shop.clock(at(5))
    night(shop, third)
    night(shop)
    assert told[-4:] == [new(1), new(2), new(1), NONE]


def test_a_report_of_a_period_tells_not_all_and_counts_for_none(
    shop: History, told: list[str]
) -> None:
    shop.clock(at(3))
    shop.pull("checkouts", unpaid("a"))
    assert run(["reconcile"]) == 1
    shop.clock(at(3, 1))
    assert run(["report", "--from", "2026-10-03"]) in (0, 1)
    shop.clock(at(4))
    night(shop)
    assert told[-1] == new(1)


def test_a_report_of_a_period_takes_nothing_back_of_what_was_told(
    shop: History, told: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """It replaces the day's files, and says so; its summary stays under a name."""
    shop.clock(at(3))
    shop.pull("checkouts", unpaid("a"))
    folder = shop.settings.reports_path / night(shop).summary["as_of"][:10]
    whole = (folder / "summary.json").read_bytes()
    assert run(["report", "--from", "2026-10-03"]) in (0, 1)
    said = f"{folder} has the period alone now; `recon report` writes all that is known"
    assert said in capsys.readouterr().err
    assert run(["report", "--from", "2026-10-03"]) in (0, 1)  # nothing whole is left
    assert "alone" not in capsys.readouterr().err
    (kept,) = folder.glob("summary-*.json")
    assert kept.read_bytes() == whole
    shop.clock(at(4))
    night(shop)
    assert told[-2:] == [new(1), NONE]


def test_a_report_as_of_earlier_takes_nothing_back_of_what_was_told(
    shop: History, told: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    shop.clock(at(3))
    earlier = night(shop).summary["as_of"]
    shop.clock(at(3, 5))
    shop.pull("checkouts", unpaid("a"))
    folder = shop.settings.reports_path / night(shop).summary["as_of"][:10]
    whole = (folder / "summary.json").read_bytes()
    assert run(["report", "--as-of", earlier]) == 0
    assert f"{folder} is as of {earlier} now; `recon report`" in capsys.readouterr().err
    (kept,) = folder.glob("summary-*.json")
    assert kept.read_bytes() == whole
    shop.clock(at(4))
    night(shop)
    assert told[-2:] == [new(1), NONE]


def test_a_report_that_a_night_overtook_takes_nothing_back_of_what_was_told(
    shop: History,
    told: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It was begun before the night's run, and is placed after the night's report."""
    shop.clock(at(3))
    earlier = night(shop).summary["as_of"]
    write, nights = writing._write, []

    def overtaken(*given: Any) -> list[str]:
        monkeypatch.setattr(writing, "_write", write)
        shop.clock(at(3, 5))
        shop.pull("checkouts", unpaid("a"))
        nights.append(night(shop))
        return write(*given)

    monkeypatch.setattr(writing, "_write", overtaken)
    assert run(["report"]) == 0
    (overtaking,) = nights
    folder = overtaking.files["summary.json"].parent
    assert f"{folder} is as of {earlier} now; `recon report`" in capsys.readouterr().err
    (kept,) = folder.glob("summary-*.json")
    assert json.loads(kept.read_bytes())["run_id"] == overtaking.summary["run_id"]
    shop.clock(at(4))
    night(shop)
    assert told[-2:] == [new(1), NONE]


def test_a_whole_report_by_hand_replaces_one_without_a_word(
    shop: History, capsys: pytest.CaptureFixture[str]
) -> None:
    shop.clock(at(3))
    shop.pull("checkouts", unpaid("a"))
    folder = shop.settings.reports_path / night(shop).summary["as_of"][:10]
    assert run(["report"]) == 1
    assert "alone" not in capsys.readouterr().err
    assert not list(folder.glob("summary-*.json"))


def test_another_lakes_reports_told_nothing_of_this_one(
    shop: History, told: list[str]
) -> None:
    shop.clock(at(3))
    shop.pull("checkouts", unpaid("a"))
    assert run(["reconcile"]) == 1
    other = shop.settings.reports_path / "2026-10-03"
    shutil.copytree(shop.settings.reports_path / "2026-10-02", other)
    said = (other / "summary.json").read_text()
    newest = shop.lake.commits()[0].id
    said = said.replace(newest, "x").replace('"2026-10-02T', '"2026-10-03T12:')
    (other / "summary.json").write_text(said)
    shop.clock(at(4))
    night(shop)
    assert told[-1] == new(1)


def nights(shop: History, *found: tuple[int, int | None]) -> None:
    """Let a night a day find the checkout's amount without a payment, or paid."""
    for day, amount in found:
        shop.clock(at(day))
        rows = unpaid("a", paid=amount is None)
        (checkout,) = rows["checkouts"]
        shop.pull(
            "checkouts", {**rows, "checkouts": [checkout | {"amount": amount or 5}]}
        )
        night(shop)


def test_what_went_away_and_came_back_is_new_once(
    shop: History, told: list[str]
) -> None:
    nights(shop, (3, 5), (4, None), (5, 5), (6, 5))
    assert told[-4:] == [new(1), NONE, new(1), NONE]


@pytest.mark.parametrize("action", ["acknowledge", "resolve"])
def test_what_was_decided_of_other_figures_is_new_once(
    action: str, shop: History, told: list[str]
) -> None:
    """Whether it was decided on the day before or earlier; what is as it was is not."""
    reason = ["--reason", "paid by hand"] if action == "resolve" else []
    decide = ["breaks", action, break_id(CHECK, "unified", "a"), *reason]
    nights(shop, (3, 5))
    shop.clock(at(3, 12))
    assert run([*decide, "--by", "sara"]) == 0
    nights(shop, (4, 5), (5, 6), (6, 6))
    assert told[-4:] == [new(1), NONE, new(1), NONE]
    shop.clock(at(6, 12))
    assert run([*decide, "--by", "sara"]) == 0
    nights(shop, (7, 7), (8, 7))
    assert told[-2:] == [new(1), NONE]


def test_what_someone_opened_again_is_known_to_be_open(
    shop: History, told: list[str]
) -> None:
    which = [break_id(CHECK, "unified", "a"), "--by", "sara"]
    nights(shop, (3, 5))
    for hour, action in ((11, "acknowledge"), (12, "reopen")):
        shop.clock(at(3, hour))
        assert run(["breaks", action, *which]) == 0
    nights(shop, (4, 5))
    assert told[-2:] == [new(1), NONE]
