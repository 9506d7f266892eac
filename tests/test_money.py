"""Amounts are read strictly and never lose a rial."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recon.money import format_rials, parse_amount, to_rials

PERSIAN = str.maketrans("0123456789", "۰۱۲۳۴۵۶۷۸۹")
ARABIC = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")


@given(st.integers(min_value=-(10**18) + 1, max_value=10**18 - 1))
def test_every_way_to_write_an_amount_reads_back(amount: int) -> None:
    for text in (str(amount), f"{amount:,}", f"{amount}.00", f" {amount:,} "):
        assert parse_amount(text, signed=True) == amount
        assert parse_amount(text.translate(PERSIAN), signed=True) == amount
        assert parse_amount(text.translate(ARABIC), signed=True) == amount


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "-",
        "1.5",
        "1e3",
        "0x1",
        "1.",
        ".5",
        "1.0.0",
        "+-1",
        "١٢a",
        "--1",
        "NaN",
    ],
)
def test_what_is_no_whole_amount_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"whole|fraction"):
        parse_amount(text, signed=True)


@pytest.mark.parametrize(
    "text",
    ["1,5", "12,50", "1200,50", "1,00,000", ",500", "5,", "1,,000", "1 2 3", "1,0000"],
)
def test_a_separator_that_parts_no_thousands_is_refused(text: str) -> None:
    """As a fraction it would be another amount: "12,50" is not 1,250."""
    with pytest.raises(ValueError, match="whole"):
        parse_amount(text)


@pytest.mark.parametrize("text", ["1.000,00", "5.000,00", "1.0 0", "1,000.0,0"])
def test_a_separator_in_the_fraction_is_refused(text: str) -> None:
    """Elsewhere "1.000,00" is a thousand; it must not be read as one."""
    with pytest.raises(ValueError, match="fraction"):
        parse_amount(text)


@pytest.mark.parametrize("text", ["1.000", "-12.000", "150.000", "۱٫۰۰۰", " 012.000"])
def test_three_zeros_after_a_point_may_be_thousands(text: str) -> None:
    """Where a point parts thousands, "150.000" is 150,000."""
    with pytest.raises(ValueError, match="thousands"):
        parse_amount(text, signed=True)


@pytest.mark.parametrize(
    ("text", "amount"),
    [("1500.000", 1500), ("1,500.000", 1500), ("0.000", 0), ("1.00", 1), ("1.0000", 1)],
)
def test_zeros_that_can_only_be_a_fraction_are_taken(text: str, amount: int) -> None:
    assert parse_amount(text) == amount


def test_a_minus_is_refused_where_amounts_have_no_sign() -> None:
    with pytest.raises(ValueError, match="minus"):
        parse_amount("-1")
    assert parse_amount("-1", signed=True) == -1


def test_nineteen_digits_are_refused_and_eighteen_taken() -> None:
    assert parse_amount("9" * 18) == 10**18 - 1
    with pytest.raises(ValueError, match="18 digits"):
        parse_amount("1" + "0" * 18)


def test_a_toman_is_ten_rials_and_other_units_are_refused() -> None:
    assert to_rials(120, "toman") == 1200
    assert to_rials(120, "rial") == to_rials(120, "") == 120
    with pytest.raises(ValueError, match="rial or toman"):
        to_rials(1, "IRR")


def test_rials_are_written_with_thousands_separators() -> None:
    assert format_rials(-1_200_000_000) == "-1,200,000,000"
