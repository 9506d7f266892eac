"""All files of a real run over a small lake: whole, masked, and the same again."""

import io
import json
import re
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import openpyxl
import pytest

from recon.errors import ExitCode
from recon.reconcile.run import reconcile
from recon.reports.writing import planned, write
from tests.notebooks.small_lake import small_lake
from tests.reports.bean_checking import bean_check

POSTING = re.compile(r"^  ([A-Z][\w:-]+)  (-?\d+) IRR$", re.MULTILINE)
PERSONAL = ("09121112233", "Sara Rezaei", "09120000001", "not-a-key")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made: Path = tmp_path_factory.mktemp("small")
    settings, lake = small_lake(made)
    as_of = lake.commits(kind="run")[-1].as_of
    with reconcile(lake, settings, as_of=as_of, dry_run=True) as result:
        assert write(result, settings) == planned(result, settings)
        first = {path.name: path.read_bytes() for path in _files(made)}
        assert result.exit_code() == ExitCode.BREAKS_OPEN
    with reconcile(lake, settings, as_of=as_of, dry_run=True) as again:
        write(again, settings)
    assert {path.name: path.read_bytes() for path in _files(made)} == first
    return made


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob("reports/*/*"))


def _file(folder: Path, name: str) -> Path:
    return next(path for path in _files(folder) if path.name == name)


def test_no_file_shows_personal_data_or_a_secret(folder: Path) -> None:
    for path in _files(folder):
        content = path.read_bytes()
        if path.suffix == ".xlsx":
            book = openpyxl.load_workbook(io.BytesIO(content))
            cells = [str(cell.value) for sheet in book for row in sheet for cell in row]
            content = "\n".join(cells).encode()
        assert not [each for each in PERSONAL if each.encode() in content], path.name
    assert "S*** R***, 0912*****33" in _file(folder, "journal.csv").read_text()


def test_bean_check_accepts_the_journal(folder: Path) -> None:
    path = _file(folder, "journal.beancount")
    assert bean_check(path) == ""
    assert path.read_text().count(" balance Assets:Wallet") == 11  # of 12 intervals


def test_the_ledger_ends_where_the_wallet_does(folder: Path) -> None:
    text = _file(folder, "journal.beancount").read_text()
    sums: dict[str, int] = defaultdict(int)
    for account, rials in re.findall(
        r"^  ([A-Z][\w:-]+)  (-?\d+) IRR$", text, re.MULTILINE
    ):
        sums[account] += int(rials)
    summary = json.loads(_file(folder, "summary.json").read_text())
    assert sums["Assets:Wallet"] == summary["wallet"]["closing"]
    assert sums["Equity:Suspense:Wallet"] == -summary["wallet"]["unexplained"]
    assert sum(sums.values()) == 0


def test_the_workbook_has_a_sheet_a_report(folder: Path) -> None:
    book = openpyxl.load_workbook(_file(folder, "report.xlsx"))
    csvs = {path.stem for path in _files(folder) if path.suffix == ".csv"}
    assert set(book.sheetnames) == csvs | {"summary"}
    for name in csvs - {"journal"}:
        lines = _file(folder, f"{name}.csv").read_text().splitlines()
        assert book[name].max_row == len(lines)


def test_reports_that_are_switched_off_are_not_written(tmp_path: Path) -> None:
    settings, lake = small_lake(tmp_path)
    off = replace(settings.reports, excel=False, html=False)
    settings = replace(settings, reports=off)
    with reconcile(lake, settings, dry_run=True) as result:
        paths = write(result, settings)
    assert not {"report.xlsx", "report.html"} & paths.keys()
