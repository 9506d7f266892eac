"""Frames as the notebook gives them: exact integers, text, dates and instants."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pandas as pd
import pyarrow as pa

from recon.reports import (
    breaks,
    failures,
    fees,
    flows,
    frames,
    journal,
    rollforward,
)
from tests.reports.stand_in import (
    MODEL_COLUMNS,
    a_break,
    a_failure,
    a_flow,
    an_interval,
    rows,
)


def frame(columns: pa.Schema, given: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    return frames.frame(rows(columns, given))


def texts(figure: Any) -> list[str]:
    """Every text that is drawn on a figure, its ticks and titles included."""
    figure.canvas.draw()
    return [
        item.get_text()
        for item in figure.findobj(lambda part: hasattr(part, "get_text"))
        if item.get_visible() and item.get_text()
    ]


FIRST = date(2026, 1, 1)


def intervals(count: int) -> pd.DataFrame:
    start = datetime(2026, 1, 1, 20, 30, tzinfo=UTC)
    return frame(
        rollforward.COLUMNS,
        [
            an_interval(
                from_at=start + timedelta(days=day),
                to_at=start + timedelta(days=day + 1),
                unexplained=0 if day % 7 else -10_000 * day,
            )
            for day in range(count)
        ],
    )


def flow_rows(count: int) -> pd.DataFrame:
    return frame(
        flows.COLUMNS,
        [
            a_flow(
                business_date=FIRST + timedelta(days=row // 9),
                payment_method=f"method-{row % 9}",
                amount=10**17 // (row % 9 + 1),
            )
            for row in range(count)
        ],
    )


def failure_rows(count: int) -> pd.DataFrame:
    return frame(
        failures.COLUMNS,
        [
            a_failure(
                business_date=FIRST + timedelta(days=row // 400),
                payment_method=f"method-{row % 20}",
                code=f"CODE_{row % 400 // 20}",
            )
            for row in range(count)
        ],
    )


def break_rows(count: int) -> pd.DataFrame:
    levels = ("critical", "error", "warning", "info")
    return frame(
        breaks.COLUMNS,
        [
            a_break(severity=levels[row % 4], check=f"check_{row % 60}", age_days=row)
            for row in range(count)
        ],
    )


def fee_rows(count: int) -> pd.DataFrame:
    return frame(
        fees.COLUMNS,
        [
            {
                "product": "unified",
                "payment_method": f"method-{row}",
                "month": "2026-03",
                "count": 3,
                "amount": 10**9 if row % 5 else 0,
                "wage": 10**7 + row,
                "expected_wage": 10**7 if row % 3 else None,
                "difference": row if row % 3 else None,
                "effective_bps": 100,
            }
            for row in range(min(count, 40))
        ],
    )


def held_rows(count: int) -> pd.DataFrame:
    return frame(
        journal.COLUMNS,
        [
            {
                "business_date": FIRST + timedelta(days=row // 3),
                "account": "memo:escrow:held" if row % 2 == 0 else "assets:wallet",
                "debit": 10**7,
                "credit": 0,
            }
            for row in range(count)
        ],
    )


def hour_rows(count: int) -> pd.DataFrame:
    return frame(
        MODEL_COLUMNS["hours"],
        [
            {
                "business_date": FIRST + timedelta(days=row // 24),
                "business_hour": row % 24,
                "product": "unified",
                "payment_method": "debit-north",
                "attempts": 20,
                "failed": 1 + row % 3,
                "done": 17,
                "done_amount": 10**9,
            }
            for row in range(count)
        ],
    )


def escrow_rows(count: int) -> pd.DataFrame:
    return frame(
        MODEL_COLUMNS["escrow"],
        [
            {"held": 10**7, "held_days": row, "is_disputed": row % 7 == 0}
            for row in range(count)
        ],
    )


def mandate_rows(count: int) -> pd.DataFrame:
    return frame(
        MODEL_COLUMNS["mandates"],
        [
            {
                "is_usable": None if row % 11 == 10 else row % 5 != 4,
                "used_this_month": row % 13,
                "monthly_count": 10,
                "done": 1,
                "largest_withdrawal": row * 10**4,
                "withdrawal_limit": 10**7,
                "expiry_date": FIRST + timedelta(days=row),
            }
            for row in range(count)
        ],
    )


def age_rows(count: int) -> pd.DataFrame:
    return frame(
        MODEL_COLUMNS["mandate_ages"],
        [
            {
                "business_date": FIRST,
                "payment_method": f"debit-{row % 3}",
                "age_weeks": row // 3,
                "attempts": 10,
                "done": 9,
            }
            for row in range(min(count, 300))
        ],
    )
