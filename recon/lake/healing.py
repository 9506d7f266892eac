"""Bringing damaged files of the lake back from copies, only where it can be proven.

A copy is a folder laid out as the lake: an older copy of it, or what was rebuilt.
A file counts as the lost one if its SHA-256 is the committed one. A commit record has
no hash elsewhere: it counts if it names files, all of which are in the lake byte for
byte as it says, or if the records before and after it in the copy are the lake's own.
Nothing that is whole is ever touched.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import msgspec

from recon.errors import NO_MORE_FILES, LakeError, UsageError, lacks_files
from recon.lake.commits import Commit
from recon.lake.health import Damage, Kind, decoded_record
from recon.lake.lake import Lake
from recon.lake.storage import (
    COMMITS,
    Storage,
    file_path,
    is_record_name,
    record_name,
)
from recon.lake.verifying import file_hash
from recon.wording import reason_of

NO_COPY = "is the lake itself, not a copy of it"
_LARGEST_RECORD_BYTES = 64 * 2**20
_TAKEN = "another commit took its number meanwhile"
_ALONE = "it names no file that would prove it; compare and copy it by hand"


@dataclass(frozen=True)
class Healing:
    """What became of one damage: `healed`, or why not in `told`.

    `proven` says that the copy is the lost file, in a rehearsal too; `refused` that the
    copy could not be read, or the place not be written: it may yet come back.
    """

    damage: Damage
    proven: bool
    healed: bool
    told: str
    refused: bool = False


def heal(
    lake: Lake,
    damages: Sequence[Damage],
    copies: Path,
    *,
    origin: str = "restored from the copy",
    dry_run: bool = False,
) -> list[Healing]:
    """Restore damaged files from a folder that holds a copy of them.

    `origin` is what is told of a healed file. Files are proven one by one, so the copy
    may be older, or damaged elsewhere. Data files come first: they prove the commit
    records. What cannot be written is told, and keeps no other file from coming back.
    Raises UsageError if `copies` is no folder or the lake itself, LakeError where the
    system lets no further file be opened.
    """
    if not copies.is_dir():
        raise UsageError(f"{copies} is not a folder")
    if copies.resolve() == lake.root.resolve():
        raise UsageError(f"{copies} {NO_COPY}")
    ordered = sorted(damages, key=lambda damage: damage.kind is Kind.RECORD)
    storage = lake.storage
    healings = [
        _healing(storage, damage, copies, origin, dry_run)
        for damage in ordered
        if damage.path != COMMITS
    ]
    tail = list(_lost_tail(storage, copies, origin, dry_run))
    folders = [each for each in damages if each.path == COMMITS and not tail]
    told = "the copy has no record whose files are in the lake"
    return (
        healings
        + tail
        + [Healing(each, proven=False, healed=False, told=told) for each in folders]
    )


def _lost_tail(
    storage: Storage, copies: Path, origin: str, dry_run: bool
) -> Iterator[Healing]:
    """Bring back the newest records: no gap tells that they are lost.

    Only from the number after the lake's last one on, and only while each is proven
    by the files that it names, which lie in the lake, byte for byte, or by the records
    around it. Nothing where the lake's last record is not as in the copy: it was
    committed since, under a number of those that are lost, and what followed these
    does not follow it.
    """
    present = storage.record_names()
    number = len(present)
    if present and present[-1] != record_name(number):
        return
    try:
        if present and _is_lakes_own(storage, copies / COMMITS / present[-1]) is False:
            return
    except OSError:
        return
    while True:
        number += 1
        lost = Damage(Kind.RECORD, f"{COMMITS}/{record_name(number)}", "it is missing")
        try:
            if _unproven(storage, lost, copies / lost.path):
                return
        except OSError:
            return
        healing = _put_back(storage, lost, copies, origin, dry_run, is_lost=True)
        yield healing
        if not healing.proven:
            return


def lacking(lake: Lake, copies: Path) -> list[str]:
    """Return the names of the newest records that a copy has, and the lake has not.

    The first is that of the lake's last record, where the copy's of that name is
    another one. An older copy has none. What they name was lost from the lake since,
    or never came to it; they are not restored where nothing in the lake proves them.
    """
    present = lake.storage.record_names()
    last = present[-1] if present else ""
    known = (each.name for each in (copies / COMMITS).glob("*.json"))
    found = sorted(name for name in known if is_record_name(name) and name >= last)
    with suppress(OSError):
        if last in found and _is_lakes_own(lake.storage, copies / COMMITS / last):
            found.remove(last)
    return found


def _healing(
    storage: Storage, damage: Damage, copies: Path, origin: str, dry_run: bool
) -> Healing:
    copy = copies / damage.path
    is_lost = damage.kind is Kind.RECORD and _is_lost(storage, copy.name)
    try:
        why_not = _unproven(storage, damage, copy)
    except OSError as error:
        return _of_unread_copy(damage, error)
    if why_not:
        return Healing(damage, proven=False, healed=False, told=why_not)
    return _put_back(storage, damage, copies, origin, dry_run, is_lost=is_lost)


def _put_back(
    storage: Storage,
    damage: Damage,
    copies: Path,
    origin: str,
    dry_run: bool,
    *,
    is_lost: bool,
) -> Healing:
    """Put a proven copy in its place; a record that `is_lost` while that is free.

    To prove it takes as long as to read all that it names: a commit may have come.
    """
    if dry_run:
        told = f"would be {origin}"
        return Healing(damage, proven=True, healed=False, told=told)
    copy = copies / damage.path
    try:
        if not is_lost:
            storage.restore(damage.path, copy)
        elif not _is_placed(storage, copy):
            return Healing(damage, proven=False, healed=False, told=_TAKEN)
    except LakeError as error:
        told = str(error)
        if lacks_files(told):
            raise LakeError(NO_MORE_FILES) from None
        return Healing(damage, proven=True, healed=False, told=told, refused=True)
    except OSError as error:
        return _of_unread_copy(damage, error)
    return Healing(damage, proven=True, healed=True, told=origin)


def _of_unread_copy(damage: Damage, error: OSError) -> Healing:
    told = f"the copy cannot be read: {reason_of(error)}"
    return Healing(damage, proven=False, healed=False, told=told, refused=True)


def _is_placed(storage: Storage, copy: Path) -> bool:
    """Make a lost record visible once more; False if a commit has its number."""
    content = copy.read_bytes()
    commit_id = decoded_record(content).id
    storage.prepare()
    try:
        return storage.create_record(copy.name, content, commit_id)
    finally:
        storage.end_draft(commit_id)


def _is_lost(storage: Storage, name: str) -> bool:
    try:
        storage.read_record(name)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return False


def _unproven(storage: Storage, damage: Damage, copy: Path) -> str:
    """Say why a copy is not surely the lost file; nothing if it is."""
    if not copy.is_file():
        return "the copy does not have it"
    if damage.kind is Kind.RECORD:
        return _unproven_record(storage, copy)
    if not damage.sha256:
        return "its bytes are the committed ones: they were wrong from the start"
    if file_hash(copy) != damage.sha256:
        return "the copy is not what was committed either"
    return ""


def _unproven_record(storage: Storage, copy: Path) -> str:
    commit = _copied(copy)
    if isinstance(commit, str):
        return commit
    if _is_lakes_own(storage, copy):
        return "the lake has the same"
    why_not = _unproven_files(storage, commit) if commit.files else _ALONE
    if why_not and _is_between(storage, copy, commit.sequence):
        return ""
    return why_not


def _copied(copy: Path) -> Commit | str:
    """Read a copy of a record, or say what is wrong with it."""
    if not copy.is_file():
        return "the copy does not have it"
    if copy.stat().st_size > _LARGEST_RECORD_BYTES:
        return "the copy is no commit record"
    try:
        commit = decoded_record(copy.read_bytes())
    except (msgspec.MsgspecError, ValueError):
        return "the copy is damaged too"
    if copy.name != record_name(commit.sequence):
        return "the copy is another commit's record"
    return commit


def _is_between(storage: Storage, copy: Path, number: int) -> bool:
    """Tell whether the records before and after it in the copy are the lake's own.

    Where the lake has lost these too, the next that names files has to be proven by
    them.
    """
    before = copy.with_name(record_name(number - 1))
    if number > 1 and _is_lakes_own(storage, before) is False:
        return False
    while True:
        number += 1
        after = copy.with_name(record_name(number))
        own = _is_lakes_own(storage, after)
        if own is not None:
            return own
        commit = _copied(after)
        if isinstance(commit, str):
            return False
        if commit.files and not _unproven_files(storage, commit):
            return True


def _is_lakes_own(storage: Storage, copy: Path) -> bool | None:
    """Tell whether the lake's record is as in a copy; None where it has none whole."""
    try:
        held = storage.read_record(copy.name)
        decoded_record(held)
    except (OSError, ValueError):
        return None
    return copy.is_file() and copy.read_bytes() == held


def _unproven_files(storage: Storage, commit: Commit) -> str:
    for file in commit.files:
        own = file_path(file.folder, file.table, commit.id)
        safe = file.path == own and ".." not in PurePosixPath(own).parts
        if not (safe and _is_there(storage, own, file.sha256)):
            return f"{file.path} in the lake is not what the copy says"
    return ""


def _is_there(storage: Storage, path: str, sha256: str) -> bool:
    try:
        with storage.fresh(path) as found:
            return file_hash(found) == sha256
    except FileNotFoundError:
        return False
