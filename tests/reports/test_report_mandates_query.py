from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from recon.reconcile.engines import DuckEngine
from recon.settings import Business, Settings
from tests.builders import AS_OF, lake_tables

LATER = "20261031T203000.000000Z-00000003"


@pytest.mark.parametrize(
    ("commit", "usable"),
    [
        ({}, {"mandate-2"}),
        ({"complete": False}, {"mandate-1", "mandate-2"}),
        ({"source": "checkouts"}, {"mandate-1", "mandate-2"}),
    ],
)
def test_a_mandate_that_vanished_is_not_usable(
    commit: dict[str, Any], usable: set[str]
) -> None:
    """A later complete list has the second alone."""
    given = {
        "mandates": [{}, {}],
        "commits": [{"source": "mandates", "pull_id": LATER} | commit],
        "seen_ids": [{"source_table": "mandates", "id": "mandate-2"}],
    }
    settings = Settings(business=Business(name="shop"))
    with DuckEngine.open(lake_tables(given), settings, AS_OF) as engine:
        rows = engine.table("report_mandates").to_pylist()
    assert {row["mandate_id"] for row in rows} == {"mandate-1", "mandate-2"}
    assert {row["mandate_id"] for row in rows if row["is_usable"]} == usable


@pytest.mark.parametrize(
    ("attempted_at", "ages"),
    [
        ((2026, 9, 30, 20, 29), []),  # the evening before in Tehran
        ((2026, 9, 24, 12, 0), []),
        ((2026, 9, 30, 20, 31), [0]),
        ((2026, 10, 7, 20, 29), [0]),
        ((2026, 10, 7, 20, 31), [1]),
    ],
)
def test_a_mandate_ages_by_business_dates_from_its_own_on(
    attempted_at: tuple[int, ...], ages: list[int]
) -> None:
    """It was granted on the first of October there, on the last of September in UTC."""
    given = {
        "mandates": [{"created_at": datetime(2026, 9, 30, 21, 0, tzinfo=UTC)}],
        "checkouts": [{}],
        "payments": [{"created_at": datetime(*attempted_at, tzinfo=UTC)}],
    }
    settings = Settings(business=Business(name="shop"))
    with DuckEngine.open(lake_tables(given), settings, AS_OF) as engine:
        rows = engine.table("report_mandate_ages").to_pylist()
    assert [row["age_weeks"] for row in rows] == ages


def test_of_the_attempts_of_a_week_those_that_were_done_are_counted() -> None:
    given = {
        "mandates": [{"created_at": datetime(2026, 10, 1, tzinfo=UTC)}],
        "checkouts": [{}] * 4,
        "payments": [
            {"checkout_id": f"checkout-{number}", "status": status, **changed}
            for number, (status, changed) in enumerate(
                [
                    ("done", {}),
                    ("failed", {}),
                    ("done", {"mandate_id": None, "type": "card"}),
                    ("done", {"created_at": None}),
                ],
                1,
            )
        ],
    }
    settings = Settings(business=Business(name="shop"))
    with DuckEngine.open(lake_tables(given), settings, AS_OF) as engine:
        (found,) = engine.table("report_mandate_ages").to_pylist()
    assert (found["age_weeks"], found["attempts"], found["done"]) == (1, 2, 1)


def test_a_mandate_was_used_as_often_and_as_far_as_its_done_payments_say() -> None:
    """The month of T has begun in Tehran, and in UTC it has not."""

    def use(number: int, at: tuple[int, ...], **changed: Any) -> dict[str, Any]:
        home = {"checkout_id": f"checkout-{number}"}
        return {"paid_at": datetime(*at, tzinfo=UTC)} | home | changed

    payments = [
        use(1, (2026, 10, 31, 20, 31), amount=300),
        use(2, (2026, 10, 31, 20, 29), amount=700),
        use(3, (2026, 9, 30, 20, 31), amount=200),
        use(4, (2026, 10, 31, 20, 40), amount=900, status="failed"),
    ]
    given = {"mandates": [{}, {}], "checkouts": [{}] * 4, "payments": payments}
    settings = Settings(business=Business(name="shop"))
    with DuckEngine.open(lake_tables(given), settings, AS_OF) as engine:
        used, unused = sorted(
            engine.table("report_mandates").to_pylist(),
            key=lambda row: str(row["mandate_id"]),
        )
    names = ("used_this_month", "done", "largest_withdrawal", "last_used_at")
    assert [used[name] for name in names] == [1, 3, 700, payments[0]["paid_at"]]
    assert [unused[name] for name in names] == [0, 0, None, None]


@pytest.mark.parametrize(
    ("changed", "usable"),
    [
        ({"expires_at": None}, True),
        ({"expires_at": AS_OF + timedelta(seconds=1)}, True),
        ({"expires_at": AS_OF}, False),
        ({"expires_at": None, "revoked_at": AS_OF - timedelta(days=1)}, False),
    ],
)
def test_a_mandate_is_usable_until_it_expires_or_is_revoked(
    changed: dict[str, Any], usable: bool
) -> None:
    settings = Settings(business=Business(name="shop"))
    given = lake_tables({"mandates": [changed]})
    with DuckEngine.open(given, settings, AS_OF) as engine:
        (found,) = engine.table("report_mandates").to_pylist()
    assert found["is_usable"] is usable
