"""Where lines and pages of report.html may end, and where they may not."""

import pyarrow as pa

from recon.charts import Look
from recon.reports.cells import table_lines
from tests.reports.lake_rows import SETTINGS
from tests.reports.test_report_page import declared, render, styles


def test_a_month_stays_in_one_line() -> None:
    """On a phone `2026-` and `09` stood in two."""
    months = pa.table({"month": ["2026-09", None]})
    zone = SETTINGS.business.timezone
    lines = "".join(table_lines("fees", months, Look(), zone))
    assert '<td class="time"><bdi>2026-09</bdi></td>' in lines
    assert '<td class="time"><bdi></bdi></td>' in lines
    screen, _ = styles(render())
    assert declared(screen, "td.time") == {"white-space": "nowrap"}


def test_a_chapter_may_begin_on_a_new_page_of_paper() -> None:
    """What ends one is no heading of the next: the chart of that lost its own."""
    _, paper = styles(render())
    question = declared(paper, "section > p:not(:last-child)")
    assert question == {"break-after": "avoid"}
    assert declared(paper, "section > p") == {}
    assert declared(paper, "h2")["break-after"] == "avoid"
