"""A lake in a bucket of S3 or of a store that speaks like it.

A commit record appears by one conditional put (`If-None-Match: *`), nothing is ever
renamed or changed, and what a put answered is never taken on trust: after a cut or
doubtful answer the object itself is read, and it is ours if it holds our bytes. Files
are written and read in a local folder, the cache. It may be deleted at any time: all
that is durable is in the bucket, and what is fetched is proven before it is used.
"""

import hashlib
import re
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from recon.errors import CorruptLake, LakeError
from recon.lake.addresses import Address
from recon.lake.commits import decoded
from recon.lake.folder import measured
from recon.lake.leases import Lease
from recon.lake.objects import Objects
from recon.lake.private_files import make_folder, opened, writable, write_private
from recon.lake.storage import (
    COMMITS,
    DATA_FOLDERS,
    DRAFT,
    Measure,
    draft_path,
    record_name,
    side_by_side,
)
from recon.lake.verifying import Verifier
from recon.settings import LakeSettings
from recon.wording import reason_of

_MACHINE = re.compile(r"[0-9a-f]{32}")
_FRESH = "fresh"  # the cache's folder of files that are being fetched


class Bucket:
    """The storage of a lake whose files are objects; `root` is its cache."""

    workers = 16

    def __init__(self, address: Address, cache: Path, given: LakeSettings) -> None:
        self.root = cache
        self.place = str(address)
        self.objects = Objects(address, given)
        self._verifier = Verifier()
        self._tags: dict[str, str] = {}
        self._probed: dict[str, bytes] = {}
        self._proven = False

    def prepare(self) -> None:
        """Make the cache, and prove once that the store keeps to conditions.

        A store that ignores them would let two commits take one number.
        """
        self._make(self.root)
        if self._proven:
            return
        name = draft_path(f"probe-{secrets.token_hex(8)}")
        try:
            first = self.objects.create(name, b"1")
            second = self.objects.create(name, b"2")
        finally:
            self.objects.remove(name)
        if not first or second:
            raise LakeError(
                f"{self.place}: this store ignores If-None-Match, so two commits could "
                "take one number; no lake can be kept in it"
            )
        self._proven = True

    def record_names(self, known: int = 0) -> list[str]:
        """Return the records' names, looked for one by one where a list has none.

        A list may lag behind: holes in it, and what follows its end, are asked for by
        name.
        """
        if known:
            names = {record_name(number + 1) for number in range(known)}
        else:
            names = self._listed_records()
            last = max(names, default="")
            if last and not last.removesuffix(".json").isdigit():
                return sorted(names)
            count = int(last.removesuffix(".json")) if last else 0
            wanted = {record_name(number + 1) for number in range(count)}
            names |= {name for name in sorted(wanted - names) if self._is_there(name)}
            known = count
        while self._is_there(record_name(known + 1)):
            known += 1
            names.add(record_name(known))
        return sorted(names)

    def read_record(self, name: str) -> bytes:
        """Return a record's bytes; a copy of the very same object saves the way.

        What arrives damaged is asked for once more: the way may have damaged it.
        """
        if name in self._probed:
            content = self._probed.pop(name)
            return content if _is_sound(content) else self._record(name)
        tag = self._tags.get(name)
        copy = self._copy_of(name, tag) if tag else None
        if copy is not None:
            with suppress(OSError, ValueError):
                content = copy.read_bytes()
                decoded(content)
                return content
        content = self._record(name)
        if not _is_sound(content):
            content = self._record(name)
        if copy is not None:
            self._place(copy, content)
        return content

    def _record(self, name: str) -> bytes:
        return self.objects.get(f"{COMMITS}/{name}")

    def create_record(self, name: str, content: bytes, commit_id: str) -> bool:
        """Create the record if no other has the name."""
        del commit_id
        return self.objects.create(f"{COMMITS}/{name}", content)

    def end_draft(self, commit_id: str) -> None:
        """Remove the note of the upload; one that stays is swept later."""
        with suppress(LakeError):
            self.objects.remove(draft_path(commit_id))

    def publish(self, commit_id: str, paths: Sequence[str]) -> None:
        """Note that an upload begins, then send the files under their final names."""
        if not paths:
            return
        self.objects.put(draft_path(commit_id), "\n".join(paths).encode())
        for _ in side_by_side(self, self._upload, paths):
            pass

    def withdraw(self, commit_id: str, paths: Sequence[str]) -> None:
        """Remove what was sent; what cannot be is swept later, for its note stays."""
        with suppress(LakeError):
            for path in paths:
                self.objects.remove(path)
            self.objects.remove(draft_path(commit_id))

    def fetch(self, path: str, size: int, sha256: str) -> Path:
        """Return the cached copy, fetched anew if it is not what was committed.

        What arrives damaged is fetched once more: the way may have damaged it.
        """
        copy = self.root / path
        if copy.exists():
            with suppress(CorruptLake):
                self._verifier.check(copy, size, sha256, str(copy))
                return copy
        with suppress(CorruptLake):
            return self._fetched(path, size, sha256)
        return self._fetched(path, size, sha256)

    def _fetched(self, path: str, size: int, sha256: str) -> Path:
        copy, name = self.root / path, f"{self.place}/{path}"
        try:
            with self.fresh(path) as arrived:
                self._verifier.check(arrived, size, sha256, name, remember=False)
                self._make(copy.parent)
                arrived.replace(copy)
        except FileNotFoundError:
            raise CorruptLake(f"{name}: a committed file is missing") from None
        self._verifier.check(copy, size, sha256, name)
        return copy

    @contextmanager
    def fresh(self, path: str) -> Iterator[Path]:
        """Fetch a file to a name that nobody else knows; it goes away afterwards."""
        place = self.root / _FRESH / secrets.token_hex(8)
        self._make(place.parent)
        try:
            try:
                with opened(place, "xb") as file:
                    for some in self.objects.stream(path):
                        file.write(some)
            except FileNotFoundError:
                raise
            except OSError as error:
                raise LakeError(
                    f"{place} cannot be written: {reason_of(error)}"
                ) from None
            yield place
        finally:
            place.unlink(missing_ok=True)

    def stored(self) -> dict[str, Measure]:
        """Return the objects of data and the drafts, their age by the store's clock."""
        found: dict[str, Any] = {}
        for folder in DATA_FOLDERS:
            found |= {each["path"]: each for each in self.objects.list(f"{folder}/")}
        found |= {
            each["path"]: each
            for each in self.objects.list(f"{COMMITS}/")
            if each["path"].endswith(DRAFT)
        }
        if not found:
            return {}
        now = self.now()
        return {
            path: Measure(each["size"], max(timedelta(), now - each["last_modified"]))
            for path, each in found.items()
        }

    def has_records(self) -> bool:
        """Tell whether there is any record or draft: a draft comes before a file."""
        return any(True for _ in self.objects.list(f"{COMMITS}/"))

    def is_whole(self, path: str) -> bool:
        """Say yes, but of the note of an upload: an object is whole or not there."""
        return not path.startswith(f"{COMMITS}/")

    def remove(self, path: str) -> None:
        """Remove an object and its copy."""
        self.objects.remove(path)
        with suppress(OSError):
            (self.root / path).unlink(missing_ok=True)

    def restore(self, path: str, copy: Path) -> None:
        """Put a copy in an object's place: a put is whole or not at all."""
        self.objects.put(path, copy)
        self._tags.clear()
        self._probed.clear()
        with suppress(OSError):
            (self.root / path).unlink(missing_ok=True)

    @contextmanager
    def run_lease(self) -> Iterator[None]:
        """Hold the lease of the bucket; it runs out if this process does not renew."""
        with Lease(self.objects, self._machine(), self.now, self.place):
            yield

    def clear(self, named: set[str], older_than: timedelta) -> None:
        """Remove copies that no commit names: of killed writers and fetches."""
        copies = measured(self.root, (*DATA_FOLDERS, _FRESH))
        for path, measure in copies.items():
            if path not in named and measure.age > older_than:
                with suppress(OSError):
                    (self.root / path).unlink(missing_ok=True)

    def now(self) -> datetime:
        """Return the present by the store's clock, which is what ages are taken by."""
        self.objects.put("clock", b"")
        return self.objects.look("clock").at

    def _listed_records(self) -> set[str]:
        found = {
            each["path"].removeprefix(f"{COMMITS}/"): each["e_tag"] or ""
            for each in self.objects.list(f"{COMMITS}/")
            if each["path"].endswith(".json")
        }
        self._tags = found
        return set(found)

    def _is_there(self, name: str) -> bool:
        try:
            self._probed[name] = self._record(name)
        except FileNotFoundError:
            return False
        return True

    def _copy_of(self, name: str, tag: str) -> Path:
        digest = hashlib.sha256(tag.encode()).hexdigest()[:16]
        return self.root / COMMITS / f"{name.removesuffix('.json')}.{digest}.copy"

    def _place(self, copy: Path, content: bytes) -> None:
        """Keep a copy; that it cannot be kept harms nothing."""
        draft = copy.with_name(f"{copy.name}.{secrets.token_hex(4)}")
        with suppress(OSError):
            make_folder(copy.parent)
            write_private(draft, content)
            draft.replace(copy)

    def _upload(self, path: str) -> None:
        self.objects.put(path, self.root / path)

    def _machine(self) -> str:
        """Return what tells this cache, hence this machine, from every other.

        A process that was killed may have left a part of the name, or none, which
        would be nobody's: so it is written beside its place and put there whole.
        """
        place = self.root / "machine"
        with suppress(FileNotFoundError):
            found = place.read_bytes().decode("ascii", "replace")
            if _MACHINE.fullmatch(found):
                return found
        name = secrets.token_hex(16)
        draft = place.with_name(f"{place.name}.new")
        with writable(place):
            write_private(draft, name.encode())
            draft.replace(place)
        return name

    def _make(self, folder: Path) -> None:
        with writable(folder):
            make_folder(folder)


def _is_sound(content: bytes) -> bool:
    with suppress(ValueError):
        decoded(content)
        return True
    return False
