"""The tables that no file computes: settings, statuses, names and dates, for SQL."""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from functools import cache

import numpy as np
import pyarrow as pa

from recon.lake.schema import CLEARED, COMPACTED, FLAG, INSTANT, TABLES, TEXT, WHOLE
from recon.reconcile.closed_accounts import CLOSED_ACCOUNTS
from recon.settings import CashIn, Settings
from recon.times import EARLIEST, LATEST, jalali_day

COMMITS = pa.schema(
    {
        "pull_id": TEXT,
        "sequence": WHOLE,
        "kind": TEXT,
        "source": TEXT,
        "started_at": INSTANT,
        "committed_at": INSTANT,
        "complete": FLAG,
        "whole": FLAG,
    }
)
"""`raw_commits`: one row a commit that is visible as of T."""

SEEN_IDS = pa.schema({"source_table": TEXT, "id": TEXT, "pull_id": TEXT})
"""`raw_seen_ids`: one row an id that a list's newest complete whole sweep met."""

BREAK_NAMES = pa.schema({"name": TEXT})
"""`raw_break_names`: one row an id or a number that a break of this run names."""

OPEN_SPANS = pa.schema({"from_at": INSTANT, "until_at": INSTANT})
"""`raw_open_spans`: when money may have moved that no interval accounts for yet."""

PARTS = ("compacted", "superseded", "later", "standing")
"""Parts of a table's versions, as `raw_<name>_<part>`: what a compaction found to be
the newest then, and what not; those of later commits; and, as `standing`, the first
and the third: all that may be the newest. Without a compaction all are later ones."""

RAW_SCHEMAS: dict[str, pa.Schema] = {
    **{name: table.schema for name, table in TABLES.items()},
    **{f"{name}_{part}": TABLES[name].schema for name in COMPACTED for part in PARTS},
    "commits": COMMITS,
    "seen_ids": SEEN_IDS,
    "closed_accounts": CLOSED_ACCOUNTS,
    "cleared_movements": CLEARED["movements"],
    "cleared_uses": CLEARED["uses"],
    "break_names": BREAK_NAMES,
    "open_spans": OPEN_SPANS,
}
"""The columns of `raw_<name>`. The cleared ones have rows only where a run does not
read the payments that they stand for."""

T = "as_of"
"""The column of `stg_settings` that is another one in every run."""

_FEE_BEARERS = pa.schema(
    {
        "product": TEXT,
        "fee_bearer": TEXT,
        "valid_from": INSTANT,
        "valid_until": INSTANT,
    }
)
_WAGE_PAYERS = pa.schema(
    {"wage_from": TEXT, "valid_from": INSTANT, "valid_until": INSTANT}
)
_WALLET_IBANS = pa.schema(
    {"wallet": TEXT, "valid_from": INSTANT, "valid_until": INSTANT}
)
_BOOKED_PRODUCTS = ("unified", "escrow", "gateway", "hosted")
_FIRST_DAY = date(1970, 1, 1)
_FIRST_JALALI_YEAR = 1348
_LAST_JALALI_YEAR = 1529  # its end is in 2151
_LONG_MONTHS = 6  # of 31 days; the next five have 30
_MONTHS = 12


def setting_tables(settings: Settings, as_of: datetime) -> dict[str, pa.Table]:
    """Return `stg_settings` and its lists. Amounts in rials, durations in seconds.

    A product whose section is absent has its defaults, so that what was imported for
    it can still be read.
    """
    checks = settings.checks
    return {
        "stg_settings": _settings_row(settings, as_of),
        "stg_settled_statuses": _texts("status", _cash_in(settings).settled_statuses),
        "stg_provider_names": _provider_names(checks.provider_names),
        "stg_fee_bearers": _fee_bearers(settings),
        "stg_wage_payers": _wage_payers(settings),
        "stg_wallet_ibans": _wallet_ibans(settings),
        "stg_unasked_products": _texts(
            "product",
            tuple(name for name in _BOOKED_PRODUCTS if not getattr(settings, name)),
        ),
    }


def settings_in_words(tables: Mapping[str, pa.Table], calendar: str) -> dict[str, str]:
    """Return what each table holds that the settings give, and T by itself."""
    row = tables["stg_settings"]
    usual = {**tables, "stg_settings": row.drop_columns([T]), T: row.select([T])}
    words = {name: str(table.to_pydict()) for name, table in usual.items()}
    return words | {"stg_dates": calendar}


def _fee_bearers(settings: Settings) -> pa.Table:
    """Return one row a product and span of time in which one side bore its wages."""
    rows = []
    for product, section in settings.fee_bearers().items():
        since = settings.instants_of(section.fee_bearer_since)
        rows += [
            {"product": product, "fee_bearer": bearer, **term}
            for bearer, term in _terms({EARLIEST: section.fee_bearer, **since})
        ]
    return pa.Table.from_pylist(rows, _FEE_BEARERS)


def _wage_payers(settings: Settings) -> pa.Table:
    """Return one row a span of time in which one side paid the fees of deposits."""
    cash_in = _cash_in(settings)
    since = settings.instants_of(cash_in.wage_from_since)
    terms = _terms({EARLIEST: cash_in.wage_from, **since})
    rows = [{"wage_from": payer, **term} for payer, term in terms]
    return pa.Table.from_pylist(rows, _WAGE_PAYERS)


def _wallet_ibans(settings: Settings) -> pa.Table:
    """Return one row a span of time in which one IBAN was set as the wallet's."""
    terms = _terms(settings.wallet_ibans())
    rows = [{"wallet": wallet, **term} for wallet, term in terms]
    return pa.Table.from_pylist(rows, _WALLET_IBANS)


def _terms(since: Mapping[datetime, str]) -> Iterator[tuple[str, dict[str, datetime]]]:
    """Yield what was in force, and from when until when, in the order of time."""
    starts = sorted(since)
    for start, end in zip(starts, [*starts[1:], LATEST], strict=True):
        yield since[start], {"valid_from": start, "valid_until": end}


def _settings_row(settings: Settings, as_of: datetime) -> pa.Table:
    checks = settings.checks
    cash_in = _cash_in(settings)
    texts = {
        "timezone": settings.business.timezone.key,
        "calendar": settings.business.calendar,
        "wallet_iban": cash_in.wallet_iban,
        "balance_of": cash_in.balance_of,
        "gateway_timezone": settings.gateway_zone.key,
    }
    seconds = {
        "clock_skew_seconds": checks.clock_skew,
        "stale_redirect_seconds": checks.stale_redirect,
        "verify_window_seconds": checks.verify_window,
        "deposit_queue_seconds": checks.deposit_queue,
        "payout_after_seconds": checks.payout_after,
        "dispute_open_seconds": checks.dispute_open,
    }
    numbers = {
        "tolerance_rial": checks.tolerance,
        **{name: int(value.total_seconds()) for name, value in seconds.items()},
    }
    schema = pa.schema(
        {
            T: INSTANT,
            **dict.fromkeys(texts, TEXT),
            **dict.fromkeys(numbers, WHOLE),
        }
    )
    return pa.Table.from_pylist([{T: as_of, **texts, **numbers}], schema)


@cache
def date_table(calendar: str) -> pa.Table:
    """Return `stg_dates`: one row a day from 1970 to 2150.

    `month` is `YYYY-MM` in the business's calendar, `jalali` is `YYYY-MM-DD`.
    """
    days: list[int] = []
    jalali: list[str] = []
    months: list[str] = []
    for first, length, year, month in _jalali_months():
        days.extend(range(first, first + length))
        jalali.extend(
            f"{year:04d}-{month:02d}-{day:02d}" for day in range(1, length + 1)
        )
        months.extend([f"{year:04d}-{month:02d}"] * length)
    wanted = np.asarray(days, dtype="datetime64[D]")
    if calendar != "jalali":
        months = wanted.astype("datetime64[M]").astype(str).tolist()
    return pa.table(
        {"business_date": pa.array(wanted), "month": months, "jalali": jalali}
    )


def _jalali_months() -> list[tuple[int, int, int, int]]:
    """Return each Jalali month: its first day since 1970, length, year and number."""
    found = []
    for year in range(_FIRST_JALALI_YEAR, _LAST_JALALI_YEAR + 1):
        first, after = _new_year(year), _new_year(year + 1)
        for month in range(1, _MONTHS + 1):
            length = 31 if month <= _LONG_MONTHS else 30
            if month == _MONTHS:
                length = after - first
            found.append((first, length, year, month))
            first += length
    return found


def _new_year(year: int) -> int:
    return (jalali_day(year, 1, 1) - _FIRST_DAY) // timedelta(days=1)


def _cash_in(settings: Settings) -> CashIn:
    return settings.cash_in or CashIn()


def _provider_names(names: tuple[str, ...]) -> pa.Table:
    """Return each name, and a pattern of its letters with any spaces between them."""
    patterns = [
        " *".join(re.escape(letter) for letter in name if not letter.isspace())
        for name in names
    ]
    return pa.table(
        {"name": pa.array(names, TEXT), "pattern": pa.array(patterns, TEXT)}
    )


def _texts(column: str, values: tuple[str, ...]) -> pa.Table:
    """Return each text once: rows that meet one are not to be two."""
    return pa.table({column: pa.array(dict.fromkeys(values), TEXT)})


def utc(instant: datetime) -> datetime:
    """Return an instant in UTC, so that it prints alike everywhere."""
    return instant.astimezone(UTC)
