"""A run by a clearing knows the numbers that the books spell otherwise."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from recon.lake.parts import CLEARING
from recon.reconcile.findings import Findings
from recon.reconcile.opening import open_engine
from recon.reconcile.run import counted_commits
from tests.reconcile.clearing.cleared_shop import Shop
from tests.reconcile.clearing.later_nights import respelled
from tests.reconcile.clearing.test_cleared_rows import sold_checkouts

UNSOLD = {
    "c-persian": "۹۰۰۱",
    "c-marked": "9002\u200f",
    "c-plain": "9003",
}
"""Numbers of checkouts that nobody paid, and the books lack."""

SOLD = ("۹۰۰۴", "9005\u200f", "9006")
"""Second numbers of checkouts that an order has by the first, and that are paid."""

NAMELESS = {"id": "c-nameless", "request_id": "", "checkout_number": ""}
UNSENT = {"id": "p-unsent", "checkout_id": "c-nameless", "ref_id": ""}
"""A checkout and a payment that came to nothing, with empty numbers."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    """Make a shop that is compacted and cleared."""
    with pytest.MonkeyPatch.context() as patch:
        shop = Shop(tmp_path_factory.mktemp("shop"), patch, 1)
        checkouts = sorted(
            shop.business.rows["checkouts"], key=lambda each: each["created_at"]
        )
        unsold = checkouts[100] | {"status": "waiting", "payment_ids": []}
        rows = [
            unsold | {"id": id_, "request_id": id_, "checkout_number": number}
            for id_, number in UNSOLD.items()
        ]
        sold = [
            paid | {"request_id": number}
            for paid, number in zip(sold_checkouts(shop), SOLD, strict=False)
        ]
        nameless = unsold | NAMELESS | {"payment_ids": ["p-unsent"]}
        unsent = UNSENT | {"status": "failed", "amount": 1, "type": "card"}
        shop.bring({"checkouts": [*rows, *sold, nameless], "payments": [unsent]})
        shop.compact()
        assert shop.clear()
        yield shop


@pytest.fixture
def shop(made: Shop, tmp_path: Path) -> Shop:
    """A copy of it, a day later."""
    copy = made.copied(tmp_path)
    copy.pass_time(days=1)
    return copy


def narrow_and_whole(shop: Shop) -> Findings:
    """Return what a run by the clearing finds: what a whole one does."""
    narrow = shop.narrowly()
    assert narrow is not None
    assert narrow.same_as(shop.wholly())
    return narrow


def test_what_the_books_may_spell_otherwise_is_never_cleared(shop: Shop) -> None:
    (commit,) = shop.lake.commits(kind=CLEARING)
    (file,) = (
        f for f in commit.files if (f.folder, f.table) == ("outstanding", "checkouts")
    )
    rows = shop.lake.read(shop.lake.file(file), ["id", "request_id"])
    left = {*rows["id"].to_pylist(), *rows["request_id"].to_pylist()}
    assert left & {*UNSOLD} == {"c-persian", "c-marked"}
    assert left & {*SOLD} == {*SOLD[:2]}


@pytest.mark.parametrize(
    ("reference", "number"), [("9001", "c-persian"), ("9002", "c-marked")]
)
def test_a_later_order_is_that_of_a_number_spelled_otherwise(
    reference: str, number: str, shop: Shop
) -> None:
    order = {"reference": reference, "amount": 1, "status": "paid"}
    shop.bring({"books": [order | {"occurred_at": shop.now}]})
    found = narrow_and_whole(shop).breaks.to_pylist()
    (one,) = (
        row
        for row in found
        if row["check"] == "book_amount_mismatch" and row["record_id"] == reference
    )
    assert one["related_id"] == number


@pytest.mark.parametrize("reference", ["9004", "9005", "9006"])
def test_a_later_order_is_told_to_be_the_second_number_of_what_another_has(
    reference: str, shop: Shop
) -> None:
    order = {"reference": reference, "amount": 1, "status": "paid"}
    shop.bring({"books": [order | {"occurred_at": shop.now - timedelta(days=3)}]})
    found = narrow_and_whole(shop).breaks.to_pylist()
    (one,) = (row for row in found if row["record_id"] == reference)
    assert one["check"] == "book_missing_at_provider"
    assert "another order" in one["detail"]


def test_a_later_order_with_a_mark_is_that_of_a_cleared_number(shop: Shop) -> None:
    order = {"reference": "'9003", "amount": 1, "status": "paid"}
    shop.bring({"books": [order | {"occurred_at": shop.now}]})
    narrow_and_whole(shop)


@pytest.mark.parametrize("seed", [1, 2])
def test_numbers_spelled_otherwise_are_found_as_by_a_whole_night(
    seed: int, shop: Shop
) -> None:
    shop.business.chance.seed(seed)
    for _ in range(6):
        shop.bring(respelled(shop.business))
    narrow_and_whole(shop)


def test_empty_numbers_are_nobody_s_and_bring_no_cleared_record_back(
    shop: Shop,
) -> None:
    """Nor does a number that is empty once it is bare, nor one of spaces."""
    again = {"checkout_id": "another", "status": "failed", "type": "card", "amount": 1}
    shop.bring(
        {
            "checkouts": [NAMELESS | {"id": "another", "request_id": " "}],
            "payments": [
                again | {"id": f"again-{n}", "ref_id": receipt}
                for n, receipt in enumerate(["", "  "])
            ],
            "books": [
                {"reference": spelled, "amount": 1, "status": "paid"}
                | {"occurred_at": shop.now}
                for spelled in ("\u200f", "'")
            ],
        }
    )
    visible = counted_commits(shop.lake, shop.now)
    with open_engine(shop.lake, shop.settings, shop.now, visible) as engine:
        touched = engine.table("int_touched_checkouts")["checkout_id"].to_pylist()
    assert touched == ["another"]
    narrow_and_whole(shop)
