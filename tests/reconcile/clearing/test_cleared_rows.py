"""Which rows a clearing leaves, what the others come to, and what is read again."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from recon.lake.parts import CLEARING
from recon.lake.schema import PASSED_OVER
from recon.times import business_date, calendar_month
from tests.reconcile.clearing.cleared_shop import Shop
from tests.reconcile.clearing.later_nights import Row, Rows

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
NAMELESS: dict[str, Row] = {
    "checkout": {"id": None, "status": "waiting", "amount": 1, "payment_ids": []},
    "payment": {"id": None, "status": "failed", "type": "card", "affected_amount": 0},
    "orphan": {"id": "orphan", "status": "failed", "type": "card", "ref_id": "lost"},
}

EARLY: Row = {
    "id": "early",
    "checkout_id": "late",
    "status": "done",
    "type": "card",
    "amount": 5,
    "wage_amount": 5,
    "affected_amount": 0,
    "ref_id": "early",
    **dict.fromkeys(("created_at", "paid_at"), datetime(2026, 10, 20, tzinfo=UTC)),
}
"""A payment that was met before its checkout."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    """Make a shop with records that lack an id or a number, compacted and cleared."""
    with pytest.MonkeyPatch.context() as patch:
        shop = Shop(tmp_path_factory.mktemp("shop"), patch, 1)
        jalali = replace(shop.settings.business, calendar="jalali")
        shop.settings = replace(shop.settings, business=jalali)
        home, other, *_ = sold_checkouts(shop)
        lost = NAMELESS["payment"] | {"checkout_id": home["id"]}
        payments = [lost, NAMELESS["orphan"], EARLY]
        shop.bring({"checkouts": [NAMELESS["checkout"]], "payments": payments})
        shop.bring(by_request_alone(shop, other))
        shop.compact()
        assert shop.clear()
        yield shop


@pytest.fixture
def shop(made: Shop, tmp_path: Path) -> Shop:
    """A copy of it, a day later."""
    copy = made.copied(tmp_path)
    copy.pass_time(days=1)
    return copy


def sold_checkouts(shop: Shop) -> list[Row]:
    """Return checkouts of the middle that one payment paid and an order has."""
    rows = sorted(shop.business.rows["checkouts"], key=lambda each: each["created_at"])
    orders = {row["reference"] for row in shop.business.rows["books"]}
    return [
        row
        for row in rows[150:]
        if row["status"] == "paid"
        and row["payment_ids"]
        and row["checkout_number"] in orders
    ]


def by_request_alone(shop: Shop, checkout: Row) -> Rows:
    """Return a checkout and its order, which has the number of its request."""
    bare = checkout | {"checkout_number": None, "request_id": "asked"}
    number = checkout["checkout_number"]
    (order,) = (o for o in shop.business.rows["books"] if o["reference"] == number)
    orders = [order | {"status": PASSED_OVER}, order | {"reference": "asked"}]
    for name, rows in (("checkouts", [bare]), ("books", orders)):
        shop.business.rows[name] += rows
    return {"checkouts": [bare], "books": orders}


def kept(shop: Shop, folder: str, table: str) -> list[Row]:
    (commit,) = shop.lake.commits(kind=CLEARING)
    (file,) = (f for f in commit.files if (f.folder, f.table) == (folder, table))
    rows: list[Row] = shop.lake.read(shop.lake.file(file)).to_pylist()
    return rows


def cleared_payments(shop: Shop) -> list[Row]:
    """Return the done payments that no later run need read."""
    left = {row["id"] for row in kept(shop, "outstanding", "payments")}
    rows = {row["id"]: row for row in shop.business.rows["payments"]}
    return [
        row
        for name, row in rows.items()
        if name not in left and row["status"] == "done"
    ]


def test_a_record_that_lacks_an_id_is_always_read(made: Shop) -> None:
    checkouts, payments = (
        kept(made, "outstanding", name) for name in ("checkouts", "payments")
    )
    assert None in {row["id"] for row in checkouts}
    assert {None, "orphan"} <= {row["id"] for row in payments}


def test_the_cleared_payments_of_each_interval_are_summed(made: Shop) -> None:
    ends = sorted(row["occurred_at"] for row in kept(made, "cleared", "movements"))
    sums: Counter[datetime] = Counter()
    first = min(row["at"] for row in made.business.rows["balances"])
    for payment in cleared_payments(made):
        if first < payment["paid_at"] <= ends[-1]:
            end = next(each for each in ends if payment["paid_at"] <= each)
            sums[end] += payment["affected_amount"]
    told = {
        row["occurred_at"]: row["amount"]
        for row in kept(made, "cleared", "movements")
        if row["amount"]
    }
    assert told == sums
    assert len(told) > 5


def test_what_comes_again_as_it_was_is_read_with_its_payments_and_its_order(
    shop: Shop,
) -> None:
    """Nothing is counted twice, and nothing is missing that was cleared with it."""
    newest = {row["id"]: row for row in shop.business.rows["checkouts"]}
    paid = {row["checkout_id"] for row in cleared_payments(shop)}
    again = [row for row in newest.values() if row["id"] in paid]
    again = [*again[:12], *(row for row in again if not row["checkout_number"])]
    assert again[-1]["request_id"] == "asked"
    orders = {row["reference"] for row in kept(shop, "outstanding", "books")}
    assert not orders & {"asked", again[0]["checkout_number"]}
    shop.bring({"checkouts": again})
    narrow = shop.narrowly()
    assert narrow is not None
    assert narrow.same_as(shop.wholly())


def test_what_was_left_is_read_once_though_a_later_row_speaks_of_it(shop: Shop) -> None:
    """So is a payment that was left, whose checkout comes only now."""
    left = {row["id"] for row in kept(shop, "outstanding", "checkouts")}
    rows = shop.business.rows["checkouts"]
    again = [row for row in rows if row["id"] in left and row["payment_ids"]][:5]
    late = {"id": "late", "status": "paid", "amount": 5, "payment_ids": ["early"]}
    shop.bring({"checkouts": [*again, late]})
    narrow = shop.narrowly()
    assert narrow is not None
    assert narrow.same_as(shop.wholly())


def month_of(shop: Shop, payment: Row) -> str:
    business = shop.settings.business
    return calendar_month(
        business_date(payment["paid_at"], business.timezone), business.calendar
    )


def test_the_cleared_uses_of_each_mandate_are_counted_by_month(made: Shop) -> None:
    counted = Counter(
        (payment["mandate_id"], month_of(made, payment))
        for payment in cleared_payments(made)
        if payment["mandate_id"]
    )
    told = {
        (row["mandate_id"], month): count
        for row in kept(made, "cleared", "uses")
        for month, count in zip(row["months"], row["use_counts"], strict=True)
        if count
    }
    assert told == counted
    assert len({month for _, month in told}) == 2


def used_mandate(shop: Shop) -> tuple[Row, list[Row]]:
    """Return a mandate that cleared payments used most, and these by their time."""
    by_mandate: dict[str, list[Row]] = {}
    for row in cleared_payments(shop):
        if row["mandate_id"]:
            by_mandate.setdefault(row["mandate_id"], []).append(row)
    used = max(by_mandate.values(), key=len)
    rows = shop.business.rows["mandates"]
    mandate = [row for row in rows if row["id"] == used[0]["mandate_id"]][-1]
    return mandate, sorted(used, key=lambda row: row["paid_at"])


def told_by(check: str, shop: Shop) -> list[Row]:
    """Return what a narrow run finds by a check: just what a whole one does."""
    narrow = shop.narrowly()
    assert narrow is not None
    assert narrow.same_as(shop.wholly())
    return [row for row in narrow.breaks.to_pylist() if row["check"] == check]


@pytest.mark.parametrize(
    ("term", "check"),
    [
        ({"payment_method": "another"}, "mandate_method_mismatch"),
        ({"count": 0}, "mandate_count_exceeded"),
        ({"limit": 1}, "mandate_limit_exceeded"),
        ({"expires_at": LONG_AGO}, "mandate_used_after_expiry"),
        ({"revoked_at": LONG_AGO}, "mandate_used_after_revocation"),
    ],
)
def test_the_payments_of_a_mandate_are_read_again_where_its_terms_are_others(
    term: Row, check: str, shop: Shop
) -> None:
    mandate, used = used_mandate(shop)
    shop.bring({"mandates": [mandate | term]})
    told = told_by(check, shop)
    named = " ".join(f"{row['record_id']} {row['related_id']}" for row in told)
    assert len(used) > 3
    assert all(payment["id"] in named for payment in used)


def test_what_a_row_speaks_of_stays_read_where_a_mandate_has_other_terms_besides(
    shop: Shop,
) -> None:
    mandate, used = used_mandate(shop)
    paid = {row["checkout_id"] for row in cleared_payments(shop)}
    others = paid - {row["checkout_id"] for row in used}
    rows = shop.business.rows["checkouts"]
    again = [row for row in rows if row["id"] in others and row["checkout_number"]]
    shop.bring({"checkouts": again[:3], "mandates": [mandate | {"limit": 1}]})
    assert len(told_by("mandate_limit_exceeded", shop)) >= len(used)


@pytest.mark.parametrize(("beyond", "is_told"), [(0, False), (1, True)])
@pytest.mark.parametrize("end", [0, -1])
def test_they_are_where_later_uses_of_a_month_are_more_than_it_allows(
    end: int, beyond: int, is_told: bool, shop: Shop
) -> None:
    """Of its first month and of its last one; all that it allows may be used up."""
    mandate, used = used_mandate(shop)
    some = used[end]
    month = month_of(shop, some)
    newest = {row["id"]: row for row in shop.business.rows["payments"]}
    before = sum(
        row["mandate_id"] == mandate["id"] and month_of(shop, row) == month
        for row in newest.values()
        if row["status"] == "done"
    )
    names = [f"more-{n}" for n in range(mandate["count"] - before + beyond)]
    shop.bring(
        {
            "checkouts": [bought(name, some) for name in names],
            "payments": [some | used_again(name) for name in names],
        }
    )
    told = {row["record_id"] for row in told_by("mandate_count_exceeded", shop)}
    assert (f"{mandate['id']}:{month}" in told) is is_told


def bought(name: str, like: Row) -> Row:
    """Return the checkout of a further payment."""
    return {
        **dict.fromkeys(("id", "request_id", "checkout_number"), name),
        "status": "paid",
        "amount": like["amount"],
        "payment_ids": [f"p-{name}"],
        "created_at": like["paid_at"],
    }


def used_again(name: str) -> Row:
    """Return what a further payment has of its own; it leaves the wallet as it is."""
    return {
        "id": f"p-{name}",
        "checkout_id": name,
        "ref_id": name,
        "affected_amount": 0,
    }
