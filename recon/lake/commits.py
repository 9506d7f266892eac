"""Commit records: what is visible in the lake, since when, and with what proof."""

import hashlib
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import msgspec

from recon.errors import CorruptLake, LakeError, unread
from recon.lake.storage import (
    COMMITS,
    NotPlaced,
    Storage,
    commit_id_of,
    is_record_name,
    record_name,
    side_by_side,
)
from recon.wording import reason_of

_TICK = timedelta(seconds=1)
_LISTINGS = 3
_SEVERAL = 8  # more writers than begin a new lake at once; a night makes a dozen
_MOST_REFUSALS = 50  # of one number, which then nobody seems to have
_PAUSE_SECONDS = 0.05  # before a listing is made again


class StoredFile(msgspec.Struct, frozen=True, kw_only=True):
    """One Parquet file of a commit; `path` is relative to the lake."""

    folder: str  # pages, records, seen, compacted and so on
    table: str
    path: str
    rows: int
    size: int  # bytes
    sha256: str


class Commit(msgspec.Struct, frozen=True, kw_only=True):
    """One committed pull, import, void, run, decision, compaction or clearing.

    `id` is the `pull_id` of its rows and sorts by time of beginning. `committed_at`
    is in whole seconds and never goes back. `complete` is false where a source could
    not be read whole (`error` says why); `whole` is true for a sweep of all of it.
    """

    id: str
    sequence: int
    kind: str  # pull, import, void, run, decision, close, compaction, clearing
    source: str
    started_at: datetime
    committed_at: datetime
    complete: bool = True
    whole: bool = True
    error: str | None = None
    counts: dict[str, int] = {}
    certificate: dict[str, Any] = {}
    as_of: datetime | None = None  # runs: the instant they speak of
    files: tuple[StoredFile, ...] = ()
    digest: str = ""  # SHA-256 of this record with an empty digest

    def files_of(self, folder: str, table: str) -> tuple[StoredFile, ...]:
        """Return the files of a table in a folder: one, or none."""
        return tuple(
            file for file in self.files if (file.folder, file.table) == (folder, table)
        )


class Overtaken(Exception):  # noqa: N818 - no error: its work begins anew
    """Another commit came first, and this one was made without knowing it."""


class CommitLog:
    """The commit records of a lake: one small JSON file each, never changed."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._read: dict[str, Commit] = {}

    def all(self) -> list[Commit]:
        """Return every commit in order; CorruptLake names a record that is damaged."""
        names = self._names()
        unread = [name for name in names if name not in self._read]
        found = side_by_side(self._storage, self._decode, unread)
        self._read.update(zip(unread, found, strict=True))
        commits = [self._read[name] for name in names]
        for before, commit in pairwise(commits) if unread else ():
            if commit.committed_at < before.committed_at:
                told = "the commit record is older than the one before it"
                place = self._path(record_name(commit.sequence))
                raise CorruptLake(f"{place}: {told}: two lakes may be mixed")
        return commits

    def _names(self) -> list[str]:
        """List the records; CorruptLake where one is missing, or none is one."""
        names, is_whole = listed(
            self._storage, len(self._read), lambda: not self._without_records()
        )
        if is_whole:
            return names
        if not names:
            told = "the commit records are missing"
            raise CorruptLake(f"{self._storage.place}/{COMMITS}: {told}")
        for name in names:
            if not is_record_name(name):
                raise CorruptLake(f"{self._path(name)}: no commit record has this name")
        missing = sorted(set(_wanted(names)) - set(names))
        lost = missing[0] if missing else names[-1]
        raise CorruptLake(f"{self._path(lost)}: the commit record is missing")

    def _without_records(self) -> bool:
        """Tell a lake whose records were lost from one that was never written to.

        What is stored is listed first: a writer begins with the records' place.
        """
        return are_lost(self._storage, self._storage.stored())

    def append(
        self,
        commit: Commit,
        overtakes: Callable[[Commit], bool] = lambda _: False,
        withdraw: Callable[[], None] = lambda: None,
    ) -> Commit:
        """Make a commit visible, durably; returns it with its sequence and time.

        The next number is taken by a step that fails if it is there, so two writers
        never take the same one; the loser tries the number after it. Overtaken, and
        nothing is visible, where a commit before that number `overtakes` this one.
        `withdraw` is called where it ends with an error and is surely not visible.
        Where it may be visible, what is noted of it stays: without that, and a record,
        its files would be those of a commit that was lost.
        """
        refused: Counter[int] = Counter()
        tried = 0  # the number under which it may be visible
        try:
            while True:
                earlier = self.all()
                own = [each for each in earlier if each.id == commit.id]
                if own:  # an earlier try came through, though it seemed refused
                    self._storage.end_draft(commit.id)
                    return own[0]
                if any(map(overtakes, earlier)):
                    tried = 0
                    raise Overtaken
                if tried <= len(earlier):
                    tried = 0  # another has it
                placed = sealed(_placed(commit, earlier, datetime.now(UTC)))
                content = msgspec.json.format(msgspec.json.encode(placed))
                name = record_name(placed.sequence)
                tried = placed.sequence
                if self._storage.create_record(name, content, commit.id):
                    self._storage.end_draft(commit.id)
                    return placed
                refused[placed.sequence] += 1
                if refused[placed.sequence] == _MOST_REFUSALS:
                    raise LakeError(
                        f"{self._path(name)} is neither there nor can it be written"
                    )
        except NotPlaced as error:
            if not refused[tried]:  # else an earlier try may have come through
                tried = 0
            raise LakeError(str(error)) from error.__cause__
        finally:
            if not tried:
                withdraw()

    def _decode(self, name: str) -> Commit:
        try:
            return _in_place(decoded(self._storage.read_record(name)), name)
        except OSError as error:
            told = f"the commit record cannot be read: {reason_of(error)}"
            raise unread(f"{self._path(name)}: {told}") from None
        except ValueError as error:
            told = f"the commit record is damaged: {error}"
            raise CorruptLake(f"{self._path(name)}: {told}") from None

    def _path(self, name: str) -> str:
        return f"{self._storage.place}/{COMMITS}/{name}"


def listed(
    storage: Storage, known: int = 0, may_be_empty: Callable[[], bool] = lambda: True
) -> tuple[list[str], bool]:
    """List the names of the records, and tell whether none is missing among them.

    A listing that races writers may lack one and have a later one: it is made again.
    `known` is as `Storage.record_names` has it.
    """
    names: list[str] = []
    for attempt in range(_LISTINGS):
        if attempt:
            time.sleep(_PAUSE_SECONDS * attempt)
        names = storage.record_names(known)
        if names == _wanted(names) and (names or may_be_empty()):
            return names, True
    return names, False


def _wanted(names: Sequence[str]) -> list[str]:
    return [record_name(number + 1) for number in range(len(names))]


def are_lost(storage: Storage, stored: Iterable[str]) -> bool:
    """Tell whether a lake without any record had some, by the files that it stores.

    Either their place is gone, or whole files of several commits are there: a writer
    that is at work, or was killed, has those of one at most.
    """
    names = sorted(stored)
    drafts = {commit_id_of(name) for name in names if name.startswith(f"{COMMITS}/")}
    data = [name for name in names if not name.startswith(f"{COMMITS}/")]
    if data and not storage.has_records():
        return True
    whole: set[str] = set()
    for name in data:
        commit_id = commit_id_of(name)
        if commit_id not in whole | drafts and storage.is_whole(name):
            whole.add(commit_id)
        if len(whole) == _SEVERAL:
            return True
    return False


def _placed(commit: Commit, earlier: Sequence[Commit], now: datetime) -> Commit:
    """Give a commit its number, and a time after all that a run already spoke of.

    An ordinary run speaks of everything committed up to its whole second; what comes
    later in that second gets the next one, so that the same `as_of` always means the
    same commits, and a clock that goes back never reorders them.
    """
    at = now.replace(microsecond=0)
    if earlier:
        at = max(at, earlier[-1].committed_at)
    if commit.kind != "run":
        spoken = [run.as_of for run in earlier if run.kind == "run" and run.as_of]
        at = max([at, *(as_of + _TICK for as_of in spoken)])
    return msgspec.structs.replace(commit, sequence=len(earlier) + 1, committed_at=at)


def sealed(commit: Commit) -> Commit:
    """Return a commit with the digest of all that it says."""
    bare = msgspec.structs.replace(commit, digest="")
    digest = hashlib.sha256(msgspec.json.encode(bare)).hexdigest()
    return msgspec.structs.replace(commit, digest=digest)


# Made once, and before threads read records side by side: msgspec looks a type over at
# its first use, and two threads that do so at once can end the process.
_DECODER = msgspec.json.Decoder(Commit)


def decoded(content: bytes) -> Commit:
    """Read a record; ValueError (msgspec's are such) where it is not what was written.

    A record without a digest is taken as it is.
    """
    commit = _DECODER.decode(content)
    if commit.digest and sealed(commit).digest != commit.digest:
        raise ValueError("its digest is another")
    return commit


def _in_place(commit: Commit, name: str) -> Commit:
    """Return a record that stands under its own number; ValueError if it does not."""
    if record_name(commit.sequence) != name:
        raise ValueError(f"it says that it is number {commit.sequence}")
    return commit
