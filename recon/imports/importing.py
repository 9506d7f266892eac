"""The door of imports: `take` brings files of one KIND into the lake, all or none."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from recon import log
from recon.errors import UsageError
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
from recon.imports.history import (
    FIRST_READING,
    Entry,
    Identity,
    entries,
    imports_of,
    known_files,
    later_than,
    may_count_twice,
    read_otherwise,
    replaced,
    taken_as,
)
from recon.imports.identifiers import Identifiers
from recon.imports.kinds import kind_of
from recon.imports.lookalikes import Lookalikes
from recon.imports.naming import section_of
from recon.imports.notices import Notices
from recon.imports.passed_over import PassedOver
from recon.imports.repeats import Repeats
from recon.imports.running_balance import JUMP, Balances
from recon.imports.shape import Record
from recon.imports.tables import Kind
from recon.journal import journaled
from recon.lake import Lake, Overtaken, Writing
from recon.lake.schema import TABLES
from recon.settings import Settings

_BATCH_ROWS = 10_000


@dataclass(frozen=True)
class FileReport:
    """What became of one file.

    `known` files changed nothing: their rows are in the lake as they stand.
    `repeated_rows` is how many rows equal an earlier row of the same file,
    `skipped_rows` how many more were passed over, as settings say. `columns`
    says of each column of ours that was there which header of the file feeds it,
    `values` of each that was given what it is, `words` what the file's words in it were
    taken to mean, and `further` are the headers that feed none; all are empty where the
    file is known.
    """

    name: str
    sha256: str
    rows: int
    taken: bool
    known: bool
    repeated_rows: int
    warnings: tuple[str, ...]
    skipped_rows: int = 0
    columns: dict[str, str] = field(default_factory=dict)
    values: dict[str, str] = field(default_factory=dict)
    words: dict[str, dict[str, str]] = field(default_factory=dict)
    further: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Plan:
    """One file of a command: where it is, its hash, and what makes it the same."""

    path: Path
    sha256: str
    identity: Identity


@dataclass(frozen=True)
class ImportReport:
    """What became of the files of one command; `pull_id` is the commit, if any."""

    kind: str
    files: tuple[FileReport, ...]
    dry_run: bool
    pull_id: str | None

    @property
    def rows(self) -> int:
        """Return how many rows were taken (or would be, in a dry run)."""
        return sum(file.rows for file in self.files if not file.known)

    def as_dict(self) -> dict[str, Any]:
        """Return the report as plain values for JSON."""
        return asdict(self)


def take(
    kind: str,
    files: Sequence[Path],
    settings: Settings,
    lake: Lake,
    *,
    values: Mapping[str, str] | None = None,
    layout: str | None = None,
    dry_run: bool = False,
) -> ImportReport:
    """Take files of one KIND into the lake, all or none; twice is as good as once.

    `values` are those of columns that the files do not have, before those of the
    settings. `layout` names those of `imports.layouts` that count in place of the
    tables beside it. `dry_run` reads and checks everything and writes nothing. Raises
    UsageError on an unknown kind or no file, SettingsError on an unknown layout or a
    bad name in `imports.columns`, `imports.values` or `imports.words`, and RefusedFile
    with the file, line, column and reason of the first thing that is wrong: then
    nothing of any file is taken.
    """
    chosen = kind_of(kind)
    if not files:
        raise UsageError(f"no file is named: recon import {kind} FILE…")
    if layout is not None:
        settings = replace(settings, imports=settings.imports.of_layout(layout))
    with log.timed("import", kind=kind, dry_run=dry_run) as told:
        given = settings.imports.values.get(kind, {}) | dict(values or {})
        report = None
        while report is None:  # another import may have come first
            with suppress(Overtaken):
                asked = (chosen, settings, lake, given, section_of(layout))
                report = _Import(*asked, dry_run=dry_run).run(files)
        told |= {"files": len(files), "rows": report.rows}
        return report


class _Import:
    """One command: its files in their order, and the commit that they share."""

    def __init__(
        self,
        kind: Kind,
        settings: Settings,
        lake: Lake,
        values: Mapping[str, str],
        section: str,
        *,
        dry_run: bool,
    ) -> None:
        self._kind = kind
        self._settings = settings
        self._zone = settings.business.timezone
        columns = settings.imports.columns.get(kind.name, {})
        words = settings.imports.words.get(kind.name, {})
        self._naming = kind.naming(columns, values, words, section)
        self._skip = settings.imports.skip.get(kind.name, {})
        self._way = self._naming.way | kind.skipping(self._skip, section).way
        self._lake = lake
        self._dry_run = dry_run
        self._now = datetime.now(UTC)
        self._identifiers = Identifiers(kind, lake)
        self._passed: PassedOver | None = None
        self._read: dict[str, Entry] = {}
        self._noticed: dict[str, Notices] = {}
        self._rows: dict[str, Repeats] = {}
        self._lookalikes: Lookalikes | None = None
        self._unread = 0  # files of the command
        self._sent: dict[Any, Record] = {}

    def run(self, paths: Sequence[Path]) -> ImportReport:
        overtakes = later_than(self._lake.commits(), self._kind.name)
        files = [self._planned(path) for path in paths]
        earlier = entries(imports_of(self._lake, self._kind.name))
        identities = [entry.identity for entry in earlier]
        keyed = bool(TABLES[self._kind.table].key)
        ways = [self._as_taken(file, identities) for file in files]
        known = known_files(identities, ways, keyed=keyed)
        self._unread = known.count(False)
        if not keyed and self._unread:
            self._lookalikes = Lookalikes(self._lake, self._kind.table, self._zone)
        self._passed = PassedOver(self._kind, self._lake) if self._skip else None
        self._read = {entry.sha256: entry for entry in earlier}
        plan = list(zip(files, known, strict=True))
        if self._dry_run or all(known):
            return self._report([self._file(*each, None) for each in plan], None)
        self._sent = self._journaled()
        with self._lake.begin("import", self._kind.name) as writing:
            reports = [self._file(*each, writing) for each in plan]
            taken = [report for report in reports if report.taken]
            commit = writing.commit(
                counts={
                    "files": len(taken),
                    "records": sum(report.rows for report in taken),
                    "repeated": sum(report.repeated_rows for report in taken),
                },
                certificate={
                    "files": [
                        msgspec.to_builtins(self._read[report.sha256])
                        for report in taken
                    ]
                },
                overtakes=overtakes,
            )
        return self._report(reports, commit.id)

    def _as_taken(self, file: _Plan, earlier: Sequence[Identity]) -> Identity:
        """Return what a file is; where only its way is new, as its rows were taken.

        It is a new one where its format is read further now, and tells more by that.
        Raises RefusedFile where they are other ones now, and both would count.
        """
        table = self._kind.table
        is_other = read_otherwise(earlier, file.identity, zoned=not TABLES[table].key)
        if not is_other or not may_count_twice(table):
            return file.identity
        self._of_file(file, None)
        rows = self._rows.pop(file.sha256)
        del self._noticed[file.sha256]
        taken = self._lake, self._kind.name, table
        if found := taken_as(*taken, file.sha256, rows):
            is_news = rows.tell_more and found[2:] != file.identity[2:]
            return file.identity if is_news else found
        if TABLES[table].key and replaced(*taken, file.sha256, rows):
            return file.identity
        reason = Refusal(
            "was taken when --layout, imports.columns, imports.skip, imports.values, "
            "imports.words or business.timezone was another one; its rows would count "
            "twice: take it back first (--void)"
        )
        raise copies.refused(file.path, reason)

    def _report(self, reports: list[FileReport], pull_id: str | None) -> ImportReport:
        return ImportReport(self._kind.name, tuple(reports), self._dry_run, pull_id)

    def _planned(self, path: Path) -> _Plan:
        try:
            copies.refuse_large(path, self._settings.limits.import_file)
            sha256 = copies.sha256_of(path)
            with copies.opened(path) as file:
                found = detect(copies.shown_name(path), file)
        except Refusal as refusal:
            raise copies.refused(path, refusal) from None
        return _Plan(path, sha256, self._entry_of(path, sha256, found).identity)

    def _entry_of(self, path: Path, sha256: str, found: str) -> Entry:
        """Return the entry of a file of a format, before its rows are read."""
        return Entry(
            name=copies.shown_name(path),
            sha256=sha256,
            timezone=str(self._zone),
            rows=0,
            repeated_rows=0,
            named=self._named(found),
            reading=READINGS.get(found, FIRST_READING),
        )

    def _named(self, found: str) -> dict[str, str]:
        """Return the way that counts for a format: the others have fixed names."""
        return self._way if found in TABULAR else {}

    def _file(self, plan: _Plan, known: bool, writing: Writing | None) -> FileReport:
        """Read one file, into the lake where there is a `writing`."""
        path, sha256 = plan.path, plan.sha256
        if not known:
            self._read[sha256] = self._of_file(plan, writing)
        entry = self._read[sha256]
        noticed = self._noticed.get(sha256, Notices())
        return FileReport(
            name=copies.shown_name(path),
            sha256=sha256,
            rows=entry.rows,
            taken=not known and writing is not None,
            known=known,
            repeated_rows=entry.repeated_rows,
            warnings=entry.warnings,
            skipped_rows=entry.skipped_rows,
            columns=noticed.columns,
            values=noticed.given,
            words=noticed.words,
            further=tuple(noticed.further),
        )

    def _of_file(self, plan: _Plan, writing: Writing | None) -> Entry:
        try:
            with copies.copied(plan.path, plan.sha256) as file:
                return self._entry(plan.path, plan.sha256, file, writing)
        except Refusal as refusal:
            raise copies.refused(plan.path, refusal) from None

    def _entry(
        self, path: Path, sha256: str, file: BinaryIO, writing: Writing | None
    ) -> Entry:
        name = copies.shown_name(path)
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
        named = self._named(found)
        notices = self._noticed[sha256] = Notices()
        stored_as = None
        if self._lookalikes:
            self._unread -= 1
            self._lookalikes.begin_file(is_last=not self._unread)
            stored_as = self._lookalikes.stored_as
        seen = self._rows[sha256] = Repeats(self._kind.table, stored_as)
        records = self._records(sheet, notices, named)
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
        for line in balances.end(sheet.unsound):
            notices.add(JUMP, line)
        self._replace(notices, page_no, writing)
        return msgspec.structs.replace(
            self._entry_of(path, sha256, found),
            rows=seen.count,
            repeated_rows=seen.repeated,
            skipped_rows=notices.skipped_rows,
            warnings=(*sheet.warnings, *notices.texts()),
        )

    def _replace(
        self, notices: Notices, page_no: int | None, writing: Writing | None
    ) -> None:
        """Take away what earlier files have of rows that this one passes over."""
        for line, record in self._passed.replaced(notices) if self._passed else ():
            if writing is not None:
                place = {"page_no": page_no, "position": line}
                writing.rows(self._kind.table, [record | place], seen_at=self._now)

    def _records(
        self, sheet: Sheet, notices: Notices, named: Mapping[str, str]
    ) -> Iterator[tuple[int, Record]]:
        if not named:
            naming = None if self._way else self._naming
            return self._kind.records(sheet, self._zone, notices, naming)
        skipping = self._kind.skipping(self._skip, self._naming.section)
        given = (sheet, self._zone, notices, self._naming, skipping)
        passed = self._passed
        if passed is None:
            return self._kind.records(*given)
        return self._kind.records(
            *given, lambda line, key: passed.note(line, self._identifiers.even(key))
        )

    def _journaled(self) -> dict[Any, Record]:
        """Return what the journal says of the kind's records, by key."""
        if self._kind.journaled is None:
            return {}
        (key,) = TABLES[self._kind.table].key
        rows = journaled(self._settings, self._kind.journaled)
        return {row[key]: row for row in rows}

    def _filled(self, record: Record) -> Record:
        """Return a row with what it leaves empty as the journal has it.

        A file without the answer of a verify takes back none that came here.
        """
        if self._sent:
            (key,) = TABLES[self._kind.table].key
            known = self._sent.get(record[key], {})
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
