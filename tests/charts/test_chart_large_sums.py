"""Sums beyond 64 bits, which forged events can come to, are drawn as what they are.

Each amount fits; eleven of the largest together do not. A chart said that minus
446,744,073,709,551,616 rials were held, or ended every report.
"""

from typing import Any

import pandas as pd
import pytest

from recon import charts
from tests.charts.drawing import png
from tests.charts.frames import (
    FIRST,
    escrow_rows,
    failure_rows,
    flow_rows,
    held_rows,
    texts,
)

LARGEST = 9 * 10**17
COUNT = 20


@pytest.mark.parametrize("sign", [1, -1])
def test_what_is_held_may_be_beyond_64_bits(sign: int) -> None:
    given = escrow_rows(COUNT).assign(
        held=sign * LARGEST, held_days=1, is_disputed=False
    )
    made = charts.escrow_ageing(given)
    assert f"{sign * 18_000_000_000:,} in 20" in texts(made)
    assert png(made)


@pytest.mark.parametrize("sign", [1, -1])
def test_what_is_held_is_summed_beyond_64_bits(sign: int) -> None:
    given = held_rows(COUNT).assign(
        account="memo:escrow:held",
        debit=LARGEST if sign > 0 else 0,
        credit=0 if sign > 0 else LARGEST,
    )
    made = charts.escrow_held(given)
    assert f"{sign * COUNT * LARGEST:,} rials" in texts(made)
    assert png(made)


@pytest.mark.parametrize("look", [charts.Look(), charts.Look("jalali", "fa")])
@pytest.mark.parametrize(
    ("draw", "given", "text"),
    [
        (
            charts.flows_by_day,
            flow_rows(COUNT).assign(payment_method="card", amount=LARGEST),
            "18,000,000,000",
        ),
        (
            charts.flows_by_method,
            flow_rows(COUNT).assign(payment_method="card", amount=LARGEST),
            "18,000,000,000",
        ),
        (
            charts.failure_cost,
            failure_rows(COUNT).assign(code="LOST", failed=1, amount_failed=LARGEST),
            "18,000,000,000",
        ),
    ],
)
def test_a_period_may_sum_beyond_64_bits(
    draw: Any, given: pd.DataFrame, text: str, look: charts.Look
) -> None:
    one_day = given.assign(product="unified", business_date=FIRST)
    made = draw(one_day, look=look)
    assert any(look.written(text) in each for each in texts(made))
    assert png(made)
