"""What pulled rows hold of imports that were taken back, and these rows without it.

A pull completes what it reads with what the lake knows. Where that came from an import
which is taken back later, the pull's own rows have it still: the next pull of that
source puts others in their place, as if the import had never been.
"""

import logging
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from recon import log
from recon.errors import CorruptLake
from recon.lake import Commit, Lake
from recon.lake.lake import LEAST_SKEW
from recon.lake.schema import TABLES
from recon.lake.voids import voided

Row = dict[str, Any]
Key = tuple[Any, ...]

PageRows = Callable[[bytes], Sequence[Row]]
"""Gives the rows that the body of a stored page tells by itself, in its order."""


def mended(
    lake: Lake,
    source: str,
    table: str,
    columns: Sequence[str],
    listed: PageRows | None = None,
) -> dict[Key, Row]:
    """Return the newest rows that hold what was taken back, by key, without that.

    `columns` are those that pulls of the source complete: what a page has, as `listed`
    says, by what is known; without `listed`, what the journal has, whose word yields to
    what is known. What such an import told of them gives way to what was known before
    the pull that took it up, unless that pull's page says it, too. Nothing is read, and
    nothing returned, where a pull of the source began after the last void of the table.
    Rows come without a page: none has them so. Raises CorruptLake as `Lake.current`
    does.
    """
    told = _told(lake, source, table, columns)
    versions = _versions(lake, table, told)
    pages = _Pages(lake, listed) if listed else None
    found: dict[Key, Row] = {}
    for key, stored in versions.items():
        row = _without(stored, columns, told[key], pages)
        if any(row[name] != stored[-1].row[name] for name in columns):
            names = (*TABLES[table].columns.names, "seen_at")
            found[key] = {name: row[name] for name in names}
    return found


@dataclass(frozen=True)
class _Telling:
    """One row of an import that was taken back, and the void that did it."""

    row: Row
    imported: Commit
    void: Commit

    def has_reached(self, pull: Commit) -> bool:
        """Tell whether a pull may have known it: none that began after the void did."""
        return (
            self.imported.sequence < pull.sequence
            and pull.started_at <= self.void.committed_at + LEAST_SKEW
        )


@dataclass(frozen=True)
class _Version:
    row: Row
    commit: Commit


def _told(
    lake: Lake, source: str, table: str, columns: Sequence[str]
) -> dict[Key, list[_Telling]]:
    """Return all that was taken back, by key, if any was since a pull of the source."""
    commits = lake.commits()
    gone = voided(commits)
    imports = [
        commit
        for commit in commits
        if commit.kind == "import"
        and commit.id in gone
        and commit.files_of("records", table)
    ]
    told: defaultdict[Key, list[_Telling]] = defaultdict(list)
    if not imports:
        return told
    last = max(gone[each.id].committed_at for each in imports) + LEAST_SKEW
    pulls = (each for each in commits if (each.kind, each.source) == ("pull", source))
    if any(pull.started_at > last for pull in pulls):
        return told
    names = [*dict.fromkeys([*TABLES[table].key, *columns])]
    for imported in imports:
        for row in _rows(lake, imported, table, names):
            telling = _Telling(row, imported, gone[imported.id])
            told[_key(table, row)].append(telling)
    return told


def _rows(
    lake: Lake, imported: Commit, table: str, names: Sequence[str]
) -> Iterator[Row]:
    """Yield what an import told. No pull depends on a file that nothing else reads."""
    for file in imported.files_of("records", table):
        try:
            yield from lake.read(lake.file(file), names).to_pylist()
        except CorruptLake:
            log.note("taken_back.damaged", logging.WARNING, table=table)


def _versions(
    lake: Lake, table: str, told: dict[Key, list[_Telling]]
) -> dict[Key, list[_Version]]:
    """Return what stands of these keys, by key, the oldest first."""
    found: defaultdict[Key, list[_Version]] = defaultdict(list)
    last = TABLES[table].key[-1]
    wanted = sorted({key[-1] for key in told if key[-1] is not None})
    if not wanted:
        return found
    commits = lake.commits()
    by_id = {commit.id: commit for commit in commits}
    parts = lake.parts(table, commits)
    files = [*parts.compacted, *parts.superseded, *parts.later]
    for row in lake.rows_of(table, files, last, pa.array(wanted)).to_pylist():
        if _key(table, row) in told:
            found[_key(table, row)].append(_Version(row, by_id[row["pull_id"]]))
    for versions in found.values():
        versions.sort(key=_age)
    return found


def _without(
    versions: Sequence[_Version],
    columns: Sequence[str],
    told: Sequence[_Telling],
    pages: "_Pages | None",
) -> Row:
    """Return a record's newest version as it would be if nothing of `told` had been."""
    known: Row = {}
    for version in versions:
        row = version.row
        if version.commit.kind == "pull":
            reached = [each.row for each in told if each.has_reached(version.commit)]
            own = _own(row, columns, reached, pages)
            words = (own, known) if pages else (known, own)
            row = row | {name: _first(name, words) for name in columns}
        known = row
    return known


def _own(
    row: Row, columns: Sequence[str], reached: Sequence[Row], pages: "_Pages | None"
) -> Row:
    """Return what a pull's row does not have from the rows that had reached it."""
    own = {name: row[name] for name in columns if row[name] is not None}
    doubtful = [
        name for name in own if any(own[name] == told[name] for told in reached)
    ]
    said = pages.row(row) if pages and doubtful else {}
    return own | {name: said.get(name) for name in doubtful}


def _first(name: str, words: Sequence[Row]) -> Any:
    said = (word.get(name) for word in words)
    return next((value for value in said if value is not None), None)


class _Pages:
    """What stored pages tell by themselves; each is read once."""

    def __init__(self, lake: Lake, listed: PageRows) -> None:
        self._lake = lake
        self._listed = listed
        self._rows: dict[tuple[str, int], Sequence[Row]] = {}

    def row(self, stored: Row) -> Row:
        """Return a row as its page has it; nothing where there is none to be read."""
        if stored["page_no"] is None:
            return {}
        place = stored["pull_id"], stored["page_no"]
        try:
            if place not in self._rows:
                self._rows[place] = self._listed(self._lake.page(*place).body)
            found: Row = self._rows[place][stored["position"] - 1]
        except (CorruptLake, ValueError, IndexError):
            log.note("taken_back.page", logging.WARNING, pull_id=place[0])
            return {}
        return found


def _key(table: str, row: Row) -> Key:
    return tuple(row[name] for name in TABLES[table].key)


def _age(version: _Version) -> tuple[Any, ...]:
    """Return what puts versions in order; what came from no page is the oldest."""
    places = (version.row["page_no"], version.row["position"])
    return version.row["pull_id"], *(-1 if each is None else each for each in places)
