"""Refusing a file in which a secret of the settings stands: it would be kept for good.

A shop's own log of its requests may have the key that it sent. Called for each file
before its bytes are stored.
"""

import zipfile
from collections.abc import Iterator
from typing import IO, Any, BinaryIO

import pyarrow as pa

from recon.api.redaction import Redaction, named_secrets
from recon.imports.formats import parquet
from recon.imports.formats.rows import Refusal
from recon.setting_values import Secret
from recon.settings import Settings

_CHUNK = 2**20
_TAIL = 2**14  # bytes; no spelling of a secret is longer
_BATCH_ROWS = 10_000
_OF_XML = ((b"&lt;", b"<"), (b"&gt;", b">"), (b"&quot;", b'"'), (b"&amp;", b"&"))
_ESCAPED = {"csv": ((b'""', b'"'),), "excel": _OF_XML, "camt053": _OF_XML}
"""How formats write signs that mean something to them; the rest `Redaction` knows."""

_Place = dict[str, Any]
"""The line or the column of a text, as a Refusal has them."""


def refuse_secrets(file: BinaryIO, found: str, settings: Settings) -> None:
    """Refuse a file of a format that has a secret anywhere; else rewind.

    What cannot be read of it is its reader's to refuse.
    """
    redaction = Redaction.of(settings)
    texts = {"excel": _of_workbook, "parquet": _of_table}.get(found, _of_text)
    for text, place in texts(file):
        for escaped, sign in _ESCAPED.get(found, ()):
            text = text.replace(escaped, sign)  # noqa: PLW2901 - one after the other
        kept = redaction.masked(text)
        if kept != text:
            raise _refusal(text, kept, place, settings)
    file.seek(0)


def _refusal(text: bytes, kept: bytes, place: _Place, settings: Settings) -> Refusal:
    """Say which secret stands in a text, and where; `kept` is the text without it."""
    names = (n for n, secret in named_secrets(settings) if _stands_in(text, secret))
    if "line" in place:
        lines = zip(text.split(b"\n"), kept.split(b"\n"), strict=True)
        above = next(at for at, (line, same) in enumerate(lines) if line != same)
        place = {"line": place["line"] + above}
    told = f"holds the secret {next(names)}, which would be kept: take it out of it"
    return Refusal(told, **place)


def _stands_in(text: bytes, secret: Secret) -> bool:
    own = Redaction()
    own.hide(secret.reveal())
    return own.masked(text) != text


def _of_text(file: IO[bytes]) -> Iterator[tuple[bytes, _Place]]:
    """Yield a file in parts that overlap, and the line on which each begins."""
    line, part = 1, b""
    while chunk := file.read(_CHUNK):
        part += chunk
        yield part, {"line": line}
        line += part.count(b"\n", 0, max(0, len(part) - _TAIL))
        part = part[-_TAIL:]


def _of_workbook(file: BinaryIO) -> Iterator[tuple[bytes, _Place]]:
    """Yield all that is packed in a workbook."""
    try:
        with zipfile.ZipFile(file) as packed:
            for each in packed.infolist():
                with packed.open(each) as member:
                    yield from ((part, {}) for part, _ in _of_text(member))
    except Exception:  # noqa: BLE001 - damaged files raise of every kind
        return


def _of_table(file: BinaryIO) -> Iterator[tuple[bytes, _Place]]:
    """Yield the texts of each column of a Parquet file, some rows at once."""
    batches = parquet.opened(file).iter_batches(_BATCH_ROWS)
    try:
        for batch in batches:
            for name, column in zip(batch.schema.names, batch.columns, strict=True):
                text = "\n".join(map(str, _texts(column)))
                yield text.encode(errors="surrogatepass"), {"column": name}
    except Exception:  # noqa: BLE001 - as above
        return


def _texts(column: pa.Array) -> list[Any]:
    """Return the values of a column that may be, or hold, texts."""
    kind = column.type
    is_plain = pa.types.is_primitive(kind) or pa.types.is_decimal(kind)
    return [] if is_plain else column.to_pylist()
