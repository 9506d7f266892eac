"""Times of the gateway, which tell neither their zone nor their calendar."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from recon.records import gateway
from recon.records.scalars import local_time

TEHRAN = ZoneInfo("Asia/Tehran")


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("2026-10-23 10:30:00", datetime(2026, 10, 23, 7, tzinfo=UTC)),
        ("1405-08-01 10:30:00", datetime(2026, 10, 23, 7, tzinfo=UTC)),
        ("1405-08-01 10:30:00.5", datetime(2026, 10, 23, 7, 0, 0, 500_000, UTC)),
        ("1405-02-31 00:00:00", datetime(2026, 5, 20, 20, 30, tzinfo=UTC)),
        ("1403-12-30 23:59:59", datetime(2025, 3, 20, 20, 29, 59, tzinfo=UTC)),
        ("1299-01-01 00:00:00", datetime(1298, 12, 31, 20, 34, 16, tzinfo=UTC)),
        ("", None),
        (None, None),
    ],
)
def test_a_year_in_which_nobody_paid_is_a_jalali_one(
    text: str | None, instant: datetime | None
) -> None:
    assert local_time(text, TEHRAN) == instant


@pytest.mark.parametrize(
    "text", ["1404-12-30 10:00:00", "1405-13-01 10:00:00", "2026-02-30 10:00:00", "x"]
)
def test_a_day_that_its_calendar_lacks_is_no_time(text: str) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        local_time(text, TEHRAN)


def test_the_gateway_s_answer_may_be_of_either_calendar() -> None:
    answer = {"code": 1, "createdAt": "1405-08-01 10:30:00"}
    answer |= {"paymentDate": "2026-10-23 10:31:00"}
    found = gateway.transaction(answer, "token", TEHRAN)
    assert found.created_at == datetime(2026, 10, 23, 7, tzinfo=UTC)
    assert found.payment_date == datetime(2026, 10, 23, 7, 1, tzinfo=UTC)
