"""fees.csv: what payments cost, by product, method and month, against the tariff."""

from typing import Any

import pyarrow as pa

from recon.reports.periods import Period
from recon.reports.results import Results
from recon.reports.tables import COUNT, RIALS, TEXT, shaped
from recon.settings import Settings

COLUMNS = pa.schema(
    [
        ("product", TEXT),
        ("payment_method", TEXT),
        ("month", TEXT),
        ("count", COUNT),
        ("amount", RIALS),
        ("wage", RIALS),
        ("expected_wage", RIALS),
        ("difference", RIALS),
        ("effective_bps", COUNT),
    ]
)
_BASIS_POINTS = 10_000
_MOST = 2**63 - 1
_KEY = ("product", "payment_method", "month")
_SUMS = ("count", "amount", "wage")


def table(result: Results, settings: Settings, period: Period) -> pa.Table:  # noqa: ARG001 - all reports are called alike
    """Return the fees of done records in the period; amounts in rials.

    What is done without the time of its effect bore its fee too, though flows.csv and
    the journal, which want that time, leave it out: a payment without `paid_at` counts
    at its creation, and what has no time at all is in every period, without a month.

    One row a product, method and month (of the business's calendar). `expected_wage`
    and `difference` (wage less expected) are empty unless the imported tariff covers
    every record of the row. `effective_bps` is the wage in ten-thousandths of the
    amount, rounded half up, empty where nothing was paid.
    """
    days = period.of_dates(result.table("report_fees"))
    months: dict[tuple[Any, ...], dict[str, Any]] = {}
    for day in days.to_pylist():
        key = {name: day[name] for name in _KEY}
        month = months.setdefault(
            tuple(key.values()), key | dict.fromkeys(_SUMS, 0) | {"expected_wage": 0}
        )
        for name in _SUMS:
            month[name] += day[name]
        known = (month["expected_wage"], day["expected_wage"])
        month["expected_wage"] = None if None in known else sum(known)
    rows = [month | _rates(month) for month in months.values()]
    return shaped(pa.Table.from_pylist(rows, COLUMNS), COLUMNS)


def _rates(month: dict[str, Any]) -> dict[str, int | None]:
    amount, wage, expected = month["amount"], month["wage"], month["expected_wage"]
    return {
        "difference": None if expected is None else wage - expected,
        "effective_bps": _rounded(wage * _BASIS_POINTS, amount) if amount else None,
    }


def _rounded(part: int, whole: int) -> int | None:
    """Divide and round half up, in integers; None where it leaves 64 bits."""
    quotient = (2 * part + whole) // (2 * whole)
    return quotient if abs(quotient) <= _MOST else None
