"""What finds no room is blamed for it: the reports' folder, or what a run spills to."""

import errno
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import xlsxwriter

from recon.errors import LakeError, UsageError
from recon.reports import writing
from recon.scratch import NO_ROOM, sweep
from recon.settings import Business, Reports, Settings
from tests.reports.stand_in import ResultStandIn

FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    reports = Reports(path=str(tmp_path / "reports"), excel=False, html=False)
    return Settings(business=Business(name="shop"), reports=reports)


@pytest.fixture
def booked(settings: Settings) -> Settings:
    return replace(settings, reports=replace(settings.reports, excel=True))


def full(*_: object) -> None:
    raise FULL


def test_a_workbook_that_finds_no_room_for_its_rows_does_not_blame_the_reports(
    booked: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(xlsxwriter.worksheet.Worksheet, "_write_row", full)
    with pytest.raises(LakeError, match=f"^{NO_ROOM}: No space left on device$"):
        writing.write(ResultStandIn(), booked)
    assert not [*booked.reports_path.iterdir()]


def test_a_workbook_that_finds_no_room_at_its_end_is_no_defect(
    booked: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its library has an error of its own for it, which is none of the system's."""
    monkeypatch.setattr(xlsxwriter.Workbook, "_store_workbook", full)
    with pytest.raises(LakeError, match=f"^{NO_ROOM}: No space left on device$"):
        writing.write(ResultStandIn(), booked)


def test_a_report_that_finds_no_room_blames_the_reports(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "sync_folder", full)
    with pytest.raises(
        UsageError, match=r"^reports\.path: .*: No space left on device$"
    ):
        writing.write(ResultStandIn(), settings)


def test_a_run_that_is_killed_over_its_workbook_leaves_nothing_that_stays(
    tmp_path: Path,
) -> None:
    """Its rows may name people; the next run sweeps the folder that they are in."""
    ending = (
        "import io, os, signal\n"
        "from recon.reports.spilled_book import spilled_book\n"
        "with spilled_book(io.BytesIO()) as book:\n"
        "    book.add_worksheet().write_string(0, 0, 'sara')\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", ending], env=environment, check=False)
    (left,) = tmp_path.iterdir()
    assert left.name.startswith("recon-scratch-")
    sweep([left])
    assert not left.exists()
