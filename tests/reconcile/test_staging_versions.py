"""Which version of a record counts, and which payments their checkout still lists."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from recon.reconcile.engines import DuckEngine
from tests.builders import AS_OF, lake_tables
from tests.reconcile.test_matching import SETTINGS

Row = dict[str, Any]
PULLS = st.sampled_from(["1", "2", "3"])
PAGES = st.sampled_from([None, 1, 2])
CHECKOUTS = st.sampled_from(["c1", "c2", "c3"])
PAYMENTS = st.sampled_from(["p1", "p2", "p3", "p 4"])
LISTED = st.one_of(st.none(), st.lists(st.one_of(PAYMENTS, st.none()), max_size=3))
AMOUNTS = st.sampled_from([None, 5, 6])


def placed(rows: list[Row]) -> list[Row]:
    """Give each row a place of its own."""
    return [row | {"position": place} for place, row in enumerate(rows)]


VERSIONS = st.lists(
    st.fixed_dictionaries(
        {
            "id": CHECKOUTS,
            "pull_id": PULLS,
            "page_no": PAGES,
            "payment_ids": LISTED,
            "amount": AMOUNTS,
            "status": st.sampled_from(["paid", "not_paid", None]),
        }
    ),
    max_size=6,
).map(placed)
PAID = st.lists(
    st.fixed_dictionaries(
        {
            "id": PAYMENTS,
            "checkout_id": st.one_of(CHECKOUTS, st.just("c9"), st.none()),
            "pull_id": PULLS,
            "page_no": PAGES,
            "amount": AMOUNTS,
            "status": st.sampled_from(["done", "failed", None]),
        }
    ),
    max_size=8,
).map(placed)


def newest(rows: list[Row]) -> dict[str, Row]:
    """Return the version of each record that was met last, by plain loops."""
    found: dict[str, Row] = {}
    for row in sorted(
        rows, key=lambda row: (row["pull_id"], row["page_no"] or 0, row["position"])
    ):
        found[row["id"]] = row
    return found


@settings(max_examples=60)
@given(VERSIONS, PAID)
def test_the_newest_version_counts_and_only_listed_payments(
    checkouts: list[Row], payments: list[Row]
) -> None:
    tables = lake_tables({"checkouts": checkouts, "payments": payments})
    with DuckEngine.open(tables, SETTINGS, AS_OF) as engine:
        staged = engine.table("stg_unified__checkouts").to_pylist()
        paid = engine.table("stg_unified__payments").to_pylist()
        odd = engine.table("int_checkout_payments").to_pylist()
    current = newest(checkouts)
    assert {row["checkout_id"]: row["position"] for row in staged} == {
        name: row["position"] for name, row in current.items()
    }
    assert len(staged) == len(current)
    listed = {
        name: row
        for name, row in newest(payments).items()
        if name in (current.get(row["checkout_id"], {}).get("payment_ids") or ())
    }
    assert sorted((row["payment_id"], row["position"]) for row in paid) == sorted(
        (name, row["position"]) for name, row in listed.items()
    )
    assert {row["checkout_id"]: row["done_count"] for row in odd} == {
        name: len(done(listed, name))
        for name, row in current.items()
        if not agrees(row, done(listed, name))
    }


def done(listed: dict[str, Row], checkout: str) -> list[Row]:
    """Return the done payments of a checkout."""
    return [
        row
        for row in listed.values()
        if row["checkout_id"] == checkout and row["status"] == "done"
    ]


def agrees(checkout: Row, payments: list[Row]) -> bool:
    """Tell whether a checkout and its done payments say the same."""
    if checkout["status"] != "paid":
        return not payments
    return (
        len(payments) == 1
        and payments[0]["amount"] is not None
        and payments[0]["amount"] == checkout["amount"]
    )


def test_a_list_is_not_taken_for_a_payment_with_a_space_in_its_id() -> None:
    checkout = {"id": "c", "payment_ids": ["p", "4"], "status": "paid", "amount": 5}
    payment = {"id": "p 4", "checkout_id": "c", "status": "done", "amount": 5}
    tables = lake_tables({"checkouts": [checkout], "payments": [payment]})
    with DuckEngine.open(tables, SETTINGS, AS_OF) as engine:
        assert engine.table("stg_unified__payments").num_rows == 0
        found = engine.table("check_checkout_paid_without_payment").to_pylist()
    assert [row["record_id"] for row in found] == ["c"]


def test_two_versions_at_one_place_are_one() -> None:
    twice = [{"id": "c", "page_no": None, "position": None}] * 2
    with DuckEngine.open(lake_tables({"checkouts": twice}), SETTINGS, AS_OF) as engine:
        assert engine.table("stg_unified__checkouts").num_rows == 1
