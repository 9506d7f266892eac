"""A night's own words: what was restated, and what failed just now."""

import json
import shutil
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import openpyxl
import pytest

from recon import nightly
from recon.cli.group import run
from recon.errors import ExitCode, LakeError
from recon.lake import Lake, compaction
from recon.lake.parts import COMPACTION
from recon.reconcile.clearing import clearing
from recon.settings import Checks, Http, Secret, Unified
from tests.close.closed_shop import PERIOD, closed, copied, restate, trade
from tests.night_shop import messages
from tests.reconcile.lake_history import History, at

NOWHERE = "http://127.0.0.1:9"  # the discard port: nobody listens


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a shop whose first five days of October are closed."""
    folder = tmp_path_factory.mktemp("shop")
    with pytest.MonkeyPatch.context() as patch:
        made = History(folder / "lake", patch)
        made.clock(at(1))
        trade(made)
        closed(made)
    return folder


@pytest.fixture
def history(shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> History:
    """A copy of that shop on the eighth: every check, but no page and no workbook."""
    made = copied(shop, tmp_path, monkeypatch)
    made.clock(at(8))
    reports = replace(made.settings.reports, excel=False, html=False)
    made.settings = replace(made.settings, reports=reports, checks=Checks())
    return made


def with_workbook(history: History) -> None:
    reports = replace(history.settings.reports, excel=True)
    history.settings = replace(history.settings, reports=reports)


def night(history: History, as_of: datetime | None = None) -> nightly.Night:
    return nightly.run(history.settings, history.lake, as_of=as_of)


def broken(history: History) -> None:
    """From now on the provider cannot be reached."""
    history.settings = replace(
        history.settings,
        unified=Unified(base_url=NOWHERE, api_key=Secret("k")),
        http=Http(retries=0, timeout=timedelta(seconds=2)),
    )


def test_a_night_writes_what_a_closed_period_says_now(
    history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    announced: list[object] = []
    monkeypatch.setattr(
        nightly, "notify", lambda *given, **_: announced.extend(given) or []
    )
    with_workbook(history)
    restate(history, 8)
    found = night(history)
    path = found.files["restatements.csv"]
    assert path.parent == found.files["summary.json"].parent
    lines = path.read_text("utf-8-sig").splitlines()
    assert (
        f"{PERIOD},2026-10-07T00:00:01Z,2026-10-01,unified,,,affected,5,8,3"
    ) in lines
    assert len(lines) == 4
    (notice,) = found.notices
    assert notice.startswith(f"3 figures of closed periods ({PERIOD}) are other ones")
    book = openpyxl.load_workbook(found.files["report.xlsx"], read_only=True)
    told = [row[0] for row in book["summary"].iter_rows(values_only=True)]
    assert any(str(line).startswith(notice[:40]) for line in told)
    assert found.summary["restated"] == {PERIOD: 3}
    assert found.summary in announced
    assert json.loads(found.files["summary.json"].read_bytes()) == found.summary


def test_a_night_takes_away_what_an_earlier_one_of_the_date_left(
    history: History,
) -> None:
    restate(history, 8)
    path = night(history).files["restatements.csv"]
    history.clock(at(8, 2))
    restate(history, 5)
    again = night(history)
    assert again.notices == []
    assert "restatements.csv" not in again.files
    assert "restated" not in again.summary
    assert not path.exists()


def test_a_night_has_the_journal_of_so_many_days_as_are_wanted(
    history: History,
) -> None:
    reports = replace(history.settings.reports, journal_days=5)
    history.settings = replace(history.settings, reports=reports)
    found = night(history)
    said = json.loads(found.files["summary.json"].read_bytes())
    assert (said["journal_from"], said["period"]["from"]) == ("2026-10-04", None)
    assert found.summary == said


def test_a_report_of_the_date_says_what_a_closed_period_says_by_then(
    history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    restate(history, 8)
    path = night(history).files["restatements.csv"]
    before = path.read_bytes()
    monkeypatch.setattr("recon.cli.options.settings", lambda _: history.settings)
    monkeypatch.setattr("recon.cli.options.lake", lambda _: history.lake)
    path.unlink()
    assert run(["report"]) in (0, 1)
    assert path.read_bytes() == before
    history.clock(at(8, 2))
    restate(history, 5)
    assert run(["report"]) in (0, 1)
    assert not path.exists()


def test_as_of_an_earlier_night_the_file_is_that_nights(history: History) -> None:
    restate(history, 8)
    first = night(history)
    path = first.files["restatements.csv"]
    before = path.read_bytes()
    then = datetime.fromisoformat(first.summary["as_of"])
    history.clock(at(9))
    restate(history, 9)
    assert night(history).files["restatements.csv"].read_bytes() != before
    path.unlink()
    again = night(history, then)
    assert again.files["restatements.csv"] == path
    assert path.read_bytes() == before


def test_a_source_that_fails_now_leaves_the_report_of_t_as_it_was(
    history: History,
) -> None:
    whole = night(history)
    then = datetime.fromisoformat(whole.summary["as_of"])
    before = {name: path.read_bytes() for name, path in whole.files.items()}
    broken(history)
    history.clock(at(9))
    found = night(history, then)
    assert found.exit_code == ExitCode.INCOMPLETE
    assert (found.summary["complete"], found.summary["exit_code"]) == (True, 0)
    assert {name: path.read_bytes() for name, path in found.files.items()} == before
    *failed, last = found.notices
    assert failed
    assert {line.partition(": ")[0] for line in failed} == {
        "this pull is incomplete (exit code 3)"
    }
    assert any(line.partition(": ")[2].startswith("checkouts: ") for line in failed)
    assert last == (
        f"the report of {whole.summary['as_of']} is complete "
        "(exit code 0 by itself): it holds what was known then"
    )


def test_a_source_that_fails_now_is_announced_with_the_report_of_t(
    history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = messages(monkeypatch)
    then = datetime.fromisoformat(night(history).summary["as_of"])
    broken(history)
    history.clock(at(9))
    night(history, then)
    assert [sent.mood for sent in told] == ["warning", "failure"]
    assert told[1].title == "recon shop: incomplete"
    first, second = (sent.body.splitlines() for sent in told)
    (line,) = set(second) - set(first)
    assert line.startswith("Could not be read whole now: ")
    assert "checkouts" in line


def test_a_source_that_fails_now_marks_the_report_of_now(history: History) -> None:
    broken(history)
    found = night(history)
    assert found.exit_code == ExitCode.INCOMPLETE
    assert (found.summary["complete"], found.summary["exit_code"]) == (False, 3)
    assert "INCOMPLETE.txt" in found.files
    assert found.notices == []


def test_the_command_tells_them_apart_on_standard_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECON_UNIFIED__API_KEY", "k")
    monkeypatch.setenv("RECON_HTTP__RETRIES", "0")
    path = tmp_path / "recon.toml"
    path.write_text(
        '[business]\nname = "shop"\n[reports]\nexcel = false\nhtml = false\n',
        encoding="utf-8",
    )
    as_json = ["--json", "--config", str(path)]
    assert run(["nightly", *as_json]) == 0
    first = json.loads(capsys.readouterr().out)
    with path.open("a", encoding="utf-8") as file:
        file.write(f'[unified]\nbase_url = "{NOWHERE}"\n')
    code = run(["nightly", "--as-of", first["as_of"], *as_json])
    told = capsys.readouterr()
    assert code == 3
    assert json.loads(told.out) == first
    assert "this pull is incomplete (exit code 3): checkouts: " in told.err
    assert f"the report of {first['as_of']} is complete" in told.err
    assert run(["nightly", "--quiet", "--as-of", first["as_of"], *as_json]) == 3
    told = capsys.readouterr()
    assert "this pull is incomplete (exit code 3): checkouts: " in told.err
    assert f"the report of {first['as_of']} is complete" in told.err


def test_an_incomplete_t_stays_incomplete_whatever_is_read_now(
    history: History,
) -> None:
    broken(history)
    failed = night(history)
    then = datetime.fromisoformat(failed.summary["as_of"])
    history.settings = replace(history.settings, unified=None)
    history.clock(at(9))
    again = night(history, then)
    assert again.pull.complete
    assert again.exit_code == ExitCode.INCOMPLETE
    assert again.summary["complete"] is False
    assert again.notices == []


def test_a_source_that_failed_and_is_read_no_more_says_how_it_becomes_whole(
    history: History,
) -> None:
    broken(history)
    night(history)
    history.settings = replace(history.settings, unified=None)
    history.clock(at(9))
    again = night(history)
    assert again.exit_code == ExitCode.INCOMPLETE
    told = [notice for notice in again.notices if "no pull reads it any more" in notice]
    assert len(told) == len(again.notices) == 3
    assert told[0].startswith("checkouts stays incomplete (exit code 3)")
    assert "there is no section [unified]" in told[0]


def test_a_long_history_is_compacted_after_the_report(
    history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert night(history).notices == []
    assert history.lake.commits(kind=COMPACTION) == []
    monkeypatch.setattr(compaction, "FEWEST_ROWS", 1)
    night(history)
    assert [each.kind for each in history.lake.commits()[-2:]] == ["run", COMPACTION]
    night(history)
    assert len(history.lake.commits(kind=COMPACTION)) == 1


def test_a_lake_that_cannot_be_compacted_is_a_notice(
    history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise LakeError("payments cannot be compacted: no room")

    monkeypatch.setattr(nightly, "compact", full)
    found = night(history)
    assert found.exit_code is not ExitCode.INCOMPLETE
    told = "the lake was not compacted, and reads as before"
    assert found.notices == [f"{told}: payments cannot be compacted: no room"]


def test_a_run_that_cannot_be_cleared_is_a_notice_and_an_incomplete_one_never_is(
    history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise LakeError("no room")

    monkeypatch.setattr(clearing, "is_due", lambda _: True)
    monkeypatch.setattr(clearing, "clear", full)
    found = night(history)
    assert found.exit_code is not ExitCode.INCOMPLETE
    told = "nothing was cleared, and the next run reads everything: no room"
    assert found.notices == [told]
    broken(history)
    history.clock(at(9))
    assert night(history).notices == []


def test_reports_of_what_an_older_copy_of_the_lake_does_not_hold_are_told(
    history: History, tmp_path: Path
) -> None:
    history.pull("webhooks", {}, whole=True)
    older = shutil.copytree(history.lake.root, tmp_path / "older")
    assert night(history).notices == []
    history.clock(at(9))
    history.pull("webhooks", {}, whole=True)
    history.pull("mandates", {})
    assert night(history).notices == []
    shutil.rmtree(history.lake.root)
    older.rename(history.lake.root)
    history.lake = Lake(history.lake.root)
    history.clock(at(10))
    history.pull("webhooks", {}, whole=True)
    (told,) = night(history).notices
    assert "rests on a pull of webhooks of 2026-10-09T00:00:0" in told
    assert "put back: import, decide and close again" in told
    history.clock(at(11))
    (again,) = night(history).notices
    assert again == told
    (tmp_path / "reports" / "2026-10-09").rename(tmp_path / "settled")
    history.clock(at(12))
    assert night(history).notices == []


def test_a_night_tells_of_deposits_that_the_journal_lost(history: History) -> None:
    row = {"track_id": "t-1", "origin": "journal", "outcome": "unknown"}
    with history.lake.begin("pull", "deposits") as writing:
        writing.rows("deposits", [row], seen_at=at(8))
        writing.commit(counts={"records": 1})
    found = night(history)
    (told,) = found.notices
    assert told.startswith("the lake has 1 deposit that the journal has not: t-1 (of ")
    assert "put the newest copy back" in told
    assert found.summary["breaks"]["open"]["by_check"]["deposit_outcome_unknown"] == 1


def test_a_rehearsal_is_refused_where_the_night_would_be(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "recon.toml"
    config.write_text('[business]\nname = "tea"\n[reports]\npath = "reports"\n')
    rehearsed = ["nightly", "--dry-run", "--config", str(config)]
    assert run(rehearsed) == ExitCode.CLEAN
    assert run([*rehearsed, "--as-of", "2999-01-01"]) == ExitCode.USAGE
    assert "that instant is in the future" in capsys.readouterr().err
    earlier = tmp_path / "reports" / "2026-01-01"
    earlier.mkdir(parents=True)
    (earlier / "summary.json").write_text("{}")
    assert run(rehearsed) == ExitCode.USAGE
    assert "is it the right place" in capsys.readouterr().err


@pytest.mark.parametrize(
    "command",
    [
        *("pull", "pull --moved", "pull --dry-run", "import balances {}"),
        *("close 2026-01", "close --restatements"),
    ],
)
def test_nothing_is_begun_where_a_lake_went_away(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    """Below the mount point of its disk, what is taken would be out of sight later."""
    config, balances = tmp_path / "recon.toml", tmp_path / "balances.csv"
    config.write_text('[business]\nname = "tea"\n[reports]\npath = "reports"\n')
    told = "2026-10-01T00:00:00Z,5,5,IR820540102680020817909002"
    balances.write_text(f"at,balance,available_balance,iban\n{told}\n")
    earlier = tmp_path / "reports" / "2026-01-01"
    earlier.mkdir(parents=True)
    (earlier / "summary.json").write_text("{}")
    asked = [*command.format(balances).split(), "--config", str(config)]
    assert run(asked) == ExitCode.USAGE
    assert "is it the right place, and mounted?" in capsys.readouterr().err
    assert not (tmp_path / "data").exists()
    earlier.rename(tmp_path / "moved-away")
    if not command.startswith("close"):
        assert run(asked) == ExitCode.CLEAN
