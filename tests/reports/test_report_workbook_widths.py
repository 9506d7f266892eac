"""How wide the columns of the workbook are: an amount is shown whole, or not at all."""

import pyarrow as pa
import pytest

from tests.reports.test_report_workbook import opened


@pytest.mark.parametrize("rials", [707_922_093, -707_922_093, 999_999_999_999_999])
def test_a_large_amount_behind_those_that_gave_the_width_fits_its_column(
    rials: int,
) -> None:
    """Where a column is too narrow for a number, a spreadsheet shows #####."""
    amounts = [*range(300), None, rials, *range(50)]
    sheet = opened(pa.table({"amount": pa.array(amounts, pa.int64())}))["flows"]
    assert sheet["A303"].value == rials
    assert sheet.column_dimensions["A"].width > len(f"{rials:,}")
    assert sheet.column_dimensions["B"].width > len(f"{rials / 10:,.1f}")


def test_a_column_without_any_amount_is_as_wide_as_its_name() -> None:
    amounts = pa.array([None] * 300, pa.int64())
    sheet = opened(pa.table({"amount": amounts}))["flows"]
    assert sheet.column_dimensions["A"].width < 11
