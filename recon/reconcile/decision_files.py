"""Decisions in bulk: an edited breaks.csv, since people work in spreadsheets."""

import contextlib
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

import pyarrow as pa

from recon.errors import RefusedFile, UsageError
from recon.imports.formats import csv_text, excel
from recon.imports.formats.detection import TABULAR, SheetReader, detect, reader_of
from recon.imports.formats.rows import Refusal, Row, Sheet, shortened
from recon.imports.naming import letters
from recon.money import format_rials, parse_amount
from recon.reconcile.break_figures import (
    AMOUNTS,
    BESIDE,
    READ,
    WORDS,
    has_amount,
    said,
)
from recon.reconcile.breaks import ACKNOWLEDGED, GONE, OPEN, RESOLVED
from recon.reconcile.decisions import (
    ACTION_OF,
    ASSIGN,
    NOTE,
    REOPENED,
    STATUS_OF,
    Change,
    Standing,
    decision,
)
from recon.reconcile.spoiling import may_have_become
from recon.wording import counted

if TYPE_CHECKING:
    from recon.reconcile.result import Result

_NEEDED = ("break_id", "status")
_SPEAKING = ("check", "record_id")  # they say which break is meant, as its id does
_OURS = (*_NEEDED, *_SPEAKING, *READ, "reason", "assignee", "note")
_STATUSES = (OPEN, ACKNOWLEDGED, RESOLVED, REOPENED, GONE)
_MAX_TOLD = 5
_MAX_SHOWN = 20
_ID_DIGITS = 16
_OF_NUMBERS = "0123456789.,+eE"
_FOUND_BEFORE = """
select
    break_id,
    list(distinct coalesce(related_id, '')) as related_id,
    list(
        distinct case when expected is null and actual is null then detail end
    ) as detail
from raw_run_breaks
group by break_id
"""

Texts: TypeAlias = Mapping[str, Collection[str | None]]
"""What earlier runs found of a break, by the column."""


@dataclass
class Edits:
    """What a file asks for: `changes` to make, and in `left` what it leaves as it is.

    A line is left where the file says open or gone and someone has decided since, where
    it repeats a decision that has ended or was followed by another one, with no reason
    that is new: then it is older than that; where a later run found another amount,
    another record beside it or, without an amount, something else wrong than the file
    has, so that nobody has looked at it yet; or where a later run no longer has its
    break. To undo a decision, it says reopened.
    """

    changes: list[Change] = field(default_factory=list)
    left: list[str] = field(default_factory=list)


def found_before(result: "Result") -> dict[str, Texts]:
    """Return, by the id of each break that an earlier run found, what it had.

    Each `related_id` once, empty where there was none, and of a break without amounts
    each `detail`.
    """
    found = result.sql(_FOUND_BEFORE).to_pylist()
    return {
        row["break_id"]: {name: row[name] for name in (BESIDE, WORDS)} for row in found
    }


def read_edits(
    path: Path,
    breaks: pa.Table,
    known: Mapping[str, Standing],
    earlier: Mapping[str, Texts],
    titles: Mapping[str, str] = MappingProxyType({}),
) -> Edits:
    """Read an edited breaks.csv (or Excel) against the breaks as they stand.

    Columns: `break_id`, `status`; optional `reason`, `assignee`, `note`, and the
    amounts `expected` and `actual`, the `related_id` and, of a break without amounts,
    the `detail` that were decided on; others do not matter. A status is a decision only
    where it differs from the break's, an assignee and a note where they differ from the
    last ones. `earlier` is what any run ever found (`found_before`), `titles` what a
    column is called in another language: title → column. Raises RefusedFile with file,
    line, column and reason of every bad row: then nothing of the file counts.

    Capitals and spaces of a column's name do not count. An id that a spreadsheet took
    for a number is known by its check and record. Cells may be separated by whatever
    the spreadsheet's language has for a comma.
    """
    try:
        with path.open("rb") as file:
            reading = _Reading(breaks, known, earlier, titles)
            form = detect(path.name, file)
            reader = reader_of(form, reading.readers(), "breaks apply")
            return reading.edits(reader(file), path.name)
    except OSError as error:
        raise RefusedFile(f"{path.name} cannot be read: {error.strerror}") from None
    except Refusal as refusal:
        raise RefusedFile(_told(path.name, refusal)) from None


class _Reading:
    def __init__(
        self,
        breaks: pa.Table,
        known: Mapping[str, Standing],
        earlier: Mapping[str, Texts],
        titles: Mapping[str, str],
    ) -> None:
        self._rows = {row["break_id"]: row for row in breaks.to_pylist()}
        self._known = known
        self._earlier = earlier
        self._titles = {letters(title): name for title, name in titles.items()} | {
            letters(text): name
            for name in _OURS
            for text in (name, name.replace("_", " "))
        }
        self._lines: dict[str, int] = {}

    def readers(self) -> Mapping[str, SheetReader]:
        """Return the readers of what spreadsheets save; of a workbook, the breaks."""
        is_id = partial(self._is, _NEEDED[0])
        edited = partial(excel.read_edited, is_named=is_id)
        return {**TABULAR, "csv": csv_text.read_edited, "excel": edited}

    def _is(self, column: str, header: str) -> bool:
        return column in (header, self._titles.get(letters(header)))

    def _columns(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Return our names of a header; a title beside its own column is no other."""
        ours = (self._titles.get(letters(name), name) for name in names)
        found = tuple(
            name if column in names else column
            for name, column in zip(names, ours, strict=True)
        )
        for column in _OURS:
            if found.count(column) > 1:
                several = [
                    shortened(name)
                    for name, our in zip(names, found, strict=True)
                    if our == column
                ]
                reason = f"several columns are called so: {', '.join(several)}"
                raise Refusal(reason, line=1, column=column)
        return found

    def edits(self, sheet: Sheet, name: str) -> Edits:
        found = Edits()
        bad: list[str] = []
        if sheet.header is not None:
            _refuse_missing(self._columns(sheet.header), sheet.header)
        for row in sheet.rows:
            try:
                self._line(row, found)
            except Refusal as refusal:
                refusal.line = row.line
                bad.append(_told(name, refusal))
        if bad:
            more = len(bad) - _MAX_TOLD
            told = "; ".join(bad[:_MAX_TOLD])
            raise RefusedFile(
                told + (f"; and {counted(more, 'more row')}" if more > 0 else "")
            )
        return found

    def _line(self, row: Row, found: Edits) -> None:
        if row.fault:
            raise row.fault
        names = self._columns(row.names)
        cells = {
            name: str(cell).strip() for name, cell in zip(names, row.cells, strict=True)
        }
        _refuse_missing(names, row.names)
        if not any(cells.values()):
            return
        identity = self._identity(cells, row.line)
        status = cells["status"].lower()
        if status not in _STATUSES:
            raise Refusal(
                f"{shortened(cells['status'])} is not allowed: {', '.join(_STATUSES)}",
                column="status",
            )
        known = self._rows.get(identity)
        if known is None:
            found.left.append(f"line {row.line}: {identity} is no longer found")
            return
        found.changes += self._status(known, status, cells, found, row.line)
        found.changes += self._people(identity, cells)

    def _identity(self, cells: Mapping[str, str], line: int) -> str:
        text = cells["break_id"]
        identity = text.lower()
        if identity not in self._rows and identity not in self._earlier:
            identity = self._spoiled(cells)
        if not identity:
            hint = "" if len(text) == _ID_DIGITS else " (an id has 16 hex digits)"
            if text and not text.strip(_OF_NUMBERS):
                hint = (
                    " (if a spreadsheet took it for a number: make the column a text "
                    "and write the id of breaks.csv there)"
                )
            raise Refusal(
                f"{shortened(text)} is no break that was ever found{hint}",
                column="break_id",
            )
        if identity in self._lines:
            raise Refusal(
                f"{identity} stands on line {self._lines[identity]} already",
                column="break_id",
            )
        self._lines[identity] = line
        return identity

    def _spoiled(self, cells: Mapping[str, str]) -> str:
        """Return the id that a spreadsheet took for a number; empty where unsure.

        It is only the one of which the row's other cells speak, too, and no other
        break can be meant.
        """
        found = [
            row
            for identity, row in self._rows.items()
            if may_have_become(identity, cells["break_id"])
        ]
        if len(found) != 1 or not all(
            _says(cells.get(name, ""), str(found[0].get(name))) for name in _SPEAKING
        ):
            return ""
        return str(found[0]["break_id"])

    def _status(
        self,
        known: Mapping[str, Any],
        status: str,
        cells: Mapping[str, str],
        found: Edits,
        line: int,
    ) -> list[Change]:
        if STATUS_OF.get(status, status) == known["status"]:
            return []
        if status not in ACTION_OF:
            hint = f"; {REOPENED} opens it again" if status == OPEN else ""
            found.left.append(
                f"line {line}: {known['break_id']} stays {known['status']}: "
                f"nobody decides that a break is {status}{hint}"
            )
            return []
        reason = cells.get("reason") or None
        if self._repeats(known["break_id"], ACTION_OF[status], reason):
            found.left.append(
                f"line {line}: {known['break_id']} stays {known['status']}: "
                f"it was {status} before; with a new reason it is so again"
            )
            return []
        before = self._earlier.get(known["break_id"], {})
        other = _other_amount(cells, known) or _other_text(cells, known, before)
        if status != REOPENED and other:
            found.left.append(
                f"line {line}: {known['break_id']} stays {known['status']}: {other}; "
                "decide on a newer file"
            )
            return []
        return [_made(known["break_id"], ACTION_OF[status], "reason", reason=reason)]

    def _repeats(self, identity: str, action: str, reason: str | None) -> bool:
        """Tell whether a decision was made already, with nothing new about it."""
        made = self._known.get(identity, Standing()).decisions
        said = {row.get("reason") for row in made}
        is_old = any(row["action"] == action for row in made)
        return is_old and (reason is None or reason in said)

    def _people(self, identity: str, cells: Mapping[str, str]) -> list[Change]:
        standing = self._known.get(identity, Standing())
        who, note = cells.get("assignee"), cells.get("note")
        changes = []
        if who and who != standing.assignee:
            changes.append(_made(identity, ASSIGN, "assignee", assignee=who))
        noted = {row.get("reason") for row in standing.decisions}
        if note and note not in noted:
            changes.append(_made(identity, NOTE, "note", reason=note))
        return changes


def _says(cell: str, text: str) -> bool:
    """Tell whether a cell of an edited file may be that text of ours."""
    return cell.removeprefix("'") == text or may_have_become(text, cell)


def _made(identity: str, action: str, column: str, **said: str | None) -> Change:
    try:
        return decision(identity, action, **said)
    except UsageError as error:
        raise Refusal(str(error).partition(":")[0], column=column) from None


def _other_amount(cells: Mapping[str, str], known: Mapping[str, Any]) -> str:
    """Say which amount of the file is another one by now; empty where none is.

    What a spreadsheet has rounded (1.2E+11) tells nothing.
    """
    for name in AMOUNTS:
        if name not in cells or name not in known:
            continue
        with contextlib.suppress(ValueError):
            text = cells[name]
            amount = parse_amount(text, signed=True) if text else None
            if amount != known[name]:
                now = "none" if known[name] is None else format_rials(known[name])
                return f"{name} is {text or 'none'} in the file and {now} by now"
    return ""


def _other_text(
    cells: Mapping[str, str], known: Mapping[str, Any], before: Texts
) -> str:
    """Say so where the file has what an earlier run found of a break, not the last.

    What neither of them found is what a spreadsheet made of it, and tells nothing.
    """
    for name in (BESIDE,) if has_amount(known) else (BESIDE, WORDS):
        if name not in cells or name not in known:
            continue
        spoken = said if name == WORDS else str
        cell, now = spoken(cells[name]), spoken(known[name] or "")
        earlier = (spoken(text) for text in before.get(name, ()) if text is not None)
        if not _shows(cell, now) and any(_shows(cell, text) for text in earlier):
            return f"{name} is another one by now"
    return ""


def _shows(cell: str, text: str) -> bool:
    """Tell whether a cell may be that text of ours, in which people are masked."""
    shown = re.escape(cell.removeprefix("'")).replace(r"\*", ".")
    return _says(cell, text.strip()) or bool(re.fullmatch(shown, text.strip()))


def _refuse_missing(names: tuple[str, ...], written: tuple[str, ...]) -> None:
    for name in _NEEDED:
        if name not in names:
            have = ", ".join(map(shortened, written[:_MAX_SHOWN]))
            reason = f"the column is missing (there are {have})"
            raise Refusal(reason, line=1, column=name)


def _told(name: str, refusal: Refusal) -> str:
    return f"{refusal.place(name)}: {refusal.reason}"
