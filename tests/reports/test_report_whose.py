"""Whose report it is, and which page of it: two businesses' reports look alike."""

import io
import zipfile
from xml.etree import ElementTree as ET

import openpyxl
import pyarrow as pa
import pytest

from recon.reports import page, workbook
from recon.reports.periods import Period
from recon.reports.verdict import Verdict
from recon.settings import Business, Reports, Settings
from tests.reports.stand_in import AS_OF
from tests.reports.test_report_page import tables

WELL = Verdict("good", "All is well: nothing is open.", (), (), known=("As of then.",))


def settings_of(name: str, language: str = "en") -> Settings:
    return Settings(
        business=Business(name=name, calendar="jalali"),
        reports=Reports(language=language),
    )


def written(name: str, language: str = "en") -> bytes:
    sheets = {"flows": pa.table({"amount": [1]})}
    return workbook.render(sheets, WELL, settings_of(name, language), AS_OF)


@pytest.mark.parametrize("language", ["en", "fa"])
def test_the_page_says_whose_it_is(language: str) -> None:
    settings = settings_of("tea&<b>", language)
    text = page.render(tables(), WELL, settings, AS_OF, Period()).decode()
    head = text[text.index("<header") : text.index("</header>")]
    assert "<bdi>tea&amp;&lt;b&gt;</bdi>" in head


@pytest.mark.parametrize("language", ["en", "fa"])
def test_the_first_sheet_names_the_business_before_its_instant(language: str) -> None:
    cover = openpyxl.load_workbook(io.BytesIO(written("چایخانه", language))).worksheets[
        0
    ]
    lines = [cover.cell(row, 1).value for row in (1, 2, 3)]
    assert lines == [WELL.headline, "چایخانه", "As of then."]


@pytest.mark.parametrize("name", ["chaykhaneh", "چایخانه", "1&2", "a" * 300])
def test_a_printed_sheet_says_whose_it_is_which_it_is_and_its_page(name: str) -> None:
    content = zipfile.ZipFile(io.BytesIO(written(name)))
    sheets = [each for each in content.namelist() if "/worksheets/sheet" in each]
    assert len(sheets) == 2
    for sheet in sheets:
        paper = ET.fromstring(content.read(sheet)).find("{*}headerFooter")
        assert paper is not None
        head, foot = (
            paper.findtext(f"{{*}}odd{part}") for part in ("Header", "Footer")
        )
        assert head == f"&L{name[:100].replace('&', '&&')}&R&A"
        assert foot == "&C&P / &N"
