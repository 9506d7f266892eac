"""report.html: one page for people, with everything in it.

No script, no font, no picture comes from elsewhere, and the page forbids itself to ask;
every text from the data is escaped.
"""

import base64
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime, tzinfo
from html import escape
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from matplotlib.figure import Figure
from persiantools.jdatetime import JalaliDate

from recon.charts import Look, failure_matrix, flows_by_day, wallet_rollforward
from recon.reports.periods import Period
from recon.reports.tables import TEXT
from recon.reports.verdict import Step, Verdict
from recon.settings import Settings
from recon.times import format_instant

MOST_ROWS = 200
_STYLE = Path(__file__).with_name("page.css")
_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
_FIRST_STEPS = 7
_LOUDNESS = ("critical", "error", "warning", "info")
_INTERVAL_COLUMNS = (
    *("from_at", "to_at", "opening", "expected_closing", "closing"),
    *("difference", "explained", "unexplained"),
)
_BREAK_COLUMNS = (
    *("severity", "check", "record_id", "business_date", "difference"),
    *("detail", "age_days", "break_id"),
)


def render(
    tables: Mapping[str, pa.Table],
    verdict: Verdict,
    settings: Settings,
    as_of: datetime,
    period: Period,
) -> bytes:
    """Write the page: the verdict, what to do first, then charts and their tables.

    `tables` are the reports by name, amounts in rials. A long table is cut to
    MOST_ROWS rows and says where the rest is.
    """
    writer = _Writer(settings)
    look = Look(settings.business.calendar, settings.reports.language)
    body = [
        *writer.verdict(verdict, as_of, period),
        *writer.steps(verdict),
        *writer.section(
            "The wallet",
            "An orange dot is a balance that known movements do not lead to; grey bars "
            "are explained by named items, orange bars by nothing.",
            wallet_rollforward(_frame(tables["rollforward"]), look=look),
            ("rollforward", _odd_intervals(tables["rollforward"])),
            "Only the intervals with a difference; rollforward.csv has all.",
        ),
        *writer.section(
            "Open breaks",
            "The loudest first. recon breaks show ID gives the evidence of each.",
            None,
            ("breaks", _loudest(tables["breaks"])),
        ),
        *writer.section(
            "Payments",
            "Look for days that are missing or far from their neighbours.",
            flows_by_day(_frame(tables["flows"]), look=look),
            ("flows", _sums(tables["flows"], ("product", "payment_method"))),
            "Sums of the period, deposits and adjustments too; flows.csv has each day.",
        ),
        *writer.section(
            "Failures",
            "The darker a cell, the more of a method's attempts fail for that reason.",
            failure_matrix(_frame(tables["failures"]), look=look),
            ("failures", _failed(tables["failures"])),
            "Sums of the period; failures.csv has each day and all attempts.",
        ),
        *writer.section(
            "Fees",
            "The wage that was charged against the imported tariff.",
            None,
            ("fees", tables["fees"]),
        ),
    ]
    return "\n".join(_document(settings, verdict, body)).encode()


class _Writer:
    def __init__(self, settings: Settings) -> None:
        self._zone: tzinfo = settings.business.timezone
        self._jalali = settings.business.calendar == "jalali"

    def verdict(
        self, verdict: Verdict, as_of: datetime, period: Period
    ) -> Iterator[str]:
        yield f'<header class="{verdict.mood}">'
        yield f"<h1>{escape(verdict.headline)}</h1>"
        yield from (f"<p>{escape(line)}</p>" for line in verdict.sentences)
        local = as_of.astimezone(self._zone)
        day = _jalali(local.date()) if self._jalali else local.date().isoformat()
        known = f"As known on {day} at {local:%H:%M} local time"
        known += f" ({format_instant(as_of)})"
        if period:
            first, last = period.first or "the beginning", period.last or "the end"
            known += f", business dates from {first} to {last}"
        yield f'<p class="quiet">{escape(known)}. Amounts are rials.</p>'
        yield "</header>"

    def steps(self, verdict: Verdict) -> Iterator[str]:
        if not verdict.steps:
            return
        yield "<h2>What to do first</h2>"
        yield from _steps(verdict.steps[:_FIRST_STEPS], start=1)
        rest = verdict.steps[_FIRST_STEPS:]
        if rest:
            yield f"<details><summary>and {len(rest):,} more</summary>"
            yield from _steps(rest, start=_FIRST_STEPS + 1)
            yield "</details>"

    def section(
        self,
        title: str,
        hint: str,
        chart: Figure | None,
        table: tuple[str, pa.Table],
        note: str = "",
    ) -> Iterator[str]:
        yield f"<section><h2>{escape(title)}</h2>"
        yield f"<p>{escape(hint)}</p>"
        if chart is not None:
            yield f"<figure>{_picture(chart)}</figure>"
        yield from self._table(*table)
        if note:
            yield f'<p class="quiet">{escape(note)}</p>'
        yield "</section>"

    def _table(self, name: str, table: pa.Table) -> Iterator[str]:
        if not table.num_rows:
            yield '<p class="quiet">Nothing to show.</p>'
            return
        columns = [(field, self._cell(field)) for field in table.schema]
        yield '<div class="table"><table><thead><tr>'
        for field, _ in columns:
            kind = ' class="number"' if pa.types.is_integer(field.type) else ""
            yield f"<th{kind}>{escape(field.name.replace('_', ' '))}</th>"
        yield "</tr></thead><tbody>"
        for row in table.slice(0, MOST_ROWS).to_pylist():
            cells = (write(row[field.name]) for field, write in columns)
            yield f"<tr>{''.join(cells)}</tr>"
        yield "</tbody></table></div>"
        if table.num_rows > MOST_ROWS:
            yield (
                f'<p class="quiet">{MOST_ROWS:,} of {table.num_rows:,} rows; '
                f"{escape(name)}.csv has all.</p>"
            )

    def _cell(self, field: pa.Field) -> Callable[[Any], str]:
        if field.type == TEXT:
            return _words_cell if field.name == "detail" else _text_cell
        if pa.types.is_temporal(field.type):
            return self._time_cell
        return _number_cell

    def _time_cell(self, value: date | datetime | None) -> str:
        if value is None:
            return "<td></td>"
        iso = (
            format_instant(value) if isinstance(value, datetime) else value.isoformat()
        )
        if not self._jalali:
            return f'<td class="time">{iso}</td>'
        local = value.astimezone(self._zone) if isinstance(value, datetime) else value
        day = local.date() if isinstance(local, datetime) else local
        return f'<td class="time">{_jalali(day)}<br><small>{iso}</small></td>'


def _steps(steps: Sequence[Step], start: int) -> Iterator[str]:
    yield f'<ol class="steps" start="{start}">'
    for step in steps:
        yield (
            f'<li><span class="level {step.severity}">{step.severity}</span> '
            f"<strong>{escape(step.check)}</strong> ({step.count:,}): "
            f"{escape(step.do)}</li>"
        )
    yield "</ol>"


def _document(
    settings: Settings, verdict: Verdict, body: Sequence[str]
) -> Iterator[str]:
    title = f"{settings.business.name}: {verdict.headline}"
    yield '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield '<meta name="referrer" content="no-referrer">'
    yield f"<title>{escape(title)}</title>"
    yield f"<style>{_STYLE.read_text(encoding='utf-8')}</style></head><body>"
    yield from body
    yield '<footer class="quiet">Every figure is in the CSV files beside this page.'
    yield "</footer></body></html>\n"


def _picture(figure: Figure) -> str:
    """Return a figure as an image within the page, the same for the same data."""
    out = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": "recon", "svg.fonttype": "path"}):
        figure.savefig(out, format="svg", metadata={"Date": None})
    data = base64.b64encode(out.getvalue()).decode()
    title = escape(figure.get_suptitle())
    return f'<img alt="{title}" src="data:image/svg+xml;base64,{data}">'


def _frame(table: pa.Table) -> pd.DataFrame:
    """Return a report as charts take it: integers exact, dates without a zone."""
    found: pd.DataFrame = table.to_pandas(
        types_mapper={pa.int64(): pd.Int64Dtype()}.get, date_as_object=False
    )
    return found


def _odd_intervals(intervals: pa.Table) -> pa.Table:
    """Return the intervals with a difference, the newest first, in their main part."""
    odd = intervals.filter(pc.not_equal(intervals["difference"], 0))
    return odd.select(list(_INTERVAL_COLUMNS)).sort_by([("to_at", "descending")])


def _sums(table: pa.Table, keys: Sequence[str]) -> pa.Table:
    """Sum a report's figures over its days, the largest first."""
    figures = [
        field.name
        for field in table.schema
        if pa.types.is_integer(field.type) and field.name != "attempts"
    ]
    sums = table.group_by(list(keys)).aggregate([(name, "sum") for name in figures])
    named = sums.rename_columns({f"{name}_sum": name for name in figures})
    order = [(figures[0], "descending"), *((key, "ascending") for key in keys)]
    return named.select([*keys, *figures]).sort_by(order)


def _loudest(breaks: pa.Table) -> pa.Table:
    """Return the open breaks, the loudest and oldest first, in their main columns."""
    rows = [row for row in breaks.to_pylist() if row["status"] == "open"]
    rows.sort(key=lambda row: (_LOUDNESS.index(row["severity"]), -row["age_days"]))
    found = pa.Table.from_pylist(rows, breaks.schema)
    return found.select(list(_BREAK_COLUMNS))


def _failed(failures: pa.Table) -> pa.Table:
    failed = failures.filter(pc.greater(failures["failed"], 0))
    return _sums(failed, ("product", "payment_method", "code"))


def _words_cell(value: str | None) -> str:
    return f'<td class="words" dir="auto">{escape(value or "")}</td>'


def _text_cell(value: str | None) -> str:
    """Write a name or an identifier; it may break after an underscore."""
    text = escape(value or "").replace("_", "_<wbr>")
    return f'<td class="text" dir="auto">{text}</td>'


def _number_cell(value: int | None) -> str:
    if value is None:
        return "<td></td>"
    minus = " minus" if value < 0 else ""
    return f'<td class="number{minus}">{value:,}</td>'


def _jalali(day: date) -> str:
    jalali = JalaliDate(day)  # type: ignore[no-untyped-call]
    return f"{jalali.year:04d}/{jalali.month:02d}/{jalali.day:02d}"
