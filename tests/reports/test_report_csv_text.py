import csv
import io
from datetime import UTC, date, datetime

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recon.reports.csv_text import render

FORMULA_STARTS = (*"=+-@\t\r\0", *"＝＋－＠")


def neutralised(text: str) -> str:
    """What stands for a text in a file."""
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\0=", *"＝＋－＠"])
def test_a_text_that_begins_like_a_formula_gets_an_apostrophe(start: str) -> None:
    written = render(pa.table({"text": [f"{start}1+1"]})).decode("utf-8-sig")
    assert written.removeprefix("text\n").lstrip('"').startswith(f"'{start}1+1")


@pytest.mark.parametrize("text", ["3,500; of 1", "a;b", "a\tb"])
def test_a_text_with_any_separator_stands_in_quotes(text: str) -> None:
    """Some spreadsheets part cells by commas, semicolons and tabs all at once."""
    written = render(pa.table({"id": ["x"], "text": [text]})).decode("utf-8-sig")
    assert written == f'id,text\nx,"{text}"\n'


@pytest.mark.parametrize("text", ["", "a=1", " =1", "'=1", "مبلغ", "\n=1"])
def test_another_text_stays(text: str) -> None:
    written = render(pa.table({"text": [text]})).decode("utf-8-sig")
    assert list(csv.reader(io.StringIO(written, newline="")))[1:] == [
        [text] if text else []
    ]


def test_a_negative_amount_is_no_formula() -> None:
    table = pa.table({"amount": pa.array([-5], pa.int64()), "text": ["-5"]})
    assert render(table).decode("utf-8-sig") == "amount,text\n-5,'-5\n"


def test_instants_are_utc_seconds_dates_iso_and_nulls_empty() -> None:
    at = datetime(2026, 3, 1, 10, 0, 0, 999_999, tzinfo=UTC)
    table = pa.table(
        {
            "at": pa.array([at, None], pa.timestamp("us", "UTC")),
            "day": pa.array([date(2026, 3, 1), None], pa.date32()),
            "amount": pa.array([2**62, None], pa.int64()),
        }
    )
    assert render(table).decode("utf-8-sig") == (
        f"at,day,amount\n2026-03-01T10:00:00Z,2026-03-01,{2**62}\n,,\n"
    )


@given(st.lists(st.tuples(st.text(), st.text()), max_size=5))
def test_any_text_is_read_back_as_it_was(pairs: list[tuple[str, str]]) -> None:
    table = pa.table(
        {
            "left": pa.array([left for left, _ in pairs], pa.string()),
            "right": pa.array([right for _, right in pairs], pa.string()),
        }
    )
    text = render(table).decode("utf-8-sig")
    found = list(csv.reader(io.StringIO(text, newline="")))[1:]
    assert found == [[neutralised(left), neutralised(right)] for left, right in pairs]
