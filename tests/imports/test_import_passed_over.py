"""Rows that are passed over although an earlier file has their key."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from recon.errors import RefusedFile
from recon.imports.importing import ImportReport, take
from recon.imports.passed_over import TOPIC
from recon.imports.voiding import void
from recon.lake import Lake
from recon.reconcile.engines import DuckEngine
from recon.settings import Business, Imports, Settings
from tests.imports.import_cases import changed, write_csv

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


@contextmanager
def engine_of(lake: Lake) -> Iterator[DuckEngine]:
    settings = Settings(business=Business(name="shop"))
    raw = {"books": lake.versions("books")}
    with DuckEngine.open(raw, settings, lake.now()) as engine:
        yield engine


def standing(lake: Lake) -> list[str]:
    """The references that the books have, as the checks read them."""
    with engine_of(lake) as engine:
        rows = engine.table("stg_books__orders").to_pylist()
    return sorted(row["reference"] for row in rows)


def order(reference: str, paid_by: str, **cells: str) -> dict[str, str]:
    return changed("books", reference=reference, **{PAID_BY: paid_by}, **cells)


ORDERS = [
    order("1", "درگاه"),
    order("2", "پرداخت در محل"),
    order("3", " COD"),
    order("4", "code"),
    order("5", ""),
    order("6", "cod"),
]


def test_rows_that_were_taken_before_never_stand_behind_a_setting(
    lake: Lake, tmp_path: Path
) -> None:
    path = write_csv(tmp_path / "orders.csv", ORDERS)
    read(lake, path, {})
    read(lake, path, ELSEWHERE, dry_run=True)
    assert standing(lake) == ["1", "2", "3", "4", "5", "6"]
    (file,) = read(lake, path, ELSEWHERE).files
    assert standing(lake) == ["1", "4", "5"]
    assert f"{TOPIC}: 3 rows, first at line 3" in file.warnings
    void("books", [path], lake)
    assert standing(lake) == ["1", "2", "3", "4", "5", "6"]


def test_an_order_that_a_later_file_passes_over_counts_no_longer(
    lake: Lake, tmp_path: Path
) -> None:
    """Paid at the provider on Monday; by Tuesday's export paid on delivery."""
    monday = [order("1", "درگاه"), order("2", "درگاه"), order("3", "درگاه")]
    tuesday = [order("2", "cod"), order("3", "درگاه"), order("4", "cod")]
    read(lake, write_csv(tmp_path / "monday.csv", monday), ELSEWHERE)
    (file,) = read(lake, write_csv(tmp_path / "tuesday.csv", tuesday), ELSEWHERE).files
    assert standing(lake) == ["1", "3"]
    assert (file.rows, file.skipped_rows) == (1, 2)
    wednesday = [order("2", "درگاه")]
    read(lake, write_csv(tmp_path / "wednesday.csv", wednesday), ELSEWHERE)
    assert standing(lake) == ["1", "2", "3"]


def test_of_two_lines_of_an_order_one_may_be_passed_over(
    lake: Lake, tmp_path: Path
) -> None:
    read(lake, write_csv(tmp_path / "a.csv", [order("1", "درگاه")]), ELSEWHERE)
    both = [order("1", "cod"), order("1", "درگاه")]
    read(lake, write_csv(tmp_path / "b.csv", both), ELSEWHERE)
    assert standing(lake) == ["1"]


def test_files_of_one_command_count_in_their_order(lake: Lake, tmp_path: Path) -> None:
    files = [
        write_csv(tmp_path / "a.csv", [order("1", "درگاه"), order("2", "درگاه")]),
        write_csv(tmp_path / "b.csv", [order("2", "cod"), order("3", "cod")]),
    ]
    imports = Imports(skip={"books": {PAID_BY: ("cod",)}})
    settings = Settings(business=Business(name="shop"), imports=imports)
    take("books", files, settings, lake)
    assert standing(lake) == ["1"]
    take("books", files[::-1], settings, lake)
    assert standing(lake) == ["1", "2"]


def test_a_product_is_part_of_what_is_passed_over(lake: Lake, tmp_path: Path) -> None:
    rows = [order("1", "درگاه"), order("1", "درگاه", product="gateway")]
    read(lake, write_csv(tmp_path / "a.csv", rows), ELSEWHERE)
    later = [order("1", "cod", product="gateway")]
    read(lake, write_csv(tmp_path / "b.csv", later), ELSEWHERE)
    with engine_of(lake) as engine:
        (row,) = engine.table("stg_books__orders").to_pylist()
    assert row["product"] == "unified"


def test_a_row_passed_over_whose_key_cannot_be_read_replaces_nothing(
    lake: Lake, tmp_path: Path
) -> None:
    read(lake, write_csv(tmp_path / "a.csv", [order("1", "درگاه")]), ELSEWHERE)
    totals = [order("", "cod", amount="total"), order("1", "cod", product="shop")]
    read(lake, write_csv(tmp_path / "b.csv", totals), ELSEWHERE)
    assert standing(lake) == ["1"]


def test_a_kind_without_such_a_row_refuses_the_file(lake: Lake, tmp_path: Path) -> None:
    row = changed("balances", note="night")
    path = write_csv(tmp_path / "a.csv", [row])
    read(lake, path, {"note": ["test"]}, "balances")
    later = write_csv(tmp_path / "b.csv", [row | {"note": "test", "balance": "x"}])
    with pytest.raises(RefusedFile, match=r"b\.csv, line 2: .* would count on"):
        read(lake, later, {"note": ["test"]}, "balances")
    other = row | {"note": "test", "at": "2026-10-09T00:00:00Z"}
    read(lake, write_csv(tmp_path / "c.csv", [other]), {"note": ["test"]}, "balances")
