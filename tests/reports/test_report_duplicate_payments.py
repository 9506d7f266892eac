"""Orders that were paid more than once: by any product, and what came in beyond."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest

from recon.reconcile.engines import DuckEngine
from recon.reports import duplicate_payments
from recon.reports.periods import Period
from recon.reports.summary import summary
from recon.settings import Business, Checks, Settings
from tests.builders import lake_tables
from tests.reports.stand_in import ResultStandIn

SETTINGS = Settings(business=Business(name="shop"))
NOVEMBER = datetime(2026, 11, 20, tzinfo=UTC)
MILLION = 1_000_000
Row = dict[str, Any]
World = dict[str, list[Row]]


def rows(
    world: World, settings: Settings = SETTINGS, period: Period | None = None
) -> list[Row]:
    with DuckEngine.open(lake_tables(world), settings, NOVEMBER) as engine:
        found = duplicate_payments.table(engine, settings, period or Period())  # type: ignore[arg-type]
    return found.to_pylist()


def told(world: World, settings: Settings = SETTINGS) -> list[tuple[Any, ...]]:
    names = ("reference", "order_amount", "received", "excess", "count", "records")
    return [tuple(row[name] for name in names) for row in rows(world, settings)]


def table_of(*found: Row) -> pa.Table:
    return pa.Table.from_pylist(list(found), duplicate_payments.COLUMNS)


def order(reference: str = "F1", amount: int | None = MILLION, **more: Any) -> Row:
    return {"reference": reference, "amount": amount, **more}


def checkout(number: str | None = "F1", **more: Any) -> Row:
    return {"checkout_number": number, **more}


def paid_by_gateway(*numbers: str | None, amount: int | None = MILLION) -> World:
    return {
        "gateway_tokens": [
            {"factor_number": each, "amount": amount} for each in numbers
        ],
        "gateway_transactions": [{"factor_number": each} for each in numbers],
    }


def paid_by_checkouts(*checkouts: Row) -> World:
    """Each with one done payment of its amount, unless it is not paid."""
    payments = [
        {
            "checkout_id": f"checkout-{n}",
            "amount": each.get("amount", MILLION),
            "status": "done" if each.get("status", "paid") == "paid" else "failed",
        }
        for n, each in enumerate(checkouts, 1)
    ]
    return {"checkouts": list(checkouts), "payments": payments}


def test_one_order_paid_by_two_products() -> None:
    """The customer's card page timed out; he paid by mandate, and the card did, too.

    No check of one product sees it: each has the number once. 1,000,000 are to be
    paid back.
    """
    world = {
        "books": [order()],
        **paid_by_checkouts(checkout(created_at=NOVEMBER - timedelta(days=9))),
        **paid_by_gateway("F1"),
    }
    (row,) = rows(world)
    assert row == {
        "business_date": date(2026, 11, 11),
        "reference": "F1",
        "order_amount": MILLION,
        "received": 2 * MILLION,
        "excess": MILLION,
        "count": 2,
        "records": "gateway:token-1 unified:checkout-1",
        "first_at": row["first_at"],
        "last_at": NOVEMBER - timedelta(days=9),
    }
    assert row["first_at"] == datetime(2026, 10, 10, 9, 4, tzinfo=UTC)


def test_one_order_paid_by_two_cards() -> None:
    world = {"books": [order(" F1 ")], **paid_by_gateway("F1", "F1", "F2")}
    found = ("F1", MILLION, 2 * MILLION, MILLION, 2, "gateway:token-1 gateway:token-2")
    assert told(world) == [found]
    del world["books"]
    assert told(world) == [found]


def test_a_checkout_charged_twice_whatever_the_books_have() -> None:
    """The books plainly have the checkout: order and record are of one amount."""
    world: World = {
        "checkouts": [checkout(), checkout("F2")],
        "payments": [{}, {"checkout_id": "checkout-1"}, {"checkout_id": "checkout-2"}],
    }
    found = ("F1", MILLION, 2 * MILLION, MILLION, 2, "unified:checkout-1")
    assert told(world) == [found]
    for orders in ([order(), order("F2")], [order()], [order(product="unified")]):
        assert told({**world, "books": orders}) == [found]
    dearer = told({**world, "books": [order(amount=1_500_000)]})
    assert dearer == [("F1", 1_500_000, 2 * MILLION, 500_000, 2, "unified:checkout-1")]


def test_two_checkouts_of_one_number_the_second_dearer() -> None:
    world = paid_by_checkouts(checkout(), checkout(amount=1_200_000))
    both = "unified:checkout-1 unified:checkout-2"
    assert told(world) == [("F1", 1_200_000, 2_200_000, MILLION, 2, both)]
    world["books"] = [order()]
    assert told(world) == [("F1", MILLION, 2_200_000, 1_200_000, 2, both)]


@pytest.mark.parametrize(
    "world",
    [
        paid_by_checkouts(checkout()),
        paid_by_checkouts(checkout(), checkout(status="not_paid")),
        {"books": [order()], **paid_by_checkouts(checkout(), checkout("F2"))},
        # two halves make the order up
        {
            "books": [order()],
            **paid_by_checkouts(checkout(amount=400_000), checkout(amount=600_000)),
        },
        # one payment that is too high is book_amount_mismatch
        {"books": [order(amount=900_000)], **paid_by_checkouts(checkout())},
        # each product has an order of its own
        {
            "books": [order(product="unified"), order(product="gateway")],
            **paid_by_checkouts(checkout()),
            **paid_by_gateway("F1"),
        },
        # without books, numbers of two products may be of two orders
        {**paid_by_checkouts(checkout()), **paid_by_gateway("F1")},
        # which of its lines is true cannot be told
        {"books": [order(), order()], **paid_by_checkouts(checkout(), checkout())},
        # a token that waits for its confirmation has taken nothing
        {
            "books": [order()],
            **paid_by_gateway("F1"),
            "hosted_checkouts": [{"checkout_number": "F1", "status": "PENDING_VERIFY"}],
        },
        # a trade that was paid back
        {
            "books": [order()],
            **paid_by_checkouts(checkout()),
            "agreements": [{"trace_id": "F1", "state": "cancel"}],
            "events": [
                {"type": "buyer_paid_agreement", "amount": MILLION},
                {"type": "payment_refunded_to_buyer", "amount": MILLION},
            ],
        },
        # nothing is known of its number
        paid_by_gateway(None, None),
        {**paid_by_gateway("", " "), "books": [order(None), order("")]},  # type: ignore[arg-type]
        {"books": [order()]},
        {},
    ],
)
def test_what_was_paid_once_or_in_parts_is_none(world: World) -> None:
    assert told(world) == []


def test_a_trade_that_stands_counts_with_a_checkout() -> None:
    world = {
        "books": [order()],
        **paid_by_checkouts(checkout()),
        "agreements": [{"trace_id": "F1", "state": "contract"}],
        "events": [{"type": "buyer_paid_agreement", "amount": MILLION}],
    }
    assert [row["excess"] for row in rows(world)] == [MILLION]


def test_numbers_of_orders_and_of_requests_may_overlap() -> None:
    """Order 17 is one checkout; that the request of the next is 17 pays it no more."""
    numbers = [checkout(str(n), request_id=str(n - 1)) for n in (17, 18, 19)]
    world = {
        "books": [order("17"), order("18"), order("19")],
        **paid_by_checkouts(*numbers),
    }
    assert told(world) == []


def test_money_of_a_checkout_that_two_orders_name_is_counted_once() -> None:
    world = {
        "books": [order(), order("R", 990_000)],
        "checkouts": [checkout(request_id="R")],
        "payments": [{}, {"checkout_id": "checkout-1"}],
    }
    assert told(world) == [
        ("F1", MILLION, 2 * MILLION, MILLION, 2, "unified:checkout-1")
    ]


def test_money_of_a_checkout_that_is_not_paid_by_its_status_came_in() -> None:
    world = {
        "books": [order()],
        "checkouts": [checkout(), checkout(status="not_paid")],
        "payments": [{}, {"checkout_id": "checkout-2", "amount": 300_000}],
    }
    both = "unified:checkout-1 unified:checkout-2"
    assert told(world) == [("F1", MILLION, 1_300_000, 300_000, 2, both)]
    world["payments"][1]["status"] = "failed"
    assert told(world) == []


def test_paid_without_a_payment_brought_nothing_in() -> None:
    world = {
        "books": [order()],
        "checkouts": [checkout(), checkout()],
        "payments": [{}],
    }
    assert told(world) == []


def test_an_excess_within_the_tolerance_is_none() -> None:
    world = {
        "books": [order()],
        **paid_by_checkouts(checkout(amount=600_000), checkout(amount=400_005)),
    }
    for tolerance, found in ((4, [5]), (5, [])):
        allowed = Settings(
            business=Business(name="shop"), checks=Checks(tolerance=tolerance)
        )
        assert [row["excess"] for row in rows(world, allowed)] == found


def test_an_unknown_amount_leaves_the_excess_open() -> None:
    both = "gateway:token-1 gateway:token-2"
    world = paid_by_gateway("F1", "F1")
    world["gateway_tokens"][1]["amount"] = None
    assert told(world) == [("F1", MILLION, None, None, 2, both)]
    assert told({**world, "books": [order()]}) == [("F1", MILLION, None, None, 2, both)]
    unpriced = {**paid_by_gateway("F1", "F1"), "books": [order(amount=None)]}
    assert told(unpriced) == [("F1", MILLION, 2 * MILLION, MILLION, 2, both)]


@pytest.mark.parametrize("amounts", [[MILLION, None], [MILLION, MILLION, None]])
def test_one_unknown_payment_of_a_checkout_leaves_its_excess_open(
    amounts: list[int | None],
) -> None:
    world = {
        "checkouts": [checkout()],
        "payments": [{"checkout_id": "checkout-1", "amount": each} for each in amounts],
    }
    found = [("F1", MILLION, None, None, len(amounts), "unified:checkout-1")]
    assert told(world) == found
    assert told({**world, "books": [order()]}) == found


def test_it_belongs_to_the_period_of_its_last_payment() -> None:
    late = NOVEMBER - timedelta(days=9)
    world = {
        "books": [order()],
        **paid_by_checkouts(checkout(), checkout(created_at=late)),
    }
    for first, last, found in (
        (date(2026, 10, 1), date(2026, 11, 10), 0),
        (date(2026, 11, 11), date(2026, 11, 11), 1),
        (date(2026, 11, 12), None, 0),
    ):
        assert len(rows(world, period=Period(first, last))) == found


def test_the_summary_counts_them_and_sums_what_is_known() -> None:
    world = paid_by_gateway("F1", "F1", "F2", "F2")
    world["gateway_tokens"][3]["amount"] = None
    (row, other) = rows(world)
    assert (row["excess"], other["excess"]) == (MILLION, None)
    found = ResultStandIn({"report_duplicate_payments": table_of(row, other)})
    told = {"orders": 2, "excess": MILLION}
    assert summary(found)["duplicate_payments"] == told
    assert "duplicate_payments" not in summary(ResultStandIn())
