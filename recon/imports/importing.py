"""The door of imports: `take` brings files of one KIND into the lake, all or none."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec

from recon import log
from recon.errors import UsageError
from recon.imports import copies
from recon.imports.formats.rows import Refusal
from recon.imports.history import (
    Entry,
    Identity,
    entries,
    imports_of,
    known_files,
    later_than,
    may_count_twice,
    replaced,
    taken_as,
)
from recon.imports.kinds import kind_of
from recon.imports.naming import section_of
from recon.imports.notices import Notices
from recon.imports.reading import FileReader, Plan
from recon.imports.tables import Kind
from recon.lake import Commit, Lake, Overtaken, Writing
from recon.lake.schema import TABLES
from recon.settings import Settings


@dataclass(frozen=True)
class FileReport:
    """What became of one file.

    `known` files changed nothing: their rows are in the lake as they stand.
    `repeated_rows` is how many rows equal an earlier row of the same file,
    `skipped_rows` how many more were passed over, as settings say. `columns`
    says of each column of ours that was there which header of the file feeds it,
    `values` of each that was given what it is, `words` what the file's words in it were
    taken to mean, and `further` are the headers that feed none; all are empty where the
    file was known before the command.
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
        while report is None:  # another commit may have come first
            with suppress(Overtaken):
                reader = FileReader(chosen, settings, lake, given, section_of(layout))
                report = _Import(chosen, lake, reader, dry_run=dry_run).run(files)
        told |= {"files": len(files), "rows": report.rows}
        return report


class _Import:
    """One command: which of its files are news, and the commit that they share."""

    def __init__(
        self, kind: Kind, lake: Lake, reader: FileReader, *, dry_run: bool
    ) -> None:
        self._kind = kind
        self._lake = lake
        self._reader = reader
        self._dry_run = dry_run
        self._read: dict[str, tuple[Entry, Notices]] = {}

    def run(self, paths: Sequence[Path]) -> ImportReport:
        commits = self._lake.commits()
        files = [self._reader.planned(path) for path in paths]
        earlier = entries(imports_of(commits, self._kind.name))
        identities = [entry.identity for entry in earlier]
        keyed = bool(TABLES[self._kind.table].key)
        ways = [self._as_taken(file, identities) for file in files]
        known = known_files(identities, ways, keyed=keyed)
        is_taken = not (self._dry_run or all(known))
        self._reader.begin(known.count(False), earlier, is_taken=is_taken)
        self._read = {entry.sha256: (entry, Notices()) for entry in earlier}
        plan = list(zip(files, known, strict=True))
        if not is_taken:
            return self._report([self._file(*each, None) for each in plan], None)
        with self._lake.begin("import", self._kind.name) as writing:
            reports = [self._file(*each, writing) for each in plan]
            taken = [self._read[each.sha256][0] for each in reports if each.taken]
            commit = writing.commit(
                counts={
                    "files": len(taken),
                    "records": sum(entry.rows for entry in taken),
                    "repeated": sum(entry.repeated_rows for entry in taken),
                },
                certificate={"files": msgspec.to_builtins(taken)},
                overtakes=self._comes_after(commits, writing.id),
            )
        return self._report(reports, commit.id)

    def _comes_after(
        self, commits: Sequence[Commit], own_id: str
    ) -> Callable[[Commit], bool]:
        """Tell which commits, that came since these, this one has to come after.

        Those of its kind, and what began later with rows of its table, as a pull: its
        versions of the same records would be the newer ones, and knew nothing of these.
        """
        is_of_kind = later_than(commits, self._kind.name)
        return lambda commit: (
            is_of_kind(commit)
            or (
                commit.sequence > len(commits)
                and commit.id > own_id
                and bool(commit.files_of("records", self._kind.table))
            )
        )

    def _as_taken(self, file: Plan, earlier: Sequence[Identity]) -> Identity:
        """Return what a file is; where only its way is new, as its rows were taken.

        It is a new one where its format is read further now, and tells more by that.
        Raises RefusedFile where they are other ones now, and both would count.
        """
        table = self._kind.table
        if not may_count_twice(earlier, file.identity, table):
            return file.identity
        rows = self._reader.read(file, None).rows
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

    def _file(self, plan: Plan, known: bool, writing: Writing | None) -> FileReport:
        """Read one file, into the lake where there is a `writing`."""
        if not known:
            read = self._reader.read(plan, writing)
            self._read[plan.sha256] = read.entry, read.notices
        entry, noticed = self._read[plan.sha256]
        return FileReport(
            name=copies.shown_name(plan.path),
            sha256=plan.sha256,
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
