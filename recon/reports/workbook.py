"""report.xlsx: the reports as sheets that an accountant can filter and sum at once.

Texts are texts, whatever they begin with; amounts are numbers as far as Excel shows
them exactly, else text. Beside rials stand toman; with a Jalali calendar dates have
their Jalali twin. In Persian, and with a Jalali calendar, the sheets run from right to
left; in Persian sheets and columns have Persian names.
"""

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, tzinfo
from decimal import Decimal
from textwrap import wrap
from typing import Any

import pyarrow as pa

from recon.charts import Look
from recon.money import RIALS_PER_TOMAN
from recon.reports.frames import jalali
from recon.reports.spilled_book import spilled_book
from recon.reports.tables import AMOUNTS, TEXT
from recon.reports.verdict import Verdict
from recon.reports.views import look_of
from recon.settings import Settings
from recon.times import local_time

MOST_ROWS = 100_000
_EXACT_IN_EXCEL = 10**15 - 1  # it shows fifteen digits, and 0 for the others
_LONGEST_TEXT = 32_767
_FIRST_DAY = date(1900, 3, 1)  # before it Excel has a day that never was
_SAMPLE_ROWS = 200
_WIDEST = 60
_NARROWEST = 8
_PAGE_WIDTH = 260  # signs that can still be read on one page of A4
_A4 = 9
_LONGEST_HEAD = 100  # of a name above a page: Excel has room for 255 signs, an & is two
_FROM_RIGHT = 2  # Excel's reading order
_CHECK_WIDTH = 34
_WORD_WIDTH = 12
_RIALS_WIDTH = 18
_ADVICE_WIDTH = 90
_COVER_WIDTH = _CHECK_WIDTH + 2 * _WORD_WIDTH + _RIALS_WIDTH + _ADVICE_WIDTH
_ADVICE_COLUMNS = {
    "check": "head_name",
    "severity": "head_words",
    "open": "head_count",
    "rials": "head_count",
    "what to do": "head_words",
}
_LINE_POINTS = 15
_HIGHEST = 409  # Excel's own bound, in points
_HEAD = {"bold": True, "bg_color": "#e8eef4", "bottom": 1}
_RIALS = "#,##0;[Red]-#,##0"
_TOMAN = {"toman": "#,##0;[Red]-#,##0", "tenths": "#,##0.0;[Red]-#,##0.0"}


@dataclass(frozen=True)
class _Column:
    """One column of a sheet: its header, how a cell is made, and its format."""

    header: str
    source: str
    value: Callable[[Any], Any]
    format: str


def render(
    tables: Mapping[str, pa.Table],
    verdict: Verdict,
    settings: Settings,
    as_of: datetime,
    counts: Mapping[str, int] | None = None,
    journal_from: date | None = None,
) -> bytes:
    """Write a workbook: the verdict first, then a sheet a report. Amounts in rials.

    The journal is given by day and account, as accountants post it. A report of more
    than MOST_ROWS rows is cut, and the first sheet says so; the CSV beside it has all.
    `counts` has the rows of those that come cut already. `journal_from` is where the
    matches and the journal's entries begin, if that is not where the others do. Raises
    LakeError where the system's temporary folder has no room for the rows.
    """
    whole = {name: table.num_rows for name, table in tables.items()}
    whole.update(counts or {})
    out = io.BytesIO()
    with spilled_book(out) as book:
        book.set_properties({"title": "Reconciliation", "created": _naive(as_of)})
        writer = _Writer(book, settings)
        writer.cover(verdict, whole, journal_from)
        for name, table in tables.items():
            writer.sheet(name, table)
    return out.getvalue()


class _Writer:
    def __init__(self, book: Any, settings: Settings) -> None:
        self._book = book
        self._business = settings.business.name
        self._zone = settings.business.timezone
        self._look = look_of(settings)
        self._jalali = self._look.calendar == "jalali"
        said = {"reading_order": _FROM_RIGHT} if self._look.is_persian else {}
        side = {"align": "right" if self._look.is_persian else "left"}
        self._formats = {
            "head": book.add_format(_HEAD),
            "": book.add_format(said),
            "title": book.add_format({"bold": True, "font_size": 14, **said}),
            "bold": book.add_format({"bold": True, **said}),
            "alarm": book.add_format({"bold": True, "font_color": "#c00000", **said}),
            "head_name": book.add_format({**_HEAD, **side, **said}),
            "head_count": book.add_format({**_HEAD, "align": "right"}),
            "head_words": book.add_format({**_HEAD, "indent": 1, **side, **said}),
            "name": book.add_format({"valign": "top", **side}),
            "word": book.add_format({"valign": "top", "indent": 1, **side}),
            "top": book.add_format({"valign": "top", "num_format": "#,##0"}),
            "wrap": book.add_format(
                {"text_wrap": True, "valign": "top", "indent": 1, **side, **said}
            ),
            "told": book.add_format(
                {"text_wrap": True, "valign": "top", **side, **said}
            ),
            "text": book.add_format(_cell("@")),
            "long": book.add_format(_cell("@", text_wrap=True)),
            "large": book.add_format(_cell("@", align="right")),
            "rials": book.add_format(_cell(_RIALS)),
            **{
                name: book.add_format(_cell(shown, font_color="#666666"))
                for name, shown in _TOMAN.items()
            },
            "count": book.add_format(_cell("#,##0")),
            "date": book.add_format(_cell("yyyy-mm-dd")),
            "instant": book.add_format(_cell("yyyy-mm-dd hh:mm:ss")),
        }

    def cover(
        self,
        verdict: Verdict,
        counts: Mapping[str, int],
        journal_from: date | None,
    ) -> None:
        """Write the first sheet: the verdict, and what to do, the loudest first."""
        sheet = self._added("summary")
        longest = max((len(step.check) for step in verdict.steps), default=0)
        sheet.set_column(0, 0, min(max(longest + 2, _CHECK_WIDTH), _WIDEST))
        sheet.set_column(1, 2, _WORD_WIDTH)
        sheet.set_column(3, 3, _RIALS_WIDTH)
        sheet.set_column(4, 4, _ADVICE_WIDTH)
        style = "alarm" if verdict.mood == "bad" else "title"
        lines = [(verdict.headline, style), *((each, "") for each in verdict.sentences)]
        say = self._look.say
        if journal_from:
            begun = say(
                "journal: by day; journal.csv and the matches begin with {day}.",
                day=self._look.day(journal_from),
            )
            lines.append((begun, "bold"))
        elif "journal" in counts:
            lines.append((say("journal: by day; journal.csv has every entry."), ""))
        lines += [(self._business, "bold"), *((each, "") for each in verdict.known)]
        for name, count in counts.items():
            if count > MOST_ROWS:
                cut = say(
                    "{name}: {shown} of {whole} rows; {file} has all.",
                    name=self._look.sheet(name),
                    shown=self._look.count(MOST_ROWS),
                    whole=self._look.count(count),
                    file=f"{name}.csv",
                )
                lines.append((cut, "bold"))
        for row, (line, name) in enumerate(lines):
            self._tell(sheet, row, line, name)
        head = len(lines) + 1
        for place, (title, style) in enumerate(_ADVICE_COLUMNS.items()):
            sheet.write_string(head, place, say(title), self._formats[style])
        for row, step in enumerate(verdict.steps, start=head + 1):
            do = f"{step.title}: {step.do}" if step.title else step.do
            lines_of_it = 1 + len(do) * 11 // 10 // _ADVICE_WIDTH
            sheet.set_row(row, _LINE_POINTS * lines_of_it)
            sheet.write_string(row, 0, step.check, self._formats["name"])
            sheet.write_string(row, 1, say(step.severity), self._formats["word"])
            sheet.write_number(row, 2, step.count, self._formats["top"])
            if step.rials is not None:
                self._write(sheet, (row, 3), "top", step.rials)
            sheet.write_string(row, 4, do, self._formats["wrap"])

    def _tell(self, sheet: Any, row: int, line: str, style: str) -> None:
        """Write a line of the verdict, a long one in as many as the columns allow."""
        lines = 1 + len(line) * 11 // 10 // _COVER_WIDTH
        if lines == 1:
            sheet.write_string(row, 0, line, self._formats[style])
            return
        sheet.set_row(row, _LINE_POINTS * lines)
        last = len(_ADVICE_COLUMNS) - 1
        sheet.merge_range(row, 0, row, last, "", self._formats["told"])
        sheet.write_string(row, 0, line, self._formats["told"])

    def sheet(self, name: str, table: pa.Table) -> None:
        """Write one report: header frozen and filtered, widths to fit.

        A text that is longer than its column is wide goes on in further lines.
        """
        sheet = self._added(name)
        shown = table.slice(0, MOST_ROWS)
        columns = _columns(table.schema, self._zone, self._look)
        cells = {name: shown[name].to_pylist() for name in shown.column_names}
        widths = [_width(column, cells[column.source]) for column in columns]
        for place, (column, width) in enumerate(zip(columns, widths, strict=True)):
            sheet.set_column(place, place, width)
            sheet.write_string(0, place, column.header, self._formats["head"])
        heights = _heights(columns, widths, cells)
        for row in range(shown.num_rows):
            if row in heights:  # not every spreadsheet fits a row to its texts
                sheet.set_row(row + 1, heights[row])
            for place, column in enumerate(columns):
                value = cells[column.source][row]
                if value is not None:
                    made = column.value(value)
                    is_long = isinstance(made, str) and len(made) > widths[place]
                    style = "long" if is_long else column.format
                    self._write(sheet, (row + 1, place), style, made)
        sheet.fit_to_pages(-(-sum(widths) // _PAGE_WIDTH), 0)
        sheet.repeat_columns(0)  # whose row it is, on every page beside the first
        sheet.hide_gridlines(0)  # on paper, too: an amount meets the date beside it
        sheet.freeze_panes(1, 1)
        sheet.autofilter(0, 0, shown.num_rows, len(columns) - 1)

    def _added(self, name: str) -> Any:
        sheet = self._book.add_worksheet(self._look.sheet(name))
        if self._jalali or self._look.is_persian:
            sheet.right_to_left()
        sheet.set_paper(_A4)
        sheet.set_landscape()
        sheet.fit_to_pages(1, 0)
        sheet.repeat_rows(0)
        whose = self._business[:_LONGEST_HEAD].replace("&", "&&")
        sheet.set_header(f"&L{whose}&R&A")
        sheet.set_footer("&C&P / &N")
        return sheet

    def _write(self, sheet: Any, at: tuple[int, int], style: str, value: Any) -> None:
        shown = self._formats["tenths" if isinstance(value, Decimal) else style]
        if isinstance(value, str):
            _write_text(sheet, at, _fitting(value), shown)
        elif isinstance(value, (datetime, date)):
            _write_time(sheet, at, value, shown)
        elif abs(value) > _EXACT_IN_EXCEL:
            sheet.write_string(*at, str(value), self._formats["large"])
        else:
            sheet.write_number(*at, value, shown)


def _write_text(sheet: Any, at: tuple[int, int], text: str, shown: Any) -> None:
    """Write a text as it stands; in pieces where XlsxWriter took it for its markup."""
    if text.startswith("<r>") and text.endswith("</r>"):
        sheet.write_rich_string(*at, text[:1], text[1:-1], text[-1:], shown)
    else:
        sheet.write_string(*at, text, shown)


def _write_time(
    sheet: Any, at: tuple[int, int], value: date | datetime, shown: Any
) -> None:
    """Write a date or an instant; as text where Excel has no such day."""
    day = value.date() if isinstance(value, datetime) else value
    if day < _FIRST_DAY:
        sheet.write_string(*at, str(value), shown)
    else:
        sheet.write_datetime(*at, value, shown)


def _fitting(text: str) -> str:
    """Return what a cell holds of a text; Excel counts some signs as two."""
    if 2 * len(text) <= _LONGEST_TEXT:
        return text
    return text.encode("utf-16-le")[: 2 * _LONGEST_TEXT].decode("utf-16-le", "ignore")


def _cell(shown: str, **more: Any) -> dict[str, Any]:
    """Return what a cell of a report looks like: beside a long text at its top."""
    return {"num_format": shown, "valign": "top", **more}


def _columns(schema: pa.Schema, zone: tzinfo, look: Look) -> Sequence[_Column]:
    """Return a sheet's columns: the report's own, Jalali twins, toman at the end."""
    found: list[_Column] = []
    jalali = look.calendar == "jalali"
    for field in schema:
        name = field.name
        if pa.types.is_timestamp(field.type):
            found.append(_Column(_head(name, "utc", look), name, _naive, "instant"))
        elif pa.types.is_date(field.type):
            found.append(_Column(_head(name, "", look), name, _as_is, "date"))
        elif field.type == TEXT:
            found.append(_Column(_head(name, "", look), name, _as_is, "text"))
        else:
            style = "rials" if name in AMOUNTS else "count"
            found.append(_Column(_head(name, "", look), name, _as_is, style))
        if jalali and pa.types.is_temporal(field.type):
            head = _head(name, "jalali", look)
            found.append(_Column(head, name, _jalali_in(zone), "text"))
    found += [
        _Column(_head(field.name, "toman", look), field.name, _toman, "toman")
        for field in schema
        if field.name in AMOUNTS
    ]
    return found


def _head(name: str, kind: str, look: Look) -> str:
    """Return a column's header: the report's name of it, or its Persian one."""
    if not look.is_persian:
        return f"{name}_{kind}" if kind else name
    said = look.say(name.replace("_", " "))
    return f"{said} ({look.say(kind)})" if kind else said


def _as_is(value: Any) -> Any:
    return value


def _naive(instant: datetime) -> datetime:
    """Return an instant as Excel keeps it: UTC, whole seconds, no zone."""
    return instant.astimezone(UTC).replace(tzinfo=None, microsecond=0)


def _toman(rials: int) -> int | Decimal | str:
    """Return rials in toman, exactly; as text where Excel could not hold it."""
    whole, rest = divmod(abs(rials), RIALS_PER_TOMAN)
    sign = -1 if rials < 0 else 1
    if not rest:
        return sign * whole
    exact = Decimal(rials) / RIALS_PER_TOMAN
    return str(exact) if abs(rials) > _EXACT_IN_EXCEL else exact


def _jalali_in(zone: tzinfo) -> Callable[[date | datetime], str]:
    """Return what writes a date, or an instant's local time, in the Jalali calendar."""

    def text(value: date | datetime) -> str:
        local = local_time(value, zone) if isinstance(value, datetime) else value
        day = local.date() if isinstance(local, datetime) else local
        clock = f" {local:%H:%M:%S}" if isinstance(local, datetime) else ""
        return jalali(day) + clock

    return text


def _heights(
    columns: Sequence[_Column],
    widths: Sequence[int],
    cells: Mapping[str, Sequence[Any]],
) -> dict[int, int]:
    """Return the height in points of each row with a text longer than its column."""
    lines: dict[int, int] = {}
    for column, width in zip(columns, widths, strict=True):
        if column.format == "text":
            for row, value in enumerate(cells[column.source]):
                if isinstance(value, str) and len(value) > width:
                    lines[row] = max(lines.get(row, 1), _line_count(value, width))
    return {row: min(count * _LINE_POINTS, _HIGHEST) for row, count in lines.items()}


def _line_count(text: str, width: int) -> int:
    """Return how many lines a text takes; its signs may be wider than the usual one.

    A word longer than a line begins one of its own, as spreadsheets have it.
    """
    room = width * 9 // 10
    shown = text[:_LONGEST_TEXT]
    parts = wrap(shown, room, break_long_words=False, break_on_hyphens=False)
    return sum(-(-len(part) // room) for part in parts)


def _width(column: _Column, values: Sequence[Any]) -> int:
    """Return the width for the first texts and for every number.

    A text goes on in further lines; of a number that is too wide nothing is shown.
    """
    numbers = column.format in ("rials", "toman", "count")
    known = [value for value in values if value is not None]
    sample = [min(known), max(known)] if numbers and known else known[:_SAMPLE_ROWS]
    made = [column.value(value) for value in sample]
    written = [
        f"{value:,}" if numbers and not isinstance(value, str) else str(value)
        for value in made
    ]
    longest = max(map(len, [column.header, *written]))
    return min(max(longest + 3, _NARROWEST), _WIDEST)
