"""Years have no thousands separators; what is rounded shows that it is no rial."""

from decimal import Decimal
from typing import Any

import pytest

from recon.separators import are_years, written


@pytest.mark.parametrize(
    ("column", "are"),
    [
        ([2026], True),
        ([2025, None, 1900, 2199], True),
        ([1405, 1300, 1499], True),
        ([2025, 2026, 2200], False),
        ([1405, 1500], False),
        ([1899], False),
        ([2026, 12_345], False),
        ([-2026], False),
        ([2026.0], False),
        ([True, 2026], False),
        (["2026"], False),
        ([None], False),
        ([], False),
    ],
)
def test_a_column_is_of_years_where_each_of_its_values_can_be_one(
    column: list[Any], are: bool
) -> None:
    assert are_years(column) is are


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (2_026, "2,026"),
        (2**62 + 1, "4,611,686,018,427,387,905"),
        (-1_234_567, "-1,234,567"),
        (2870694.6653806586, "2,870,694.67"),
        (5_000_000.0, "5,000,000.00"),
        (-1_234.5, "-1,234.50"),
        (0.0, "0.00"),
        (0.9040637860082305, "0.9041"),
        (0.99999, "1.000"),
        (0.000012345, "1.234e-05"),
        (1.5e20, "1.5e+20"),
        (float("nan"), "nan"),
        (Decimal("2870694.665"), "2,870,694.665"),
        (Decimal("0E-10"), "0.0000000000"),
        (Decimal("12345678901234567890.10"), "12,345,678,901,234,567,890.10"),
    ],
)
def test_numbers_are_parted_by_thousands_and_only_floats_rounded(
    number: float | Decimal, said: str
) -> None:
    assert written(number) == said


def test_a_year_is_written_plainly() -> None:
    assert written(2026, is_year=True) == "2026"
