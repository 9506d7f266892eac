"""What of a run people look at, by name: the reports, and the models behind charts.

Notebooks and report.html both take their tables from here, so that they cannot show
different figures.
"""

from collections.abc import Callable

import pyarrow as pa
import pyarrow.compute as pc

from recon.charts import Look
from recon.reports import (
    bank_matches,
    breaks,
    duplicate_payments,
    failures,
    fees,
    flows,
    journal,
    matches,
    rollforward,
    settlements,
)
from recon.reports.periods import Period
from recon.reports.results import Results
from recon.reports.streams import Stream
from recon.reports.tables import in_order
from recon.settings import Settings

View = Callable[[Results, Settings, Period], pa.Table]
LongView = Callable[[Results, Period], Stream]

SHORT: dict[str, View] = {
    "breaks": breaks.table,
    "rollforward": rollforward.table,
    "flows": flows.table,
    "failures": failures.table,
    "fees": fees.table,
    "bank_matches": bank_matches.table,
    "settlements": settlements.table,
    "duplicate_payments": duplicate_payments.table,
}
"""The CSVs that a run's memory holds, in the order in which people want them."""

LONG: dict[str, LongView] = {"matches": matches.stream, "journal": journal.stream}
"""Those with a row or several for every payment, which are read in parts."""

REPORTS: dict[str, View] = {
    **SHORT,
    "matches": matches.table,
    "journal": journal.table,
}
"""Each CSV by its name."""


def _in_period(model: str) -> View:
    return lambda result, _, period: period.of_dates(in_order(result.table(model)))


def _whole(model: str) -> View:
    return lambda result, _settings, _period: in_order(result.table(model))


def _explanations(result: Results, settings: Settings, period: Period) -> pa.Table:
    zone = settings.business.timezone
    return period.of_ends(result.table("int_wallet_explanations"), "to_at", zone)


_TOLD = (
    *("wallet", "from_at", "to_at", "expected_closing_rial", "closing_rial"),
    *("difference_rial", "unexplained_rial", "detail"),
)

_ODD = ("difference", "unexplained")  # what moved in may leave a rest where none was


def _differences(result: Results, settings: Settings, period: Period) -> pa.Table:
    intervals = result.table("int_wallet_rollforward").select(list(_TOLD))
    is_odd = (pc.not_equal(intervals[f"{name}_rial"], 0) for name in _ODD)
    odd = intervals.filter(pc.or_(*is_odd))
    ordered = odd.sort_by([("to_at", "ascending"), ("wallet", "ascending")])
    return period.of_ends(ordered, "to_at", settings.business.timezone)


MODELS: dict[str, View] = {
    "hours": _in_period("report_hours"),
    "held": journal.held,
    "escrow": _whole("report_escrow"),
    "mandates": _whole("report_mandates"),
    "mandate_ages": _in_period("report_mandate_ages"),
    "explanations": _explanations,
    "differences": _differences,
}
"""What is looked at besides the reports; what is held or granted, is so now."""


def look_of(settings: Settings) -> Look:
    """Return how the settings' readers are spoken to: calendar, language and clock."""
    business = settings.business
    return Look(business.calendar, settings.reports.language, business.timezone)
