"""Where lines and pages of report.html may end, and where they may not."""

import pyarrow as pa

from recon.charts import Look
from recon.reports.cells import MOST_ROWS, table_lines
from recon.reports.digests import DIGESTS
from recon.reports.views import MODELS, REPORTS
from tests.reports.lake_rows import SETTINGS
from tests.reports.test_report_page import declared, mandate, render, styles, tables


def test_a_month_stays_in_one_line() -> None:
    """On a phone `2026-` and `09` stood in two."""
    months = pa.table({"month": ["2026-09", None]})
    zone = SETTINGS.business.timezone
    lines = "".join(table_lines("fees", months, Look(), zone, "fees_title"))
    assert '<td class="time"><bdi>2026-09</bdi></td>' in lines
    assert '<td class="time"><bdi></bdi></td>' in lines
    screen, _ = styles(render())
    assert declared(screen, "td.time") == {"white-space": "nowrap"}


def test_an_address_in_the_verdict_is_torn_before_it_leaves_a_phone() -> None:
    """That of a list which nobody answered made the whole page wider than it."""
    screen, _ = styles(render())
    assert declared(screen, "header")["overflow-wrap"] == "anywhere"


def test_a_chapter_may_begin_on_a_new_page_of_paper() -> None:
    """What ends one is no heading of the next: the chart of that lost its own."""
    _, paper = styles(render())
    question = declared(paper, "section > p:not(:last-child)")
    assert question == {"break-after": "avoid"}
    assert declared(paper, "section > p") == {}
    assert declared(paper, "h2")["break-after"] == "avoid"


def test_the_highest_chart_stands_on_the_page_of_its_heading() -> None:
    """One of 25 rates was as high as a page: its heading stood on the one before."""
    _, paper = styles(render())
    assert declared(paper, "figure img") == {
        "min-width": "0",
        "width": "auto",
        "max-width": "100%",
        "max-height": "20cm",
    }


def test_a_long_table_of_no_csv_file_says_which_notebook_has_the_rest() -> None:
    """No report is named escrow.csv or mandates.csv."""
    count = MOST_ROWS + 1
    text = render(
        tables(
            escrow=[
                {"tracking_code": f"{n}", "held": 5, "held_days": 3}
                | {"is_disputed": False}
                for n in range(count)
            ],
            mandates=[
                mandate(mandate_id=f"{n}", used_this_month=10) for n in range(count)
            ],
        )
    )
    for name in ("07_escrow", "08_mandates"):
        assert f"200 of 201 rows; notebooks/{name}.ipynb has all." in text


def test_every_table_names_a_report_or_its_own_notebook() -> None:
    for name, digest in DIGESTS.items():
        known = {*(f"{each}.csv" for each in REPORTS), f"notebooks/{name}.ipynb"}
        assert digest.whole in known
        assert (digest.whole == f"notebooks/{name}.ipynb") == (
            digest.view in MODELS and name != "03_wallet"
        )


def test_the_page_promises_csv_files_of_what_they_have_and_of_no_more() -> None:
    text = render()
    assert "Every figure is in the CSV files" not in text
    assert (
        "The CSV files beside this page have breaks, the wallet, flows, failures and "
        "fees whole; hours, escrow and mandates are in the notebooks." in text
    )
