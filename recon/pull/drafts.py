"""What a pull has received so far, kept beside the lake until it commits.

A pull that is killed leaves its draft; the next one may take from it what it can prove
to hold still, and never reads it otherwise. A draft is a file of entries, each with
its length and SHA-256 before it, so that a torn end is told from what came whole. It
is for this machine and this version alone, holds no more than the lake would, and an
encrypted lake keeps none.
"""

import hashlib
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, BinaryIO, Self

import msgspec
import pyarrow as pa

import recon
from recon.lake import Lake
from recon.lake.pages import Page
from recon.lake.private_files import make_folder, opened
from recon.lake.storage import DRAFT, DRAFTS

YOUNG = timedelta(hours=1)
"""An answer of a draft that is older is asked for again."""

_LENGTH_BYTES = 4
_DIGEST_BYTES = 32
_FLUSH_SECONDS = 5.0
_PACKING = "zstd"
_PACKER = pa.Codec(_PACKING, compression_level=-3)  # a draft lives for a short time


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """One answer: its page and, for a look-up, the row that was read from it."""

    key: str
    page: Page  # its body is packed
    size: int  # of the body before
    row: dict[str, Any] | None = None


class _Head(msgspec.Struct, frozen=True, kw_only=True):
    """Whose draft it is; another address, version or way of asking is another's."""

    source: str
    asked: str
    version: str = recon.__version__


@dataclass(frozen=True)
class _Place:
    start: int
    length: int


class Draft:
    """The draft of one pull, written as answers come; a disk that refuses ends it."""

    def __init__(self, lake: Lake, source: str, asked: str, pull_id: str) -> None:
        self._folder = lake.root / DRAFTS
        self._source = source
        self._path = self._folder / f"{source}.{pull_id}{DRAFT}"
        self._head = _Head(source=source, asked=asked)
        self._file: BinaryIO | None = None
        self._possible = lake.key is None
        self._flushed_at = 0.0

    def keep(self, key: str, page: Page, row: Mapping[str, Any] | None = None) -> None:
        """Add an answer."""
        if not self._possible:
            return
        body = _PACKER.compress(page.body, asbytes=True)
        kept = Kept(
            key=key,
            page=msgspec.structs.replace(page, body=body),
            size=len(page.body),
            row=None if row is None else dict(row),
        )
        try:
            if self._file is None:
                make_folder(self._folder)
                self._file = opened(self._path, "xb")
                self._file.write(_sealed(self._head))
            self._file.write(_sealed(kept))
            self._file.flush()
            if time.monotonic() - self._flushed_at > _FLUSH_SECONDS:
                os.fsync(self._file.fileno())
                self._flushed_at = time.monotonic()
        except OSError:
            self._possible = False  # a pull does not depend on it

    def close(self) -> None:
        """Leave it for the next pull."""
        if self._file is not None:
            with suppress(OSError):
                self._file.close()
            self._file = None
        self._possible = False

    def remove(self) -> None:
        """Remove it and every earlier draft of the source: they are of no more use."""
        self.close()
        for path in self._folder.glob(f"{self._source}.*{DRAFT}"):
            with suppress(OSError):  # the pull has ended well; an hour ends the draft
                path.unlink()


class Left:
    """What a killed pull of the same source left, by key."""

    def __init__(self, path: Path, places: Mapping[str, _Place], now: datetime) -> None:
        self._path = path
        self._places = dict(places)
        self._oldest = now - YOUNG
        self._newest = now + timedelta(seconds=1)  # else a clock was set back since

    @classmethod
    def find(cls, lake: Lake, source: str, asked: str) -> Self | None:
        """Return the fullest draft that asked the same; None if there is none.

        A draft from before the source's newest commit may be older than what the lake
        holds, so it is none; nor is that of a commit that is complete, which was killed
        before it could remove it.
        """
        head = _Head(source=source, asked=asked)
        pulls = lake.commits(kind="pull", source=source)
        newest = max(pulls, key=lambda each: each.id, default=None)
        found = []
        for path in (lake.root / DRAFTS).glob(f"{source}.*{DRAFT}"):
            pull_id = path.name[len(source) + 1 : -len(DRAFT)]
            if newest and pull_id < newest.id:
                continue
            if newest and pull_id == newest.id and newest.complete:
                continue
            with suppress(OSError, msgspec.MsgspecError):
                places = _places(path, head)
                found.append((len(places), path.name, path, places))
        if lake.key is not None or not found:
            return None
        *_, path, places = max(found, key=lambda each: each[:2])
        return cls(path, places, lake.now()) if places else None

    def get(self, key: str) -> Kept | None:
        """Return what was kept, unpacked, if it is young enough."""
        place = self._places.get(key)
        if place is None:
            return None
        try:
            with self._path.open("rb") as file:
                file.seek(place.start)
                kept = msgspec.msgpack.decode(file.read(place.length), type=Kept)
            body = pa.decompress(
                kept.page.body, kept.size, codec=_PACKING, asbytes=True
            )
        except (OSError, msgspec.MsgspecError, pa.ArrowException):
            return None
        if not self._oldest <= kept.page.received_at < self._newest:
            return None
        page = msgspec.structs.replace(kept.page, body=body)
        return msgspec.structs.replace(kept, page=page)

    def keys(self) -> Iterator[str]:
        """Yield the keys of what was kept."""
        return iter(self._places)


def _sealed(entry: msgspec.Struct) -> bytes:
    content = msgspec.msgpack.encode(entry)
    length = len(content).to_bytes(_LENGTH_BYTES, "big")
    return length + hashlib.sha256(content).digest() + content


def _places(path: Path, head: _Head) -> dict[str, _Place]:
    """Return where each key's newest entry is, up to the first that is not whole."""
    places: dict[str, _Place] = {}
    with path.open("rb") as file:
        first = _next(file)
        if first is None or msgspec.msgpack.decode(first, type=_Head) != head:
            return {}
        while (content := _next(file)) is not None:
            key = msgspec.msgpack.decode(content, type=_Key).key
            places[key] = _Place(file.tell() - len(content), len(content))
    return places


class _Key(msgspec.Struct):
    key: str


def _next(file: BinaryIO) -> bytes | None:
    """Read one entry; None at the end or where it is torn or changed."""
    before = file.read(_LENGTH_BYTES + _DIGEST_BYTES)
    if len(before) < _LENGTH_BYTES + _DIGEST_BYTES:
        return None
    content = file.read(int.from_bytes(before[:_LENGTH_BYTES], "big"))
    whole = hashlib.sha256(content).digest() == before[_LENGTH_BYTES:]
    return content if whole else None
