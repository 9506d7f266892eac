"""How texts and amounts stand in the cells of the workbook."""

import pyarrow as pa

from tests.reports.test_report_workbook import cells, opened


def test_a_row_has_room_for_a_word_longer_than_a_line() -> None:
    """It begins a line of its own; its last part was below the row's edge."""
    text = f"an order {'x' * 66}"
    sheet = opened(pa.table({"record_id": [text], "amount": [1]}))["flows"]
    assert sheet.row_dimensions[2].height >= 3 * 15


def test_an_amount_that_is_a_text_stands_with_the_numbers() -> None:
    large = 10**15 + 5
    found = cells(pa.table({"amount": [large]}))
    assert found["amount"].value == str(large)
    assert found["amount"].alignment.horizontal == "right"
    assert found["amount"].number_format == "@"
