"""The chart of fees: which rows of many are drawn, and where they stand."""

import pandas as pd
import pytest

from recon import charts
from tests.charts.frames import fee_rows, texts


def years_of_fees() -> pd.DataFrame:
    """Nine methods in 36 months; the oldest of them is off the tariff by a rial."""
    one = fee_rows(2).tail(1)
    rows = pd.concat([one] * 9 * 36, ignore_index=True)
    rows["payment_method"] = [f"method-{row % 9}" for row in range(len(rows))]
    rows["month"] = [
        f"{2024 + row // 108}-{row // 9 % 12 + 1:02d}" for row in range(len(rows))
    ]
    return rows.assign(difference=[1, *[0] * (len(rows) - 1)])


@pytest.mark.parametrize(
    ("look", "told"),
    [
        (
            charts.Look(),
            "25 of 324 rows: those that differ most, then the newest",
        ),
        (
            charts.Look("jalali", "fa"),
            "\u200f۲۵ سطر از ۳۲۴: بیشترین مغایرت‌ها، سپس تازه‌ترین‌ها",
        ),
    ],
    ids=["en", "fa"],
)
def test_of_years_of_fees_those_off_the_tariff_are_drawn_then_the_newest(
    look: charts.Look, told: str
) -> None:
    made = charts.effective_rates(years_of_fees(), look=look)
    names = [label.get_text() for label in made.axes[0].get_yticklabels()]
    assert len(names) == 25
    assert names[0] == f"method-0  {look.month('2024-01')}"
    newest = [each for each in names if each.endswith(look.month("2026-12"))]
    assert len(newest) == 9
    assert told in texts(made)
    assert made.get_figheight() < 13


def test_of_more_fees_off_the_tariff_than_are_shown_the_largest_are() -> None:
    given = years_of_fees().assign(difference=[*range(-40, 0), *[0] * 284])
    shown = texts(charts.effective_rates(given))
    assert sum(text.endswith(" rials") for text in shown) == 25
    assert any(text.endswith("-40 rials") for text in shown)
    assert not any(text.endswith("-15 rials") for text in shown)


def test_few_fees_are_all_shown_and_nothing_says_otherwise() -> None:
    made = charts.effective_rates(fee_rows(25).assign(amount=10**9))
    assert len(made.axes[0].get_yticklabels()) == 25
    assert not any(" of " in text and "rows" in text for text in texts(made))


@pytest.mark.parametrize(
    ("look", "shown"), [(charts.Look(), "24"), (charts.Look("jalali", "fa"), "۲۴")]
)
def test_a_rate_is_told_as_fees_csv_has_it(look: charts.Look, shown: str) -> None:
    """The chart had 23.8, and the table below it 24."""
    row = fee_rows(2).tail(1).assign(wage=2_380_000, effective_bps=24, difference=None)
    (figure,) = charts.effective_rates(row, look=look).axes[0].texts
    assert figure.get_text() == shown


@pytest.mark.parametrize("count", [2, 25])
def test_fees_stand_as_near_to_the_ends_of_the_axis_however_many(count: int) -> None:
    axes = charts.effective_rates(fee_rows(count).assign(amount=10**9)).axes[0]
    bottom, top = axes.get_ylim()
    assert -1 < top <= -0.5
    assert count - 0.5 <= bottom < count


def test_a_month_beside_a_persian_name_is_not_turned_around() -> None:
    """Marks at both sides of the name keep what follows it from left to right."""
    rows = fee_rows(2).tail(1).assign(payment_method="درگاه ملت", month="2026-11")
    axes = charts.effective_rates(rows).axes[0]
    shown = [label.get_text() for label in axes.get_yticklabels()]
    assert shown == ["\u200eدرگاه ملت\u200e  2026-11"]


def test_a_persian_month_beside_a_name_of_both_scripts_is_no_part_of_it() -> None:
    rows = fee_rows(2).tail(1).assign(payment_method="debit-ملت", month="1405-08")
    look = charts.Look("jalali", "fa")
    (label,) = charts.effective_rates(rows, look=look).axes[0].get_yticklabels()
    assert label.get_text() == "\u2068debit-ملت\u2069  آبان ۱۴۰۵"
