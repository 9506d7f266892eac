"""What the books and the provider link by a reference, against a slow reading of it.

Most references are plain, and never looked at one by one; here few names meet often.
"""

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recon.reconcile.engines import DuckEngine
from tests.builders import AS_OF, lake_tables
from tests.raw_rows import AT
from tests.reconcile.test_matching import SETTINGS

Row = dict[str, Any]
SPACES = " \xa0"
PLAIN = ["r1", " r1", "r2", "r2 ", "r3", "r4", "", "  ", None]
NAMES = st.sampled_from([*PLAIN, "r1\xa0", "\xa0r2", "\xa0"])
AMOUNTS = st.sampled_from([None, 5, 6])
ORDERS = st.lists(
    st.fixed_dictionaries(
        {
            "reference": NAMES,
            "product": st.sampled_from([None, "unified", "hosted", " unified", "x"]),
            "amount": AMOUNTS,
            "status": st.sampled_from(["paid", "unpaid", "refunded", None]),
        }
    ),
    max_size=5,
)
RECORDS = st.lists(
    st.fixed_dictionaries(
        {
            "checkout_number": NAMES,
            "request_id": NAMES,
            "amount": AMOUNTS,
            "status": st.sampled_from(["paid", "not_paid", None]),
        }
    ),
    max_size=4,
)
HOSTED = st.lists(st.fixed_dictionaries({"checkout_number": NAMES}), max_size=2)


def trimmed(text: str | None) -> str | None:
    return (text or "").strip(SPACES) or None


def numbers(record: Row) -> set[str]:
    """Return the references that a record goes by."""
    found = {trimmed(record["checkout_number"]), trimmed(record.get("request_id"))}
    return {name for name in found if name}


def slow_links(orders: list[Row], records: dict[tuple[str, str], Row]) -> set[Any]:
    """Return each order's key with each record that it links to, by plain loops."""
    keys = {
        (row["reference"] and row["reference"].strip(SPACES), trimmed(row["product"]))
        for row in orders
    }
    named = {
        (key, record)
        for key in keys
        for record, row in records.items()
        if key[0] in numbers(row) and key[1] in (None, record[0])
    }
    claimed = {record for _, record in named}
    elsewhere = {
        (key, record)
        for key in keys
        for record, row in records.items()
        if key[1] is not None
        and key not in {other for other, _ in named}
        and key[0] in numbers(row)
        and record not in claimed
    }
    return named | elsewhere


@settings(max_examples=60)
@given(ORDERS, RECORDS, HOSTED)
def test_orders_and_records_without_each_other_are_those_of_a_slow_reading(
    orders: list[Row], checkouts: list[Row], hosted: list[Row]
) -> None:
    paid = [row | {"id": f"c{n}", "created_at": AT} for n, row in enumerate(checkouts)]
    cards = [row | {"id": f"h{n}", "amount": 5} for n, row in enumerate(hosted)]
    lines = [
        row | {"occurred_at": AT + timedelta(days=n % 2), "position": n}
        for n, row in enumerate(orders)
    ]
    tables = lake_tables({"books": lines, "checkouts": paid, "hosted_checkouts": cards})
    with DuckEngine.open(tables, SETTINGS, AS_OF) as engine:
        matches = engine.table("int_book_matches").to_pylist()
        unlinked = engine.table("int_book_unlinked").to_pylist()
    records = {("unified", row["id"]): row for row in paid}
    records |= {("hosted", row["id"]): row for row in cards}
    links = slow_links(lines, records)
    linked_orders = {key for key, _ in links}
    assert {(r["reference"], r["book_product"]) for r in matches} == linked_orders
    assert {
        ((r["reference"], r["book_product"]), (r["product"], r["record_id"]))
        for r in matches
    } <= links
    certain = [
        (r["product"], r["record_id"]) for r in matches if r["confidence"] == "certain"
    ]
    assert len(set(certain)) == len(certain), "two orders have one record"
    assert {
        (row["product"], row["record_id"])
        for row in unlinked
        if row["side"] == "record"
    } == {
        record
        for record, row in records.items()
        if record not in {found for _, found in links}
        and (record[0] == "hosted" or row["status"] == "paid")
    }


PAID, UNPAID = (
    {"checkout_number": "17"},
    {"checkout_number": "17", "status": "not_paid"},
)
LATER = {"created_at": AT + timedelta(hours=1)}
TWICE = [{"reference": "17"}, {"reference": "17"}]


@pytest.mark.parametrize(
    ("books", "checkouts", "confidence", "shown"),
    [
        (TWICE[:1], [UNPAID | LATER, PAID], "certain", "2"),
        (TWICE[:1], [PAID | {"amount": 5}, UNPAID], "certain", "1"),
        (TWICE[:1], [PAID, UNPAID, PAID | LATER], "ambiguous", "13"),
        (TWICE[:1], [UNPAID, UNPAID | {"amount": 5} | LATER], "certain", "1"),
        (TWICE[:1], [UNPAID | LATER, UNPAID], "certain", "1"),
        (TWICE[:1], [UNPAID, UNPAID | LATER], "certain", "2"),
        (TWICE, [UNPAID, UNPAID], "ambiguous", "12"),
        (TWICE, [UNPAID, PAID], "ambiguous", "2"),
    ],
)
def test_of_several_records_with_one_reference_the_paid_one_counts(
    books: list[dict[str, Any]],
    checkouts: list[dict[str, Any]],
    confidence: str,
    shown: str,
) -> None:
    """Else one of the order's amount, then the newest; of ambiguous ones all."""
    tables = lake_tables({"books": books, "checkouts": checkouts})
    with DuckEngine.open(tables, SETTINGS, AS_OF) as engine:
        rows = engine.table("report_matches").to_pylist()
    assert {(row["reference"], row["confidence"]) for row in rows} == {
        ("17", confidence)
    }
    assert sorted(row["record_id"][-1] for row in rows) == list(shown)


def test_a_reference_that_all_have_is_not_paired_each_with_each() -> None:
    """Very many pairs would end no night: one reference may stand in for none."""
    books = [{"reference": "-"}] * 1001 + [{"reference": "17"}] * 2
    checkouts = [{"checkout_number": "-"}] * 30 + [PAID, PAID]
    tables = lake_tables({"books": books, "checkouts": checkouts})
    with DuckEngine.open(tables, SETTINGS, AS_OF) as engine:
        pairs = engine.table("int_book_pairs")["reference"].to_pylist()
        odd = engine.table("int_book_odd_references")["reference"].to_pylist()
    assert sorted(pairs) == ["-"] * (1001 + 30) + ["17"] * 2 * 2
    assert sorted(odd) == ["-", "17"]
