"""Writing the reports of a run into the folder of its business date."""

import contextlib
import fcntl
import os
import secrets
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO

from recon.errors import UsageError
from recon.lake.commits import make_folders, sync_folder
from recon.reports.periods import Period
from recon.reports.rendering import INCOMPLETE_MARK, LEDGERS, Part, Rendering
from recon.reports.results import Results
from recon.reports.views import REPORTS
from recon.settings import Settings
from recon.times import business_date
from recon.wording import reason_of

_ALWAYS = frozenset({*(f"{name}.csv" for name in REPORTS), *LEDGERS, "summary.json"})
ALL_FILES = _ALWAYS | {INCOMPLETE_MARK, "report.xlsx", "report.html"}
_ABANDONED_SECONDS = 3600


def write(
    result: Results,
    settings: Settings,
    *,
    from_: date | None = None,
    to: date | None = None,
    journal_from: date | None = None,
    restated: Mapping[str, int] = MappingProxyType({}),
) -> dict[str, Path]:
    """Write every report of a run; returns the path of each by its file name.

    They go to `<reports.path>/<business date of as_of>/`; a later run of the same
    date replaces them. `from_` and `to` (business dates, both included) restrict
    the tables of the reports; `journal_from` is a later first date of matches.csv and
    the journal, which have rows for every payment; `restated` is what page and workbook
    tell of closed periods: how many figures of each are other ones now. No file is ever
    there in half, and `summary.json` is the last to come. Where the data is incomplete,
    INCOMPLETE.txt stands beside the files and says why. Raises UsageError where the
    folder cannot be written or the period ends before it begins.
    """
    reports = Rendering(result, settings, Period(from_, to), journal_from, restated)
    with contextlib.closing(reports.parts()) as parts:  # while the engine is open
        return _place(parts, _folder(result, settings))


def planned(result: Results, settings: Settings) -> dict[str, Path]:
    """Return the path of each file that `write` would leave; nothing is written."""
    folder = _folder(result, settings)
    absent = set()
    if result.complete:
        absent.add(INCOMPLETE_MARK)
    if not settings.reports.excel:
        absent.add("report.xlsx")
    if not settings.reports.html:
        absent.add("report.html")
    return {name: folder / name for name in sorted(ALL_FILES - absent)}


def _folder(result: Results, settings: Settings) -> Path:
    day = business_date(result.as_of, settings.business.timezone)
    return settings.reports_path / day.isoformat()


def _place(parts: Iterable[Part], folder: Path) -> dict[str, Path]:
    """Put files in place, each whole or not at all, in their order.

    All are written and flushed to the disk beforehand, so that only renames remain.
    The last file vouches for the others: that of an earlier run goes first and the
    new one comes last, so that none ever stands beside files of another run.
    """
    draft = folder.parent / f".{folder.name}.{secrets.token_hex(4)}"
    try:
        make_folders(folder.parent)
        draft.mkdir()
        *others, last = _write(draft, parts)
        folder.mkdir(exist_ok=True)
        with _alone(folder):
            (folder / last).unlink(missing_ok=True)
            sync_folder(folder)
            for name in others:
                (draft / name).replace(folder / name)
            for name in ALL_FILES - {*others, last}:
                (folder / name).unlink(missing_ok=True)
            sync_folder(folder)
            (draft / last).replace(folder / last)
        for each in (folder, folder.parent):  # the folder may be new, too
            sync_folder(each)
    except OSError as error:
        told = f"reports.path: {folder} cannot be written: {reason_of(error)}"
        raise UsageError(told) from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)
        _sweep(folder)
    return {name: folder / name for name in [*others, last]}


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Let one run at a time put its files in place: `report` takes no lock of the lake.

    The system frees the lock when its process ends, however it ends.
    """
    handle = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # a file system that has no locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _write(draft: Path, parts: Iterable[Part]) -> list[str]:
    """Write files part by part and flush them to the disk; returns their names."""
    with contextlib.ExitStack() as stack:
        files: dict[str, BinaryIO] = {}
        for name, content in parts:
            if name not in files:
                files[name] = stack.enter_context((draft / name).open("wb"))
            files[name].write(content)
        for file in files.values():
            file.flush()
            os.fsync(file.fileno())
    return list(files)


def _sweep(folder: Path) -> None:
    """Remove the drafts of runs that were killed, once no run can still own them."""
    for draft in folder.parent.glob(f".{folder.name}.*"):
        with contextlib.suppress(OSError):
            if time.time() - draft.stat().st_mtime > _ABANDONED_SECONDS:
                shutil.rmtree(draft, ignore_errors=True)
