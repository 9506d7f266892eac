"""Which format a file has: by what it begins with, then by its name's ending."""

import re
from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import BinaryIO

from recon.imports.formats import csv_text, excel, json_lines, parquet
from recon.imports.formats.rows import Refusal, Sheet

SheetReader = Callable[..., Sheet]

TABULAR: Mapping[str, SheetReader] = {
    "csv": csv_text.read,
    "excel": excel.read,
    "parquet": parquet.read,
    "json_lines": json_lines.read,
}
"""The readers of the formats that every table may come in."""

TITLED = {"csv", "excel"}
"""Formats that may have titles above the header; their readers are told what it is."""

TITLES = {
    "csv": "CSV",
    "excel": "Excel (.xlsx)",
    "parquet": "Parquet",
    "json_lines": "JSON lines",
    "camt053": "camt.053",
    "mt940": "MT940",
}

READINGS = {"camt053": 2, "mt940": 2}
"""The reading of a format, where one of before took less of a file: see `Row`."""

_PACKED = b"PK\x03\x04"
_OPEN_DOCUMENT = b"application/vnd.oasis.opendocument"
_MAGIC = (
    (b"PAR1", "parquet"),
    (_PACKED, "excel"),
    (b"<?xml", "camt053"),
    (b"<Document", "camt053"),
    (b"{1:", "mt940"),
    (b":20:", "mt940"),
)
_MARK = b"\xef\xbb\xbf"
_OLD_EXCEL = b"\xd0\xcf\x11\xe0"
_WEB_PAGE = re.compile(
    rb"(?:<\?xml[^>]*>|<!--(?:(?!-->).)*-->|\s)*"
    rb"<(?:!doctype\s+html|html|head|meta|style|body|table|div)[\s>/]"
    rb"|mime-version:",
    re.IGNORECASE | re.DOTALL,
)
_SUFFIXES = {
    ".csv": "csv",
    ".txt": "csv",
    ".xlsx": "excel",
    ".xlsm": "excel",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".jsonl": "json_lines",
    ".ndjson": "json_lines",
    ".json": "json_lines",
    ".xml": "camt053",
    ".sta": "mt940",
    ".mt940": "mt940",
    ".940": "mt940",
}
_HEAD_BYTES = 4096


def detect(name: str, file: BinaryIO) -> str:
    """Return the name of a file's format; the file is left at its beginning."""
    head = file.read(_HEAD_BYTES)
    file.seek(0)
    text = head.removeprefix(_MARK).lstrip()
    if head.startswith(_PACKED) and _OPEN_DOCUMENT in head:
        raise Refusal("is an OpenDocument file (.ods); save it as .xlsx or CSV")
    if _WEB_PAGE.match(text):
        raise Refusal(
            "is a web page (HTML), not a workbook, whatever its name says; open it in "
            "a spreadsheet program and save it as .xlsx or CSV in UTF-8"
        )
    for magic, found in _MAGIC:
        if text.startswith(magic):
            return found
    if head.startswith(_OLD_EXCEL):
        raise Refusal("is an old Excel file (.xls); save it as .xlsx or CSV")
    if head.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in head[:2]:
        raise Refusal("is UTF-16; save it as UTF-8", line=1)
    known = _SUFFIXES.get(PurePath(name).suffix.lower())
    if known is not None:
        return known
    return "json_lines" if text.startswith(b"{") else "csv"


def reader_of(found: str, readers: Mapping[str, SheetReader], kind: str) -> SheetReader:
    """Return the reader of a format; Refusal where the kind does not take it."""
    reader = readers.get(found)
    if reader is None:
        taken = ", ".join(TITLES[each] for each in readers)
        raise Refusal(f"is {TITLES[found]}; {kind} takes {taken}")
    return reader
