"""The tables of report.html as HTML: every text from the data is escaped."""

from collections.abc import Callable, Iterator
from datetime import date, datetime, tzinfo
from html import escape
from typing import Any

import pyarrow as pa

from recon.charts import Look
from recon.charts.look import language_of
from recon.reports.tables import TEXT
from recon.times import format_instant, local_time

MOST_ROWS = 200
_WHOLE = ("check", "break_id")  # of ours: short, and torn within a word on no page


def table_lines(
    whole: str, table: pa.Table, look: Look, zone: tzinfo, named: str
) -> Iterator[str]:
    """Yield a table, cut to MOST_ROWS rows; `whole` names the file that has all.

    `named` are the ids of its headings, as it is told to whoever does not see them.

    An instant is shown in the business's zone, above the UTC of the CSV. With a Jalali
    calendar each date has its ISO twin below it.
    """
    if not table.num_rows:
        yield f'<p class="quiet">{escape(look.say("Nothing to show."))}</p>'
        return
    columns = [(field, _cell_of(field, look, zone)) for field in table.schema]
    yield f'<div class="table" role="region" tabindex="0" aria-labelledby="{named}">'
    yield "<table><thead><tr>"
    for field, _ in columns:
        kind = ' class="number"' if pa.types.is_integer(field.type) else ""
        name = escape(look.say(field.name.replace("_", " ")))
        yield f'<th scope="col"{kind}>{name}</th>'
    yield "</tr></thead><tbody>"
    for row in table.slice(0, MOST_ROWS).to_pylist():
        cells = (write(row[field.name]) for field, write in columns)
        yield f"<tr>{''.join(cells)}</tr>"
    yield "</tbody></table></div>"
    if table.num_rows > MOST_ROWS:
        cut = look.say(
            "{shown} of {whole} rows; {file} has all.",
            shown=look.count(MOST_ROWS),
            whole=look.count(table.num_rows),
            file=whole,
        )
        yield f'<p class="quiet">{escape(cut)}</p>'


def _cell_of(field: pa.Field, look: Look, zone: tzinfo) -> Callable[[Any], str]:
    if field.name == "severity":
        return lambda value: _severity_cell(value, look)
    if field.name == "month":
        return lambda value: _text_cell(value and look.month(value), "time")
    if field.name in _WHOLE:
        return lambda value: _text_cell(value, "text whole")
    if field.type == TEXT:
        return _words_cell if field.name == "detail" else _text_cell
    if pa.types.is_temporal(field.type):
        return lambda value: _time_cell(value, look, zone)
    return lambda value: _number_cell(value, look)


def _severity_cell(value: str, look: Look) -> str:
    said = escape(look.say(value))
    return f'<td class="text"><span class="level {escape(value)}">{said}</span></td>'


def _words_cell(value: str | None) -> str:
    text = value or ""
    return (
        f'<td class="words" dir="auto" lang="{language_of(text)}">{escape(text)}</td>'
    )


def _text_cell(value: str | None, kind: str = "text") -> str:
    """Write a name or an identifier; it may break after an underscore."""
    text = escape(value or "").replace("_", "_<wbr>")
    return f'<td class="{kind}"><bdi>{text}</bdi></td>'


def _number_cell(value: int | None, look: Look) -> str:
    if value is None:
        return "<td></td>"
    minus = " minus" if value < 0 else ""
    return f'<td class="number{minus}">{look.count(value)}</td>'


def _time_cell(value: date | datetime | None, look: Look, zone: tzinfo) -> str:
    if value is None:
        return "<td></td>"
    if isinstance(value, datetime):
        local = local_time(value, zone)
        shown = f"{look.day(local.date())} {look.written(f'{local:%H:%M}')}"
        iso = format_instant(value)
    else:
        shown, iso = look.day(value), value.isoformat()
        if look.calendar != "jalali":
            return f'<td class="time">{iso}</td>'
    return f'<td class="time">{shown}<br><small dir="ltr">{iso}</small></td>'
