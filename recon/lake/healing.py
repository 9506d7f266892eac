"""Bringing damaged files of the lake back from copies, only where it can be proven.

A copy is a folder laid out as the lake: an older copy of it, or what was rebuilt.
A file counts as the lost one if its SHA-256 is the committed one. A commit record has
no hash elsewhere: it counts if it names files, all of which are in the lake byte for
byte as it says. Nothing that is whole is ever touched.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import msgspec

from recon.errors import UsageError
from recon.lake.commits import Commit
from recon.lake.health import Damage, Kind, decoded_record
from recon.lake.lake import Lake
from recon.lake.storage import RECORDS, Storage, file_path, record_name
from recon.lake.verifying import file_hash

_LARGEST_RECORD_BYTES = 64 * 2**20


@dataclass(frozen=True)
class Healing:
    """What became of one damage: `healed`, or why not in `told`.

    `proven` says that the copy is the lost file, in a rehearsal too.
    """

    damage: Damage
    proven: bool
    healed: bool
    told: str


def heal(
    lake: Lake,
    damages: Sequence[Damage],
    copies: Path,
    *,
    origin: str = "restored from the copy",
    dry_run: bool = False,
) -> list[Healing]:
    """Restore damaged files from a folder that holds a copy of them.

    `origin` says of a healed one how.

    Files are proven one by one, so the copy may be older, or damaged elsewhere. Data
    files come first: they prove the commit records. Raises UsageError if `copies` is
    no folder or the lake itself, LakeError if the lake cannot be written.
    """
    if not copies.is_dir():
        raise UsageError(f"{copies} is not a folder")
    if copies.resolve() == lake.root.resolve():
        raise UsageError(f"{copies} is the lake itself, not a copy of it")
    ordered = sorted(damages, key=lambda damage: damage.kind is Kind.RECORD)
    storage = lake.storage
    healings = [
        _healing(storage, damage, copies, origin, dry_run) for damage in ordered
    ]
    return [*healings, *_lost_tail(storage, copies, origin, dry_run)]


def _lost_tail(
    storage: Storage, copies: Path, origin: str, dry_run: bool
) -> Iterator[Healing]:
    """Bring back the newest records: no gap tells that they are lost.

    Only from the number after the lake's last one on, and only while each is proven
    by the files that it names: they lie in the lake, byte for byte.
    """
    present = storage.record_names()
    number = len(present)
    if not present or present[-1] != record_name(number):
        return
    while True:
        number += 1
        lost = Damage(Kind.RECORD, f"{RECORDS}/{record_name(number)}", "it is missing")
        try:
            if _unproven(storage, lost, copies / lost.path):
                return
        except OSError:
            return
        yield _healing(storage, lost, copies, origin, dry_run)


def _healing(
    storage: Storage, damage: Damage, copies: Path, origin: str, dry_run: bool
) -> Healing:
    copy = copies / damage.path
    try:
        why_not = _unproven(storage, damage, copy)
    except OSError as error:
        why_not = f"the copy cannot be read: {error.strerror or error}"
    if why_not:
        return Healing(damage, proven=False, healed=False, told=why_not)
    if dry_run:
        told = f"would be {origin}"
        return Healing(damage, proven=True, healed=False, told=told)
    storage.restore(damage.path, copy)
    return Healing(damage, proven=True, healed=True, told=origin)


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
    if copy.stat().st_size > _LARGEST_RECORD_BYTES:
        return "the copy is no commit record"
    try:
        commit = decoded_record(copy.read_bytes())
    except (msgspec.MsgspecError, ValueError):
        return "the copy is damaged too"
    if copy.name != record_name(commit.sequence):
        return "the copy is another commit's record"
    if not commit.files:
        return "it names no file that would prove it; compare and copy it by hand"
    return _unproven_files(storage, commit)


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
