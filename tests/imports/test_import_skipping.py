"""Rows that settings pass over: `[imports.skip.<kind>]`."""

import json
import tempfile
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis
from hypothesis import strategies as st

from recon.cli.group import run
from recon.errors import RefusedFile, SettingsError
from recon.imports.importing import ImportReport, take
from recon.imports.naming import letters
from recon.lake import Lake
from recon.setting_files import load
from recon.settings import Business, Imports, Settings
from tests.imports.import_cases import (
    WRITERS,
    changed,
    stored,
    write_csv,
    write_excel,
    write_json_lines,
)

Skip = Mapping[str, Sequence[str]]
PAID_BY = "روش پرداخت"
ELSEWHERE = {PAID_BY: ["پرداخت در محل", "cod"]}


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


def read(
    lake: Lake, path: Path, skip: Skip, kind: str = "books", **options: Any
) -> ImportReport:
    said = {header: tuple(words) for header, words in skip.items()}
    imports = Imports(skip={kind: said} if said else {})
    settings = Settings(business=Business(name="shop"), imports=imports)
    return take(kind, [path], settings, lake, **options)


def order(reference: str, paid_by: str, **cells: str) -> dict[str, str]:
    return changed("books", reference=reference, **{PAID_BY: paid_by}, **cells)


ORDERS = [
    order("1", "درگاه"),
    order("2", "پرداخت در محل"),
    order("3", " COD"),
    order("4", "code"),
    order("5", ""),
    order("6", "پرداخت\u200c در محل"),
]
"""Numbers 2, 3 and 6 were paid elsewhere."""


def references(lake: Lake) -> list[str]:
    return [row["reference"] for row in stored(lake, "books")]


@pytest.mark.parametrize("ending", WRITERS)
def test_rows_with_such_a_word_are_passed_over(
    lake: Lake, tmp_path: Path, ending: str
) -> None:
    path = WRITERS[ending](tmp_path / f"orders.{ending}", ORDERS)
    (file,) = read(lake, path, ELSEWHERE).files
    assert references(lake) == ["1", "4", "5"]
    assert (file.rows, file.skipped_rows) == (3, 3)
    assert [each.partition(", first")[0] for each in file.warnings] == [
        "passed over, since 'روش پرداخت' is 'پرداخت در محل': 2 rows",
        "passed over, since 'روش پرداخت' is 'cod': 1 row",
    ]


def test_without_the_setting_every_row_is_taken(lake: Lake, tmp_path: Path) -> None:
    path = write_csv(tmp_path / "orders.csv", ORDERS)
    (file,) = read(lake, path, {}).files
    assert len(references(lake)) == 6
    assert (file.skipped_rows, file.warnings) == (0, ())


def test_what_else_stands_in_such_a_row_is_not_read(lake: Lake, tmp_path: Path) -> None:
    totals = dict.fromkeys(changed("bank_statement"), "")
    totals |= {"description": "جمع", "amount": "= 1,000 ریال"}
    rows = [changed("bank_statement"), totals]
    path = write_csv(tmp_path / "bank.csv", rows)
    with pytest.raises(RefusedFile, match="line 3"):
        read(lake, path, {}, "bank_statement")
    (file,) = read(lake, path, {"booked_at": [""]}, "bank_statement").files
    assert (file.rows, file.skipped_rows) == (1, 1)
    assert file.warnings == (
        "passed over, since 'booked_at' is empty: 1 row, first at line 3",
    )


def test_an_empty_cell_is_a_word_only_where_it_is_named(
    lake: Lake, tmp_path: Path
) -> None:
    path = write_csv(tmp_path / "orders.csv", ORDERS)
    read(lake, path, {PAID_BY: ["", "درگاه"]})
    assert references(lake) == ["2", "3", "4", "6"]


def test_several_headers_pass_a_row_over_by_any(lake: Lake, tmp_path: Path) -> None:
    rows = [order("1", "درگاه"), order("2", "cod"), order("3", "درگاه", shop="b")]
    for row in rows[:2]:
        row["shop"] = "a"
    path = write_csv(tmp_path / "orders.csv", rows)
    (file,) = read(lake, path, {PAID_BY: ["cod"], "Shop": ["B"]}).files
    assert references(lake) == ["1"]
    assert file.skipped_rows == 2


def test_a_typed_date_is_a_word_in_plain_text(lake: Lake, tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [dict(changed("books", reference=n)) for n in "12"]
    rows[1]["occurred_at"] = datetime(2026, 1, 1)  # noqa: DTZ001
    path = write_excel(tmp_path / "orders.xlsx", rows)
    read(lake, path, {"occurred_at": ["2026-01-01T00:00:00"]})
    assert references(lake) == ["1"]


def test_a_file_of_which_every_row_is_passed_over_is_taken(
    lake: Lake, tmp_path: Path
) -> None:
    path = write_csv(tmp_path / "orders.csv", [order("1", "cod")])
    (file,) = read(lake, path, ELSEWHERE).files
    assert (file.taken, file.rows, file.skipped_rows) == (True, 0, 1)
    assert read(lake, path, ELSEWHERE).files[0].known


@pytest.mark.parametrize("ending", WRITERS)
def test_a_header_that_is_not_there_refuses_the_file(
    lake: Lake, tmp_path: Path, ending: str
) -> None:
    path = WRITERS[ending](tmp_path / f"orders.{ending}", [changed("books")])
    told = r"imports\.skip\.books names columns that are missing: 'روش پرداخت' \(there"
    with pytest.raises(RefusedFile, match=told):
        read(lake, path, ELSEWHERE)
    assert lake.commits() == []


def test_a_header_that_fits_two_refuses_the_file(lake: Lake, tmp_path: Path) -> None:
    row = changed("books", **{"Paid by": "cod", "paidby": "x"})
    path = write_csv(tmp_path / "orders.csv", [row])
    with pytest.raises(RefusedFile, match="names 'PAID BY', and that may be either"):
        read(lake, path, {"PAID BY": ["cod"]})


def test_rows_of_json_lines_may_leave_the_header_out(
    lake: Lake, tmp_path: Path
) -> None:
    bare = order("3", "")
    del bare[PAID_BY]
    skipped = {PAID_BY: "cod"}  # and nothing else
    path = write_json_lines(tmp_path / "b.jsonl", [order("1", "x"), skipped, bare])
    read(lake, path, ELSEWHERE)
    assert references(lake) == ["1", "3"]
    bare["reference"] = "4"
    path = write_json_lines(tmp_path / "c.jsonl", [skipped, bare])
    read(lake, path, ELSEWHERE)
    assert references(lake) == ["1", "3", "4"]


def test_a_mapped_column_is_named_by_the_files_own_header(
    lake: Lake, tmp_path: Path
) -> None:
    row = changed("books", state="cancelled")
    del row["status"]
    path = write_csv(tmp_path / "b.csv", [row, row | {"state": "paid"}])
    imports = Imports(
        columns={"books": {"status": "state"}},
        skip={"books": {"state": ("cancelled",)}},
    )
    settings = Settings(business=Business(name="shop"), imports=imports)
    (file,) = take("books", [path], settings, lake).files
    assert (file.rows, file.skipped_rows) == (1, 1)


@pytest.mark.parametrize("writer", [write_csv, write_excel])
def test_what_is_passed_over_may_lack_cells_or_have_too_many(
    lake: Lake, tmp_path: Path, writer: Any
) -> None:
    """The lines of totals of a bank: a cell short, a cell too many."""
    ending = "csv" if writer is write_csv else "xlsx"
    path = writer(tmp_path / f"a.{ending}", [changed("bank_statement")])
    if writer is write_csv:
        with path.open("a", encoding="utf-8") as file:
            file.write(",1\n,1,2,3,4,5,6\n")
    else:
        book = openpyxl.load_workbook(path)
        book.active.append(["", "1"])
        book.active.append(["", "=1+1", "", "", "", "", "", "rest"])
        book.save(path)
    (file,) = read(lake, path, {"booked_at": [""]}, "bank_statement").files
    assert (file.rows, file.skipped_rows) == (1, 2)
    with pytest.raises(RefusedFile, match="line 3"):
        read(Lake(tmp_path / "other"), path, {}, "bank_statement")


def test_where_rows_name_their_cells_an_absent_one_is_empty(
    lake: Lake, tmp_path: Path
) -> None:
    path = tmp_path / "orders.jsonl"
    rows = [order("1", "درگاه"), order("2", ""), order("3", "x")]
    del rows[2][PAID_BY]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    (file,) = read(lake, path, {PAID_BY: [""]}).files
    assert (file.rows, file.skipped_rows) == (1, 2)


def test_a_narrower_setting_brings_rows_that_were_passed_over(
    lake: Lake, tmp_path: Path
) -> None:
    path = write_csv(tmp_path / "orders.csv", ORDERS)
    read(lake, path, ELSEWHERE)
    read(lake, path, {PAID_BY: ["COD"]})
    rows = lake.current("books", ["reference"])["reference"].to_pylist()
    assert sorted(rows) == ["1", "2", "4", "5", "6"]


def test_a_setting_that_passes_no_row_of_a_file_over_refuses_none(
    lake: Lake, tmp_path: Path
) -> None:
    path = write_csv(tmp_path / "orders.csv", ORDERS[:1])
    read(lake, path, {})
    assert read(lake, path, ELSEWHERE).files[0].taken


def test_rows_without_a_key_never_count_twice_under_another_setting(
    lake: Lake, tmp_path: Path
) -> None:
    rows = [changed("adjustments", kind="fee"), changed("adjustments")]
    path = write_csv(tmp_path / "a.csv", rows)
    read(lake, path, {"kind": ["fee"]}, "adjustments")
    with pytest.raises(RefusedFile, match=r"imports\.skip, .* would count twice"):
        read(lake, path, {}, "adjustments")
    assert len(stored(lake, "adjustments")) == 1


def test_a_setting_that_changes_no_row_of_a_file_refuses_none(
    lake: Lake, tmp_path: Path
) -> None:
    rows = [changed("adjustments", kind="fee"), changed("adjustments")]
    path = write_csv(tmp_path / "a.csv", rows)
    read(lake, path, {"kind": ["fee"]}, "adjustments")
    (file,) = read(lake, path, {"kind": ["fee", "total"]}, "adjustments").files
    assert file.known
    assert len(stored(lake, "adjustments")) == 1


def test_of_files_imported_together_each_is_known_by_its_own_rows(
    lake: Lake, tmp_path: Path
) -> None:
    rows = [changed("adjustments", kind=f"fee {at}") for at in range(3)]
    files = [
        write_csv(tmp_path / "a.csv", rows[:1]),
        write_csv(tmp_path / "b.csv", rows[1:]),
    ]
    settings = Settings(business=Business(name="shop"))
    take("adjustments", files, settings, lake)
    (file,) = read(lake, files[1], {"kind": ["total"]}, "adjustments").files
    assert file.known
    with pytest.raises(RefusedFile, match=r"would count twice"):
        read(lake, files[1], {"kind": ["fee 1"]}, "adjustments")
    assert len(stored(lake, "adjustments")) == 3


@pytest.mark.parametrize(
    ("skip", "told"),
    [
        ({"": ["cod"]}, r"^imports\.skip\.books: a header is empty"),
        ({"pay": []}, r"^imports\.skip\.books: 'pay' has no words"),
        ({"pay": ["a"], "Pay ": ["b"]}, r"books: 'pay' and 'Pay ' are one header"),
    ],
)
def test_a_bad_setting_is_named(
    lake: Lake, tmp_path: Path, skip: Skip, told: str
) -> None:
    path = write_csv(tmp_path / "b.csv", [changed("books")])
    with pytest.raises(SettingsError, match=told):
        read(lake, path, skip)


def test_events_are_no_table(lake: Lake, tmp_path: Path) -> None:
    path = write_json_lines(tmp_path / "e.jsonl", [])
    with pytest.raises(SettingsError, match=r"imports\.skip\.events: events are no"):
        read(lake, path, {"type": ["x"]}, "events")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ('pay = "cod"', r'skip.*a list of words for books\.pay, as \["cod", "cash"\]'),
        ("pay = [1]", r'a list of words for books\.pay, as \["cod", "cash"\]'),
    ],
)
def test_a_bad_value_of_the_settings_file_is_named(
    tmp_path: Path, said: str, told: str
) -> None:
    file = tmp_path / "recon.toml"
    file.write_text(f'[business]\nname = "shop"\n[imports.skip.books]\n{said}\n')
    with pytest.raises(SettingsError, match=told):
        load(file, {})


def test_the_environment_says_it_in_json(tmp_path: Path) -> None:
    file = tmp_path / "recon.toml"
    file.write_text('[business]\nname = "shop"\n')
    said = {"books": {PAID_BY: ["cod", ""]}}
    settings = load(file, {"RECON_IMPORTS__SKIP": json.dumps(said)})
    assert settings.imports.skip == {"books": {PAID_BY: ("cod", "")}}


WORDS = ["cod", "COD ", "code", "", "درگاه"]
in_words = st.lists(st.sampled_from(WORDS), min_size=1, max_size=8)


@given(in_words, st.lists(st.sampled_from(WORDS), min_size=1, unique_by=letters))
@hypothesis(max_examples=50)
def test_it_is_as_if_such_rows_were_not_there(
    paid_by: list[str], skipped: list[str]
) -> None:
    rows = [order(str(number), word) for number, word in enumerate(paid_by)]
    left = [
        row for row in rows if letters(row[PAID_BY]) not in set(map(letters, skipped))
    ]
    with tempfile.TemporaryDirectory() as folder:
        lakes = [Lake(Path(folder) / name) for name in ("whole", "cut")]
        whole = write_csv(Path(folder) / "orders.csv", rows)
        (file,) = read(lakes[0], whole, {PAID_BY: skipped}).files
        if left:
            read(lakes[1], write_csv(Path(folder) / "cut.csv", left), {})
        taken = [
            [row["record_hash"] for row in stored(each, "books")] for each in lakes
        ]
    assert taken[0] == taken[1]
    assert (file.rows, file.skipped_rows) == (len(left), len(rows) - len(left))


def test_the_command_says_what_was_passed_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "recon.toml").write_text(
        '[business]\nname = "shop"\n[imports.skip.books]\n'
        '"روش پرداخت" = ["پرداخت در محل", "cod"]\n'
    )
    path = write_csv(tmp_path / "orders.csv", ORDERS)
    config = ["--config", str(tmp_path / "recon.toml")]
    assert run(["import", "books", str(path), *config, "--dry-run"]) == 0
    shown = capsys.readouterr()
    assert "would take 3 rows of books from orders.csv\n" in shown.out
    assert "is 'cod': 1 row, first at line 4" in shown.err
