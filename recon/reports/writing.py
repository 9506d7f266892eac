"""Writing the reports of a run into the folder of its business date."""

import contextlib
import os
import secrets
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa

from recon.errors import UsageError
from recon.lake.commits import make_folders, sync_folder
from recon.reconcile.checks import shipped_checks
from recon.reports import (
    beancount,
    csv_text,
    hledger,
    journal,
    page,
    rollforward,
    summary,
    workbook,
)
from recon.reports.masking import Masking, masking
from recon.reports.periods import Period
from recon.reports.results import Results
from recon.reports.verdict import Verdict, in_words
from recon.reports.views import MODELS, REPORTS, held, look_of
from recon.settings import Settings
from recon.times import business_date, format_instant

INCOMPLETE_MARK = "INCOMPLETE.txt"
LEDGERS = {"journal.beancount": beancount.chunks, "journal.hledger": hledger.chunks}
"""The journal as plain-text accounting reads it, by file name."""

_ALWAYS = frozenset({*(f"{name}.csv" for name in REPORTS), *LEDGERS, "summary.json"})
ALL_FILES = _ALWAYS | {INCOMPLETE_MARK, "report.xlsx", "report.html"}
_ABANDONED_SECONDS = 3600


def write(
    result: Results,
    settings: Settings,
    *,
    from_: date | None = None,
    to: date | None = None,
) -> dict[str, Path]:
    """Write every report of a run; returns the path of each by its file name.

    They go to `<reports.path>/<business date of as_of>/`; a later run of the same
    date replaces them. `from_` and `to` (business dates, both included) restrict
    the tables of the reports. No file is ever there in half, and
    `summary.json` is the last to come. Where the data is incomplete, INCOMPLETE.txt
    stands beside the files and says why. Raises UsageError where the folder cannot be
    written or the period ends before it begins.
    """
    period = Period(from_, to)
    files = _render(result, settings, period)
    return _place(files, _folder(result, settings))


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


def _render(
    result: Results, settings: Settings, period: Period
) -> dict[str, Iterable[bytes]]:
    """Return every file's content, in parts; the one that vouches for the rest last."""
    tables = {name: table(result, settings, period) for name, table in REPORTS.items()}
    mask = masking(result, settings, tables.values())
    if mask:
        tables = {name: mask.table(table) for name, table in tables.items()}
    figures = summary.figures(
        result, period, tables["breaks"], tables["rollforward"], mask
    )
    files: dict[str, Iterable[bytes]] = {}
    if not result.complete:
        files[INCOMPLETE_MARK] = [_incomplete(result, mask)]
    files |= {f"{name}.csv": csv_text.chunks(table) for name, table in tables.items()}
    files |= _ledgers(result, settings, period, mask, tables["journal"])
    words = _verdict(figures, settings)
    if settings.reports.excel:
        book = workbook.render(tables, words, settings, result.as_of)
        files["report.xlsx"] = [book]
    if settings.reports.html:
        views = _views(result, settings, period, mask, tables)
        shown = page.render(views, words, settings, result.as_of, period)
        files["report.html"] = [shown]
    files["summary.json"] = [summary.render(figures)]
    return files


def _views(
    result: Results,
    settings: Settings,
    period: Period,
    mask: Masking | None,
    tables: Mapping[str, pa.Table],
) -> dict[str, pa.Table]:
    """Return all that the page looks at: the reports, and the models behind charts."""
    models = {name: view(result, settings, period) for name, view in MODELS.items()}
    if mask:
        models = {name: mask.table(table) for name, table in models.items()}
    return {**tables, **models, "held": held(tables["journal"])}


def _ledgers(
    result: Results,
    settings: Settings,
    period: Period,
    mask: Masking | None,
    entries: pa.Table,
) -> dict[str, Iterator[bytes]]:
    """Write the journal from its beginning; `entries` are those of the period."""
    whole = Period()
    if period:
        entries = journal.table(result, settings, whole)
        entries = mask.table(entries) if mask else entries
    intervals = rollforward.table(result, settings, whole)
    zone = settings.business.timezone
    warning = "" if result.complete else f"INCOMPLETE: see {INCOMPLETE_MARK}"
    return {
        name: chunks(entries, intervals, period, zone, warning=warning)
        for name, chunks in LEDGERS.items()
    }


def _verdict(figures: dict[str, Any], settings: Settings) -> Verdict:
    rules = {check.name: check for check in shipped_checks()}
    return in_words(figures, rules, settings.checks.severity, look_of(settings))


def _incomplete(result: Results, mask: Masking | None) -> bytes:
    lines = [
        "These reports are INCOMPLETE: not every source could be read whole.",
        "They hold what was known; what is missing here may well be at the provider.",
        "",
        f"As of {format_instant(result.as_of)}, run {result.run_id}.",
    ]
    for name in sorted(result.sources):
        source = result.sources[name]
        if not source.complete:
            why = source.error or "no reason is known"
            lines.append(f"{name}: {mask.text(why) if mask else why}")
    return ("\n".join(lines) + "\n").encode()


def _place(files: Mapping[str, Iterable[bytes]], folder: Path) -> dict[str, Path]:
    """Put files in place, each whole or not at all, in their order.

    All are written and flushed to the disk beforehand, so that only renames remain.
    The last file vouches for the others: that of an earlier run goes first and the
    new one comes last, so that none ever stands beside files of another run.
    """
    *others, last = files
    draft = folder.parent / f".{folder.name}.{secrets.token_hex(4)}"
    try:
        make_folders(folder.parent)
        draft.mkdir()
        for name, content in files.items():
            _write(draft / name, content)
        folder.mkdir(exist_ok=True)
        (folder / last).unlink(missing_ok=True)
        sync_folder(folder)
        for name in others:
            (draft / name).replace(folder / name)
        for name in ALL_FILES - files.keys():
            (folder / name).unlink(missing_ok=True)
        sync_folder(folder)
        (draft / last).replace(folder / last)
        for each in (folder, folder.parent):  # the folder may be new, too
            sync_folder(each)
    except OSError as error:
        raise UsageError(f"reports.path: {folder} cannot be written: {error}") from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)
        _sweep(folder)
    return {name: folder / name for name in files}


def _write(path: Path, content: Iterable[bytes]) -> None:
    """Write a file part by part and flush it to the disk."""
    with path.open("wb") as file:
        file.writelines(content)
        file.flush()
        os.fsync(file.fileno())


def _sweep(folder: Path) -> None:
    """Remove the drafts of runs that were killed, once no run can still own them."""
    for draft in folder.parent.glob(f".{folder.name}.*"):
        with contextlib.suppress(OSError):
            if time.time() - draft.stat().st_mtime > _ABANDONED_SECONDS:
                shutil.rmtree(draft, ignore_errors=True)
