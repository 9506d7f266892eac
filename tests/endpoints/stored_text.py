"""Everything that stands in a folder of files, unpacked: what a thief would read."""

import base64
import gzip
import io
import json
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow.parquet as pq

PACKED = {".xlsx", ".zip"}


def texts(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Give the content of every file under a folder, as it is and unpacked."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield from unpacked(str(path.relative_to(folder)), path.read_bytes())


def unpacked(name: str, content: bytes) -> Iterator[tuple[str, bytes]]:
    """Give a file's content, and what its compression hides."""
    yield name, name.encode() + b"\n" + content
    if content[:4] == b"PAR1":
        table = pq.read_table(io.BytesIO(content))
        for column in table.column_names:
            values = table.column(column).to_pylist()
            yield f"{name}:{column}", b"\n".join(map(_as_bytes, values))
    elif zipfile.is_zipfile(io.BytesIO(content)):
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            for inner in packed.namelist():
                yield from unpacked(f"{name}:{inner}", packed.read(inner))
    elif content[:2] == b"\x1f\x8b":
        yield from unpacked(f"{name}:unzipped", gzip.decompress(content))


def _as_bytes(value: object) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()


def leaks(
    canaries: Iterable[str], content: Iterable[tuple[str, bytes]]
) -> list[tuple[str, str]]:
    """Return where a canary stands, plain or as programs write secrets down."""
    wanted = [(each, shape) for each in canaries for shape in _shapes(each)]
    return [
        (name, canary)
        for name, text in content
        for canary, shape in wanted
        if shape in text
    ]


def _shapes(canary: str) -> set[bytes]:
    """Return a secret as it is, in hex, in UTF-16, and within Base64 at any place."""
    raw = canary.encode()
    inside = {
        base64.b64encode(b"x" * shift + raw)[4 * bool(shift) + shift : -4]
        for shift in range(3)
    }
    quoted = json.dumps(canary)[1:-1].encode()
    wide = canary.encode("utf-16-le")
    return {raw, quoted, raw.hex().encode(), wide, *inside}
