"""A night notices what was lost since its reports, and says so until it is settled."""

import json
import shutil
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from recon import nightly
from recon.cli.group import run
from recon.doctor import requests
from recon.errors import UsageError
from recon.lake import Lake
from recon.reports import earlier
from recon.settings import LakeSettings
from tests.night_shop import messages, shop_in
from tests.reconcile.lake_history import History, at, unpaid
from tests.webhooks.test_webhook_taking import deliver, lose, payment


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> History:
    """A shop on the second of October, whose lake has one whole list of events."""
    history = shop_in(tmp_path, monkeypatch)
    history.clock(at(2))
    history.pull("webhooks", {}, whole=True)
    return history


def night(shop: History, as_of: datetime | None = None) -> nightly.Night:
    return nightly.run(shop.settings, shop.lake, as_of=as_of)


def saved(shop: History) -> Path:
    """Copy the lake as it is now."""
    copy = shop.lake.root.with_name("copy")
    return Path(shutil.copytree(shop.lake.root, copy))


def put_back(shop: History, copy: Path) -> None:
    shutil.rmtree(shop.lake.root)
    copy.rename(shop.lake.root)
    shop.lake = Lake(shop.lake.root)


def folder(shop: History, day: int) -> Path:
    return shop.settings.reports_path / f"2026-10-{day:02}"


@pytest.mark.parametrize("kind", ["pull", "import", "decision"])
def test_an_older_lake_is_told_where_no_list_was_read_whole_since(
    shop: History, kind: str
) -> None:
    assert night(shop).notices == []
    older = saved(shop)
    shop.clock(at(3))
    shop.pull("checkouts", unpaid("a") if kind == "pull" else {}, kind=kind)
    assert night(shop).notices == []
    put_back(shop, older)
    shop.clock(at(4))
    (told,) = night(shop).notices
    assert told.startswith(f"{folder(shop, 3)}/summary.json (of 2026-10-03T")
    assert "rests on the commit 2026" in told
    assert "put back: import, decide and close again" in told


def test_a_night_without_news_is_known_by_the_run_before_it(shop: History) -> None:
    older = saved(shop)
    night(shop)
    shop.clock(at(3))
    night(shop)
    put_back(shop, older)
    shop.clock(at(4))
    (told,) = night(shop).notices
    assert told.startswith(f"{folder(shop, 3)}/summary.json")


def test_a_lake_without_the_last_run_is_told(shop: History) -> None:
    """No gap tells of the newest record; what that run found is new once more."""
    shop.pull("checkouts", unpaid("a"))
    night(shop)
    record = max((shop.lake.root / "commits").iterdir())
    content = record.read_bytes()
    record.unlink()
    shop.lake = Lake(shop.lake.root)
    assert earlier.without_run(shop.settings, shop.lake)
    record.write_bytes(content)
    shop.lake = Lake(shop.lake.root)
    assert earlier.without_run(shop.settings, shop.lake) is None
    record.unlink()
    shop.lake = Lake(shop.lake.root)
    shop.clock(at(3))
    (told,) = night(shop).alarms
    assert told.startswith(f"{folder(shop, 2)}/summary.json")
    assert "is of the run " in told
    shop.clock(at(4))
    assert night(shop).notices == []


def test_a_run_that_was_lost_and_made_again_is_not_told(shop: History) -> None:
    """With a clock that is set back the next night speaks of the same instant."""
    shop.pull("checkouts", unpaid("a"))
    first = night(shop)
    max((shop.lake.root / "commits").iterdir()).unlink()
    shop.lake = Lake(shop.lake.root)
    shop.clock(at(1))
    again = night(shop)
    assert again.summary == first.summary
    assert again.breaks == first.breaks
    assert not any("summary" in each for each in again.notices)


def test_a_report_of_a_run_that_was_not_kept_names_none(shop: History) -> None:
    assert run(["report"]) == 0
    said = json.loads((folder(shop, 2) / "summary.json").read_text("utf-8"))
    assert "run_kept" not in said
    assert night(shop).summary["run_kept"] is True
    shop.clock(at(3))
    assert night(shop).notices == []


def test_it_is_told_until_the_reports_are_moved_out(
    shop: History, tmp_path: Path
) -> None:
    night(shop)
    older = saved(shop)
    for day in (3, 4):
        shop.clock(at(day))
        shop.pull("checkouts", unpaid("a"))
        night(shop)
    put_back(shop, older)
    for day in (5, 6):
        shop.clock(at(day))
        (told,) = night(shop).notices
        assert told.startswith(f"{folder(shop, 4)}/summary.json")
        assert f"1 further report had: {folder(shop, 3)}/summary.json; " in told
        assert "moved out of reports.path" in told
    for day in (3, 4):
        folder(shop, day).rename(tmp_path / f"moved-{day}")
    shop.clock(at(7))
    assert night(shop).notices == []


@pytest.mark.parametrize("is_by_hand", [False, True])
def test_another_run_of_the_same_date_takes_no_evidence_away(
    shop: History, is_by_hand: bool
) -> None:
    """The folder of a date is replaced: by another night, or a report by hand."""
    older = saved(shop)
    shop.pull("checkouts", unpaid("a"))
    night(shop)
    put_back(shop, older)
    for hour in (1, 2, 3):
        shop.clock(at(2, hour))
        if is_by_hand and hour == 1:
            assert run(["report"]) == 0
            continue
        (told,) = night(shop).alarms
        (kept,) = folder(shop, 2).glob("summary-*.json")
        assert told.startswith(f"{kept} (of 2026-10-02T00:00:0")
    kept.unlink()
    assert night(shop).notices == []


def test_a_report_is_kept_aside_however_many_later_ones_there_are(
    shop: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of its date alone: so many of the newest are looked at for what was lost."""
    monkeypatch.setattr(earlier, "_MOST", 1)
    first = night(shop)
    shop.clock(at(3))
    night(shop)
    then = datetime.fromisoformat(first.summary["as_of"])
    content = (folder(shop, 2) / "summary.json").read_bytes()
    assert earlier.keep(shop.settings, shop.lake, then, of_period=True)
    (kept,) = folder(shop, 2).glob("summary-*.json")
    assert kept.read_bytes() == content


@pytest.mark.parametrize("is_by_hand", [False, True])
def test_a_lake_begun_anew_on_the_day_of_its_reports_keeps_none_aside(
    shop: History, is_by_hand: bool
) -> None:
    night(shop)
    shop.clock(at(2) + timedelta(hours=1))  # the run of that report is none of its own
    shop.lake = Lake(shop.lake.root.with_name("new"))
    if is_by_hand:
        assert run(["report"]) == 0
    assert night(shop).alarms == []
    assert list(folder(shop, 2).glob("summary-*.json")) == []


def test_what_was_lost_is_announced_and_never_called_well(
    shop: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Named by its kind: a place or a deposit's id leaves the machine nowhere."""
    told = messages(monkeypatch)
    row = {"track_id": "track-of-the-lost", "origin": "journal", "outcome": "unknown"}
    shop.pull("deposits", {"deposits": [row]}, whole=True)
    older = saved(shop)
    shop.clock(at(9))
    shop.pull("balances", {})
    night(shop)
    put_back(shop, older)
    shop.clock(at(8))
    shop.pull("balances", {})
    shop.clock(at(6))
    found = night(shop)
    assert found.alarms == found.notices
    assert len(found.alarms) == 3
    assert [sent.mood for sent in told] == ["failure", "failure"]
    assert told[0].title == "recon shop: its own records need a look"
    lines = told[1].body.splitlines()
    assert [line.partition(":")[0] for line in lines[1:4]] == [
        "Earlier reports rest on what the lake does not hold",
        "The lake's newest commit is in the future by the machine's clock",
        "The journal lacks deposits that the lake has of it",
    ]
    assert "track-of-the-lost" not in told[1].body


@pytest.mark.parametrize("spoken", [[], ["--quiet"], ["--quiet", "--log-json"]])
def test_silence_does_not_silence_what_was_lost(
    shop: History, spoken: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    older = saved(shop)
    shop.pull("checkouts", {})
    night(shop)
    put_back(shop, older)
    shop.clock(at(3))
    assert run([*spoken, "nightly"]) == 0
    told = capsys.readouterr().err.splitlines()
    found = [line for line in told if "rests on the commit" in line]
    assert len(found) == 1
    if "--quiet" in spoken:
        assert told == found
    if "--log-json" in spoken:
        assert json.loads(found[0])["level"] == "error"
    else:
        assert found[0].startswith(f"recon: {folder(shop, 2)}/summary.json")


@pytest.mark.parametrize("spoken", [[], ["--quiet"], ["--quiet", "--log-json"]])
def test_silence_does_not_silence_that_nobody_was_told(
    shop: History,
    spoken: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def unheard(*_: object, **__: object) -> list[str]:
        return ["notify.urls: address 1 could not be reached"]

    monkeypatch.setattr(nightly, "notify", unheard)
    shop.pull("checkouts", {})
    assert run([*spoken, "nightly"]) == 0
    told = capsys.readouterr().err.splitlines()
    found = [line for line in told if "address 1 could not be reached" in line]
    assert len(found) == 1
    if "--quiet" in spoken:
        assert told == found


def test_reports_that_no_run_was_kept_for_are_no_sign_of_a_loss(
    shop: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those by hand, of a period, as of an earlier time, and of a rehearsal."""
    shop.pull("checkouts", unpaid("a"))
    first = night(shop)
    shop.clock(at(3))
    assert run(["report"]) == 1
    shop.clock(at(4))
    assert run(["report", "--from", "2026-10-01", "--to", "2026-10-02"]) in (0, 1)
    shop.clock(at(5))
    assert run(["report", "--dry-run"]) == 1
    assert run(["report", "--as-of", "2026-10-03T12:00:00Z"]) == 1
    assert run(["reconcile", "--dry-run"]) == 1
    assert run(["nightly", "--as-of", first.summary["as_of"]]) == 1
    shop.clock(at(6))
    assert night(shop).notices == []
    assert len(list(shop.settings.reports_path.iterdir())) == 4


def test_what_is_read_of_the_lake_as_of_a_time_names_the_same_commit(
    shop: History,
) -> None:
    shop.pull("checkouts", unpaid("a"))
    first = night(shop)
    newest = first.summary["newest_commit"]
    assert newest == shop.lake.commits(kind="pull")[-1].id
    shop.clock(at(3))
    second = night(shop)
    assert second.summary["newest_commit"] == shop.lake.commits(kind="run")[0].id
    then = datetime.fromisoformat(first.summary["as_of"])
    assert night(shop, then).summary == first.summary


def test_drafts_and_what_is_no_report_are_passed_over(shop: History) -> None:
    texts = ["[]", "{", '{"as_of": 1, "sources": {"mandates": 2}}', "[" * 100_000]
    for number, text in enumerate(texts):
        (shop.settings.reports_path / f"{number}").mkdir(parents=True)
        (shop.settings.reports_path / f"{number}" / "summary.json").write_text(text)
    draft = shop.settings.reports_path / ".2026-10-01.abcdefgh"
    draft.mkdir()
    said = {"as_of": "2026-10-01T00:00:00Z", "newest_commit": "x", "sources": {}}
    (draft / "summary.json").write_text(json.dumps(said))
    assert earlier.unknown(shop.settings, shop.lake) is None
    draft.rename(draft.with_name("2026-10-01"))
    assert "rests on the commit x" in str(earlier.unknown(shop.settings, shop.lake))


def test_a_draft_of_a_killed_night_is_no_sign_of_a_lost_lake(shop: History) -> None:
    """Else the first night, killed as it wrote, would have every later one refused."""
    draft = shop.settings.reports_path / ".2026-10-01.abcdefgh"
    draft.mkdir(parents=True)
    (draft / "summary.json").write_text("{}")
    empty = Lake(shop.lake.root.with_name("empty"))
    earlier.refuse_lost(shop.settings, empty)
    draft.rename(draft.with_name("2026-10-01"))
    with pytest.raises(UsageError, match="has reports up to 2026-10-01"):
        earlier.refuse_lost(shop.settings, empty)


def test_a_refused_night_leaves_nothing_where_the_lake_should_be(
    shop: History,
) -> None:
    """Below the mount point of its disk, it would take the lake's name from it."""
    night(shop)
    shutil.rmtree(shop.lake.root)
    shop.lake = Lake(shop.lake.root)
    shop.clock(at(3))
    with pytest.raises(UsageError, match="holds nothing, but"):
        night(shop)
    assert not shop.lake.root.exists()


def test_a_journal_of_events_that_is_gone_is_told(
    shop: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it received after the night was answered, and is nowhere else."""
    sent: list[list[str]] = []

    def heard(*_: object, alarms: list[str], **__: object) -> list[str]:
        sent.append(alarms)
        return []

    monkeypatch.setattr(nightly, "notify", heard)
    here = LakeSettings(path=str(shop.lake.root))
    shop.settings = replace(shop.settings, lake=here)
    deliver(shop.settings, payment("T1"))
    assert night(shop).alarms == []
    lose(shop.settings)
    for day in (3, 4):
        shop.clock(at(day))
        (told,) = night(shop).alarms
        assert "the journal from which the lake took events until 2026-10-02T" in told
        assert "put the newest copy back" in told
        (announced,) = sent[-1]
        assert announced.startswith("The journal that events were taken from is gone")
        lacking = requests.lacking(shop.lake, shop.settings)
        assert [each.level for each in lacking] == ["warning"]
    deliver(shop.settings, payment("T2"))
    shop.clock(at(5))
    assert len(night(shop).alarms) == 1
    shop.clock(at(6))
    assert night(shop).alarms == []
    assert list(requests.lacking(shop.lake, shop.settings)) == []
