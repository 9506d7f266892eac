"""A number that its sheet shows as another one is refused, never read as it stands."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recon.errors import RefusedFile
from recon.imports.formats.rows import ShownNumber, shown_number
from recon.imports.number_formats import as_shown
from recon.lake import Lake
from tests.imports.import_cases import SETTINGS, changed, stored, taken

TEHRAN = SETTINGS.business.timezone


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


def read(
    lake: Lake, kind: str, column: str, value: Any, shown: str, **others: str
) -> list[dict[str, Any]]:
    """Take a workbook with a cell that is shown so; what is stored."""
    book, row = openpyxl.Workbook(), {**changed(kind, **others), column: value}
    for cells in (list(row), list(row.values())):
        book.active.append(cells)
    book.active.cell(2, list(row).index(column) + 1).number_format = shown
    path = lake.root.parent / "a.xlsx"
    book.save(path)
    taken(lake, kind, path)
    return stored(lake, kind)


IDENTIFIERS = [
    ("books", "reference"),
    ("deposits", "track_id"),
    ("deposits", "gateway_transaction_id"),
    ("gateway_tokens", "token"),
    ("gateway_tokens", "factor_number"),
    ("hosted_checkouts", "checkout_id"),
    ("hosted_checkouts", "checkout_number"),
]


@pytest.mark.parametrize(("kind", "column"), IDENTIFIERS)
@pytest.mark.parametrize(
    ("number_format", "shown"),
    [
        ("00000000", "00000123"),
        ("0000", "0123"),
        ('"ORD-"0000', "ORD-0123"),
        ("\\A0", "A123"),
        ("[$ORD-]General", "ORD123"),
        ("0-00", "1-23"),
        ("0;(0);0;@", None),
    ],
)
def test_an_identifier_is_what_its_sheet_shows(
    kind: str, column: str, number_format: str, shown: str | None, lake: Lake
) -> None:
    """Order 00000123 of the books is the provider's 00000123, and no 123."""
    if shown is None:
        assert read(lake, kind, column, 123, number_format)[0][column] == "123"
        return
    with pytest.raises(RefusedFile) as refused:
        read(lake, kind, column, 123, number_format)
    told = f"line 2, column {column}: is shown as {shown} and holds 123: make the"
    assert told in str(refused.value)
    assert lake.commits() == []


@pytest.mark.parametrize(
    "number_format",
    [
        *("General", "0", "@", "#,##0", "# ##0", "000", "0.00", "#,##0_);(#,##0)"),
        *(".00", "_-General", "[$-3000401]0", '0 "ریال"', "[Red]0", "0000;-0;0;@"),
    ],
)
def test_an_identifier_with_all_its_digits_is_taken(
    number_format: str, lake: Lake
) -> None:
    found = read(lake, "books", "reference", 1234, number_format)
    assert found[0]["reference"] == "1234"


@pytest.mark.parametrize("number_format", ["0000", '"ORD-"0'])
def test_an_identifier_that_is_empty_is_shown_as_nothing(
    number_format: str, lake: Lake
) -> None:
    found = read(lake, "tariff", "payment_method", None, number_format)
    assert found[0]["payment_method"] == "*"


@pytest.mark.parametrize(
    ("number_format", "value", "shown"),
    [
        ("-#,##0", 250_000, "-250000"),
        ("(0)", 250_000, "(250000)"),
        ("0-", 250_000, "250000-"),
        ('#,##0"0 ریال"', 250_000, "2500000 ریال"),
        ("0%", 250_000, "25000000%"),
    ],
)
def test_an_amount_is_not_shown_as_another_one(
    number_format: str, value: int, shown: str, lake: Lake
) -> None:
    with pytest.raises(RefusedFile) as refused:
        read(lake, "adjustments", "amount", value, number_format)
    told = f"line 2, column amount: is shown as {shown} and holds {value}: give it a"
    assert told in str(refused.value)
    assert lake.commits() == []


@pytest.mark.parametrize(
    ("number_format", "value"),
    [
        ("#,##0", -5),
        ("#,##0_);(#,##0)", 5),
        ("#,##0_);(#,##0)", -5),
        ("#,##0;[Red]#,##0", -5),  # Excel's own: in red, and no minus
        ('_(* #,##0_);_(* \\(#,##0\\);_(* "-"_);_(@_)', 0),
        ('_(* #,##0_);_(* \\(#,##0\\);_(* "-"_);_(@_)', -5),
        ("000000", 5),
        ("#,##0.00", 5),
        ('#,##0 "ریال"', 5),
        ("-0;-0", -5),
    ],
)
def test_an_amount_that_its_sheet_shows_truly_is_taken(
    number_format: str, value: int, lake: Lake
) -> None:
    found = read(lake, "adjustments", "amount", value, number_format)
    assert found[0]["amount"] == value


def test_a_rate_that_is_shown_as_a_percentage_is_refused(lake: Lake) -> None:
    """100 % is 10,000 basis points, and the cell holds 1."""
    with pytest.raises(RefusedFile, match="is shown as 100% and holds 1: give it"):
        read(lake, "tariff", "rate_bps", 1, "0%")
    assert read(lake, "tariff", "rate_bps", 1, "0")[0]["rate_bps"] == 1


@pytest.mark.parametrize(
    ("column", "value", "number_format", "told"),
    [
        ("reference", True, "0000", "'true' is neither a text nor a whole number"),
        ("amount", True, "0%", "'true' is not a whole number of digits"),
        ("amount", timedelta(days=1, hours=1), "[h]:mm:ss", "'1 day, 1:00:00' is not"),
    ],
)
def test_a_format_of_numbers_makes_no_number_of_another_value(
    column: str, value: Any, number_format: str, told: str, lake: Lake
) -> None:
    with pytest.raises(RefusedFile) as refused:
        read(lake, "books", column, value, number_format)
    assert f"line 2, column {column}: {told}" in str(refused.value)


@pytest.mark.parametrize(
    ("shown", "clock"), [("00\\:00\\:00", "00:15:30"), ("0", "15:30:00")]
)
def test_a_clock_is_what_its_sheet_shows(shown: str, clock: str, lake: Lake) -> None:
    others = {"occurred_at": "2026-10-01"}
    found = read(lake, "books", "occurred_at_time", 1530, shown, **others)
    at = found[0]["occurred_at"].astimezone(TEHRAN)
    assert f"{at:%Y-%m-%d %H:%M:%S}" == f"2026-10-01 {clock}"


def test_a_day_is_what_its_sheet_shows(lake: Lake) -> None:
    others = {"calendar": "jalali"}
    found = read(lake, "books", "occurred_at", 14050709, "0000\\/00\\/00", **others)
    at = found[0]["occurred_at"].astimezone(TEHRAN)
    assert f"{at:%Y-%m-%d %H:%M}" == "2026-10-01 00:00"


@given(st.integers(0, 10**15 - 1), st.integers(1, 12))
def test_zeros_before_a_number_are_as_many_as_its_format_has(
    number: int, places: int
) -> None:
    cell = shown_number(str(number), "0" * places)
    assert as_shown(cell) == f"{number:0{places}}"
    assert isinstance(cell, ShownNumber) is (places > 1)
