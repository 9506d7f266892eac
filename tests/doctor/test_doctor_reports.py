"""The doctor holds the reports against the lake."""

import json
from pathlib import Path

import pytest

from recon.doctor import Level
from recon.errors import ExitCode
from recon.lake import Lake
from recon.times import format_instant
from tests.doctor.doctor_cases import CASH_IN, config, examined, of
from tests.lake.lake_cases import MORNING


def report(folder: Path, swept: object) -> None:
    day = folder / "data" / "reports" / "2026-10-09"
    day.mkdir(parents=True)
    sources = {"mandates": {"last_whole_sweep": swept}, "webhooks": {}}
    said = {"as_of": "2026-10-09T00:00:00Z", "sources": sources}
    (day / "summary.json").write_text(json.dumps(said))


def test_a_report_of_a_pull_that_the_lake_lacks_is_a_warning(
    tmp_path: Path, lake: Lake
) -> None:
    assert lake.commits()
    report(tmp_path, "2026-10-08T23:59:00Z")
    told = [each.told for each in of(examined(config(tmp_path)), "lake", Level.WARNING)]
    assert len(told) == 1
    assert "rests on a pull of mandates of 2026-10-08T23:59:00Z" in told[0]


@pytest.mark.parametrize("is_known", [True, False])
def test_a_report_of_what_the_lake_holds_is_none(
    tmp_path: Path, lake: Lake, is_known: bool
) -> None:
    """Nor is one of a source that was never read whole, or one that is torn."""
    (pull,) = lake.commits()
    report(tmp_path, format_instant(pull.committed_at) if is_known else None)
    torn = tmp_path / "data" / "reports" / "2026-10-10"
    torn.mkdir()
    for text in ("{", "[]", '{"as_of": 1, "sources": {"mandates": 2}}'):
        (torn / "summary.json").write_text(text)
        assert of(examined(config(tmp_path)), "lake", Level.WARNING) == []


@pytest.mark.parametrize("has_folder", [True, False])
def test_a_lake_that_went_away_is_a_problem_as_no_night_begins(
    tmp_path: Path, has_folder: bool
) -> None:
    """Its disk may not be mounted: older copies and shared reports are no matter."""
    path = config(tmp_path)
    root = tmp_path / "data" / "lake"
    if has_folder:
        root.mkdir(parents=True, mode=0o700)
    reports = tmp_path / "data" / "reports"
    (reports / "2020-01-02").mkdir(parents=True)
    said = {"as_of": "2020-01-02T00:00:00Z", "newest_commit": "x", "sources": {}}
    (reports / "2020-01-02" / "summary.json").write_text(json.dumps(said))
    found = examined(path)
    assert of(found, "lake", Level.WARNING) == []
    (finding,) = of(found, "lake", Level.PROBLEM)
    assert finding.told == (
        f"lake.path: {root} holds nothing, but {reports} has reports up to 2020-01-02"
    )
    assert finding.do.startswith("is it the right place, and mounted?")
    assert found.exit_code is ExitCode.USAGE


def test_each_report_of_a_commit_that_the_lake_lacks_is_named(
    tmp_path: Path, lake: Lake
) -> None:
    """Also where a later one rests on what is there, as after the next night."""
    (pull,) = lake.commits()
    for day, newest in (("07", "x"), ("08", "y"), ("09", pull.id)):
        folder = tmp_path / "data" / "reports" / f"2026-10-{day}"
        folder.mkdir(parents=True)
        said = {"as_of": f"2026-10-{day}T00:00:00Z", "newest_commit": newest}
        (folder / "summary.json").write_text(json.dumps(said | {"sources": {}}))
    found = of(examined(config(tmp_path)), "lake", Level.WARNING)
    assert len(found) == 1
    assert "2026-10-08/summary.json (of 2026-10-08T00:00:00Z) rests on" in found[0].told
    assert "the commit y" in found[0].told
    assert "1 further report had: " in found[0].told
    assert "2026-10-09" not in found[0].told
    assert "moved out of reports.path" in found[0].do


@pytest.mark.parametrize(
    ("kept", "later", "is_told"),
    [(True, "x", True), (True, "kept", False), (False, "x", False)],
)
def test_a_newest_report_of_a_run_that_the_lake_lacks_is_a_warning(
    tmp_path: Path, lake: Lake, kept: bool, later: str, is_told: bool
) -> None:
    """Not so one whose run was not kept, as of a report by hand; nor an older one."""
    with lake.begin("run", "reconcile") as writing:
        writing.commit(certificate={"run_id": "kept"}, as_of=MORNING)
    for day, run in (("08", "older"), ("09", later)):
        folder = tmp_path / "data" / "reports" / f"2026-10-{day}"
        folder.mkdir(parents=True)
        said = {"as_of": f"2026-10-{day}T00:00:00Z", "run_id": run, "sources": {}}
        said |= {"run_kept": True} if kept else {}
        (folder / "summary.json").write_text(json.dumps(said))
    found = of(examined(config(tmp_path)), "lake", Level.WARNING)
    assert ["is of the run x" in each.told for each in found] == [True] * is_told
    assert all("--restore" in each.do for each in found)


def test_damage_hides_nothing_that_can_be_told_without_it(
    tmp_path: Path, lake: Lake
) -> None:
    with lake.begin("pull", "balances") as writing:
        row = {"at": MORNING, "balance": 1, "available_balance": 1, "iban": "IR1"}
        writing.rows("balances", [row])
        writing.commit()
    with lake.begin("pull", "checkouts") as writing:
        writing.commit(complete=False, error="cut")
    report(tmp_path, "2026-10-08T23:59:00Z")
    path = config(tmp_path, CASH_IN)
    said = of(examined(path), "lake", Level.WARNING)
    begun = ("checkouts: the pull of", str(tmp_path), "no balance is of cash_in.wall")
    for each, text in zip(said, begun, strict=True):
        assert each.told.startswith(text)
    (lake.root / lake.commits()[1].files[0].path).write_bytes(b"x")
    found = examined(path)
    assert of(found, "lake", Level.WARNING) == said[:2]  # balances are damaged
    assert len(of(found, "lake", Level.PROBLEM)) == 1
    (lake.root / lake.commits()[0].files[0].path).write_bytes(b"x")
    assert of(examined(path), "lake", Level.WARNING) == said[:2]
    (lake.root / "commits" / "00000001.json").unlink()
    assert of(examined(path), "lake", Level.WARNING) == []
