"""Wider matching, worked by hand: which orders and records go together, in rials."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest

from recon.reconcile.checks import run_checks, shipped_checks
from recon.reconcile.engines import DuckEngine
from recon.settings import Business, Settings
from tests.builders import AMOUNT, AS_OF, lake_tables
from tests.raw_rows import AT

SETTINGS = Settings(business=Business(name="shop"))
SETTINGS_LACK_IT = " The settings have no [unified], so nothing of it is pulled."
MINUTE = timedelta(minutes=1)
DAY = timedelta(hours=24)
Given = Sequence[dict[str, Any]]


def unnumbered(**changed: Any) -> dict[str, Any]:
    """A paid checkout without any number of the business, and of no customer."""
    numbers = {"checkout_number": None, "request_id": None}
    customer = {"customer_id": None, "customer_mobile": None}
    return numbers | customer | changed


def numbered(number: str, amount: int, **changed: Any) -> dict[str, Any]:
    return unnumbered(checkout_number=number, amount=amount, **changed)


def order(reference: str, amount: int = AMOUNT, **changed: Any) -> dict[str, Any]:
    return {"reference": reference, "amount": amount, **changed}


def matches(books: Given, checkouts: Given, **tables: Given) -> set[tuple[Any, ...]]:
    """Return the matches that no reference gives."""
    rows = answer("report_matches", books, checkouts, **tables)
    names = ("reference", "record_id", "method", "confidence", "book_amount")
    wide = [row for row in rows if row["method"] != "reference"]
    assert all(row["difference"] == 0 for row in wide)
    assert all(row["record_amount"] == row["book_amount"] for row in wide)
    found = [tuple(row[name] for name in names) for row in wide]
    assert len(set(found)) == len(found), "a row stands twice"
    return set(found)


def answer(
    model: str, books: Given, checkouts: Given, **tables: Given
) -> list[dict[str, Any]]:
    given = {"books": books, "checkouts": checkouts, **tables}
    with DuckEngine.open(lake_tables(given), SETTINGS, AS_OF) as engine:
        return list(engine.table(model).to_pylist())


def details(check: str, books: Given, checkouts: Given) -> dict[str, str]:
    given = lake_tables({"books": books, "checkouts": checkouts})
    checks = tuple(each for each in shipped_checks() if each.name == check)
    with DuckEngine.open(given, SETTINGS, AS_OF) as engine:
        rows = run_checks(engine, checks, SETTINGS).to_pylist()
    return {row["record_id"]: row["detail"] for row in rows}


def test_the_only_record_of_an_amount_within_a_day_is_likely() -> None:
    found = matches(
        [order("web-7", 1_250_000), order("web-8", 1_250_001)],
        [unnumbered(amount=1_250_000, created_at=AT + 12 * MINUTE)],
    )
    assert found == {("web-7", "checkout-1", "amount_time", "likely", 1_250_000)}


@pytest.mark.parametrize("sign", [1, -1])
def test_a_day_is_within_the_window_and_a_second_more_is_not(sign: int) -> None:
    books = [order("web-7")]
    late = AT + sign * (DAY + timedelta(seconds=1))
    assert matches(books, [unnumbered(created_at=AT + sign * DAY)])
    assert not matches(books, [unnumbered(created_at=late, updated_at=late)])


@pytest.mark.parametrize("product", [None, "unified"])
@pytest.mark.parametrize("sign", [1, -1])
def test_what_is_more_than_a_day_away_makes_nothing_ambiguous(
    sign: int, product: str | None
) -> None:
    late = AT + sign * (DAY + timedelta(seconds=1))
    far = unnumbered(created_at=late, updated_at=late)
    books = [order("web-7", product=product)]
    likely = {("web-7", "checkout-1", "amount_time", "likely", AMOUNT)}
    assert matches(books, [unnumbered(), far]) == likely
    books.append(order("web-8", product=product, occurred_at=late))
    assert matches(books, [unnumbered()]) == likely


@pytest.mark.parametrize("product", [None, "unified"])
def test_two_records_of_the_amount_are_both_shown_and_none_is_picked(
    product: str | None,
) -> None:
    found = matches(
        [order("web-7", product=product)],
        [unnumbered(), unnumbered(created_at=AT + MINUTE)],
    )
    assert found == {
        ("web-7", "checkout-1", "amount_time", "ambiguous", AMOUNT),
        ("web-7", "checkout-2", "amount_time", "ambiguous", AMOUNT),
    }


@pytest.mark.parametrize("product", [None, "unified"])
def test_one_record_of_two_orders_is_ambiguous_for_both(product: str | None) -> None:
    books = [order(each, product=product) for each in ("web-7", "web-8")]
    found = matches(books, [unnumbered()])
    assert {row[0] for row in found} == {"web-7", "web-8"}
    assert {row[3] for row in found} == {"ambiguous"}


def test_an_order_is_not_likely_where_its_record_may_be_anothers() -> None:
    """The first order has one candidate only; that one has two orders."""
    found = matches(
        [order("first"), order("second", occurred_at=AT + 30 * MINUTE)],
        [
            unnumbered(created_at=AT + 30 * MINUTE - DAY),
            unnumbered(created_at=AT + DAY + 30 * MINUTE),
        ],
    )
    assert {row[3] for row in found} == {"ambiguous"}
    assert len(found) == 3


def test_an_order_that_names_a_product_takes_no_record_of_another() -> None:
    assert not matches([order("web-7", product="gateway")], [unnumbered()])
    assert matches([order("web-7", product="unified")], [unnumbered()])


def test_a_record_of_another_product_makes_no_order_ambiguous() -> None:
    """A card payment of the same amount: a candidate of orders that name nothing."""
    card = {
        "gateway_tokens": [{"amount": AMOUNT, "factor_number": None}],
        "gateway_transactions": [{"amount": AMOUNT, "factor_number": None}],
    }
    named = matches([order("web-7", product="unified")], [unnumbered()], **card)
    assert {row[3] for row in named} == {"likely"}
    of_each = [order("web-7", product="unified"), order("web-8", product="gateway")]
    assert {row[:2] for row in matches(of_each, [unnumbered()], **card)} == {
        ("web-7", "checkout-1"),
        ("web-8", "token-1"),
    }
    free = matches([order("web-7")], [unnumbered()], **card)
    assert {row[3] for row in free} == {"ambiguous"}
    assert len(free) == 2


def test_what_a_reference_links_is_left_alone() -> None:
    """The order of checkout 1001 is its own, however well another would fit."""
    assert not matches([order("1001")], [{}, unnumbered()])
    assert not matches([order("1001"), order("web-7")], [{}])


def test_what_a_reference_links_is_left_alone_whatever_its_amount() -> None:
    """The books have 7 for checkout 1001: a break, but neither is free for others."""
    assert not matches([order("1001", 7)], [{}, unnumbered(amount=7)])
    assert not matches([order("1001", 7), order("web-7")], [{}])


def test_an_id_of_another_product_is_left_to_its_own_order() -> None:
    """Checkout 1 of the unified service is order 1001's, the hosted one is not."""
    found = matches(
        [order("1001", 7), order("web-7", 9, product="hosted")],
        [{}],
        hosted_checkouts=[{"id": "checkout-1"}],
        hosted_requests=[{"checkout_id": "checkout-1", "amount": 9}],
    )
    assert found == {("web-7", "checkout-1", "amount_time", "likely", 9)}


def test_only_paid_sides_that_stand_once_take_part() -> None:
    assert not matches([order("web-7", status="unpaid")], [unnumbered()])
    assert not matches([order("web-7")], [unnumbered(status="not_paid")])
    assert not matches([order("web-7"), order("web-7")], [unnumbered()])
    assert matches([order("web-7", status="refunded")], [unnumbered()])


def test_what_has_no_time_or_amount_is_matched_with_nothing() -> None:
    timeless = unnumbered(created_at=None, updated_at=None)
    assert not matches([order("web-7", occurred_at=None)], [unnumbered(), timeless])
    assert not matches(
        [order("web-7"), {"reference": "web-8", "amount": None}],
        [timeless, unnumbered(amount=None)],
    )


def test_an_order_and_a_record_of_one_id_are_two_things() -> None:
    books = [order("checkout-1", product="unified"), order("x", 1, product="unified")]
    found = matches(books, [unnumbered()])
    assert found == {("checkout-1", "checkout-1", "amount_time", "likely", AMOUNT)}


@pytest.mark.parametrize("product", [None, "unified"])
def test_a_shop_of_one_price_lists_no_pairs_but_says_how_many_there_are(
    product: str | None,
) -> None:
    checkouts = [unnumbered() for _ in range(21)]
    books = [order("web-7", product=product)]
    assert len(matches(books, checkouts[:20])) == 20
    assert not matches(books, checkouts)
    told = details("book_missing_at_provider", books, checkouts)["web-7"]
    assert told.startswith("The books have 1,000,000 as paid, and n")
    assert told.endswith(
        " product knows the reference."
        + (product is not None) * SETTINGS_LACK_IT
        + " 21 paid records without an order have this amount within a day."
    )


def test_records_that_sum_to_an_order_split_it() -> None:
    """900,000 = 400,000 + 500,000, under the order's number with suffixes."""
    found = matches(
        [order("77", 900_000)],
        [numbered("77-1", 400_000), numbered("77/2", 500_000), numbered("78-1", 1)],
    )
    assert found == {
        ("77", "checkout-1", "split", "likely", 400_000),
        ("77", "checkout-2", "split", "likely", 500_000),
    }


def test_orders_that_sum_to_a_record_are_bundled() -> None:
    """70 = 30 + 40; the third order is not of it."""
    found = matches(
        [order("a-1", 30), order("a-2", 40), order("a-3", 50)], [numbered("a", 70)]
    )
    assert found == {
        ("a-1", "checkout-1", "bundle", "likely", 30),
        ("a-2", "checkout-1", "bundle", "likely", 40),
    }


PARTS = [numbered("77-1", 400), numbered("77-2", 500)]
SPLIT = {("77", f"checkout-{n}", "split", "likely", n * 100 + 300) for n in (1, 2)}


@pytest.mark.parametrize(
    ("amount", "others", "reference", "record", "paired"),
    [
        (7, [unnumbered(amount=7)], "x", "checkout-3", 7),
        # a part has its order, or the whole its record
        (500, [], "x", "checkout-2", 500),
        (7, [unnumbered(amount=900)], "77", "checkout-3", 900),
    ],
)
def test_what_has_its_one_likely_partner_takes_no_part_in_a_sum(
    amount: int, others: Given, reference: str, record: str, paired: int
) -> None:
    found = matches([order("77", 900), order("x", amount)], [*PARTS, *others])
    pair = {(reference, record, "amount_time", "likely", paired)}
    assert found == (pair | SPLIT if paired == 7 else pair)


@pytest.mark.parametrize("last", [499_999, 500_001])
def test_a_sum_that_is_a_rial_off_is_none(last: int) -> None:
    assert not matches(
        [order("77", 900_000)], [numbered("77-1", 400_000), numbered("77-2", last)]
    )


@pytest.mark.parametrize("number", ["771", "77-1234", "77-", "-77-1", "77_1-1"])
def test_a_number_that_is_not_the_orders_with_a_suffix_is_no_part(number: str) -> None:
    assert not matches(
        [order("77", 900_000)], [numbered(number, 400_000), numbered("77-2", 500_000)]
    )


def test_two_ways_to_sum_are_all_shown() -> None:
    """900 = 400 + 500 = 300 + 600: every record of either has its row, once."""
    found = matches(
        [order("77", 900)],
        [numbered(f"77-{n}", amount) for n, amount in enumerate((400, 500, 300, 600))],
    )
    assert {(row[1], row[3]) for row in found} == {
        (f"checkout-{n}", "ambiguous") for n in (1, 2, 3, 4)
    }


def test_a_part_that_may_be_another_orders_makes_the_split_ambiguous() -> None:
    """One part has the amount of an order without a record; so has another record."""
    found = matches(
        [order("77", 900), order("web-7", 400)],
        [numbered("77-1", 400), numbered("77-2", 500), unnumbered(amount=400)],
    )
    assert found == {
        ("77", "checkout-1", "split", "ambiguous", 400),
        ("77", "checkout-2", "split", "ambiguous", 500),
        ("web-7", "checkout-1", "amount_time", "ambiguous", 400),
        ("web-7", "checkout-3", "amount_time", "ambiguous", 400),
    }


def test_records_of_one_customer_and_day_split_an_order() -> None:
    """The books write the mobile with Persian digits and the country's code."""
    known = {"customer_mobile": "09121112233"}
    books = [order("web-7", 900, extra='{"mobile": "+98۹۱۲۱۱۱۲۲۳۳"}')]
    parts = [unnumbered(amount=400, **known), unnumbered(amount=500, **known)]
    assert {row[1:4] for row in matches(books, parts)} == {
        ("checkout-1", "split", "likely"),
        ("checkout-2", "split", "likely"),
    }
    other = unnumbered(amount=500, customer_mobile="09121112234")
    assert not matches(books, [parts[0], other])
    late = AT + DAY + MINUTE
    assert not matches(books, [parts[0], parts[1] | {"created_at": late}])
    assert not matches([order("web-7", 900)], parts)


def test_gateway_and_escrow_customers_are_known_by_their_mobile() -> None:
    """900 = 400 by card + 500 in escrow, both of the order's customer."""
    found = matches(
        [order("web-7", 900, extra='{"customer": "9120000001"}')],
        [],
        gateway_tokens=[{"amount": 400, "factor_number": None}],
        gateway_transactions=[{"factor_number": None, "mobile": "00989120000001"}],
        agreements=[{"amount": 500, "trace_id": None, "state": "finalize"}],
        events=[
            {"type": "agreement_created"},
            {"type": "buyer_paid_agreement", "amount": 500},
        ],
    )
    assert {row[1:3] for row in found} == {
        ("token-1", "split"),
        ("agreement-1", "split"),
    }


def test_breaks_stay_and_name_the_candidate() -> None:
    books = [order("web-7")]
    checkouts = [unnumbered(created_at=AT + 12 * MINUTE)]
    assert details("book_missing_at_provider", books, checkouts) == {
        "web-7": "The books have 1,000,000 as paid, and no product knows the "
        "reference. A paid record of the same amount, 12 minutes later, is unified "
        "checkout-1."
    }
    assert details("provider_missing_in_books", books, checkouts) == {
        "checkout-1": "The paid record of unified over 1,000,000 has no number. "
        "An order of the same amount, 12 minutes earlier, has the reference web-7."
    }


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (59, "within a minute"),
        (60, "1 minute later"),
        (-119, "1 minute earlier"),
        (120, "2 minutes later"),
        (7199, "119 minutes later"),
        (-7200, "2 hours earlier"),
    ],
)
def test_how_far_a_candidate_is_stands_in_words(seconds: int, words: str) -> None:
    checkouts = [unnumbered(created_at=AT + timedelta(seconds=seconds))]
    told = details("book_missing_at_provider", [order("web-7")], checkouts)["web-7"]
    assert f"of the same amount, {words}, is unified checkout-1." in told


def test_the_nearest_of_several_candidates_is_named() -> None:
    checkouts = [
        unnumbered(created_at=AT + timedelta(hours=5)),
        unnumbered(created_at=AT - timedelta(seconds=59)),
    ]
    assert details("book_missing_at_provider", [order("web-7")], checkouts) == {
        "web-7": "The books have 1,000,000 as paid, and no product knows the "
        "reference. 2 paid records without an order have this amount within a day; the "
        "nearest, within a minute, is unified checkout-2."
    }
