"""What is found does not hang on the day, on the names or on the order of rows."""

import random
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest

from recon.reconcile.checks import run_checks, shipped_checks
from recon.reconcile.engines.duckdb import DuckEngine
from recon.sandbox import history
from recon.sandbox.exports import PROVIDER_NAME
from recon.settings import Business, CashIn, Checks, Settings
from tests.checks.history_tables import tables_of
from tests.raw_rows import raw_table

Row = dict[str, Any]
Tables = Mapping[str, list[Row]]
Break = tuple[Any, ...]

NAMES = frozenset(
    {
        *("id", "checkout_id", "mandate_id", "payment_ids", "request_id", "ref_id"),
        *("tracking_code", "trace_id", "token", "trans_id", "refnumber", "reference"),
        *("track_id", "gateway_transaction_id", "checkout_number", "factor_number"),
    }
)
DATED = frozenset({"bank_debit_unexplained", "mandate_count_exceeded"})
"""The checks whose record is named by a time."""


class Shop:
    """A shop with every fault, some of whose rows lack values or have odd ones."""

    def __init__(self, seed: int) -> None:
        made = history.generate(seed, days=16, daily=6, faults=("all",))
        self.as_of = made.ends_at + timedelta(hours=60)
        tables = tables_of(made, pulled_at=made.ends_at + timedelta(hours=1))
        self.tables = {name: table.to_pylist() for name, table in tables.items()}
        self.settings = Settings(
            business=Business(name="shop"),
            cash_in=CashIn(
                wallet_iban=made.world.wallet_iban, settled_statuses=("SETTLED",)
            ),
            checks=Checks(provider_names=(PROVIDER_NAME,)),
        )
        spoil(self.tables, random.Random(seed))


def spoil(tables: Tables, chance: random.Random) -> None:
    """Empty values, swap them between rows and change amounts, here and there."""
    for name in sorted(tables.keys() - {"commits", "seen_ids"}):
        rows = tables[name]
        for _ in range(1 + len(rows) // 12):
            row, other = chance.choice(rows), chance.choice(rows)
            column = chance.choice(
                sorted(row.keys() - NAMES - {"pull_id", "page_no", "position"})
            )
            spoilt = [None, other[column]]
            if type(row[column]) is int:
                spoilt += [row[column] + 1, row[column] * 10]
            row[column] = chance.choice(spoilt)


def found(shop: Shop, tables: Tables, later: timedelta = timedelta()) -> list[Break]:
    """Every break: check, product, record, related, time, expected and actual."""
    given = {name: raw_table(name, rows) for name, rows in tables.items()}
    with DuckEngine.open(given, shop.settings, shop.as_of + later) as engine:
        table: pa.Table = run_checks(engine, shipped_checks(), shop.settings)
    names = ("check", "product", "record_id", "related_id", "occurred_at")
    return [
        tuple(row[name] for name in (*names, "expected", "actual"))
        for row in table.to_pylist()
    ]


def nameless(broken: Break, change: Callable[[str], str] = str) -> Break:
    """Return a break with its names changed; without those that hold a time or more."""
    check, product, record, related, *rest = broken
    if product == "wallet" or check in DATED:
        return check, product, *rest
    name, place = record.partition("#")[::2]  # the place of a record without an id
    tokens = sorted(change(each) for each in (related or "").split(" "))
    return check, product, *rest, change(name), place, *tokens


@pytest.fixture(scope="module", params=[1, 2])
def shop(request: pytest.FixtureRequest) -> Shop:
    return Shop(request.param)


@pytest.fixture(scope="module")
def breaks(shop: Shop) -> list[Break]:
    known = found(shop, shop.tables)
    assert len({each[0] for each in known}) > 40  # checks
    return known


def test_rows_in_another_order_have_the_same_breaks(
    shop: Shop, breaks: list[Break]
) -> None:
    chance = random.Random(7)
    mixed = {name: chance.sample(rows, len(rows)) for name, rows in shop.tables.items()}
    assert Counter(found(shop, mixed)) == Counter(breaks)


@pytest.mark.parametrize("days", [-91, 150])
def test_a_shop_of_other_days_has_the_same_breaks(
    shop: Shop, breaks: list[Break], days: int
) -> None:
    """Over the new years of both calendars; Tehran keeps one time all year."""
    later = timedelta(days=days)

    def moved(value: Any) -> Any:
        return value + later if isinstance(value, (date, datetime)) else value

    tables = {
        name: [{key: moved(each) for key, each in row.items()} for row in rows]
        for name, rows in shop.tables.items()
    }
    expected = Counter(
        nameless((*each[:4], moved(each[4]), *each[5:])) for each in breaks
    )
    assert Counter(map(nameless, found(shop, tables, later))) == expected


def test_a_shop_of_other_names_has_the_same_breaks(
    shop: Shop, breaks: list[Break]
) -> None:
    """Every digit but 0 stands for another one: ids sort in another order."""
    digits = str.maketrans("123456789", "974215386")

    def renamed(value: Any) -> Any:
        if isinstance(value, list):
            return [renamed(each) for each in value]
        is_name = isinstance(value, str) and not value.startswith("IR")
        return value.translate(digits) if is_name else value

    tables = {
        name: [
            {
                key: renamed(each) if key in {*NAMES, "data", "description"} else each
                for key, each in row.items()
            }
            for row in rows
        ]
        for name, rows in shop.tables.items()
    }
    expected = Counter(nameless(each, renamed) for each in breaks)
    assert Counter(map(nameless, found(shop, tables))) == expected
