"""A file in which a secret of the settings stands is refused: it would be kept."""

import base64
import csv
import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from recon.errors import RefusedFile
from recon.imports import secrecy
from recon.imports.importing import ImportReport, take
from recon.lake import Lake
from recon.setting_values import Secret
from recon.settings import Gateway, Settings
from tests.imports.import_cases import SETTINGS, VALID

KEY = 'K3y/of "the" <gateway>'
KEYED = replace(
    SETTINGS, gateway=Gateway(base_url="https://ipg.example", api_key=Secret(KEY))
)
REASON = "holds the secret gateway.api_key, which would be kept: take it out of it"
Row = dict[str, str]
ROW: Row = {name: str(value) for name, value in VALID["books"].items()}


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


def taken(
    lake: Lake, path: Path, settings: Settings = KEYED, *, dry_run: bool = False
) -> ImportReport:
    return take("books", [path], settings, lake, dry_run=dry_run)


def csv_file(path: Path, rows: list[Row]) -> Path:
    path = path.with_suffix(".csv")
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [*rows[0]])
        writer.writeheader()
        writer.writerows(rows)
    return path


def json_lines(path: Path, rows: list[Row]) -> Path:
    path = path.with_suffix(".jsonl")
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def workbook(path: Path, rows: list[Row]) -> Path:
    book = openpyxl.Workbook()
    assert book.active
    for cells in ([*rows[0]], *([*row.values()] for row in rows)):
        book.active.append(cells)
    book.save(path.with_suffix(".xlsx"))
    return path.with_suffix(".xlsx")


def table(path: Path, rows: list[Row]) -> Path:
    pq.write_table(pa.Table.from_pylist(rows), path.with_suffix(".parquet"))
    return path.with_suffix(".parquet")


WRITERS = [
    (csv_file, ", line 4"),
    (json_lines, ", line 3"),
    (workbook, ""),
    (table, ", column note"),
]


def with_note(*notes: str) -> list[Row]:
    return [
        ROW | {"reference": f"o-{number}", "note": note}
        for number, note in enumerate(notes)
    ]


def refused(lake: Lake, path: Path) -> str:
    with pytest.raises(RefusedFile) as raised:
        taken(lake, path)
    told = str(raised.value)
    assert "K3y" not in told
    assert "K3y" not in repr(raised.value)
    assert not lake.commits()
    return told


@pytest.mark.parametrize(("write", "place"), WRITERS)
@pytest.mark.parametrize("said", [KEY, f"sent with {KEY} at noon"])
def test_a_file_with_a_secret_is_refused_with_its_name(
    tmp_path: Path,
    lake: Lake,
    write: Callable[[Path, list[Row]], Path],
    place: str,
    said: str,
) -> None:
    path = write(tmp_path / "books", with_note("a", "b", said, "c"))
    assert refused(lake, path) == f"{path.name}{place}: {REASON}"


@pytest.mark.parametrize(("write", "_place"), WRITERS)
def test_a_file_without_one_is_taken(
    tmp_path: Path, lake: Lake, write: Callable[[Path, list[Row]], Path], _place: str
) -> None:
    path = write(tmp_path / "books", with_note("a", "gateway.api_key", KEY[:-1]))
    assert taken(lake, path).rows == 3


def test_where_there_is_no_secret_nothing_is_refused(
    tmp_path: Path, lake: Lake
) -> None:
    path = json_lines(tmp_path / "books", with_note(KEY))
    assert taken(lake, path, SETTINGS).rows == 1


def test_one_in_base64_is_refused(tmp_path: Path, lake: Lake) -> None:
    said = base64.b64encode(f"user:{KEY}".encode()).decode()
    path = json_lines(tmp_path / "books", with_note(f"Basic {said}"))
    assert refused(lake, path) == f"books.jsonl, line 1: {REASON}"


def test_a_rehearsal_refuses_it_too(tmp_path: Path, lake: Lake) -> None:
    path = json_lines(tmp_path / "books", with_note(KEY))
    with pytest.raises(RefusedFile, match="line 1"):
        taken(lake, path, dry_run=True)


@pytest.mark.parametrize("lines", [20_000, 70_000])
def test_its_line_is_told_in_a_long_file(lines: int) -> None:
    """It lies over the border of two parts, or in a later one."""
    line = b"x" * 99 + b"\n"
    before = line * (lines // 2) if lines == 70_000 else line * 10_485 + b"x" * 70
    held = io.BytesIO(before + KEY.encode() + b"\n" + line * 9)
    with pytest.raises(secrecy.Refusal) as raised:
        secrecy.refuse_secrets(held, "csv", KEYED)
    assert raised.value.line == before.count(b"\n") + 1


@pytest.mark.parametrize("found", ["excel", "parquet", "csv"])
def test_what_cannot_be_read_is_its_reader_s_to_refuse(found: str) -> None:
    held = io.BytesIO(b"PK\x03\x04 damaged")
    if found == "parquet":
        with pytest.raises(secrecy.Refusal, match="cannot be read as Parquet"):
            secrecy.refuse_secrets(held, found, KEYED)
    else:
        secrecy.refuse_secrets(held, found, KEYED)
        assert held.tell() == 0
