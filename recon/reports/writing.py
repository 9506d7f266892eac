"""Writing the reports of a run into the folder of its business date."""

import contextlib
import os
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO

from recon.durability import sync_folder
from recon.errors import UsageError
from recon.reports.drafts import alone, draft_beside
from recon.reports.periods import Period
from recon.reports.rendering import INCOMPLETE_MARK, LEDGERS, Part, Rendering
from recon.reports.results import Results
from recon.reports.views import REPORTS
from recon.settings import Settings
from recon.times import business_date
from recon.wording import reason_of

_ALWAYS = frozenset({*(f"{name}.csv" for name in REPORTS), *LEDGERS, "summary.json"})
ALL_FILES = _ALWAYS | {INCOMPLETE_MARK, "report.xlsx", "report.html"}


def write(
    result: Results,
    settings: Settings,
    *,
    from_: date | None = None,
    to: date | None = None,
    journal_from: date | None = None,
    restated: Mapping[str, int] = MappingProxyType({}),
    blamed: str = "",
    before: Callable[[], object] = lambda: None,
) -> dict[str, Path]:
    """Write every report of a run; returns the path of each by its file name.

    They go to `<reports.path>/<business date of as_of>/`; a later run of the same
    date replaces them. `from_` and `to` (business dates, both included) restrict
    the tables of the reports; `journal_from` is a later first date of matches.csv and
    the journal, which have rows for every payment; `restated` is what page and workbook
    tell of closed periods: how many figures of each are other ones now. No file is ever
    there in half, and `summary.json` is the last to come. Where the data is incomplete,
    INCOMPLETE.txt stands beside the files and says why. `before` is called where only
    the placing is left and no other report of that date can come first: what it finds
    there is what is replaced. Raises UsageError where the folder cannot be written,
    which `blamed` says of one that no setting names, or the period ends before it
    begins; LakeError where nothing can be spilled.
    """
    reports = Rendering(result, settings, Period(from_, to), journal_from, restated)
    with contextlib.closing(reports.parts()) as parts:  # while the engine is open
        return _place(parts, _folder(result, settings), blamed, before)


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


def _place(
    parts: Iterable[Part],
    folder: Path,
    blamed: str,
    before: Callable[[], object],
) -> dict[str, Path]:
    """Put files in place, each whole or not at all, in their order.

    All are written and flushed to the disk beforehand, so that only renames remain.
    The last file vouches for the others: that of an earlier run goes first and the
    new one comes last, so that none ever stands beside files of another run.
    """
    try:
        with draft_beside(folder) as draft:
            *others, last = _write(draft, parts)
            folder.mkdir(exist_ok=True)
            with alone(folder):  # `report` takes no lock of the lake
                before()
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
        told = blamed or f"reports.path: {folder} cannot be written"
        raise UsageError(f"{told}: {reason_of(error)}") from None
    return {name: folder / name for name in [*others, last]}


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
