"""What the verdict says of a source that could not be read whole, or never was."""

import pytest

from recon.charts import Look
from recon.reports.verdict import in_words
from tests.reports.test_report_verdict import ENGLISH, FARSI, RULES, UNREAD, summary


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


@pytest.mark.parametrize(
    ("named", "english", "persian"),
    [
        ({"never_read": ["checkouts"]}, "run `recon nightly`", "را اجرا کنید"),
        ({}, "is from imported files", "فایل‌های واردشده"),
    ],
)
def test_a_shop_of_files_alone_is_not_told_to_pull_what_no_setting_names(
    named: dict[str, list[str]], english: str, persian: str
) -> None:
    for look, words in ((ENGLISH, english), (FARSI, persian)):
        assert words in str(in_words(summary(**UNREAD, **named), RULES, {}, look))
