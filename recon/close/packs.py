"""A pack: a zip whose manifest has the SHA-256 of every entry and of itself.

Equal contents make equal bytes: entries are sorted and carry no times. What is read
may come from anyone, so names, counts and sizes are bounded before anything is opened.
"""

import hashlib
import json
import os
import re
import secrets
import stat
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any, Self

from recon.close.signing import SIGNATURE
from recon.durability import make_folders, sync_folder
from recon.errors import UsageError
from recon.lake.verifying import file_hash
from recon.times import format_instant
from recon.wording import reason_of

MANIFEST = "manifest.json"
MAX_ENTRIES = 10_000
MAX_MANIFEST_BYTES = 16 * 2**20
MAX_SIGNATURE_BYTES = 1024
MAX_ENTRY_BYTES = 4 * 2**30
MAX_BYTES = 16 * 2**30
"""An entry, and all entries together, are not longer than this when unpacked."""

_FIRST_TIME = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip can say
_LEVEL = 6
_MODE = 0o600 << 16
_UNIX = 3
_CHUNK = 2**20
_ENCRYPTED = 0x1
_SAFE_NAME = re.compile(r"[\w.-]+(?:/[\w.-]+)*")


def manifest_of(files: Mapping[str, bytes], said: Mapping[str, Any]) -> bytes:
    """Return the manifest of files as JSON: what is said, the entries, and its hash.

    `sha256` is the hash of the manifest written without that key.
    """
    entries = [
        {
            "name": name,
            "size": len(files[name]),
            "sha256": hashlib.sha256(files[name]).hexdigest(),
        }
        for name in sorted(files)
    ]
    manifest = {**said, "entries": entries}
    return _json(manifest | {"sha256": _own_hash(manifest)})


def write(path: Path, files: Mapping[str, bytes]) -> str:
    """Write a zip whole or not at all, durably; returns its SHA-256.

    The drafts of it that killed writers left go: whoever calls is its only writer.
    Raises UsageError where it cannot be written.
    """
    draft = path.parent / f".{path.name}.{secrets.token_hex(4)}"
    try:
        make_folders(path.parent)
        _sweep(path)
        try:
            _write_draft(draft, files)
            digest = file_hash(draft)
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)
        sync_folder(path.parent)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from None
    return digest


def _sweep(path: Path) -> None:
    """Remove what is named as the drafts of a pack are."""
    is_draft = re.compile(rf"\.{re.escape(path.name)}\.[0-9a-f]{{8}}").fullmatch
    for each in path.parent.iterdir():
        if is_draft(each.name):
            with suppress(OSError):  # one that stays is in nobody's way
                each.unlink()


def _write_draft(draft: Path, files: Mapping[str, bytes]) -> None:
    with draft.open("xb") as file:
        with zipfile.ZipFile(file, "w") as pack:
            for name in sorted(files, key=lambda name: (name != MANIFEST, name)):
                info = zipfile.ZipInfo(name, _FIRST_TIME)
                info.compress_type = zipfile.ZIP_DEFLATED
                info.external_attr = _MODE
                info.create_system = _UNIX
                pack.writestr(info, files[name], compresslevel=_LEVEL)
        file.flush()
        os.fsync(file.fileno())


class Pack:
    """A pack opened for reading, a context manager; UsageError where it is none."""

    def __init__(self, path: Path, format_name: str) -> None:
        """Open a pack and read its manifest; nothing is unpacked to the disk."""
        self.path = path
        try:
            self._zip = zipfile.ZipFile(path)
        except Exception as error:  # noqa: BLE001 - a damaged zip raises of every kind
            raise UsageError(f"{path} is no pack: {reason_of(error)}") from None
        try:
            self._infos = _checked(path, self._zip.infolist())
            self.manifest = self._manifest(format_name)
        except BaseException:
            self._zip.close()
            raise

    def read(self, name: str) -> bytes:
        """Return an entry's content; UsageError where it cannot be unpacked."""
        return b"".join(self._chunks(name))

    @property
    def signature(self) -> bytes | None:
        """Return the signature of the manifest; None where there is none."""
        info = self._infos.get(SIGNATURE)
        if info is None:
            return None
        if info.file_size > MAX_SIGNATURE_BYTES:
            raise UsageError(f"{self.path} is no pack: {SIGNATURE} is too long")
        return self.read(SIGNATURE)

    def differences(self) -> list[str]:
        """Say which entries are not what the manifest says, and whether it is whole."""
        found = []
        claimed = self.manifest["sha256"]
        said = {key: each for key, each in self.manifest.items() if key != "sha256"}
        if _own_hash(said) != claimed:
            found.append(f"{MANIFEST}: its own hash is another: it was changed")
        elif self.read(MANIFEST) != _json(self.manifest):
            found.append(f"{MANIFEST}: it says the same in other bytes: it was changed")
        listed = {entry["name"]: entry for entry in self.manifest["entries"]}
        beside = {MANIFEST, SIGNATURE}  # one cannot name itself, the other signs it
        for name in sorted(listed.keys() | (self._infos.keys() - beside)):
            if name not in listed:
                found.append(f"{name}: it is in the pack and not in the manifest")
            elif name not in self._infos:
                found.append(f"{name}: it is in the manifest and not in the pack")
            else:
                found += self._entry_differences(name, listed[name])
        return found

    def _entry_differences(self, name: str, entry: Mapping[str, Any]) -> list[str]:
        digest, size = hashlib.sha256(), 0
        try:
            for chunk in self._chunks(name):
                digest.update(chunk)
                size += len(chunk)
        except UsageError as error:
            return [f"{name}: {error}"]
        if (digest.hexdigest(), size) != (entry["sha256"], entry["size"]):
            return [f"{name}: its content is not what the manifest says"]
        return []

    def _chunks(self, name: str) -> Iterator[bytes]:
        try:
            with self._zip.open(self._infos[name]) as entry:
                while chunk := entry.read(_CHUNK):
                    yield chunk
        except Exception as error:  # noqa: BLE001 - as above
            raise UsageError(f"{self.path} cannot be unpacked: {error}") from None

    def _manifest(self, format_name: str) -> dict[str, Any]:
        info = self._infos.get(MANIFEST)
        if info is None or info.file_size > MAX_MANIFEST_BYTES:
            raise UsageError(f"{self.path} is no pack: it has no {MANIFEST}")
        try:
            manifest = json.loads(self.read(MANIFEST))
            well_formed = _is_manifest(manifest, format_name)
        except (ValueError, RecursionError):
            well_formed = False
        if not well_formed:
            raise UsageError(
                f"{self.path} is no pack: {MANIFEST} is no manifest of one"
            )
        found: dict[str, Any] = manifest
        return found

    def close(self) -> None:
        """Close the file."""
        self._zip.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _checked(path: Path, infos: list[zipfile.ZipInfo]) -> dict[str, zipfile.ZipInfo]:
    """Return the entries by name, once none can do harm.

    The folders of entries, which whoever packs them again may add, are none.
    """
    if len(infos) > MAX_ENTRIES:
        raise UsageError(f"{path} is no pack: it has {len(infos):,} entries")
    found: dict[str, zipfile.ZipInfo] = {}
    folders = {f"{folder}/" for info in infos for folder in _above(info.filename)}
    for info in infos:
        name = info.filename
        if name in folders and not info.file_size:
            continue
        parts = name.split("/")
        is_link = stat.S_ISLNK(info.external_attr >> 16)
        safe = _SAFE_NAME.fullmatch(name) and not {".", ".."} & set(parts)
        if not safe or is_link or info.is_dir() or info.flag_bits & _ENCRYPTED:
            raise UsageError(f"{path} is no pack: the entry {name!r} is not allowed")
        if name in found:
            raise UsageError(f"{path} is no pack: {name!r} stands in it twice")
        if info.file_size > MAX_ENTRY_BYTES:
            raise UsageError(f"{path} is no pack: {name!r} is too long")
        found[name] = info
    if sum(info.file_size for info in infos) > MAX_BYTES:
        raise UsageError(f"{path} is no pack: it unpacks to too much")
    return found


def _above(name: str) -> Iterator[str]:
    """Yield the folders that an entry stands in."""
    parts = name.removesuffix("/").split("/")
    for count in range(1, len(parts)):
        yield "/".join(parts[:count])


def _is_manifest(manifest: Any, format_name: str) -> bool:
    """Tell whether a document has a manifest's shape."""
    if not isinstance(manifest, dict) or manifest.get("format") != format_name:
        return False
    entries = manifest.get("entries")
    return (
        isinstance(manifest.get("sha256"), str)
        and isinstance(entries, list)
        and all(
            isinstance(entry, dict)
            and isinstance(entry.get("name"), str)
            and isinstance(entry.get("sha256"), str)
            and type(entry.get("size")) is int
            for entry in entries
        )
    )


def _own_hash(manifest: Mapping[str, Any]) -> str:
    return hashlib.sha256(_json(manifest)).hexdigest()


def _json(value: Any) -> bytes:
    text = json.dumps(value, ensure_ascii=False, indent=1, default=_plain)
    return (text + "\n").encode()


def _plain(value: Any) -> str:
    return format_instant(value) if isinstance(value, datetime) else str(value)
