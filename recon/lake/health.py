"""Whether the lake still holds, byte for byte, what was committed.

Reads check what they use; this reads everything, names each damaged thing, and goes
on after the first. It changes nothing: `leftovers` removes what killed writers left,
`healing` brings damaged files back.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from recon.errors import NO_MORE_FILES, LakeError, lacks_files
from recon.lake.commits import Commit, StoredFile, are_lost, decoded, listed
from recon.lake.encryption import check_key, for_reading
from recon.lake.lake import Lake
from recon.lake.leftovers import Leftover, leftovers
from recon.lake.storage import (
    COMMITS,
    DATA_FOLDERS,
    Storage,
    file_path,
    is_record_name,
    record_name,
)
from recon.lake.verifying import file_hash
from recon.wording import reason_of

Watch = Callable[[int, int], None]
"""Gets how many bytes of how many are checked."""

_PAGES_AT_ONCE = 16
_UNREAD = "it cannot be read: {}"
_GONE = (FileNotFoundError, IsADirectoryError, NotADirectoryError)


class Kind(StrEnum):
    """What is damaged, which decides what can be done about it.

    RECORD: a commit record; without it nothing after it is read. PAGES: evidence.
    RECORDS: typed rows, which came from pages. SEEN: the ids of a whole sweep.
    COMPACTED, SUPERSEDED, OUTSTANDING: copies of such rows, without which these are
    read. CLEARED: sums of them.
    """

    RECORD = "commit record"
    PAGES = "pages"
    RECORDS = "records"
    SEEN = "seen"
    COMPACTED = "compacted"
    SUPERSEDED = "superseded"
    OUTSTANDING = "outstanding"
    CLEARED = "cleared"


@dataclass(frozen=True)
class Damage:
    """One thing that is not what was committed; `path` is relative to the lake.

    `commit` is the one it belongs to, None where its record cannot be read. What is
    `barred` may be whole: this user may not read it; and so may what is `unread`: the
    system failed to read it, which it may do again.
    """

    kind: Kind
    path: str
    told: str
    commit: Commit | None = None
    table: str = ""
    sha256: str = ""  # what the file's was when it was committed
    barred: bool = False
    unread: bool = False
    meant: str = ""  # the record that a misnamed one is by what it says, or repeats
    repeats: bool = False


@dataclass
class Health:
    """What an examination found; sizes in bytes. `page_count` is of pages rehashed."""

    commit_count: int = 0
    file_count: int = 0
    size: int = 0
    page_count: int = 0
    newest: datetime | None = None
    damages: list[Damage] = field(default_factory=list)
    leftovers: list[Leftover] = field(default_factory=list)

    @property
    def whole(self) -> bool:
        """Tell whether nothing that was committed is damaged."""
        return not self.damages


def examine(lake: Lake, *, deep: bool = False, watch: Watch | None = None) -> Health:
    """Check every commit record and every committed file: size, SHA-256, rows.

    `deep` also rehashes the body of every page, and checks that each row stands on a
    page that is there. A lake that was never written to is healthy. Raises nothing
    for damage; an OSError only where the lake's folder itself cannot be listed, and
    LakeError where the system lets no further file be opened.
    """
    storage = lake.storage
    stored = storage.stored()
    health = Health()
    commits = list(_readable_records(storage, health.damages))
    health.commit_count = len(commits)
    health.newest = max((each.committed_at for each in commits), default=None)
    total = sum(file.size for commit in commits for file in commit.files)
    for commit in commits:
        for file in commit.files:
            health.file_count += 1
            health.damages += _file_damages(lake, commit, file)
            health.size += file.size
            if watch:
                watch(health.size, total)
        if deep:
            _examine_rows(lake, commit, health)
    named = {file.path for commit in commits for file in commit.files}
    health.leftovers = leftovers(storage, stored, named)
    if not (commits or health.damages) and are_lost(storage, stored):
        told = "the commit records are missing; without them nothing is read"
        health.damages.append(Damage(Kind.RECORD, COMMITS, told))
    return health


def _readable_records(storage: Storage, damages: list[Damage]) -> Iterator[Commit]:
    """Yield the commits whose records can be read; tell what is wrong with the rest."""
    last: Commit | None = None
    ids: set[str] = set()
    expected = 1
    names, _ = listed(storage)
    for name in names:
        where = f"{COMMITS}/{name}"
        if not is_record_name(name):
            damages.append(_misnamed(storage, name, "its name is no number"))
            continue
        number = int(name.removesuffix(".json"))
        damages += [
            Damage(
                Kind.RECORD, f"{COMMITS}/{record_name(lost)}", "the record is missing"
            )
            for lost in range(expected, number)
        ]
        expected = number + 1
        try:
            commit = decoded_record(storage.read_record(name))
            _check_record(commit, number, last, ids)
        except OSError as error:
            damages.append(_unreadable(Damage(Kind.RECORD, where, ""), error))
            continue
        except ValueError as error:
            damages.append(_misnamed(storage, name, f"it is damaged: {error}"))
            continue
        last = commit
        ids.add(commit.id)
        yield commit


def _misnamed(storage: Storage, name: str, told: str) -> Damage:
    """Tell of a record that is none; with which one it is, if it is one elsewhere."""
    damage = Damage(Kind.RECORD, f"{COMMITS}/{name}", told)
    try:
        content = storage.read_record(name)
        own = record_name(decoded_record(content).sequence)
    except (OSError, ValueError):
        return damage
    try:
        repeats = storage.read_record(own) == content
    except OSError:
        repeats = False
    return (
        damage
        if own == name
        else replace(damage, meant=f"{COMMITS}/{own}", repeats=repeats)
    )


def decoded_record(content: bytes) -> Commit:
    """Read a record; ValueError (msgspec's are such) on a field that none has."""
    commit = decoded(content)
    if msgspec.json.format(content) != content:
        raise ValueError("its spacing is not as it was written")
    raw = msgspec.json.decode(content)
    _refuse_unknown(raw, Commit)
    for file in raw.get("files", ()):
        _refuse_unknown(file, StoredFile)
    return commit


def _refuse_unknown(found: Mapping[str, Any], type_: type[msgspec.Struct]) -> None:
    unknown = found.keys() - set(type_.__struct_fields__)
    if unknown:
        raise ValueError(f"no record has a field {min(unknown)!r}")


def _check_record(
    commit: Commit, number: int, last: Commit | None, ids: set[str]
) -> None:
    """Check what a record says against its place; ValueError with what is wrong."""
    if commit.sequence != number:
        raise ValueError(f"it says that it is number {commit.sequence}")
    if commit.id in ids:
        raise ValueError(f"its id {commit.id} is another's")
    if last and commit.committed_at < last.committed_at:
        raise ValueError("it is older than the one before it: two lakes may be mixed")
    if commit.committed_at.microsecond:
        raise ValueError("its time is not in whole seconds")
    for file in commit.files:
        own = file_path(file.folder, file.table, commit.id)
        parts = own.split("/")  # a source may have dots: a closing of two dates has
        if file.path != own or file.folder not in DATA_FOLDERS or ".." in parts:
            raise ValueError(f"it names the file {file.path!r} instead of {own!r}")


def _file_damages(lake: Lake, commit: Commit, file: StoredFile) -> Iterator[Damage]:
    whole = Damage(Kind(file.folder), file.path, "", commit, file.table, file.sha256)
    for _ in range(2):  # the way from a bucket may have damaged what lies there whole
        try:
            found = replace(whole, told=_file_damage(lake, file))
        except OSError as error:
            found = _unreadable(whole, error)
        if not found.told:
            return
    yield found


def _unreadable(damage: Damage, error: OSError) -> Damage:
    """Tell of what the system does not let us read: it may be whole, if it is there."""
    _refuse_limit(error)
    is_barred = isinstance(error, PermissionError)
    return replace(
        damage,
        told=_UNREAD.format(reason_of(error)),
        barred=is_barred,
        unread=not (is_barred or isinstance(error, _GONE)),
    )


def _file_damage(lake: Lake, file: StoredFile) -> str:
    """Say what is wrong with a committed file; nothing if it is what it was.

    Raises OSError where it is there and cannot be read: it may be whole.
    """
    try:
        with lake.storage.fresh(file.path) as path:
            size, digest = path.stat().st_size, file_hash(path)
            if size != file.size:
                return f"it has {size:,} bytes instead of {file.size:,}"
            if digest != file.sha256:
                return "its bytes changed: its SHA-256 is another"
            check_key(path, lake.key, f"{lake.place}/{file.path}")
            with _opened(lake, path) as parquet:
                rows = parquet.metadata.num_rows
    except _GONE as error:
        gone = isinstance(error, FileNotFoundError)
        return "it is missing" if gone else f"it is no file: {error.strerror}"
    except (pa.ArrowException, OSError) as error:
        if getattr(error, "errno", None) is not None:  # the system's, not pyarrow's
            raise
        return f"it was committed broken: {error}"
    if rows != file.rows:
        return f"it has {rows:,} rows instead of {file.rows:,}"
    return ""


def _refuse_limit(error: Exception) -> None:
    """Raise LakeError where no file can be opened: of this one it says nothing."""
    if lacks_files(str(error)):
        raise LakeError(NO_MORE_FILES) from None


def _opened(lake: Lake, path: Path) -> pq.ParquetFile:
    return pq.ParquetFile(path, decryption_properties=for_reading(lake.key))


def _examine_rows(lake: Lake, commit: Commit, health: Health) -> None:
    """Rehash a commit's pages, and look for the page of each of its rows."""
    bad = {damage.path for damage in health.damages}
    files = [file for file in commit.files if file.path not in bad]
    pages: set[int] = set()
    pages_known = not any(
        file.folder == "pages" and file.path in bad for file in commit.files
    )
    for file in files:
        if file.folder == "pages":
            for told in _page_damages(lake, file, commit, pages):
                health.damages.append(
                    Damage(Kind.PAGES, file.path, told, commit, file.table)
                )
    health.page_count += len(pages)
    for file in files:
        if file.folder == "records":
            told = _row_damage(lake, file, commit, pages if pages_known else None)
            if told:
                health.damages.append(
                    Damage(Kind.RECORDS, file.path, told, commit, file.table)
                )


def _page_damages(
    lake: Lake, file: StoredFile, commit: Commit, pages: set[int]
) -> Iterator[str]:
    """Yield what is wrong with pages; their numbers are added to `pages`."""
    columns = ["pull_id", "page_no", "sha256", "body"]
    for row in _rows(lake, file, columns):
        number = row["page_no"]
        if row["pull_id"] != commit.id or number in pages:
            yield f"page {number} of {row['pull_id']} stands where it should not"
        pages.add(number)
        if hashlib.sha256(row["body"]).hexdigest() != row["sha256"]:
            yield f"page {number}: its body is not the one that was received"
    gaps = set(range(1, len(pages) + 1)) - pages
    if gaps:
        yield f"page {min(gaps)} is missing"


def _row_damage(
    lake: Lake, file: StoredFile, commit: Commit, pages: set[int] | None
) -> str:
    strangers: set[str] = set()
    lost: set[int] = set()
    with lake.storage.fresh(file.path) as path:
        for rows in lake.read_batches(path, ["pull_id", "page_no"]):
            strangers |= {*rows["pull_id"].unique().to_pylist()} - {commit.id}
            named = {*rows["page_no"].drop_null().unique().to_pylist()}
            lost |= named - (pages or set())
    if strangers:
        return f"it holds a row of {min(strangers)}"
    if pages is not None and lost:
        return f"a row stands on page {min(lost)}, which is not there"
    return ""


def _rows(lake: Lake, file: StoredFile, columns: list[str]) -> Iterator[dict[str, Any]]:
    with lake.storage.fresh(file.path) as path, _opened(lake, path) as parquet:
        for group in range(parquet.num_row_groups):  # batches of a file keep all of it
            rows = parquet.read_row_group(group, columns=columns)
            for batch in rows.to_batches(_PAGES_AT_ONCE):
                yield from batch.to_pylist()
