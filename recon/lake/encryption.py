"""Encryption of the lake's Parquet files: AES-256 in GCM mode, as Parquet has it.

Off unless `lake.encryption_key` is set. Everything in a file is encrypted, its footer
too; commit records (counts, hashes, no rows) and the journal are not. pyarrow writes
and reads the files. DuckDB never gets the key: its own reader of encrypted Parquet
fails on columns of more than one page, so it reads them as an Arrow data set, in
batches, with only the columns and rows that a query needs.
"""

import base64
import binascii
import re
from collections.abc import Mapping, Sequence
from functools import reduce
from operator import and_
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.parquet.encryption as pe

from recon.errors import LakeError, SettingsError
from recon.setting_values import Secret

if TYPE_CHECKING:
    import pyarrow.compute as pc
    import pyarrow.dataset as ds

_KEY_BYTES = 32
_MARK = b"PARE"  # of an encrypted file's beginning
_WANTED = (
    "lake.encryption_key: 32 bytes, as 64 hex digits or in base64 "
    "(openssl rand -hex 32 makes one)"
)


class Key:
    """The key of a lake; it never shows itself, and no file or error holds it."""

    __slots__ = ("_bytes",)

    def __init__(self, key_bytes: bytes) -> None:
        self._bytes = key_bytes

    @classmethod
    def of(cls, secret: Secret) -> "Key | None":
        """Read the setting; None where it is empty. SettingsError if it is no key."""
        text = secret.reveal()
        if not text:
            return None
        try:
            found = (
                bytes.fromhex(text)
                if re.fullmatch(r"[0-9a-fA-F]{64}", text)
                else base64.b64decode(text, validate=True)
            )
        except (ValueError, binascii.Error):
            found = b""
        if len(found) != _KEY_BYTES:
            raise SettingsError(_WANTED)
        return cls(found)

    def for_writing(self) -> Any:
        """Return what pyarrow needs to write one file."""
        return pe.create_encryption_properties(self._bytes)

    def for_reading(self) -> Any:
        """Return what pyarrow needs to read; files from before the key are plain."""
        return pe.create_decryption_properties(self._bytes, allow_plaintext_files=True)

    def __repr__(self) -> str:
        return "***"

    def __reduce__(self) -> Any:
        raise TypeError("a key is not written anywhere")


def for_reading(key: Key | None) -> Any:
    """Return pyarrow's `decryption_properties`: None without a key."""
    return key and key.for_reading()


def data_set(
    paths: Sequence[Path],
    schema: pa.Schema,
    key: Key | None,
    fixed: Sequence[Mapping[str, str]] = (),
) -> "ds.Dataset":
    """Return files as one Arrow data set; a column that a file lacks is null.

    `fixed` has a file's columns of one value, in the order of the files. DuckDB reads
    the set once it is registered: `connection.register(name, data_set(…))`. It has no
    bound for what Arrow holds, so Arrow reads no columns ahead, and from then on takes
    memory where what is freed goes back to the system.
    """
    import pyarrow.dataset as ds  # noqa: PLC0415 - it brings pandas, which takes long
    from pyarrow.fs import LocalFileSystem  # noqa: PLC0415 - as above

    pa.set_memory_pool(pa.system_memory_pool())
    options = ds.ParquetFragmentScanOptions(
        decryption_properties=for_reading(key), pre_buffer=False
    )
    form = ds.ParquetFileFormat(default_fragment_scan_options=options)
    places = LocalFileSystem()
    fragments = [
        form.make_fragment(str(path), places, _always(values))
        for path, values in zip(paths, fixed or [{}] * len(paths), strict=True)
    ]
    return ds.FileSystemDataset(fragments, schema, form, places)


def _always(values: Mapping[str, str]) -> "pc.Expression | None":
    """Return what is so of every row: each column has this value."""
    import pyarrow.compute as pc  # noqa: PLC0415 - as above

    parts = [pc.field(name) == value for name, value in values.items()]
    return reduce(and_, parts) if parts else None


def check_key(path: Path, key: Key | None, name: str) -> None:
    """Raise LakeError where a file, known to be whole, needs another key or one."""
    with path.open("rb") as file:
        if file.read(len(_MARK)) != _MARK:
            return
    if key is None:
        raise LakeError(f"{name} is encrypted: lake.encryption_key is not set")
    try:
        pq.read_metadata(path, decryption_properties=key.for_reading())
    except (pa.ArrowException, OSError):
        raise LakeError(
            f"{name} is encrypted with another key than lake.encryption_key"
        ) from None
