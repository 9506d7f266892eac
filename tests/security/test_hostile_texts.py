"""Whatever text a provider or a file brings: no formula, no element, no attribute."""

import csv
import io
import zipfile
from html.parser import HTMLParser

import openpyxl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recon.reports import csv_text, workbook
from recon.reports.verdict import Step, Verdict
from recon.settings import Business, Settings
from tests.reports.stand_in import AS_OF, a_break, a_failure, a_flow, an_interval
from tests.reports.test_report_page import render, tables, verdict

PLAIN = "plainwords"
STARTS = [*"=+-@\t\r", *"＝＋－＠"]
FORMULA = st.sampled_from(STARTS)
MARKUP = st.sampled_from(
    [
        "<script>alert(1)</script>",
        "</td></table><script>",
        '" onmouseover="x',
        "' autofocus onfocus='x",
        "<!--",
        "]]>",
        "&lt;b&gt;",
        "javascript:alert(1)",
        "</style><img src=x onerror=y>",
        "</textarea>",
        "\u202e",
        "{{7*7}}",
    ]
)
SIGNS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
HOSTILE = st.lists(MARKUP | SIGNS | FORMULA, min_size=1, max_size=4).map("".join)


class Shape(HTMLParser):
    """The elements of a page with the names of their attributes, in their order."""

    def __init__(self, content: str) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, tuple[str, ...]]] = []
        self.links: list[str] = []
        self.feed(content)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, tuple(name for name, _ in attrs)))
        self.links += [value or "" for name, value in attrs if name in {"href", "src"}]


def page_with(text: str) -> Shape:
    given = tables(
        breaks=[
            a_break(record_id=text, detail=text, related_id=text, product="unified")
        ],
        rollforward=[an_interval(wallet=text)],
        flows=[a_flow(payment_method=text)],
        failures=[a_failure(payment_method=text, code=text)],
    )
    return Shape(render(given, verdict(text=text)))


@pytest.fixture(scope="module")
def plain_page() -> Shape:
    return page_with(PLAIN)


@given(text=HOSTILE)
@settings(max_examples=5)
def test_a_text_adds_no_element_and_no_attribute(text: str, plain_page: Shape) -> None:
    found = page_with(text)
    assert {tag for tag, _ in found.found} <= {tag for tag, _ in plain_page.found}
    assert set(found.found) <= set(plain_page.found)
    assert [link for link in found.links if "://" in link or "script:" in link] == []


@given(texts=st.lists(FORMULA.flatmap(lambda s: HOSTILE.map(lambda t: s + t))))
@settings(max_examples=40)
def test_no_cell_of_a_csv_begins_a_formula(texts: list[str]) -> None:
    content = csv_text.render(pa.table({"text": pa.array(texts, pa.string())}))
    rows = list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))[1:]
    assert [cell for row in rows for cell in row] == [f"'{text}" for text in texts]


@pytest.mark.parametrize("start", STARTS)
def test_a_formula_is_a_text_in_a_workbook(start: str) -> None:
    text = f"{start}cmd|' /C calc'!A0"
    book = Verdict("bad", text, (text,), (Step("check", "critical", 1, text),))
    content = workbook.render(
        {"flows": pa.table({"detail": [text]})},
        book,
        Settings(business=Business(name="shop")),
        AS_OF,
    )
    opened = openpyxl.load_workbook(io.BytesIO(content))
    kinds = {cell.data_type for sheet in opened for row in sheet for cell in row}
    assert "f" not in kinds
    with zipfile.ZipFile(io.BytesIO(content)) as parts:
        sheets = [name for name in parts.namelist() if "worksheets/sheet" in name]
        assert not any(b"<f>" in parts.read(name) for name in sheets)
        assert not any("externalLink" in name for name in parts.namelist())


def test_an_element_that_came_through_would_be_seen() -> None:
    found = Shape("<p><script>x</script><b onclick='x'></p>").found
    assert found == [("p", ()), ("script", ()), ("b", ("onclick",))]
