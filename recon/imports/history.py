"""What was imported before: so that the same file twice changes nothing.

Rows of a key belong to the newest file that has the key. So with a key, a file changes
nothing only while it is still the newest; without one, once it was ever taken.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

import msgspec
import pyarrow as pa

from recon.imports.repeats import Repeats
from recon.lake import Commit, Lake
from recon.lake.schema import INSTANT, TABLES, TEXT, WHOLE
from recon.lake.voids import VOID, standing, voided

FIRST_READING = 1
"""Of every format, until more of its files is read than at first."""


Identity = tuple[str, ...]
"""A file's hash, and how it is read: in what zone, by which headers, how far."""


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One file of an import, as its commit's certificate keeps it."""

    name: str
    sha256: str
    timezone: str  # of the times without a zone: another one reads other instants
    rows: int
    repeated_rows: int
    warnings: tuple[str, ...] = ()
    skipped_rows: int = 0
    named: dict[str, str] = {}  # our columns by headers and values given: as above
    reading: int = FIRST_READING  # of its format, which may be read further later

    @property
    def identity(self) -> Identity:
        """Return what makes two imports of a file the same."""
        pairs = (part for pair in sorted(self.named.items()) for part in pair)
        way = self.sha256, self.timezone, *pairs
        return way if self.reading == FIRST_READING else (*way, str(self.reading))


IMPORTS = pa.schema(
    {
        "kind": TEXT,
        "name": TEXT,
        "sha256": TEXT,
        "rows": WHOLE,
        "repeated_rows": WHOLE,
        "skipped_rows": WHOLE,
        "timezone": TEXT,
        "imported_at": INSTANT,
        "voided_at": INSTANT,
        "pull_id": TEXT,
    }
)
"""What was imported: one row a file of each command that took it."""


def may_count_twice(earlier: Sequence[Identity], file: Identity, table: str) -> bool:
    """Tell whether a file was taken in other ways only, whose rows may stand beside it.

    Without a key they do; with an instant in it, they do where that is another one.
    With a key another time zone alone is no other way.
    """
    if not stands_by_time(table):
        return False
    first = 2 if TABLES[table].key else 1
    ways = [each[first:] for each in earlier if each[0] == file[0]]
    return bool(ways) and file[first:] not in ways


def stands_by_time(table: str) -> bool:
    """Tell whether a row whose time is read otherwise is another one.

    So it is without a key, and with an instant in it.
    """
    columns, key = TABLES[table].columns, TABLES[table].key
    return not key or any(columns.field(name).type == INSTANT for name in key)


def read_elsewhere(earlier: Sequence[Entry], zone: str, table: str) -> list[str]:
    """Say so where the newest of the files was read in another zone than the next one.

    That is told once: of files after the first one of a zone, the newest is of it.
    """
    if not earlier or earlier[-1].timezone == zone or not stands_by_time(table):
        return []
    told = (
        f"the newest file of this kind was read in {earlier[-1].timezone}, and this "
        f"one in {zone}: a row of both whose time names no zone counts twice; take "
        "back what was read in the wrong one (--void) and import it again"
    )
    return [told]


def taken_as(
    lake: Lake, kind: str, table: str, sha256: str, rows: Repeats
) -> Identity | None:
    """Return the way in which an import of a file brought these rows; None if none."""
    for commit in reversed(imports_of(lake.commits(), kind)):
        files = [each for each in entries([commit]) if each.sha256 == sha256]
        if not files:
            continue
        by_page: dict[int | None, list[str]] = {None: []}
        for path in _files(lake, commit, table):
            found = lake.read(path, ["page_no", "record_hash"])
            for page_no, digest in zip(*found.to_pydict().values(), strict=True):
                by_page.setdefault(page_no, []).append(digest)
        if any(map(rows.are, by_page.values())):
            return files[-1].identity
    return None


def replaced(lake: Lake, kind: str, table: str, sha256: str, rows: Repeats) -> bool:
    """Tell whether these rows have every key that the imports of a file brought."""
    names = TABLES[table].key
    for commit in imports_of(lake.commits(), kind):
        if not any(entry.sha256 == sha256 for entry in entries([commit])):
            continue
        for path in _files(lake, commit, table):
            found = lake.read(path, names).select(names)
            if not rows.replace(zip(*found.to_pydict().values(), strict=True)):
                return False
    return True


def _files(lake: Lake, commit: Commit, table: str) -> list[Path]:
    """Return where a commit's rows of a table are; of others they are no records."""
    return [
        lake.file(each)
        for each in commit.files
        if (each.folder, each.table) == ("records", table)
    ]


def imports_of(commits: Sequence[Commit], kind: str) -> list[Commit]:
    """Return the imports of a kind that count, in their order; `commits` are all."""
    return [
        commit
        for commit in standing(commits)
        if (commit.kind, commit.source) == ("import", kind)
    ]


def later_than(commits: Sequence[Commit], kind: str) -> Callable[[Commit], bool]:
    """Tell which commits change what is imported of a kind since these ones."""
    known = len(commits)
    return lambda commit: (
        commit.sequence > known
        and commit.source == kind
        and commit.kind in {"import", VOID}
    )


def entries(commits: Sequence[Commit]) -> list[Entry]:
    """Return the files of import commits in the order in which they count."""
    return [
        msgspec.convert(file, Entry)
        for commit in commits
        for file in commit.certificate.get("files", [])
    ]


def imported(lake: Lake, as_of: datetime | None = None) -> pa.Table:
    """Return one row a file that was imported, in the order in which they came.

    `voided_at` is when it was taken back; null where it counts. `skipped_rows` were
    passed over, as settings said.
    """
    commits = lake.commits(as_of)
    gone = voided(commits)
    rows = [
        {name: getattr(entry, name, None) for name in IMPORTS.names}
        | {"kind": commit.source, "imported_at": commit.committed_at}
        | {"pull_id": commit.id}
        | {"voided_at": gone[commit.id].committed_at if commit.id in gone else None}
        for commit in commits
        if commit.kind == "import"
        for entry in entries([commit])
    ]
    return pa.Table.from_pylist(rows, IMPORTS)


def known_files(
    earlier: Sequence[Identity], files: Sequence[Identity], *, keyed: bool
) -> list[bool]:
    """Tell of each file of a command whether taking it would change nothing."""
    if not keyed:
        return [file in earlier or file in files[:at] for at, file in enumerate(files)]
    standing = next(
        count
        for count in range(min(len(earlier), len(files)), -1, -1)
        if list(earlier[len(earlier) - count :]) == list(files[:count])
    )
    return [
        at < standing or (at > 0 and file == files[at - 1])
        for at, file in enumerate(files)
    ]
