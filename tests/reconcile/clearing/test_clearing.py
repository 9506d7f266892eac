"""A run by a clearing finds what a whole one finds, whatever comes later."""

import logging
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from recon import nightly
from recon.lake.parts import CLEARING
from recon.lake.schema import PASSED_OVER
from recon.lake.voids import VOID, certificate
from recon.reconcile.clearing import clearing
from recon.reconcile.opening import open_engine
from recon.reconcile.run import counted_commits, reconcile
from tests.reconcile.clearing.cleared_shop import Shop
from tests.reconcile.clearing.later_nights import (
    Row,
    Rows,
    line_of_tariff,
    old_snapshot,
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    """Make a shop that is compacted and cleared."""
    with pytest.MonkeyPatch.context() as patch:
        shop = Shop(tmp_path_factory.mktemp("shop"), patch, 1)
        *checkouts, payment = spaced_rows(shop).values()
        shop.bring({"checkouts": checkouts, "payments": [payment]})
        shop.compact()
        assert shop.clear()
        yield shop


@pytest.fixture
def shop(made: Shop, tmp_path: Path) -> Shop:
    """A copy of it, a day later."""
    copy = made.copied(tmp_path)
    copy.pass_time(days=1)
    return copy


SPACED = {"checkout_number": "{} ", "request_id": " {}", "ref_id": "{}\u2009"}
"""Names by which later rows find a record, and how some spell them."""


def spaced_rows(shop: Shop) -> dict[str, Row]:
    """Return a plain record for each name, from the middle, with it so spelled."""
    rows = shop.business.rows
    later = sorted(rows["checkouts"], key=lambda each: each["created_at"])[100:]
    numbers = {each["reference"] for each in rows["books"]}
    sold = [each for each in later if each["checkout_number"] in numbers]
    unsold = later[0] | {"id": "c-unsold", "status": "waiting", "payment_ids": []}
    request = next(each for each in sold if each["request_id"])
    others = {each["id"] for each in sold} - {request["id"]}
    receipts = (each for each in rows["payments"] if each["checkout_id"] in others)
    found = {
        "checkout_number": unsold
        | {"request_id": "unsold", "checkout_number": "unsold"},
        "request_id": request,
        "ref_id": next(
            each for each in receipts if each["ref_id"] and not each["mandate_id"]
        ),
    }
    return {
        name: row | {name: SPACED[name].format(row[name])}
        for name, row in found.items()
    }


def cleared_payments(shop: Shop) -> list[str]:
    """Return the ids of payments that a later run need not read."""
    (commit,) = shop.lake.commits(kind=CLEARING)
    (file,) = (f for f in commit.files if (f.folder, f.table)[1] == "payments")
    left = set(shop.lake.read(shop.lake.file(file), ["id"])["id"].to_pylist())
    return sorted({row["id"] for row in shop.business.rows["payments"]} - left)


def test_most_payments_of_a_plain_history_are_cleared(shop: Shop) -> None:
    assert len(cleared_payments(shop)) > len(shop.business.rows["payments"]) // 3


@pytest.mark.parametrize("name", SPACED)
def test_what_has_a_space_at_an_end_of_a_name_is_never_cleared(
    name: str, shop: Shop
) -> None:
    (commit,) = shop.lake.commits(kind=CLEARING)
    (file,) = (
        f for f in commit.files if (f.folder, f.table) == ("outstanding", "checkouts")
    )
    outstanding = shop.lake.read(shop.lake.file(file))
    row = spaced_rows(shop)[name]
    assert row.get("checkout_id", row["id"]) in outstanding["id"].to_pylist()


@pytest.mark.parametrize("seed", [1])
def test_nights_after_a_clearing_find_what_whole_ones_do(seed: int, shop: Shop) -> None:
    shop.business.chance.seed(seed)
    told: Counter[bool] = Counter()
    for _ in range(3):
        shop.pass_time(hours=11)
        shop.bring(shop.business.night())
        narrow = shop.narrowly()
        if narrow is not None:
            assert narrow.same_as(shop.wholly())
        told[narrow is not None] += 1
    assert told[True]


def test_the_figures_of_the_books_are_those_of_a_whole_run(shop: Shop) -> None:
    shop.pass_time(days=1)
    shop.bring(shop.business.night())
    with reconcile(shop.lake, shop.settings, dry_run=True) as run:
        assert not run.is_whole
        narrow = run.table("int_book_figures").to_pylist()
    visible = counted_commits(shop.lake, shop.now)
    with open_engine(shop.lake, shop.settings, shop.now, visible) as engine:
        whole = engine.table("int_book_figures").to_pylist()
    assert sorted(map(str, narrow)) == sorted(map(str, whole))
    assert sum(row["matched_orders"] for row in whole) > 100


def test_a_receipt_of_a_cleared_payment_is_found_on_a_later_one(shop: Shop) -> None:
    old = cleared_payments(shop)[0]
    (row,) = (row for row in shop.business.rows["payments"] if row["id"] == old)
    checkout = {"id": "c-new", "status": "paid", "amount": row["amount"]}
    shop.bring(
        {
            "checkouts": [checkout | {"payment_ids": ["p-new"]}],
            "payments": [
                row | {"id": "p-new", "checkout_id": "c-new", "paid_at": shop.now}
            ],
        }
    )
    narrow = shop.narrowly()
    assert narrow is not None
    found = narrow.breaks.to_pylist()
    (one,) = (each for each in found if each["record_id"] == row["ref_id"])
    assert one["check"] == "payment_ref_id_duplicate"
    assert one["related_id"] == f"{old} p-new"


def later_order(_: Shop, checkout: Row) -> Rows:
    order = {"reference": f" {checkout['checkout_number']}", "amount": 1}
    return {"books": [order | {"status": "paid"}]}


def later_order_with_a_mark(_: Shop, checkout: Row) -> Rows:
    reference = f"'{checkout['checkout_number']}"
    return {"books": [{"reference": reference, "amount": 1, "status": "paid"}]}


def order_passed_over(_: Shop, checkout: Row) -> Rows:
    number = checkout["checkout_number"]
    return {"books": [{"reference": number, "status": PASSED_OVER}]}


def later_checkout_of_its_number(_: Shop, checkout: Row) -> Rows:
    return {"checkouts": [{"id": "c", "checkout_number": checkout["checkout_number"]}]}


def later_checkout_of_its_request(_: Shop, checkout: Row) -> Rows:
    return {"checkouts": [{"id": "c", "request_id": checkout["request_id"]}]}


def later_version(_: Shop, checkout: Row) -> Rows:
    return {"checkouts": [checkout]}


def later_payment(_: Shop, checkout: Row) -> Rows:
    return {"payments": [{"id": "p", "checkout_id": checkout["id"]}]}


def payment_that_moves(_: Shop, checkout: Row) -> Rows:
    return {"payments": [{"id": checkout["payment_ids"][0], "checkout_id": "c"}]}


def its_receipt(shop: Shop, checkout: Row) -> Rows:
    rows = shop.business.rows["payments"]
    (own,) = (row for row in rows if row["id"] == checkout["payment_ids"][0])
    return {"payments": [{"id": "p", "ref_id": f"{own['ref_id']} "}]}


def token_of_its_number(_: Shop, checkout: Row) -> Rows:
    number = checkout["checkout_number"]
    return {"gateway_tokens": [{"token": "t", "factor_number": number}]}


def agreement_of_its_number(_: Shop, checkout: Row) -> Rows:
    number = checkout["checkout_number"]
    return {"agreements": [{"tracking_code": "a", "trace_id": number}]}


@pytest.mark.parametrize(
    "later",
    [
        *(later_order, later_order_with_a_mark, order_passed_over),
        *(later_checkout_of_its_number, later_checkout_of_its_request),
        *(later_version, later_payment, payment_that_moves, its_receipt),
        *(token_of_its_number, agreement_of_its_number),
    ],
)
def test_a_cleared_checkout_is_read_again_when_a_later_row_speaks_of_it(
    later: Callable[[Shop, Row], Rows], shop: Shop
) -> None:
    paid = set(cleared_payments(shop))
    checkout = next(
        row
        for row in shop.business.rows["checkouts"]
        if row["payment_ids"] and row["payment_ids"][0] in paid
    )
    assert checkout["id"] not in touched(shop)
    shop.bring(later(shop, checkout))
    assert checkout["id"] in touched(shop)


def touched(shop: Shop) -> set[str]:
    visible = counted_commits(shop.lake, shop.now)
    with open_engine(shop.lake, shop.settings, shop.now, visible) as engine:
        rows = engine.table("int_touched_checkouts")
    return set(rows["checkout_id"].to_pylist())


def swept(shop: Shop) -> None:
    rows = shop.business.rows
    shop.bring({"checkouts": rows["checkouts"][:1]}, whole=True)


def swept_empty(shop: Shop) -> None:
    with shop.lake.begin("pull", "checkouts") as made:
        made.commit()


def compacted(shop: Shop) -> None:
    shop.bring({"checkouts": shop.business.rows["checkouts"][:1]})
    shop.compact()


def other_rule(shop: Shop) -> None:
    checks = replace(shop.settings.checks, tolerance=1)
    shop.settings = replace(shop.settings, checks=checks)


def other_tariff(shop: Shop) -> None:
    shop.bring(line_of_tariff(shop.business))


def other_past(shop: Shop) -> None:
    (balance,) = old_snapshot(shop.business)["balances"]
    shop.bring({"balances": [balance | {"balance": 1}]})


def earlier_books(shop: Shop) -> None:
    rows = shop.business.rows["books"]
    first = min(rows, key=lambda row: row["occurred_at"])
    later = first["occurred_at"] + timedelta(hours=1)
    shop.bring({"books": [first | {"occurred_at": later}]})


def voided(shop: Shop) -> None:
    """Take back rows that every run reads whole, so that nothing else tells of it."""
    (commit,) = shop.lake.commits(kind="import", source="bank_statement")
    with shop.lake.begin(VOID, "bank_statement") as made:
        made.commit(certificate=certificate([commit.id]))


def damaged(shop: Shop) -> None:
    (path,) = (shop.lake.root / "cleared/movements").iterdir()
    path.chmod(0o600)
    path.write_bytes(path.read_bytes()[:-1])


@pytest.mark.parametrize(
    "change",
    [
        swept,
        swept_empty,
        compacted,
        other_rule,
        other_tariff,
        other_past,
        earlier_books,
        voided,
        damaged,
    ],
)
def test_where_it_rests_on_something_else_a_run_is_whole(
    change: Callable[[Shop], None], shop: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    change(shop)
    with caplog.at_level(logging.WARNING):
        assert shop.narrowly() is None
    assert (change is damaged) == ("clearing.damaged" in caplog.text)


@pytest.fixture
def foretold(shop: Shop) -> Shop:
    """The shop, cleared again where the books have an order of the future."""
    order = {"reference": "typo", "amount": 1, "status": "unpaid"}
    shop.bring({"books": [order | {"occurred_at": datetime(2099, 1, 1, tzinfo=UTC)}]})
    shop.compact()
    assert shop.clear()
    shop.pass_time(days=1)
    return shop


def ordered_last(shop: Shop) -> list[Row]:
    """Return the orders of the last days, the last one first."""
    rows = shop.business.rows["books"]
    orders = sorted(rows, key=lambda row: row["occurred_at"], reverse=True)
    since = orders[0]["occurred_at"] - timedelta(hours=48)
    return [row for row in orders if row["occurred_at"] >= since]


def test_the_last_days_of_the_books_stay_beside_an_order_of_the_future(
    foretold: Shop,
) -> None:
    commit = foretold.lake.commits(kind=CLEARING)[-1]
    (file,) = (
        f for f in commit.files if (f.folder, f.table) == ("outstanding", "books")
    )
    left = foretold.lake.read(foretold.lake.file(file))["reference"].to_pylist()
    last = {row["reference"] for row in ordered_last(foretold)}
    assert len(last) > 10
    assert last <= set(left)
    assert len(left) < len(foretold.business.rows["books"]) // 2


def test_books_that_reach_less_far_but_for_an_order_of_the_future_are_read_whole(
    foretold: Shop,
) -> None:
    assert foretold.narrowly() is not None
    earlier = timedelta(days=3)
    foretold.bring(
        {
            "books": [
                row | {"occurred_at": row["occurred_at"] - earlier}
                for row in ordered_last(foretold)
            ]
        }
    )
    assert foretold.narrowly() is None


def test_a_run_of_an_earlier_time_is_whole(shop: Shop) -> None:
    (commit,) = shop.lake.commits(kind=CLEARING)
    before = commit.committed_at - timedelta(seconds=1)
    assert shop.narrowly(before) is None


def test_a_clearing_that_would_hide_anything_is_not_kept(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = clearing._OUTSTANDING
    none = {name: f"select * from ({sql}) where 1 = 0" for name, sql in kept.items()}
    monkeypatch.setattr(clearing, "_OUTSTANDING", none)
    swept(shop)
    before = shop.lake.commits()
    assert shop.clear() is None
    assert shop.lake.commits() == before


def test_a_night_clears_what_is_compacted_and_the_next_one_reports_the_same(
    shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clearing, "FEWEST_ROWS", 1)
    swept(shop)
    shop.compact()
    shop.pass_time(hours=1)
    nightly.run(shop.settings, shop.lake)
    assert len(shop.lake.commits(kind=CLEARING)) == 2
    shop.pass_time(days=1)
    shop.bring(shop.business.night())
    other = shop.copied(tmp_path / "other")
    checks = shop.settings.checks
    names = (*checks.provider_names, "never")
    other.settings = replace(
        other.settings, checks=replace(checks, provider_names=names)
    )
    nights = [nightly.run(each.settings, each.lake) for each in (shop, other)]
    (narrow, whole) = (
        {name: path.read_bytes() for name, path in night.files.items()}
        for night in nights
    )
    assert len(shop.lake.commits(kind=CLEARING)) == 2
    assert len(other.lake.commits(kind=CLEARING)) == 3
    assert narrow == whole
