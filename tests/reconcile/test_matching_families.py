"""Which orders and records may be parts of a sum, at the edges of each rule."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from recon.reconcile.explain import MAX_CANDIDATES
from recon.reconcile.matching import proposals
from tests.raw_rows import AT
from tests.reconcile.test_matching import (
    DAY,
    answer,
    matches,
    numbered,
    order,
    unnumbered,
)

SECOND = timedelta(seconds=1)
KNOWN = {"customer_mobile": "09121112233"}
OURS = '{"mobile": "09121112233"}'
"""How the books name that customer."""


def parts(*amounts: int, **changed: Any) -> list[dict[str, Any]]:
    return [unnumbered(amount=each, **KNOWN, **changed) for each in amounts]


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(("beyond", "is_found"), [(0 * SECOND, True), (SECOND, False)])
def test_what_a_customer_paid_within_a_day_either_side_is_a_part(
    sign: int, beyond: timedelta, *, is_found: bool
) -> None:
    when = AT + sign * (DAY + beyond)
    late = parts(400, created_at=when, updated_at=when)
    found = matches([order("web-7", 900, extra=OURS)], [*late, *parts(500)])
    assert bool(found) is is_found


@pytest.mark.parametrize(("others", "is_found"), [(197, True), (198, False)])
def test_a_customer_of_more_than_two_hundred_open_items_is_nobody(
    others: int, *, is_found: bool
) -> None:
    """An order, its two parts, and what is too large for one."""
    paid = parts(400, 500, *range(10_000, 10_000 + others))
    assert bool(matches([order("web-7", 900, extra=OURS)], paid)) is is_found


@pytest.mark.parametrize(
    ("product", "is_found"), [(None, True), ("unified", True), ("hosted", False)]
)
def test_a_part_is_of_the_product_that_the_order_names(
    product: str | None, *, is_found: bool
) -> None:
    halves = [numbered("77-1", 400), numbered("77-2", 500)]
    assert bool(matches([order("77", 900, product=product)], halves)) is is_found
    orders = [order("a-1", 30, product=product), order("a-2", 40)]
    assert bool(matches(orders, [numbered("a", 70)])) is is_found


def test_what_is_no_less_than_the_whole_is_no_part() -> None:
    """A record of all of it, days away, and one that took money back."""
    late = AT + 3 * DAY
    whole = numbered("77-9", 900, created_at=late, updated_at=late)
    halves = [numbered("77-1", 400), numbered("77-2", 500)]
    found = matches([order("77", 900)], [*halves, whole])
    assert {row[1:3] for row in found} == {
        ("checkout-1", "split"),
        ("checkout-2", "split"),
    }
    back = [numbered(f"77-{n}", rials) for n, rials in enumerate((500, 500, -100))]
    assert not matches([order("77", 900)], back)


def times(books: list[dict[str, Any]], paid: list[dict[str, Any]]) -> list[datetime]:
    return sorted(row["occurred_at"] for row in answer("report_matches", books, paid))


def test_each_row_of_a_sum_has_the_time_of_its_order() -> None:
    """By it a period reads no other rows."""
    first, last = AT - DAY, AT - timedelta(hours=1)
    halves = [numbered("77-1", 400), numbered("77-2", 500)]
    assert times([order("77", 900, occurred_at=last)], halves) == [last, last]
    orders = [
        order("a-1", 30, occurred_at=first),
        order("a-2", 40, occurred_at=last),
    ]
    assert times(orders, [numbered("a", 70)]) == [first, last]


@pytest.mark.parametrize(("more", "alone"), [(0, True), (1, False)])
def test_of_too_many_members_the_only_set_found_may_not_be_the_only_one(
    more: int, *, alone: bool
) -> None:
    amounts = [*(10**9 + n for n in range(MAX_CANDIDATES - 2 + more)), 7, 8]
    rows = [
        {"whole_id": "whole", "whole_rial": 15, "member_rial": amount}
        for amount in amounts
    ]
    (found,) = proposals(rows)
    assert [row["member_rial"] for row in found.members] == [7, 8]
    assert found.alone is alone
