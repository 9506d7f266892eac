"""The files of one command, read as settings say: what each is, and its rows.

`FileReader` also holds the rows against what the lake and the journal have of them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from recon.imports import copies, duplicates, evidence, secrecy
from recon.imports.formats import excel
from recon.imports.formats.detection import (
    READINGS,
    TABULAR,
    TITLED,
    detect,
    reader_of,
)
from recon.imports.formats.rows import Refusal, Sheet
from recon.imports.history import FIRST_READING, Entry, Identity, read_elsewhere
from recon.imports.identifiers import Identifiers
from recon.imports.lookalikes import Lookalikes
from recon.imports.notices import Notices
from recon.imports.passed_over import PassedOver
from recon.imports.repeats import Repeats
from recon.imports.running_balance import Balances
from recon.imports.shape import Record
from recon.imports.tables import Kind
from recon.journal import journaled
from recon.lake import Lake, Writing
from recon.lake.schema import TABLES
from recon.settings import Settings

_BATCH_ROWS = 10_000


@dataclass(frozen=True)
class Plan:
    """One file of a command: where it is, its hash, and what makes it the same."""

    path: Path
    sha256: str
    identity: Identity


@dataclass(frozen=True)
class ReadFile:
    """A file that was read: what a commit keeps of it, what to tell, and its rows."""

    entry: Entry
    notices: Notices
    rows: Repeats


class FileReader:
    """Reads the files of one command, each in its turn."""

    def __init__(
        self,
        kind: Kind,
        settings: Settings,
        lake: Lake,
        values: Mapping[str, str],
        section: str,
    ) -> None:
        """Take the lake as it is before the command.

        `values` are those of columns that the files do not have; `section` is the one
        of the settings whose tables count. SettingsError on a bad name in them.
        """
        self._kind = kind
        self._settings = settings
        self._lake = lake
        self._zone = settings.business.timezone
        columns = settings.imports.columns.get(kind.name, {})
        words = settings.imports.words.get(kind.name, {})
        self._naming = kind.naming(columns, values, words, section)
        self._skip = settings.imports.skip.get(kind.name, {})
        self._way = self._naming.way | kind.skipping(self._skip, section).way
        self._now = datetime.now(UTC)
        self._identifiers = Identifiers(kind, lake)
        self._unread = 0
        self._elsewhere: list[str] = []
        self._lookalikes: Lookalikes | None = None
        self._passed: PassedOver | None = None
        self._sent: dict[tuple[Any, ...], Record] = {}

    def planned(self, path: Path) -> Plan:
        """Return what a file is, before its rows are read; raises RefusedFile."""
        try:
            copies.refuse_large(path, self._settings.limits.import_file)
            sha256 = copies.sha256_of(path)
            with copies.opened(path) as file:
                found = detect(copies.shown_name(path), file)
        except Refusal as refusal:
            raise copies.refused(path, refusal) from None
        return Plan(path, sha256, self._entry_of(path, sha256, found).identity)

    def begin(self, unread: int, earlier: Sequence[Entry], *, is_taken: bool) -> None:
        """Hold the rows of so many files that follow against what is known of them.

        `earlier` are the files of before. Where these are taken, the journal fills what
        they leave empty.
        """
        self._unread = unread
        table = self._kind.table
        if TABULAR.keys() <= self._kind.readers.keys():  # envelopes have Unix seconds
            self._elsewhere = read_elsewhere(earlier, str(self._zone), table)
        if unread and not TABLES[table].key:
            self._lookalikes = Lookalikes(self._lake, table, self._zone)
        if self._skip:
            self._passed = PassedOver(self._kind, self._lake)
        if is_taken:
            self._sent = self._journaled()

    def read(self, plan: Plan, writing: Writing | None) -> ReadFile:
        """Read one file, into the lake where there is a `writing`.

        Raises RefusedFile with the place and reason of the first thing that is wrong.
        """
        try:
            with copies.copied(plan.path, plan.sha256) as file:
                return self._read(plan, file, writing)
        except Refusal as refusal:
            raise copies.refused(plan.path, refusal) from None

    def _entry_of(self, path: Path, sha256: str, found: str) -> Entry:
        """Return the entry of a file of a format, before its rows are read.

        The way counts for tables alone: the other formats have fixed names.
        """
        return Entry(
            name=copies.shown_name(path),
            sha256=sha256,
            timezone=str(self._zone),
            rows=0,
            repeated_rows=0,
            named=self._way if found in TABULAR else {},
            reading=READINGS.get(found, FIRST_READING),
        )

    def _read(self, plan: Plan, file: BinaryIO, writing: Writing | None) -> ReadFile:
        name = copies.shown_name(plan.path)
        found = detect(name, file)
        if found == "excel":
            excel.refuse_large(file, self._settings.limits.excel_unpacked)
        secrecy.refuse_secrets(file, found, self._settings)
        reader = reader_of(found, self._kind.readers, self._kind.name)
        page_no = None
        if writing is not None:
            page_no = evidence.keep(name, file, writing, self._now)
        lacks = partial(self._kind.lacks, self._naming)
        sheet = reader(file, lacks) if found in TITLED else reader(file)
        notices = Notices()
        rows = self._taken(sheet, found, notices, page_no, writing)
        entry = msgspec.structs.replace(
            self._entry_of(plan.path, plan.sha256, found),
            rows=rows.count,
            repeated_rows=rows.repeated,
            skipped_rows=notices.skipped_rows,
            warnings=(*self._elsewhere, *sheet.warnings, *notices.texts()),
        )
        return ReadFile(entry, notices, rows)

    def _taken(
        self,
        sheet: Sheet,
        found: str,
        notices: Notices,
        page_no: int | None,
        writing: Writing | None,
    ) -> Repeats:
        """Take a sheet's rows, and return them by their hashes."""
        stored_as = None
        if self._lookalikes:
            self._unread -= 1
            self._lookalikes.begin_file(is_last=not self._unread)
            stored_as = self._lookalikes.stored_as
        seen = Repeats(self._kind.table, stored_as)
        records = self._records(sheet, found, notices)
        rows = (
            self._told(seen.note(line, self._filled(record), page_no), notices)
            for line, record in self._identifiers.evened(records, notices)
        )
        balances = Balances(writing, page_no, self._now, self._zone)
        while batch := list(islice(rows, _BATCH_ROWS)):
            balances.take(batch)
            if seen.count > (most := self._settings.limits.import_rows):
                told = f"has more than {most:,} rows (limits.import_rows); split it"
                raise Refusal(told)
            if writing is not None:
                writing.rows(self._kind.table, batch, seen_at=self._now)
        for line in self._lookalikes.duplicates() if self._lookalikes else ():
            notices.add(duplicates.TOPIC, line)
        for line, told in balances.end(sheet.unsound):
            notices.add(told, line)
        self._replace(notices, page_no, writing)
        return seen

    def _records(
        self, sheet: Sheet, found: str, notices: Notices
    ) -> Iterator[tuple[int, Record]]:
        if found not in TABULAR:  # their names are fixed, and no row is passed over
            return self._kind.records(sheet, self._zone, notices)
        skipping = self._kind.skipping(self._skip, self._naming.section)
        given = (sheet, self._zone, notices, self._naming, skipping)
        return self._kind.records(*given, self._pass_over)

    def _pass_over(self, line: int, key: Record) -> None:
        if self._passed:
            self._passed.note(line, self._identifiers.even(key))

    def _replace(
        self, notices: Notices, page_no: int | None, writing: Writing | None
    ) -> None:
        """Take away what earlier files have of rows that this one passes over."""
        for line, record in self._passed.replaced(notices) if self._passed else ():
            if writing is not None:
                place = {"page_no": page_no, "position": line}
                writing.rows(self._kind.table, [record | place], seen_at=self._now)

    def _journaled(self) -> dict[tuple[Any, ...], Record]:
        """Return what the journal says of the kind's records, by key."""
        if self._kind.journaled is None:
            return {}
        rows = journaled(self._settings, self._kind.journaled)
        return {self._key(row): row for row in rows}

    def _key(self, record: Record) -> tuple[Any, ...]:
        return tuple(record.get(name) for name in TABLES[self._kind.table].key)

    def _filled(self, record: Record) -> Record:
        """Return a row with what it leaves empty as the journal has it.

        A file without the answer of a verify takes back none that came here, nor one
        without the amount of a deposit request what was asked for.
        """
        if self._sent:
            known = self._sent.get(self._key(record), {})
            for name in TABLES[self._kind.table].columns.names:
                if record[name] is None:
                    record[name] = known.get(name)
        return record

    def _told(self, record: Record, notices: Notices) -> Record:
        """Return a row; it is told of where an earlier file may have brought it."""
        if self._lookalikes and self._lookalikes.topic:
            notices.add(self._lookalikes.topic, record["position"])
        if self._passed:
            self._passed.took(record)
        return record
