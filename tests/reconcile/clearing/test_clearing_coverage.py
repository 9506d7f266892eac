"""What no file covers is told alike by a run by the clearing and by a whole one."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from recon.reconcile.clearing import clearing
from recon.reconcile.engines.duckdb import DuckEngine
from recon.reconcile.opening import open_engine
from recon.reconcile.run import counted_commits, reconcile
from tests.reconcile.clearing.cleared_shop import Shop

TOLD = (
    *("report_coverage", "report_uncovered", "int_book_outer_records"),
    *("int_book_exports", "int_bank_gaps", "int_bank_undecided"),
)
BEYOND = """
select cast(sum(count) as bigint) as count from report_uncovered where kind = 'books'
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    """Make a shop that is compacted and cleared."""
    with pytest.MonkeyPatch.context() as patch:
        shop = Shop(tmp_path_factory.mktemp("shop"), patch, 1)
        shop.compact()
        assert shop.clear()
        yield shop


@pytest.fixture
def shop(made: Shop, tmp_path: Path) -> Shop:
    """A copy of it, a day later."""
    copy = made.copied(tmp_path)
    copy.pass_time(days=1)
    return copy


def test_what_no_file_covers_is_that_of_a_whole_run(shop: Shop) -> None:
    """Of three records that came after the books' end an order of before has one."""
    order = shop.business.rows["books"][0] | {"reference": "n-2", "product": "unified"}
    some, came = shop.business.rows["checkouts"][0], {"created_at": shop.now}
    sold = [
        some | came | {"id": f"c-{number}", "checkout_number": f"n-{number}"}
        for number in range(3)
    ]
    paid = {"status": "paid", "request_id": None, "payment_ids": []}
    shop.bring({"checkouts": [each | paid for each in sold], "books": [order]})
    shop.pass_time(days=2)
    visible = counted_commits(shop.lake, shop.now)
    with (
        reconcile(shop.lake, shop.settings, dry_run=True) as run,
        open_engine(shop.lake, shop.settings, shop.now, visible) as engine,
    ):
        assert not run.is_whole
        narrow = {name: sorted(map(str, run.table(name).to_pylist())) for name in TOLD}
        whole = {
            name: sorted(map(str, engine.table(name).to_pylist())) for name in TOLD
        }
        outer = engine.table("int_book_outer_records")["record_id"].to_pylist()
        (counted,) = engine.query(BEYOND)["count"].to_pylist()
    assert narrow == whole
    assert {"c-0", "c-1", "c-2"} <= set(outer)
    assert counted == len(outer) - 1


def test_what_came_after_the_export_is_told_by_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two records of the books' last date one came after their import: it waits."""
    shop = Shop(tmp_path, monkeypatch, 1)
    some = shop.business.rows["checkouts"][0]
    paid = some | {"status": "paid", "request_id": None, "payment_ids": []}
    order = {"reference": "last", "amount": 7, "status": "unpaid"}
    shop.bring({"books": [order | {"occurred_at": shop.now}]})
    shop.compact()
    assert shop.clear()
    for number in range(2):
        came = {"created_at": shop.now, "updated_at": shop.now}
        shop.bring({"checkouts": [paid | came | {"id": f"c-{number}"}]})
        shop.pass_time(minutes=1)
    shop.pass_time(days=2)
    visible = counted_commits(shop.lake, shop.now)
    with (
        reconcile(shop.lake, shop.settings, dry_run=True) as run,
        open_engine(shop.lake, shop.settings, shop.now, visible) as engine,
    ):
        assert not run.is_whole
        found = [
            [sorted(map(str, each.table(name).to_pylist())) for name in TOLD]
            for each in (run, engine)
        ]
        outer = engine.table("int_book_outer_records")["record_id"].to_pylist()
    assert found[0] == found[1]
    assert {"c-0", "c-1"} & {*outer} == {"c-1"}


def balance_after(shop: Shop, rials: int) -> dict[str, Any]:
    """A balance of now, so that what was paid since the last one adds up."""
    last = max(shop.business.rows["balances"], key=lambda row: row["at"])
    moved = rials + sum(
        row["amount"]
        for row in shop.business.rows["adjustments"]
        if row["at"] > last["at"]
    )
    left = {name: last[name] + moved for name in ("balance", "available_balance")}
    return last | left | {"at": shop.now}


def test_records_long_after_the_books_are_still_found_by_later_orders(
    shop: Shop,
) -> None:
    """The books end, a week of records follows, and then orders come for two of it."""
    some = shop.business.rows["checkouts"][0]
    shop.pass_time(days=9)
    came = {"created_at": shop.now, "updated_at": shop.now}
    done = next(
        each for each in shop.business.rows["payments"] if each["status"] == "done"
    )
    rials = done["amount"]
    paid = {"status": "paid", "request_id": None, "amount": rials}
    done = done | came | {"paid_at": shop.now, "mandate_id": None, "type": None}
    sold, payments = [], []
    for number in range(4):
        name = {"id": f"c-{number}", "checkout_number": f"n-{number}00"}
        sold.append(some | paid | came | name | {"payment_ids": [f"p-{number}"]})
        named = {"id": f"p-{number}", "checkout_id": f"c-{number}"}
        payments.append(done | named | {"ref_id": f"r-{number}"})
    shop.bring({"checkouts": sold, "payments": payments})
    shop.pass_time(days=9)
    shop.bring({"balances": [balance_after(shop, 4 * done["affected_amount"])]})
    shop.compact()
    assert shop.clear()
    shop.pass_time(days=1)
    order = shop.business.rows["books"][0] | {"product": None, "status": "paid"}
    numbers = {"n-000": rials + 1, "n-100-1": 200, "n-100-2": rials - 200}
    orders = [
        order | {"reference": name, "amount": each, "occurred_at": came["created_at"]}
        for name, each in numbers.items()
    ]
    shop.bring({"books": orders})
    narrow, whole = shop.narrowly(), shop.wholly()
    assert narrow is not None
    assert narrow.same_as(whole)
    found = {(row["check"], row["record_id"]) for row in whole.breaks.to_pylist()}
    assert found >= {
        ("book_amount_mismatch", "n-000"),
        ("provider_missing_in_books", "c-1"),
        ("provider_missing_in_books", "c-2"),
    }
    wide = whole.carried["int_book_wide_matches"].to_pylist()
    assert {"c-1"} == {row["record_id"] for row in wide if row["method"] == "bundle"}


@pytest.mark.parametrize("days", [9, 1])
def test_where_most_came_long_after_the_books_nothing_else_is_counted(
    days: int, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What came within two days of the last order is not known to be outstanding."""
    last = max(row["occurred_at"] for row in shop.business.rows["books"])
    some = shop.business.rows["checkouts"][0] | {"status": "paid", "payment_ids": []}
    came = last + timedelta(days=days)
    many = len(shop.business.rows["checkouts"])
    sold = [
        some | {"id": f"c-{n}", "checkout_number": f"n-{n}", "request_id": None}
        for n in range(many)
    ]
    shop.bring({"checkouts": [each | {"created_at": came} for each in sold]})
    shop.pass_time(days=9)
    shop.compact()
    monkeypatch.setattr(clearing, "LARGEST_SHARE", 3)
    asked: list[str] = []
    query = DuckEngine.query

    def told(engine: DuckEngine, sql: str, **parameters: Any) -> pa.Table:
        asked.append(sql)
        return query(engine, sql, **parameters)

    monkeypatch.setattr(DuckEngine, "query", told)
    assert shop.clear() is None
    counted = any("int_outstanding_checkouts" in sql for sql in asked)
    assert counted == (days == 1)
