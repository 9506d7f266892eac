"""The log of a refused import: where and why, and no text of the file."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recon import log
from recon.cli.group import run
from tests.imports.import_cases import VALID, changed, write_csv, write_json_lines

PERSON = "مریم حسینی 0013542419"
CELLS = [
    PERSON,
    "09121234567x",
    "it's \"Maryam\" 'Hosseini'",
    "Maryam",
    "x'y' z",
    "1,5",
]


def refused(
    path: Path, kind: str, capsys: pytest.CaptureFixture[str], *options: str
) -> str:
    config = path.parent / "recon.toml"
    config.write_text('[business]\nname = "shop"\n')
    assert run(["import", kind, str(path), "--config", str(config), *options]) == 2
    return capsys.readouterr().err


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("column", ["amount", "status", "occurred_at", "product"])
def test_a_refused_cell_is_in_no_log(
    column: str, cell: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_csv(tmp_path / "orders.csv", [changed("books", **{column: cell})])
    shown = refused(path, "books", capsys)
    assert repr(cell)[1:8] in shown
    lines = refused(path, "books", capsys, "--log-json").splitlines()
    failed = json.loads(lines[-1])
    assert failed["event"] == "failed"
    assert failed["message"].startswith(f"orders.csv, line 2, column {column}: (text) ")
    for word in cell.split():
        assert not any(word.strip("'\"") in line for line in lines if len(word) > 3)


def test_names_of_columns_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = changed("books", **{"واحد پول": "تومان"})
    path = write_csv(tmp_path / "orders.csv", [row])
    said = json.loads(refused(path, "books", capsys, "--log-json").splitlines()[-1])
    assert said["message"].startswith("orders.csv, line 2, column واحد پول: says toman")
    assert "تومان" not in said["message"]


def test_what_a_library_says_of_a_file_is_in_no_log(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_json_lines(tmp_path / "a.jsonl", [VALID["books"]])
    path.write_text("{Maryam}")
    said = json.loads(refused(path, "books", capsys, "--log-json").splitlines()[-1])
    assert said["message"] == "a.jsonl, line 1: is not JSON"


@given(st.text(min_size=1), st.sampled_from(["{!r} is not allowed: a, b", "{!r}"]))
def test_what_a_reason_quotes_is_left_out(text: str, reason: str) -> None:
    assert log.without_texts(reason.format(text)) == reason.replace("{!r}", "(text)")


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        ("has 5 cells, where 4 are named", "has 5 cells, where 4 are named"),
        ("is at 14:05:09, and its column", "is at (number), and its column"),
        ("the file's 'Maryam' is none", "the file's (text) is none"),
        ("مریم is none", "(text)"),
        ("an open 'Maryam", "(text)"),
        ("cannot be read as Parquet: Maryam", "cannot be read as Parquet"),
        ("cannot be read: Maryam", "cannot be read"),
    ],
)
def test_a_reason_is_told_as_far_as_it_is_ours(reason: str, told: str) -> None:
    assert log.without_texts(reason) == told
