"""A notebook shows the signs of a verdict's texts; none of them is acted upon."""

import html
import re

import pytest

from recon.charts import Look
from recon.reports.verdict import Step, Verdict

ENGLISH, FARSI = Look(), Look("jalali", "fa")
NAMES = (
    "1 adjustment of 5 rials (<b>special</b>)",
    "2 adjustments (*own*), (__init__), (~~old~~)",
    "a formula ($x$), a link ([here](https://shop.example)), a cell (a|b)",
    r"a path (C:\*.csv)",
    "checkouts is incomplete: page 3 is <html><body>Bad Gateway</body></html>.",
)


def page_of(verdict: Verdict) -> str:
    """Return what a notebook makes of a verdict's Markdown."""
    from nbconvert.filters.markdown_mistune import (  # noqa: PLC0415
        markdown2html_mistune,  # it takes seconds, and each worker reads this file
    )

    return markdown2html_mistune(verdict._repr_markdown_())


def shown(verdict: Verdict) -> str:
    """Return the text that a notebook shows of a verdict, without its tags."""
    page = page_of(verdict)
    assert "<em>" not in page
    return " ".join(html.unescape(re.sub("<[^>]*>", "", page)).split())


@pytest.mark.parametrize("look", [ENGLISH, FARSI])
@pytest.mark.parametrize("text", NAMES)
def test_a_name_is_shown_to_the_letter(text: str, look: Look) -> None:
    """In a sentence, and in the advice of a check of one's own."""
    steps = (Step("my_check", "error", 1, text),)
    assert shown(Verdict("warn", "!", (text,), steps, look)).count(text) == 2


def test_what_is_no_sign_of_markdown_is_left_alone() -> None:
    """File names have underscores within, and commands stand as code."""
    text = "See duplicate_payments.csv, or run `recon nightly`."
    verdict = Verdict("warn", "!", (text,), ())
    assert f"- {text}" in verdict._repr_markdown_().splitlines()
    assert "<code>recon nightly</code>" in page_of(verdict)


@pytest.mark.parametrize("look", [ENGLISH, FARSI])
@pytest.mark.parametrize(
    ("count", "more"),
    [
        (7, ""),
        (8, "and 1 more check; the breaks tell which."),
        (9, "and {count} more checks; the breaks tell which."),
    ],
)
def test_seven_checks_are_shown_and_how_many_are_left_out(
    count: int, more: str, look: Look
) -> None:
    steps = tuple(Step(f"check_{n}", "error", 1, "Look.") for n in range(count))
    lines = Verdict("warn", "!", (), steps, look)._repr_markdown_().splitlines()
    assert sum("`check_" in line for line in lines) == 7
    values = {"count": look.count(count - 7)} if count > 8 else {}
    told = [f"- {look.say(more, **values)}"] if more else []
    assert [line for line in lines if line.startswith("- ")] == told
