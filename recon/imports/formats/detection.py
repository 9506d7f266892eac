"""Which format a file has: by what it begins with, then by its name's ending."""

import re
import zipfile
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

_CALLED = {
    "csv": "CSV",
    "excel": "Excel (.xlsx)",
    "parquet": "Parquet",
    "json_lines": "JSON lines",
    "camt053": "camt.053",
    "mt940": "MT940",
}
"""What messages call the formats."""

READINGS = {"camt053": 2, "mt940": 2}
"""The reading of a format, where one of before took less of a file: see `Row`."""

_PACKED = b"PK\x03\x04"
_EMPTY_ARCHIVE = b"PK\x05\x06"
_CONTENTS = "[Content_Types].xml"  # of every file of Office that is an archive
_WORKBOOK = "xl/workbook.xml"
_BINARY_WORKBOOK = "xl/workbook.bin"
_STRICT = re.compile(
    rb"""xmlns(?::\w+)?\s*=\s*["']http://purl\.oclc\.org/ooxml/spreadsheetml/main["']"""
)
_OPEN_DOCUMENT = b"application/vnd.oasis.opendocument"
_MAGIC = (
    (b"PAR1", "parquet"),
    (_PACKED, "excel"),
    (b"<?xml", "camt053"),
    (b"<Document", "camt053"),
    (b"{1:", "mt940"),
    (b":20:", "mt940"),
)
_PDF = b"%PDF-"
_ARCHIVES = (b"\x1f\x8b", b"Rar!\x1a\x07", b"7z\xbc\xaf\x27\x1c")  # gzip, RAR, 7-Zip
_MARK = b"\xef\xbb\xbf"
_OLD_EXCEL = b"\xd0\xcf\x11\xe0"
_LOCKED = re.compile(  # an entry of its directory: 64 bytes of a name, their number
    re.escape("EncryptedPackage\0".encode("utf-16-le")) + rb".{30}\x22\0", re.DOTALL
)
_ENTRY_BYTES = 66
_CHUNK = 2**20
_WEB_PAGE = re.compile(
    rb"(?:<\?xml[^>]*>|<!--(?:(?!-->).)*-->|\s)*"
    rb"<(?:!doctype\s+html|html|head|meta|style|body|table|div)[\s>/]"
    rb"|mime-version:",
    re.IGNORECASE | re.DOTALL,
)
_OLD_WORKBOOK_XML = re.compile(
    rb"(?:<\?xml[^>]*>|<!--(?:(?!-->).)*-->|\s)*"
    rb"(?:<\?mso-application\s[^>]*Excel\.Sheet"
    rb"|<(?:\w+:)?Workbook\s[^>]*urn:schemas-microsoft-com:office:spreadsheet)",
    re.DOTALL,
)
_UTF_32 = re.compile(rb"\xff\xfe\0\0|\0\0\xfe\xff|[^\0]\0\0\0|\0\0\0[^\0]")
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
    _refuse_untaken(head, text, file)
    for magic, found in _MAGIC:
        if text.startswith(magic):
            return found
    known = _SUFFIXES.get(PurePath(name).suffix.lower())
    if known == "excel":
        raise Refusal(
            "cannot be read as an Excel workbook: it does not begin as one, whatever "
            "its name says; where it is CSV, name it .csv"
        )
    if known is not None:
        return known
    return "json_lines" if text.startswith(b"{") else "csv"


def reader_of(found: str, readers: Mapping[str, SheetReader], kind: str) -> SheetReader:
    """Return the reader of a format; Refusal where the kind does not take it."""
    reader = readers.get(found)
    if reader is None:
        taken = ", ".join(_CALLED[each] for each in readers)
        raise Refusal(f"is {_CALLED[found]}; {kind} takes {taken}")
    return reader


def _refuse_untaken(head: bytes, text: bytes, file: BinaryIO) -> None:
    """Refuse what no reader takes, and say what to save it as.

    `head` is how the file begins, `text` the same without a mark and spaces.
    """
    if head.startswith(_PACKED) and _OPEN_DOCUMENT in head:
        raise Refusal("is an OpenDocument file (.ods); save it as .xlsx or CSV")
    if text.startswith(_PDF):
        raise Refusal("is a PDF, not a table; export it as Excel (.xlsx) or CSV")
    if head.startswith(_ARCHIVES):
        raise Refusal("is a packed file (gzip, RAR or 7-Zip); unpack it first")
    if _WEB_PAGE.match(text):
        raise Refusal(
            "is a web page (HTML), not a workbook, whatever its name says; open it in "
            "a spreadsheet program and save it as .xlsx or CSV in UTF-8"
        )
    if _OLD_WORKBOOK_XML.match(text):
        raise Refusal("is an Excel 2003 XML workbook; save it as .xlsx or CSV")
    if head.startswith((_PACKED, _EMPTY_ARCHIVE)):
        _refuse_no_workbook(file)
    if head.startswith(_OLD_EXCEL):
        _refuse_old_excel(file)
    if _UTF_32.match(head):
        raise Refusal("is UTF-32; save it as UTF-8", line=1)
    if head.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in head[:2]:
        raise Refusal("is UTF-16; save it as UTF-8", line=1)


def _refuse_no_workbook(file: BinaryIO) -> None:
    """Refuse an archive that its reader could not take for a workbook; else rewind.

    One that is damaged is the reader's to refuse.
    """
    try:
        with zipfile.ZipFile(file) as packed:
            names = set(packed.namelist())
            workbook = b""
            if _WORKBOOK in names:
                with packed.open(_WORKBOOK) as part:
                    workbook = part.read(_HEAD_BYTES)
    except Exception:  # noqa: BLE001 - damaged files raise of every kind
        file.seek(0)
        return
    file.seek(0)
    if _CONTENTS not in names:
        raise Refusal("is a zip archive and no workbook; unpack it first")
    if _BINARY_WORKBOOK in names:
        raise Refusal("is a binary Excel workbook (.xlsb); save it as .xlsx or CSV")
    if _STRICT.search(workbook):
        raise Refusal(
            "is a Strict Open XML workbook; save it as Excel Workbook (.xlsx) or CSV"
        )


def _refuse_old_excel(file: BinaryIO) -> None:
    before = b""
    while chunk := file.read(_CHUNK):
        if _LOCKED.search(before + chunk):
            raise Refusal(
                "is protected by a password; remove it in Excel, and save the workbook"
            )
        before = chunk[-_ENTRY_BYTES:]
    raise Refusal("is an old Excel file (.xls); save it as .xlsx or CSV")
