"""Taking an import back: `void` says that the rows of files count no longer."""

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from recon import log
from recon.errors import UsageError
from recon.imports import copies
from recon.imports.formats.rows import Refusal
from recon.imports.history import Entry, entries, later_than
from recon.imports.kinds import kind_of
from recon.lake import Commit, Lake, Overtaken, Page
from recon.lake.schema import TABLES
from recon.lake.voids import VOID, certificate, voided
from recon.times import format_instant
from recon.wording import listed

SHOWN_DIGITS = 12
"""So many of a file's hash name it."""

_A_HASH = re.compile(f"[0-9a-f]{{{SHOWN_DIGITS},64}}")


@dataclass(frozen=True)
class TakenFile:
    """One file of an import: the name that it had, its hash, rows, and when it came."""

    name: str
    sha256: str
    rows: int
    imported_at: str


@dataclass(frozen=True)
class VoidReport:
    """What was taken back; `pull_id` is the void's commit, None in a dry run.

    `files` are all files of the imports in `voided` (their commits' ids).
    """

    kind: str
    files: tuple[TakenFile, ...]
    dry_run: bool
    voided: tuple[str, ...]
    pull_id: str | None

    def as_dict(self) -> dict[str, Any]:
        """Return the report as plain values for JSON."""
        return asdict(self)


def void(
    kind: str, files: Sequence[Path], lake: Lake, *, dry_run: bool = False
) -> VoidReport:
    """Take files of one KIND back, all or none: their rows count no longer.

    A file is known by its bytes; else by its name, since it may be gone or corrected by
    now; else by its hash, of which twelve digits do. Its newest import is meant; of a
    kind without a key all, since each would count on by itself. What an earlier file
    says of the same keys counts again. Nothing is removed: an `as_of`
    before the void reads as before, and the file may be imported again. Raises
    UsageError on an unknown kind, on a file that was not imported or was taken back
    already, and where files that one command imported are not all named: they came
    together, and so they go.
    """
    kind_of(kind)
    with log.timed("void", kind=kind, dry_run=dry_run) as told:
        report = None
        while report is None:  # another one may have come first
            with suppress(Overtaken):
                report = _voided(kind, files, lake, dry_run=dry_run)
        rows = sum(each.rows for each in report.files)
        told |= {"files": len(report.files), "rows": rows}
        return report


def _voided(
    kind: str, files: Sequence[Path], lake: Lake, *, dry_run: bool
) -> VoidReport:
    commits = lake.commits()
    gone = _named(files, _Imports(kind, commits))
    taken = tuple(_told(each, entry) for each in gone for entry in entries([each]))
    overtakes = later_than(commits, kind)
    pull_id = None if dry_run else _commit(lake, kind, gone, taken, overtakes)
    ids = tuple(each.id for each in gone)
    return VoidReport(kind, taken, dry_run, ids, pull_id)


_Taken = tuple[Commit, Entry]


class _Imports:
    """The files of a kind that were ever imported, the newest first."""

    def __init__(self, kind: str, commits: Sequence[Commit]) -> None:
        self._kind = kind
        self._voids = voided(commits)
        self._taken = [
            (commit, entry)
            for commit in reversed(commits)
            if (commit.kind, commit.source) == ("import", kind)
            for entry in entries([commit])
        ]

    def of(self, path: Path) -> _Taken:
        """Return the import that a file means; UsageError where none is to go."""
        name, digest = copies.shown_name(path), _digest(path)
        found = self._with(digest) if digest else []
        if not found:  # never an older one by itself: once more takes nothing back
            found = [each for each in self._taken if each[1].name == name]
        if not found and _A_HASH.fullmatch(name):
            found = self._with(name)
        if not found or self._is_gone(found[0]):
            raise UsageError(f"{name}: {self._reason(found)}")
        return found[0]

    def with_all(self, taken: Sequence[_Taken]) -> list[_Taken]:
        """Return imports, for a kind without a key with all others of their files."""
        if TABLES[kind_of(self._kind).table].key:
            return list(taken)
        digests = dict.fromkeys(entry.sha256 for _, entry in taken)
        found = (each for digest in digests for each in self._with(digest))
        return [each for each in found if not self._is_gone(each)]

    def _with(self, digits: str) -> list[_Taken]:
        """Return the imports of a hash; those that count, unless none does."""
        found = [each for each in self._taken if each[1].sha256.startswith(digits)]
        return [each for each in found if not self._is_gone(each)] or found

    def _is_gone(self, taken: _Taken) -> bool:
        return taken[0].id in self._voids

    def _reason(self, found: Sequence[_Taken]) -> str:
        told = f"no {self._kind} was imported from this file, nor from one of this name"
        if found:
            at = self._voids[found[0][0].id].committed_at
            told = f"its import was taken back at {format_instant(at)}"
        there = [_label(each) for each in self._taken if not self._is_gone(each)]
        if not there:
            return f"{told}; no import of {self._kind} is left"
        return f"{told}; what is left, by name or hash: {listed(there)}"


def _label(taken: _Taken) -> str:
    commit, entry = taken
    at = format_instant(commit.committed_at)
    return f"{entry.name} ({entry.sha256[:SHOWN_DIGITS]}, of {at})"


def _digest(path: Path) -> str | None:
    """Return a file's hash, None where it cannot be read any more."""
    try:
        return copies.sha256_of(path)
    except Refusal:
        return None


def _named(files: Sequence[Path], imports: _Imports) -> list[Commit]:
    """Return the imports of these files; UsageError where one is named in part."""
    chosen = imports.with_all([imports.of(path) for path in files])
    named = {(commit.id, entry.sha256) for commit, entry in chosen}
    found = {commit.id: commit for commit, _ in chosen}
    for commit, entry in chosen:
        missing = [
            _label((commit, each))
            for each in entries([commit])
            if (commit.id, each.sha256) not in named
        ]
        if missing:
            told = f"was imported together with {listed(missing)}"
            own = _label((commit, entry))
            raise UsageError(f"{own} {told}; name these, too, by name or hash")
    return [found[name] for name in sorted(found)]


def _commit(
    lake: Lake,
    kind: str,
    gone: Sequence[Commit],
    taken: Sequence[TakenFile],
    overtakes: Callable[[Commit], bool],
) -> str:
    """Commit the void; returns its id.

    What was taken back is kept as a page: by its file a lost commit record is proven.
    """
    with lake.begin(VOID, kind) as writing:
        writing.page(
            Page(
                method="VOID",
                url=f"import:{kind}",
                received_at=datetime.now(UTC),
                body=msgspec.json.encode(taken),
            )
        )
        done = writing.commit(
            counts={"imports": len(gone)},
            certificate=certificate(each.id for each in gone),
            overtakes=overtakes,
        )
        return done.id


def _told(commit: Commit, entry: Entry) -> TakenFile:
    at = format_instant(commit.committed_at)
    return TakenFile(entry.name, entry.sha256, entry.rows, at)
