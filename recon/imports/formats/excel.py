"""Excel workbooks (.xlsx): the first sheet that is shown, and the header in it."""

import datetime as dt
import warnings
import zipfile
from collections.abc import Callable, Iterator
from itertools import count, zip_longest
from operator import itemgetter
from typing import Any, BinaryIO, NamedTuple

from recon.imports.formats.rows import (
    Cell,
    Lacks,
    MergedCell,
    NoText,
    Refusal,
    Row,
    Sheet,
    UnclearTime,
    headed,
    header_names,
    marked_number,
    shown_number,
)
from recon.imports.formats.sheet_xml import (
    Markup,
    MergedBelow,
    damaged,
    has_formulas,
    is_uncalculated,
    markup,
    refuse_long,
)
from recon.wording import counted

MAX_EXACT_NUMBER = 2**53
_MAX_ROWS = 1_048_576

_MAX_UNPACKED_BYTES = 16 * 2**30  # whoever asks for less refuses it before

_FIRST = 0  # of the sheets, as Excel shows them
_SHOWN = "visible"
_TEXT_RESULT = "str"
_ZONED = "is a date with a zone that no sheet shows: make it a text, with its offset"

_NOT_CALCULATED = (0, dt.time())  # what stands for a result, as number and as time

_Cells = tuple[int, list[Cell]]
_Read = tuple[Any, ...]
_CellReader = Callable[[Any, int, int], Cell]


class _Formulas(NamedTuple):
    """A sheet with its formulas in place of their results, which may be awaited yet."""

    sheet: Any
    are_awaited: bool


def read(file: BinaryIO, lacks: Lacks | None = None) -> Sheet:
    """Read a workbook; a row's line is Excel's row number.

    `lacks` finds the header below a sheet's titles. Formulas count with the result
    that Excel stored; one that another program left without a result, or with a 0 in
    its place, is refused. A number beyond 2^53 is refused: Excel has already lost its
    last digits.
    """
    return _read(file, _FIRST, _cell, lacks)


def read_edited(file: BinaryIO, is_named: Callable[[str], bool]) -> Sheet:
    """Read a workbook of ours that people edited: the sheet with such a header.

    Where several that are shown have one, nobody knows which was edited: Refusal. A
    number that lost digits is given as it stands: not every column matters here.
    """
    sheets, titles = _opened(file)
    found = [
        at
        for at, sheet in enumerate(sheets)
        if any(is_named(str(name)) for name in _header(sheet))
    ]
    shown = [titles[at] for at in found if sheets[at].sheet_state == _SHOWN]
    if len(shown) > 1:
        raise Refusal(
            f"has the same columns in several sheets ({', '.join(shown)}): leave the "
            "one that counts, or hide the others"
        )
    return _read(file, found[0] if found else _FIRST, _shown_cell)


def _read(
    file: BinaryIO, at: int, cell: _CellReader, lacks: Lacks | None = None
) -> Sheet:
    """Read the sheet that stands at that place among those that are shown."""
    sheets, titles = _opened(file)
    others = [title for place, title in enumerate(titles) if place != at]
    formulas = None
    if has_formulas(file):
        are_awaited = is_uncalculated(file, sheets[at])
        formulas = _Formulas(_opened(file, results=False)[0][at], are_awaited)
    faults: dict[int, Refusal] = {}
    found = headed(_rows(sheets[at], formulas, cell, faults), lacks)
    if found.line in faults:
        raise faults[found.line]
    if not found.cells:
        raise Refusal("is empty: the first row must name the columns", line=1)
    header = header_names(found.cells, found.line)
    said = markup(file, sheets[at])
    if said.hidden:
        found.notes.append(
            f"{counted(said.hidden, 'row')} of the sheet, hidden as by a filter, "
            f"{'is' if said.hidden == 1 else 'are'} read, too"
        )
    unread = f"only the first sheet is read; not {', '.join(others)}" if others else ""
    found.notes.extend([unread] if unread else [])
    rows = _filled(found.rows, header, said, faults)
    return Sheet(header, rows, found.notes, found.line, found.titles, unread)


def refuse_large(file: BinaryIO, most: int) -> None:
    """Refuse a workbook that unpacks to more than `most` bytes; then rewind."""
    if _unpacked_bytes(file) > most:
        raise Refusal(f"unpacks to more than {most:,} bytes (limits.excel_unpacked)")
    file.seek(0)


def _header(sheet: Any) -> list[Any]:
    rows = sheet.iter_rows(max_row=1, values_only=True)
    return list(next(rows, ()))


def _opened(file: BinaryIO, *, results: bool = True) -> tuple[list[Any], list[str]]:
    """Return the sheets, those that Excel shows first, and their titles."""
    import openpyxl  # noqa: PLC0415 - most who may be given workbooks are given none

    refuse_large(file, _MAX_UNPACKED_BYTES)
    if results:  # else it was looked at
        refuse_long(file)
    try:
        with warnings.catch_warnings():  # about styles, which nobody reads here
            warnings.simplefilter("ignore")
            book = openpyxl.load_workbook(file, read_only=True, data_only=results)
        sheets = sorted(book.worksheets, key=lambda each: each.sheet_state != _SHOWN)
        for sheet in sheets:
            sheet.reset_dimensions()  # what a file says of its size is often wrong
            sheet._get_row = _in_order(sheet._get_row)  # noqa: SLF001 - as in sheet_xml
    except Exception as error:  # noqa: BLE001 - damaged files raise of every kind
        raise damaged(error) from None
    if not sheets:
        raise Refusal("has no sheet")
    return sheets, [_told(each) for each in sheets]


def _in_order(of_row: Callable[..., _Read]) -> Callable[..., _Read]:
    """Give openpyxl a row's cells in order: it drops what is beyond the last one."""

    def read(cells: list[dict[str, Any]], *bounds: Any) -> _Read:
        cells.sort(key=itemgetter("column"))
        return of_row(cells, *bounds)

    return read


def _told(sheet: Any) -> str:
    hidden = "" if sheet.sheet_state == _SHOWN else " (hidden)"
    return f"{sheet.title!r}{hidden}"


def _unpacked_bytes(file: BinaryIO) -> int:
    try:
        with zipfile.ZipFile(file) as packed:
            return sum(member.file_size for member in packed.infolist())
    except Exception as error:  # noqa: BLE001 - damaged files raise of every kind
        raise damaged(error) from None


def _rows(
    sheet: Any,
    written: _Formulas | None,
    read: _CellReader,
    faults: dict[int, Refusal],
) -> Iterator[_Cells]:
    """Yield the rows that hold anything, each with its number.

    `written` is the same sheet with formulas in place of their results. A row that
    cannot be read stands in `faults` with the reason, and its cells at fault are empty.
    """
    cells = sheet.iter_rows()
    formulas = written.sheet.iter_rows() if written else None
    for line in count(1):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                row = next(cells, None)
                formulas_of_row = next(formulas, ()) if formulas else ()
        except Exception as error:  # noqa: BLE001 - damaged files raise of every kind
            raise damaged(error) from None
        if row is None:
            return
        if line > _MAX_ROWS:
            raise Refusal(f"has more than {_MAX_ROWS:,} rows")
        if written and written.are_awaited:
            row = _without_awaited(row, formulas_of_row)
        texts = _texts(row, formulas_of_row, line, read, faults)
        while texts and texts[-1] == "":
            texts.pop()
        if texts or line in faults:
            yield line, texts


def _texts(
    row: Any, formulas: Any, line: int, read: _CellReader, faults: dict[int, Refusal]
) -> list[Cell]:
    """Return a row's cells; the first fault is kept, the cell then empty."""
    texts: list[Cell] = []
    for at, cell in enumerate(row, start=1):
        formula = formulas[at - 1] if at <= len(formulas) else None
        try:
            _refuse_unresolved(cell, formula, line, at)
            texts.append(read(cell, line, at))
        except Refusal as refusal:
            faults.setdefault(line, refusal)
            texts.append("")
    return texts


def _without_awaited(row: Any, formulas: Any) -> list[Any]:
    """Return a row's cells; one whose formula has no result but 0 yet has none."""
    from openpyxl.cell.read_only import EMPTY_CELL  # noqa: PLC0415 - as in _opened

    return [
        EMPTY_CELL if _is_formula(formula) and cell.value in _NOT_CALCULATED else cell
        for cell, formula in zip_longest(row, formulas[: len(row)])
    ]


def _is_formula(cell: Any) -> bool:
    return cell is not None and cell.data_type == "f"


def _refuse_unresolved(cell: Any, formula: Any, line: int, at: int) -> None:
    """Refuse a formula without a result: it would pass for an empty cell.

    One whose result is an empty text is one: the sheet says that it is a text.
    """
    unresolved = cell.value is None and cell.data_type != _TEXT_RESULT
    if unresolved and _is_formula(formula):
        raise Refusal(
            "holds a formula without its result: open the file in Excel, save it",
            line=line,
            column=str(at),
        )


def _filled(
    rows: Iterator[_Cells],
    header: tuple[str, ...],
    said: Markup,
    faults: dict[int, Refusal],
) -> Iterator[Row]:
    width, merged = len(header), MergedBelow(said.merged)
    zoned = [at for at in said.zoned if at <= width]
    for line, cells in rows:
        fault = faults.pop(line, None)
        if fault and fault.column and int(fault.column) <= width:
            fault.column = header[int(fault.column) - 1]
        if len(cells) > width:
            told = f"has a cell in column {len(cells)}, unnamed"
            fault = fault or Refusal(told, line=line)
        filled = cells[:width] + [""] * (width - len(cells))
        for at in merged.columns(line, filled):
            filled[at - 1] = filled[at - 1] or MergedCell()
        for at in zoned:
            if isinstance(moment := filled[at - 1], dt.datetime):
                filled[at - 1] = UnclearTime.of(moment, _ZONED)
        yield Row(line, header, filled, fault)


def _cell(cell: Any, line: int, at: int) -> Cell:
    value = cell.value
    if value is None:
        return ""
    if isinstance(value, str):
        if cell.data_type == "e":
            raise Refusal(f"holds the error {value}", line=line, column=str(at))
        return value
    try:
        found = typed_cell(value)
    except ValueError as error:
        raise Refusal(str(error), line=line, column=str(at)) from None
    if not isinstance(found, str) or type(value) not in (int, float):
        return found  # a format is of numbers alone
    return shown_number(marked_number(found), cell.number_format)


def _shown_cell(cell: Any, line: int, at: int) -> Cell:
    """Return a cell as `_cell` does, but a number as it stands."""
    if isinstance(cell.value, (int, float)) and abs(cell.value) > MAX_EXACT_NUMBER:
        return repr(cell.value)
    return _cell(cell, line, at)


def typed_cell(value: Any) -> Cell:
    """Return the text of a typed value, exactly; ValueError where it is not exact."""
    match value:
        case bool():
            return NoText("true" if value else "false")
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
