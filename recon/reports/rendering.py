"""The content of every file of a run's reports, part by part.

A report of a row or several for every payment is never whole in memory: its rows are
masked and written as the engine gives them, the journal's as CSV and for plain-text
accounting at once.
"""

from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date
from itertools import chain
from types import MappingProxyType, ModuleType
from typing import Any

import pyarrow as pa

from recon.reports import (
    beancount,
    csv_text,
    hledger,
    journal,
    ledgers,
    page,
    rollforward,
    summary,
    workbook,
)
from recon.reports.masking import masking
from recon.reports.periods import Period
from recon.reports.results import Results
from recon.reports.verdict import verdict_of
from recon.reports.views import LONG, MODELS, SHORT
from recon.settings import Settings
from recon.times import format_instant

Part = tuple[str, bytes]
"""A file's name, and what comes next in it."""

INCOMPLETE_MARK = "INCOMPLETE.txt"
_INCOMPLETE = (
    "These reports are INCOMPLETE: not every source could be read whole.",
    "They hold what was known; what is missing here may well be at the provider.",
    "",
)
LEDGERS: dict[str, ModuleType] = {
    "journal.beancount": beancount,
    "journal.hledger": hledger,
}
"""The journal as plain-text accounting reads it, by file name."""


class Rendering:
    """The reports of a run in a period, with personal data as the settings want it.

    The long ones begin with `journal_from` where that is given. `restated` says how
    many figures of each closed period are other ones now.
    """

    def __init__(
        self,
        result: Results,
        settings: Settings,
        period: Period,
        journal_from: date | None = None,
        restated: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        self._result = result
        self._restated = restated
        self._settings = settings
        self._period = period
        self._journal_from = journal_from
        self._of_long = replace(period, first=journal_from or period.first)
        self._long = {name: view(result, self._of_long) for name, view in LONG.items()}
        short = {name: view(result, settings, period) for name, view in SHORT.items()}
        texts = chain.from_iterable(each.texts() for each in self._long.values())
        self._mask = masking(result, settings, chain(short.values(), texts))
        self._tables = {name: self._masked(table) for name, table in short.items()}
        self._counts: dict[str, int] = {}

    def parts(self) -> Generator[Part]:
        """Yield every file's parts in their order, those of several files in turn.

        The file that vouches for the rest begins last.
        """
        if not self._result.complete:
            yield INCOMPLETE_MARK, self._incomplete()
        for name, table in self._tables.items():
            yield from _named(f"{name}.csv", csv_text.chunks(table))
        yield from self._matches()
        yield from self._journal()
        figures = self._figures()
        yield from self._books(figures)
        yield "summary.json", summary.render(figures)

    def _masked(self, table: pa.Table) -> pa.Table:
        return self._mask.table(table) if self._mask else table

    def _matches(self) -> Iterator[Part]:
        """Yield matches.csv; what a sheet shows of it stays."""
        stream = self._long["matches"]
        shown, count = [stream.columns.empty_table()], 0
        yield "matches.csv", csv_text.header(stream.columns.names)
        for rows in map(self._masked, stream.tables()):
            if count < workbook.MOST_ROWS:
                shown.append(rows.slice(0, workbook.MOST_ROWS - count))
            count += rows.num_rows
            yield from _named("matches.csv", csv_text.lines(rows))
        self._tables["matches"] = pa.concat_tables(shown)
        self._counts["matches"] = count

    def _journal(self) -> Iterator[Part]:
        """Yield the journal in all its shapes; ledgers begin with what was before."""
        days = self._masked(journal.days(self._result))
        intervals = rollforward.table(self._result, self._settings, Period())
        zone = self._settings.business.timezone
        balances = ledgers.Balances(intervals, self._of_long, zone)
        opening = ledgers.opening(days, self._of_long, balances)
        complete = self._result.complete
        warning = "" if complete else f"INCOMPLETE: see {INCOMPLETE_MARK}"
        stream = self._long["journal"]
        yield "journal.csv", csv_text.header(stream.columns.names)
        for name, ledger in LEDGERS.items():
            yield name, ledger.head(opening, warning)
        cuts = journal.cuts(self._of_long.of_dates(days))
        for legs in journal.entries(map(self._masked, stream.tables(cuts))):
            balances.take(legs)
            yield from _named("journal.csv", csv_text.lines(legs))
            entries = ledgers.Entries(legs)
            for name, ledger in LEDGERS.items():
                yield name, ledger.entries(entries)
        for name, ledger in LEDGERS.items():
            yield name, ledger.tail(balances)
        self._tables["journal"] = self._period.of_dates(days).drop_columns("legs")

    def _books(self, figures: Mapping[str, Any]) -> Iterator[Part]:
        """Yield what people open first, where the settings want it."""
        settings, result = self._settings, self._result
        words = verdict_of(figures, settings)
        if settings.reports.excel:
            book = workbook.render(
                self._tables,
                words,
                settings,
                result.as_of,
                self._counts,
                self._journal_from,
            )
            yield "report.xlsx", book
        if settings.reports.html:
            models = {
                name: self._masked(view(result, settings, self._period))
                for name, view in MODELS.items()
            }
            views = {**self._tables, **models}
            shown = page.render(views, words, settings, result.as_of, self._period)
            yield "report.html", shown

    def _figures(self) -> dict[str, Any]:
        return summary.figures(
            self._result,
            self._period,
            self._tables,
            self._mask,
            self._journal_from,
            restated=self._restated,
        )

    def _incomplete(self) -> bytes:
        lines = [
            *_INCOMPLETE,
            f"As of {format_instant(self._result.as_of)}, run {self._result.run_id}.",
        ]
        for name in sorted(self._result.sources):
            source = self._result.sources[name]
            if not source.complete:
                why = source.error or "no reason is known"
                lines.append(f"{name}: {self._mask.text(why) if self._mask else why}")
        return ("\n".join(lines) + "\n").encode()


def _named(name: str, parts: Iterable[bytes]) -> Iterator[Part]:
    return ((name, part) for part in parts)
