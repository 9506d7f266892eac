"""Lines of a tariff that no record can ever meet."""

from pathlib import Path

import pytest

from recon.lake import Lake
from tests.imports.import_cases import changed, taken, write_csv


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


@pytest.mark.parametrize(
    ("product", "method", "told"),
    [
        ("unified", "card", None),
        ("gateway", "*", None),
        ("gateway", "", None),
        (
            "gateway",
            "card",
            "gateway names a payment_method, so the line is for nothing",
        ),
        (
            "cash_in",
            "card",
            "cash_in names a payment_method, so the line is for nothing",
        ),
        ("escrow", "*", "escrow bears a wage, so the line is for nothing"),
    ],
)
def test_a_line_of_the_tariff_that_nothing_meets_is_told(
    product: str, method: str, told: str | None, lake: Lake, tmp_path: Path
) -> None:
    row = changed("tariff", product=product, payment_method=method)
    (file,) = taken(lake, "tariff", write_csv(tmp_path / "a.csv", [row])).files
    assert file.rows == 1
    if told is None:
        assert file.warnings == ()
        return
    (warning,) = file.warnings
    assert warning.startswith(f"no record of {told}")
    assert warning.endswith(": 1 row, first at line 2")
