"""From which end a chart of report.html is read, and how a command looks in it."""

import re

import pytest

from recon.reports.verdict import Verdict
from tests.reports.stand_in import a_flow
from tests.reports.test_report_page import render, tables

OF_TIME = {
    "From snapshot to snapshot",
    "By day",
    "What reached the wallet",
    "Over time",
}
HEADINGS = {
    "از مانده‌گیری تا مانده‌گیری": "From snapshot to snapshot",
    "به تفکیک روز": "By day",
    "آنچه به کیف پول رسید": "What reached the wallet",
    "در گذر زمان": "Over time",
}


def ways(text: str) -> dict[str, str]:
    """Return the direction of each chart, by its heading in English where of time."""
    found = re.findall(
        r'<div class="exhibit"><h3>(.*?)</h3>.*?<figure dir="(\w+)">', text, re.DOTALL
    )
    return {HEADINGS.get(heading, heading): way for heading, way in found}


def test_a_persian_chart_of_time_is_read_from_its_left_end() -> None:
    """On a phone the right one was shown first: the newest days, without amounts."""
    found = ways(render(tables(flows=[a_flow()]), language="fa"))
    from_left = {heading for heading, way in found.items() if way == "ltr"}
    assert from_left == OF_TIME
    assert set(found.values()) == {"ltr", "rtl"}


def test_an_english_chart_is_read_from_its_left_end() -> None:
    assert set(ways(render()).values()) == {"ltr"}


@pytest.mark.parametrize("language", ["en", "fa"])
def test_a_command_of_the_verdict_has_no_backticks(language: str) -> None:
    words = Verdict("warn", "Empty", ("Run `recon nightly`, or `recon pull`.",), ())
    text = render(words=words, language=language)
    assert "Run <code>recon nightly</code>, or <code>recon pull</code>." in text


def test_backticks_of_the_data_stay_as_they_are() -> None:
    words = Verdict("warn", "Odd", ("a status `<b>`, one ` and `reconx;`",), ())
    text = render(words=words)
    assert "a status `&lt;b&gt;`, one ` and `reconx;`" in text
