"""What notebooks import: the lake's tables and the last run's results as DataFrames.

    from recon import notebook
    notebook.use()                      # RECON_CONFIG, ./recon.toml or ../recon.toml
    notebook.breaks()

Everything is read as the last run saw it, and nothing is ever written: a notebook can
neither block nor spoil a nightly run. Amounts are rials in exact integer columns
(`Int64`, with room for empty cells), instants UTC, business dates without a zone; with
a Jalali calendar each has its Jalali twin beside it.
"""

import atexit
import os
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import TypeAlias

import pandas as pd
import pyarrow as pa
from IPython.display import display

from recon import setting_files, sortable_tables, times
from recon.charts import Look
from recon.errors import UsageError
from recon.imports.history import imported
from recon.lake import Lake
from recon.lake.inventory import inventory
from recon.lake.schema import TABLES
from recon.reconcile.console import answer, last_result
from recon.reconcile.evidence import evidence as evidence_of
from recon.reconcile.restatements import restatements
from recon.reconcile.result import Result
from recon.reports.disclosure import Disclosure
from recon.reports.frames import frame, with_jalali
from recon.reports.heading import heading_of
from recon.reports.masking import masking
from recon.reports.periods import Period
from recon.reports.proof import Evidence
from recon.reports.restatements import by_period
from recon.reports.summary import SUMMED, figures
from recon.reports.verdict import Verdict, verdict_of
from recon.reports.views import MODELS, REPORTS, look_of
from recon.settings import Settings

When: TypeAlias = str | date
"""As people write it; a datetime, and a time of pandas, are dates, too."""

_PLACE = ("pull_id", "page_no", "position")  # where a row came from


@dataclass
class _Session:
    """What the cells of one notebook look at."""

    settings: Settings
    lake: Lake
    result: Result
    period: Period
    present: datetime  # by which a source was read long ago, or not


_sessions: list[_Session] = []
_refused: list[str] = []  # why the last `use` failed; then nothing is shown
_EXTENSION = "recon"
"""As `%load_ext` names it, which would grumble at whoever runs that cell once more."""


def use(config: str = "", from_: When = "", to: When = "", as_of: When = "") -> None:
    """Look at the lake of these settings, in a period; call it again to look anew.

    `config` is the path of `recon.toml`; without one, RECON_CONFIG, else the file in
    this folder or the one above. `from_` and `to` are business dates, both included,
    as texts, ISO or Jalali, or as dates; empty is open. `as_of` shows what was known at
    that time. Raises UsageError (a date is none) or SettingsError; then no cell answers
    any more. In a notebook's cell it says whose figures they are.
    """
    close()
    shell = sortable_tables.shell_of_cells()
    if shell and shell.extension_manager:
        shell.extension_manager.loaded.discard(_EXTENSION)
    try:
        _begin(config, from_, to, as_of)
    except BaseException as error:  # whoever stops it gets no other period, either
        _refused.append(str(error) or type(error).__name__)
        raise
    if shell:
        seen = _sessions[-1]
        heading = heading_of(seen.settings, seen.result.as_of, seen.period)
        display(heading)  # type: ignore[no-untyped-call]


def close() -> None:
    """Let go of the lake; the next call of any function here looks anew."""
    _refused.clear()
    while _sessions:
        _sessions.pop().result.close()


def settings() -> Settings:
    """Return the settings that are looked at; secrets in them show as `***`."""
    return _session().settings


def calendar() -> str:
    """Return the business's calendar, gregorian or jalali; `look` has it, too."""
    return _session().settings.business.calendar


def look() -> Look:
    """Return how charts are to be shown: the settings' calendar, language and clock."""
    return look_of(_session().settings)


def lake(table: str = "") -> pd.DataFrame:
    """Return a table's rows as last seen; without a name, which tables there are.

    Columns have the contract's names, as `id` and `amount`, where `sql` has units and
    whose id it is, `payment_id` and `amount_rial`; amounts in rials. Rows stand in the
    order in which they came.
    """
    session = _session()
    if not table:
        return frame(inventory(session.lake, session.result.as_of))
    if table not in TABLES:
        raise UsageError(f"{table!r} is no table of the lake; lake() lists them")
    key, as_of = TABLES[table].key, session.result.as_of
    if not key:  # as they lie in the files, the oldest first
        return frame(session.lake.versions(table, as_of))
    rows = session.lake.current(table, as_of=as_of)
    return frame(rows.sort_by([(name, "ascending") for name in (*_PLACE, *key)]))


def imports() -> pd.DataFrame:
    """Return one row a file that was imported, and when it was taken back, if so."""
    session = _session()
    return frame(imported(session.lake, session.result.as_of))


def breaks() -> pd.DataFrame:
    """Return the breaks of the period; the columns of breaks.csv, rials."""
    return _report("breaks")


def rollforward() -> pd.DataFrame:
    """Return the wallet from snapshot to snapshot; the columns of rollforward.csv."""
    return _report("rollforward")


def flows() -> pd.DataFrame:
    """Return what certainly moved the wallet; the columns of flows.csv, rials."""
    return _report("flows")


def failures() -> pd.DataFrame:
    """Return the payments that did not happen; the columns of failures.csv, rials."""
    return _report("failures")


def fees() -> pd.DataFrame:
    """Return what payments cost by month; the columns of fees.csv, rials."""
    return _report("fees")


def matches() -> pd.DataFrame:
    """Return which order stands for which record; the columns of matches.csv, rials."""
    return _report("matches")


def bank_matches() -> pd.DataFrame:
    """Return which debit stands for which deposit; as bank_matches.csv, rials."""
    return _report("bank_matches")


def settlements() -> pd.DataFrame:
    """Return which credit is which settlement; as settlements.csv, rials."""
    return _report("settlements")


def duplicate_payments() -> pd.DataFrame:
    """Return the orders that were paid more than once; as duplicate_payments.csv."""
    return _report("duplicate_payments")


def model(name: str) -> pd.DataFrame:
    """Return the rows of any model of `queries/`, by its name; rials."""
    return frame(_session().result.table(name))


def sql(query: str) -> pd.DataFrame:
    """Return the answer of a query, as `recon sql` gives it; amounts in rials.

    Tables by their short names (payments, checkouts, …), models, breaks, rollforward:
    `sql("show tables")` lists them, `sql("describe payments")` the columns of one, of
    which the names are not those of `lake`.
    """
    return frame(answer(query, _session().result))


def journal() -> pd.DataFrame:
    """Return the double entries; the columns of journal.csv, rials."""
    return _report("journal")


def held() -> pd.DataFrame:
    """Return the journal's legs of what is held in escrow, brought forward; rials."""
    return _model("held")


def hours() -> pd.DataFrame:
    """Return attempts by date and hour of the business's clock; rials.

    One row a date, hour, product and method: attempts, failed, done, done_amount.
    """
    return _model("hours")


def escrow() -> pd.DataFrame:
    """Return the agreements that were paid or are disputed, with what is held; rials.

    One row an agreement, whatever the period: what is held is held now.
    """
    return _model("escrow")


def mandates() -> pd.DataFrame:
    """Return each mandate with its terms and how far they were used; rials.

    One row a mandate, whatever the period: its headroom is that of this month.
    """
    return _model("mandates")


def mandate_ages() -> pd.DataFrame:
    """Return attempts and done ones by date, method and the mandate's age in weeks."""
    return _model("mandate_ages")


def explanations() -> pd.DataFrame:
    """Return the items that may explain a rest, `solution` 1 the one counted; rials."""
    return _model("explanations")


def differences() -> pd.DataFrame:
    """Return the roll-forward's words on each interval with a difference; rials."""
    return _model("differences")


def evidence(break_id: str = "") -> Evidence:
    """Return what stands behind a break; of the loudest open one if none is named.

    Raises UsageError where there is no such break.
    """
    session = _session()
    if not break_id:
        steps = verdict().steps
        if not steps:
            return Evidence({})
        found = breaks()
        named = found[(found["check"] == steps[0].check) & (found["status"] == "open")]
        break_id = str(named["break_id"].iloc[0])
    shown = evidence_of(session.result, break_id)
    if shown is None:
        raise UsageError(f"{break_id}: no such break; breaks() lists them")
    disclosure = Disclosure(session.result, session.settings, shown)
    return Evidence(disclosure.evidence(shown))


def verdict() -> Verdict:
    """Return how the last run stands in the period, in words; an old one says so."""
    session = _session()
    summary = figures(
        session.result,
        session.period,
        {name: _table(name) for name in SUMMED},
        masking(session.result, session.settings, []),
        restated=by_period(restatements(session.result)),
        present=session.present,
    )
    return verdict_of(summary, session.settings)


def _session() -> _Session:
    if _refused:
        raise UsageError(f"nothing is looked at: {_refused[-1]}")
    if not _sessions:
        _begin()
    return _sessions[-1]


def _begin(config: str = "", from_: When = "", to: When = "", as_of: When = "") -> None:
    settings = setting_files.load(_settings_file(config))
    lake = Lake.of(settings)
    period = Period(_day("from", from_, settings), _day("to", to, settings))
    instant = _instant("as_of", as_of, settings) if as_of else None
    seen = last_result(lake, settings, as_of=instant)
    _sessions.append(_Session(settings, lake, seen, period, instant or lake.now()))
    atexit.unregister(close)  # last registered, first called: before its folder goes
    atexit.register(close)


def _settings_file(config: str) -> Path | None:
    if config:
        return Path(config)
    if os.environ.get("RECON_CONFIG"):
        return None
    above, here = (Path(each) / setting_files.DEFAULT_FILE for each in ("..", "."))
    return above if above.is_file() and not here.is_file() else None


def _day(name: str, text: When, settings: Settings) -> date | None:
    zone = settings.business.timezone
    return times.business_date(_instant(name, text, settings), zone) if text else None


def _instant(name: str, text: When, settings: Settings) -> datetime:
    try:
        return times.typed_instant(str(text), settings.business.timezone)
    except ValueError as error:
        raise UsageError(f"{name}: {error}") from None


def _report(name: str) -> pd.DataFrame:
    """Return a report's frame, with personal data masked where the settings say so."""
    session, table = _session(), _table(name)
    mask = masking(session.result, session.settings, [table])
    return _shown(mask.table(table) if mask else table)


def _table(name: str) -> pa.Table:
    session = _session()
    return REPORTS[name](session.result, session.settings, session.period)


def _model(name: str) -> pd.DataFrame:
    session = _session()
    return _shown(MODELS[name](session.result, session.settings, session.period))


def _shown(table: pa.Table) -> pd.DataFrame:
    """Return a frame, with Jalali dates beside the ISO ones where they are wanted."""
    chosen = _session().settings.business
    if chosen.calendar == "jalali":
        table = with_jalali(table, chosen.timezone)
    return frame(table)
