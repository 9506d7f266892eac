"""journal.csv: a double-entry general journal of the wallet and of escrow."""

from collections.abc import Iterable, Iterator
from datetime import date
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from recon.reconcile.escrow_figures import HELD
from recon.reports.periods import Period
from recon.reports.results import Results
from recon.reports.streams import Stream
from recon.reports.tables import COUNT, DATE, INSTANT, RIALS, TEXT, shaped
from recon.settings import Settings

COLUMNS = pa.schema(
    [
        ("entry_id", TEXT),
        ("posted_at", INSTANT),
        ("business_date", DATE),
        ("account", TEXT),
        ("debit", RIALS),
        ("credit", RIALS),
        ("currency", TEXT),
        ("product", TEXT),
        ("record_id", TEXT),
        ("narration", TEXT),
    ]
)
DAYS = pa.schema(
    [
        ("business_date", DATE),
        ("account", TEXT),
        ("product", TEXT),
        ("debit", RIALS),
        ("credit", RIALS),
        ("currency", TEXT),
        ("legs", COUNT),
    ]
)
_DAYS = """
select
    business_date,
    account,
    product,
    sum(debit // 1000000000) as debit_billions,
    sum(debit % 1000000000) as debit_rest,
    sum(credit // 1000000000) as credit_billions,
    sum(credit % 1000000000) as credit_rest,
    currency,
    count(*) as legs
from report_journal
group by business_date, account, product, currency
"""
_BILLION = 10**9
_MOST = 2**63 - 1
_LEGS_AT_ONCE = 1_500_000  # some 300 MB
_ORDER = ("posted_at", "entry_id", "account", "debit", "credit")


def table(result: Results, settings: Settings, period: Period) -> pa.Table:  # noqa: ARG001 - all reports are called alike
    """Return the entries posted in the period; amounts in rials.

    One row a leg; of `debit` and `credit` one is 0. Every `entry_id` balances. The
    clearing accounts are settled by the business's own entries of its sales.
    """
    return stream(result, period).table()


def stream(result: Results, period: Period) -> Stream:
    """Return what `table` does in parts: there are several legs for every payment."""
    return Stream(result, "report_journal", COLUMNS, _ORDER, period, "posted_at")


def entries(legs: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """Yield legs that come in parts in such parts that no entry is in two of them."""
    rest = COLUMNS.empty_table()
    for part in legs:
        rest = pa.concat_tables([rest, part])
        ids = pc.fill_null(rest["entry_id"], "")
        begun = pc.index(ids, ids[-1]).as_py() if rest.num_rows else 0
        if begun:
            yield rest.slice(0, begun)
            rest = rest.slice(begun)
    if rest.num_rows:
        yield rest


def days(result: Results) -> pa.Table:
    """Return what each account was debited and credited on each business date.

    One row a date of all time, account and product; as balanced as the entries.
    Amounts in rials; `legs` are how many they sum. A sum beyond 64 bits, which forged
    events of escrow can come to, is in several rows.
    """
    rows: list[dict[str, Any]] = []
    for row in result.sql(_DAYS).to_pylist():
        debit, credit = (
            int(row.pop(f"{side}_billions")) * _BILLION + int(row.pop(f"{side}_rest"))
            for side in ("debit", "credit")
        )
        rows += [row | part for part in _within_64_bits(debit, credit)]
    return shaped(pa.Table.from_pylist(rows, DAYS), DAYS)


def cuts(days: pa.Table) -> list[date]:
    """Return dates, the earliest first, between which some million legs were posted.

    Of `days` in their order. A date begins elsewhere by UTC: a few legs more or less.
    """
    found, legs = [], 0
    dates, counts = (days[name].to_pylist() for name in ("business_date", "legs"))
    for day, count in zip(dates, counts, strict=True):
        if legs >= _LEGS_AT_ONCE and day and day not in found:
            found.append(day)
            legs = 0
        legs += count
    return found


def _within_64_bits(debit: int, credit: int) -> Iterator[dict[str, int]]:
    while True:
        part = {"debit": min(debit, _MOST), "credit": min(credit, _MOST)}
        yield part
        debit, credit = debit - part["debit"], credit - part["credit"]
        if not debit and not credit:
            return


def held(result: Results, settings: Settings, period: Period) -> pa.Table:  # noqa: ARG001
    """Return the legs of what is held in escrow for others; amounts in rials.

    What was held before the period is brought forward on its first date, so that they
    sum to what is held on each.
    """
    ours = (  # the product is known beforehand: no other's records are read
        f"select * from report_journal where account = '{HELD}' and product = 'escrow'"
    )
    legs = shaped(result.sql(ours), COLUMNS, sort=False)
    legs = legs.sort_by([(name, "ascending") for name in _ORDER])
    brought = pa.Table.from_pylist(list(_brought_forward(legs, period)), COLUMNS)
    return pa.concat_tables([brought, period.of_dates(legs)])


def _brought_forward(legs: pa.Table, period: Period) -> Iterator[dict[str, Any]]:
    """Yield what an account had before the period as legs of its first date."""
    if period.first is None:
        return
    earlier = legs.filter(pc.less(legs["business_date"], period.first))
    rials = sum(earlier["debit"].to_pylist()) - sum(earlier["credit"].to_pylist())
    if rials:
        said = {"entry_id": "brought forward", "narration": "Brought forward"}
        same = earlier.slice(0, 1).select(["account", "currency", "product"])
        for part in _within_64_bits(max(rials, 0), max(-rials, 0)):
            yield {"business_date": period.first, **same.to_pylist()[0], **said, **part}
