"""The doctor looks at the disk and the lake: room, damage, leftovers, old sources."""

import errno
import json
import os
import shutil
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from recon.doctor import Finding, Level, disk
from recon.errors import ExitCode
from recon.lake import Lake
from recon.lake.folder import Folder
from recon.lake.storage import COMMITS, record_name
from recon.lake.voids import VOID, certificate
from tests.doctor.doctor_cases import (
    CASH_IN,
    UNIFIED,
    config,
    examined,
    of,
    told,
)
from tests.lake.barred import bar
from tests.lake.compaction_cases import compacted
from tests.lake.lake_cases import committed


def test_what_this_user_may_not_read_is_no_damage(
    tmp_path: Path, lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    committed(lake, ["a"])
    path = lake.files("mandates")[-1]
    copy = shutil.copytree(lake.root, tmp_path / "copy")
    bar(monkeypatch, path)
    for wishes in ({}, {"restore": copy}, {"rebuild": True}):
        (found,) = of(examined(config(tmp_path), **wishes), "lake", Level.PROBLEM)
        assert found.told.endswith("it cannot be read: Permission denied")
        assert found.do == "let this user read it, or run recon as its owner"


def test_a_lake_that_this_user_may_not_enter_is_two_problems(
    tmp_path: Path, lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    committed(lake, ["a"])
    bar(monkeypatch, lake.root)
    found = examined(config(tmp_path))
    (journal,) = of(found, "journal", Level.PROBLEM)
    assert journal.told.endswith("journal.sqlite3 cannot be read: Permission denied")
    (commits,) = of(found, "lake", Level.PROBLEM)
    assert commits.told.startswith(str(lake.root))
    assert commits.told.endswith(": Permission denied")
    assert "readable" in commits.do


def test_a_whole_lake_is_told_with_its_size(tmp_path: Path, lake: Lake) -> None:
    found = examined(config(tmp_path), deep=True)
    (line,) = told(found, "lake")
    assert line.startswith("1 commit, 2 files, ")
    assert line.endswith("all as committed, 1 page rehashed")


def test_what_older_compactions_take_is_told(tmp_path: Path, lake: Lake) -> None:
    path = config(tmp_path)
    compacted(lake, "mandates")
    assert len(told(examined(path), "lake")) == 1
    old = sum(file.size for file in lake.commits()[-1].files)
    committed(lake, ["a", "b"], status="revoked")
    compacted(lake, "mandates")
    line = told(examined(path), "lake")[1]
    assert line.startswith(f"{disk.readable(old)} of it are copies of earlier ")


def test_a_damaged_lake_is_told_file_by_file_and_healed_on_wish(
    tmp_path: Path, lake: Lake
) -> None:
    path = config(tmp_path)
    copies = tmp_path / "copies"
    shutil.copytree(lake.root, copies)
    file = lake.root / lake.commits()[0].files[1].path
    file.write_bytes(b"x")
    found = examined(path)
    (finding,) = of(found, "lake", Level.PROBLEM)
    assert finding.told.startswith(lake.commits()[0].files[1].path)
    assert "--restore" in finding.do
    assert found.exit_code is ExitCode.INCOMPLETE
    planned = examined(path, restore=copies, dry_run=True)
    assert of(planned, "lake", Level.PROBLEM)
    assert any("would be restored" in line for line in told(planned, "lake"))
    assert file.read_bytes() == b"x"
    mended = examined(path, restore=copies)
    assert mended.exit_code is ExitCode.CLEAN
    assert any("restored" in line for line in told(mended, "lake"))
    assert not of(examined(path), "lake", Level.PROBLEM)


def test_restoring_ends_though_the_disk_damages_again_what_is_back(
    tmp_path: Path, lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    copies = shutil.copytree(lake.root, tmp_path / "copies")
    path = lake.commits()[0].files[1].path
    (lake.root / path).unlink()
    monkeypatch.setattr(Folder, "restore", lambda *_: None)
    found = examined(config(tmp_path), restore=copies)
    (finding,) = of(found, "lake", Level.PROBLEM)
    assert finding.told == f"{path}: it is missing"


@pytest.mark.parametrize(
    ("error", "do"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "on a disk with room"),
        (IsADirectoryError(errno.EISDIR, "Is a directory"), "move away what is in"),
    ],
)
def test_a_copy_that_finds_no_room_says_what_to_do(
    tmp_path: Path,
    lake: Lake,
    monkeypatch: pytest.MonkeyPatch,
    error: OSError,
    do: str,
) -> None:
    copies = shutil.copytree(lake.root, tmp_path / "copies")
    (lake.root / lake.commits()[0].files[1].path).unlink()

    def refuse(*_: object) -> None:
        raise error

    monkeypatch.setattr("recon.lake.folder.write_private", refuse)
    found = examined(config(tmp_path), restore=copies)
    (finding,) = of(found, "lake", Level.PROBLEM)
    assert finding.told.endswith(f"cannot be written: {error.strerror}")
    assert do in finding.do


def test_a_copy_that_does_not_help_says_why(tmp_path: Path, lake: Lake) -> None:
    (tmp_path / "copies").mkdir()
    (lake.root / lake.commits()[0].files[0].path).unlink()
    found = examined(config(tmp_path), restore=tmp_path / "copies")
    (finding,) = of(found, "lake", Level.PROBLEM)
    assert "the copy does not have it" in finding.do
    (finding,) = of(examined(config(tmp_path), restore=lake.root), "lake")
    assert finding.told == f"{lake.root} is the lake itself, not a copy of it"
    assert finding.do.startswith("name the folder of a copy")


def test_damage_of_what_was_taken_back_is_a_warning(tmp_path: Path, lake: Lake) -> None:
    """To import the wrong file again would put back what was taken back."""
    path = config(tmp_path)
    gone, kept = (committed(lake, [each], kind="import") for each in "ab")
    with lake.begin(VOID, "mandates") as writing:
        writing.commit(certificate=certificate([gone.id]))
    copies = shutil.copytree(lake.root, tmp_path / "copies")
    for file in gone.files:
        (lake.root / file.path).write_bytes(b"x")
    found = examined(path)
    assert found.exit_code is ExitCode.CLEAN
    lines = of(found, "lake", Level.WARNING)
    assert [each.told.partition(":")[0] for each in lines] == [
        each.path for each in gone.files
    ]
    for each in lines:
        assert each.told.endswith(
            "; its import was taken back, and nothing reads it as of now"
        )
        assert each.do == (
            "for readings as of an earlier time, restore it from a copy of the lake: "
            "recon doctor --restore FOLDER"
        )
    (tmp_path / "empty").mkdir()
    for each in of(examined(path, restore=tmp_path / "empty"), "lake", Level.WARNING):
        assert each.do.startswith("not restored (the copy does not have it); for read")
    (lake.root / kept.files[1].path).write_bytes(b"x")  # the other one counts
    found = examined(path)
    (finding,) = of(found, "lake", Level.PROBLEM)
    assert finding.do == (  # no file of the business brought it
        "restore it from a copy of the lake: recon doctor --restore FOLDER"
    )
    assert found.exit_code is ExitCode.INCOMPLETE
    mended = examined(path, restore=copies)
    assert {each.level for each in of(mended, "lake")} == {Level.OK}


def test_a_lost_commit_record_hides_what_was_taken_back(
    tmp_path: Path, lake: Lake
) -> None:
    gone = committed(lake, ["a"], kind="import")
    with lake.begin(VOID, "mandates") as writing:
        made = writing.commit(certificate=certificate([gone.id]))
    (lake.root / COMMITS / record_name(made.sequence)).write_bytes(b"{")
    (lake.root / gone.files[1].path).write_bytes(b"x")
    found = of(examined(config(tmp_path)), "lake", Level.PROBLEM)
    assert [each.told.partition(":")[0] for each in found] == [
        f"{COMMITS}/{record_name(made.sequence)}",
        gone.files[1].path,
    ]


def test_old_leftovers_are_a_warning_and_swept_on_wish(
    tmp_path: Path, lake: Lake
) -> None:
    path = config(tmp_path)
    left = lake.root / "pages" / "mandates" / "20260101T000000.000000Z-0.parquet"
    left.write_bytes(b"PAR1")
    assert not of(examined(path), "lake", Level.WARNING)  # a run may be at work
    then = time.time() - 2 * 86_400
    os.utime(left, (then, then))
    (finding,) = of(examined(path), "lake", Level.WARNING)
    assert "--sweep" in finding.do
    assert of(examined(path, sweep=True, dry_run=True), "lake", Level.WARNING)
    assert left.exists()
    swept = examined(path, sweep=True)
    assert not of(swept, "lake", Level.WARNING)
    assert not left.exists()
    assert any("removed 1 file (4 bytes)" in line for line in told(swept, "lake"))


def test_drafts_of_killed_pulls_are_swept_once_no_pull_can_go_on_from_them(
    tmp_path: Path, lake: Lake
) -> None:
    path = config(tmp_path)
    old, young = (
        lake.root / "drafts" / f"{name}.20260101T000000.000000Z-0.draft"
        for name in ("checkouts", "gateway_transactions")
    )
    other = lake.root / "drafts" / "notes.txt"
    old.parent.mkdir()
    for each in (old, young, other):
        each.write_bytes(b"answers")
    assert not of(examined(path, sweep=True), "lake", Level.WARNING)
    assert old.exists()  # it is young: the next pull may go on from it
    for each, days in ((old, 2), (young, 0.9), (other, 9)):
        then = time.time() - days * 86_400
        os.utime(each, (then, then))
    (finding,) = of(examined(path), "lake", Level.WARNING)
    assert "killed pulls of checkouts left 1 file (7 bytes)" in finding.told
    assert "--sweep" in finding.do
    planned = examined(path, sweep=True, dry_run=True)
    assert of(planned, "lake", Level.WARNING)
    assert any("would remove 1 file" in line for line in told(planned, "lake"))
    assert old.exists()
    swept = examined(path, sweep=True)
    assert not of(swept, "lake", Level.WARNING)
    assert any(
        "removed 1 file (7 bytes) of answers that killed pulls of checkouts" in line
        for line in told(swept, "lake")
    )
    assert sorted(each.name for each in old.parent.iterdir()) == [
        young.name,
        other.name,
    ]


def test_a_source_that_did_not_end_well_is_a_warning(
    tmp_path: Path, lake: Lake
) -> None:
    path = config(tmp_path)
    with lake.begin("pull", "mandates") as writing:
        writing.commit(complete=False, error="no whole answer")
    (finding,) = of(examined(path), "lake", Level.WARNING)
    assert "mandates" in finding.told
    assert finding.do == "recon pull mandates"
    committed(lake, ["b"])
    assert not of(examined(path), "lake", Level.WARNING)


def test_balances_of_another_iban_than_the_wallets_are_a_warning(
    tmp_path: Path, lake: Lake
) -> None:
    """No roll-forward is computed of them, and so no break can be found."""
    path = config(tmp_path, CASH_IN)

    def warned(iban: str) -> list[Finding]:
        row = {"at": datetime(2026, 10, 1, tzinfo=UTC), "iban": iban, "balance": 1}
        with lake.begin("import", "balances") as writing:
            writing.rows("balances", [row])
            writing.commit()
        return of(examined(path), "lake", Level.WARNING)

    (finding,) = warned("IR99")
    assert "IR84" in finding.told
    assert "IR99" in finding.told
    assert not warned("ir 84")


def snapshots(lake: Lake, *shown: tuple[str, int]) -> None:
    """Take in balances: the IBAN of each, and its day of October."""
    rows = [
        {"at": datetime(2026, 10, day, tzinfo=UTC), "iban": iban, "balance": 1}
        for iban, day in shown
    ]
    with lake.begin("import", "balances") as writing:
        writing.rows("balances", rows)
        writing.commit()


@pytest.mark.parametrize(
    "days", ["", '[cash_in.wallet_iban_since]\n2026-10-04 = "IR9"\n']
)
def test_a_change_of_the_wallet_is_told_and_is_no_warning(
    tmp_path: Path, lake: Lake, days: str
) -> None:
    """With its day, and where the new IBAN was put in the old one's place."""
    iban = "IR84" if days else "IR9"
    path = config(tmp_path, CASH_IN.replace("IR84", iban) + days)
    snapshots(lake, ("IR84", 1), ("IR84", 2), ("IR9", 5))
    found = examined(path)
    assert (
        "The wallet changed from IR84 to IR9: what moved from 2026-10-02T00:00:00Z to "
        "2026-10-05T00:00:00Z is not compared."
    ) in told(found, "lake", Level.OK)
    assert not of(found, "lake", Level.WARNING)
    assert not any("not the wallet's" in line for line in told(found, "lake"))


def test_balances_beside_the_wallets_are_told_and_are_no_warning(
    tmp_path: Path, lake: Lake
) -> None:
    path = config(tmp_path, CASH_IN)
    snapshots(lake, ("IR84", 1), ("IR9", 1), ("IR84", 2), ("IR9", 2))
    found = examined(path)
    said = "are not the wallet's: 2 balances of IR9. Where the wallet changed, cash_in"
    assert any(said in line for line in told(found, "lake", Level.OK))
    assert not of(found, "lake", Level.WARNING)


@pytest.mark.parametrize(
    ("status", "is_told"), [("SETTLED", True), ("S", False), ("INIT", False)]
)
def test_a_status_of_deposits_that_is_not_listed_is_told_and_is_no_warning(
    tmp_path: Path, lake: Lake, status: str, is_told: bool
) -> None:
    path = config(tmp_path, CASH_IN)
    row = {"gateway_transaction_id": "d1", "amount": 400, "status": status}
    with lake.begin("import", "deposits") as writing:
        writing.rows("deposits", [row])
        writing.commit()
    found = examined(path)
    said = "does not list their status: 1 deposit of 400 rials (SETTLED)."
    assert any(said in line for line in told(found, "lake", Level.OK)) is is_told
    assert not of(found, "lake", Level.WARNING)


@pytest.mark.parametrize("kept", [True, False])
def test_whoever_is_named_in_a_status_is_masked_as_in_the_reports(
    tmp_path: Path, lake: Lake, kept: bool
) -> None:
    reports = f'[reports]\npersonal_data = "{"keep" if kept else "mask"}"\n'
    row = {"gateway_transaction_id": "d1", "amount": 4, "status": "SMS 09121234567"}
    with lake.begin("import", "deposits") as writing:
        writing.rows("deposits", [row])
        writing.commit()
    lines = told(examined(config(tmp_path, CASH_IN, reports)), "lake", Level.OK)
    assert any("09121234567" in line for line in lines) is kept
    assert any("(SMS 0912" in line for line in lines)


def test_a_lake_from_the_future_is_a_matter_of_the_clock(
    tmp_path: Path, lake: Lake
) -> None:
    record = lake.root / "commits" / "00000001.json"
    found = json.loads(record.read_text("utf-8"))
    later = datetime.now(UTC).replace(microsecond=0) + timedelta(hours=1)
    found["committed_at"] = later.isoformat()
    found["digest"] = ""
    record.write_bytes(msgspec.json.format(msgspec.json.encode(found)))
    (finding,) = of(examined(config(tmp_path)), "lake", Level.PROBLEM)
    assert "future" in finding.told
    assert "commits/00000001.json and all after it" in finding.do


def test_an_address_of_no_bucket_is_a_setting_that_cannot_be(tmp_path: Path) -> None:
    found = examined(config(tmp_path, '[lake]\npath = "s3://Bucket/lake"\n'))
    (finding,) = of(found, "lake", Level.PROBLEM)
    assert "lake.path" in finding.told
    assert found.exit_code is ExitCode.USAGE


def test_records_of_another_provider_are_a_problem_before_they_are_mixed(
    tmp_path: Path, lake: Lake
) -> None:
    for source, host in (("checkouts", "old.test"), ("mandates", "provider.invalid")):
        with lake.begin("pull", source) as writing:
            origin = {"origin": f"{host}, business tea-house"}
            writing.commit(counts={"records": 1}, certificate=origin)
    found = examined(config(tmp_path, UNIFIED))
    (problem,) = of(found, "lake", Level.PROBLEM)
    assert "this lake's checkouts came from old.test, business" in problem.told
    assert "`recon pull --moved` goes on" in problem.do
    assert found.exit_code == ExitCode.USAGE
    assert not of(examined(config(tmp_path, CASH_IN)), "lake", Level.PROBLEM)
