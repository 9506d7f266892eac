"""Excel workbooks (.xlsx): the first sheet, its first filled row is the header."""

import datetime as dt
import warnings
import zipfile
from collections.abc import Iterator
from typing import Any, BinaryIO

from recon.imports.formats.rows import Cell, Refusal, Row, Sheet, header_names

MAX_EXACT_NUMBER = 2**53
_MAX_ROWS = 1_048_576

_MAX_UNPACKED_BYTES = 16 * 2**30  # whoever asks for less refuses it before

_Cells = tuple[int, list[Cell]]


def read(file: BinaryIO) -> Sheet:
    """Read a workbook; a row's line is Excel's row number.

    Formulas count with the result that Excel stored. A number beyond 2^53 is refused:
    Excel has already lost its last digits.
    """
    sheet, others = _opened(file)
    rows = _rows(sheet)
    line, cells = next(rows, (1, []))
    if not cells:
        raise Refusal("is empty: the first row must name the columns", line=1)
    header = header_names([str(cell) for cell in cells], line)
    notes = [f"only the first sheet is read; not {', '.join(others)}"] if others else []
    return Sheet(header, _filled(rows, header), notes)


def refuse_large(file: BinaryIO, most: int) -> None:
    """Refuse a workbook that unpacks to more than `most` bytes; then rewind."""
    if _unpacked_bytes(file) > most:
        raise Refusal(f"unpacks to more than {most:,} bytes (limits.excel_unpacked)")
    file.seek(0)


def _opened(file: BinaryIO) -> tuple[Any, list[str]]:
    import openpyxl  # noqa: PLC0415 - most who may be given workbooks are given none

    refuse_large(file, _MAX_UNPACKED_BYTES)
    try:
        with warnings.catch_warnings():  # about styles, which nobody reads here
            warnings.simplefilter("ignore")
            book = openpyxl.load_workbook(file, read_only=True, data_only=True)
        first, *others = book.worksheets
        first.reset_dimensions()  # what a file says of its size is often wrong
    except Exception as error:  # noqa: BLE001 - damaged files raise of every kind
        raise _damaged(error) from None
    return first, [repr(each.title) for each in others]


def _unpacked_bytes(file: BinaryIO) -> int:
    try:
        with zipfile.ZipFile(file) as packed:
            return sum(member.file_size for member in packed.infolist())
    except Exception as error:  # noqa: BLE001 - damaged files raise of every kind
        raise _damaged(error) from None


def _damaged(error: Exception) -> Refusal:
    return Refusal(f"cannot be read as an Excel workbook: {type(error).__name__}")


def _rows(sheet: Any) -> Iterator[_Cells]:
    """Yield the rows that hold anything, each with its number."""
    cells = sheet.iter_rows()
    for line in range(1, _MAX_ROWS + 1):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                row = next(cells, None)
        except Exception as error:  # noqa: BLE001 - damaged files raise of every kind
            raise _damaged(error) from None
        if row is None:
            return
        texts = [_cell(cell, line, at) for at, cell in enumerate(row, start=1)]
        while texts and texts[-1] == "":
            texts.pop()
        if texts:
            yield line, texts
    raise Refusal(f"has more than {_MAX_ROWS:,} rows")


def _filled(rows: Iterator[_Cells], header: tuple[str, ...]) -> Iterator[Row]:
    width = len(header)
    for line, cells in rows:
        if len(cells) > width:
            raise Refusal(f"has a cell in column {len(cells)}, unnamed", line=line)
        yield Row(line, header, cells + [""] * (width - len(cells)))


def _cell(cell: Any, line: int, at: int) -> Cell:
    value = cell.value
    if value is None:
        return ""
    if isinstance(value, str):
        if cell.data_type == "e":
            raise Refusal(f"holds the error {value}", line=line, column=str(at))
        return value
    try:
        return typed_cell(value)
    except ValueError as error:
        raise Refusal(str(error), line=line, column=str(at)) from None


def typed_cell(value: Any) -> Cell:
    """Return the text of a typed value, exactly; ValueError where it is not exact."""
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float() if abs(value) > MAX_EXACT_NUMBER:
            raise ValueError("a number beyond 2^53 loses digits; keep it as text")
        case float() if value.is_integer():
            return str(int(value))
        case float():
            return repr(value)
        case dt.datetime():
            return value
        case dt.date():
            return dt.datetime.combine(value, dt.time())
        case _:
            return str(value)
