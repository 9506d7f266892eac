"""Bringing damaged files of the lake back from copies, only where it can be proven.

A file counts as the lost one if its SHA-256 is the committed one. A commit record has
no hash elsewhere: it counts if it names files, all of which are in the lake byte for
byte as it says. Nothing that is whole is ever touched.
"""

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from recon.errors import LakeError, UsageError
from recon.lake.commits import Commit, sync_folder, write_durably
from recon.lake.health import Damage, Kind, decoded_record, file_hash
from recon.lake.lake import Lake

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
    lake: Lake, damages: Sequence[Damage], copies: Path, *, dry_run: bool = False
) -> list[Healing]:
    """Restore damaged files from a folder that was once a copy of the lake.

    Files are proven one by one, so the copy may be older, or damaged elsewhere. Data
    files come first: they prove the commit records. Raises UsageError if `copies` is
    no folder or the lake itself, LakeError if the lake cannot be written.
    """
    if not copies.is_dir():
        raise UsageError(f"{copies} is not a folder")
    if copies.resolve() == lake.root.resolve():
        raise UsageError(f"{copies} is the lake itself, not a copy of it")
    ordered = sorted(damages, key=lambda damage: damage.kind is Kind.RECORD)
    healings = [_healing(lake.root, damage, copies, dry_run) for damage in ordered]
    return [*healings, *_lost_tail(lake.root, copies, dry_run)]


def _lost_tail(root: Path, copies: Path, dry_run: bool) -> Iterator[Healing]:
    """Bring back the newest records: no gap tells that they are lost.

    Only from the number after the lake's last one on, and only while each is proven
    by the files that it names: they lie in the lake, byte for byte.
    """
    present = sorted((root / "commits").glob("*.json"))
    number = len(present)
    if not present or present[-1].name != f"{number:08d}.json":
        return
    while True:
        number += 1
        lost = Damage(Kind.RECORD, f"commits/{number:08d}.json", "it is missing")
        try:
            if _unproven(root, lost, copies / lost.path):
                return
        except OSError:
            return
        yield _healing(root, lost, copies, dry_run)


def _healing(root: Path, damage: Damage, copies: Path, dry_run: bool) -> Healing:
    copy = copies / damage.path
    try:
        why_not = _unproven(root, damage, copy)
    except OSError as error:
        why_not = f"the copy cannot be read: {error.strerror or error}"
    if why_not:
        return Healing(damage, proven=False, healed=False, told=why_not)
    if dry_run:
        return Healing(damage, proven=True, healed=False, told="would be restored")
    _put_back(copy, root / damage.path)
    return Healing(damage, proven=True, healed=True, told="restored from the copy")


def _unproven(root: Path, damage: Damage, copy: Path) -> str:
    """Say why a copy is not surely the lost file; nothing if it is."""
    if not copy.is_file():
        return "the copy does not have it"
    if damage.kind is Kind.RECORD:
        return _unproven_record(root, copy)
    if not damage.sha256:
        return "its bytes are the committed ones: they were wrong from the start"
    if file_hash(copy) != damage.sha256:
        return "the copy is not what was committed either"
    return ""


def _unproven_record(root: Path, copy: Path) -> str:
    if copy.stat().st_size > _LARGEST_RECORD_BYTES:
        return "the copy is no commit record"
    try:
        commit = decoded_record(copy.read_bytes())
    except (msgspec.MsgspecError, ValueError):
        return "the copy is damaged too"
    if copy.name != f"{commit.sequence:08d}.json":
        return "the copy is another commit's record"
    if not commit.files:
        return "it names no file that would prove it; compare and copy it by hand"
    return _unproven_files(root, commit)


def _unproven_files(root: Path, commit: Commit) -> str:
    for file in commit.files:
        own = f"{file.folder}/{file.table}/{commit.id}.parquet"
        path = root / own
        proven = (
            file.path == own
            and ".." not in Path(own).parts
            and path.is_file()
            and file_hash(path) == file.sha256
        )
        if not proven:
            return f"{file.path} in the lake is not what the copy says"
    return ""


def _put_back(copy: Path, place: Path) -> None:
    """Write the copy beside its place, flush it, and swap it in at once."""
    draft = place.with_name(f".{place.name}.{secrets.token_hex(4)}.draft")
    try:
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            write_durably(draft, copy.read_bytes())
            draft.replace(place)
            sync_folder(place.parent)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise LakeError(f"{place} cannot be written: {error}") from None
