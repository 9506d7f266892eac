"""What the verdict says of a source that could not be read whole."""

import pytest

from recon.charts import Look
from recon.reports.verdict import in_words
from tests.reports.test_report_verdict import ENGLISH, FARSI, RULES, summary


@pytest.mark.parametrize(
    ("look", "end"), [(ENGLISH, "invalid."), (FARSI, "invalid\u2069.")]
)
def test_an_answer_that_ends_with_a_full_stop_gets_no_second_one(
    look: Look, end: str
) -> None:
    error = "answered 422: The api_key is invalid."
    sources = {"gateway_transactions": {"complete": False, "error": error}}
    found = in_words(summary(complete=False, sources=sources), RULES, {}, look)
    told = next(each for each in found.sentences if "gateway_transactions" in each)
    assert told.endswith(end)
