"""Rows that are passed over although an earlier file has their key."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from recon.errors import RefusedFile
from recon.imports.importing import ImportReport, take
from recon.imports.passed_over import TOPIC
from recon.imports.shape import UNREAD
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


def test_each_file_that_passes_an_order_over_takes_it_away(
    lake: Lake, tmp_path: Path
) -> None:
    files = [
        write_csv(tmp_path / "a.csv", [order("1", "درگاه"), order("2", "درگاه")]),
        write_csv(tmp_path / "b.csv", [order("2", "cod"), order("3", "درگاه")]),
        write_csv(tmp_path / "c.csv", [order("2", "cod"), order("4", "cod")]),
    ]
    told = [read(lake, file, ELSEWHERE).files[0].warnings for file in files]
    assert [any(TOPIC in each for each in those) for those in told] == [
        False,
        True,  # of the third, nothing is new
        False,
    ]
    assert read(lake, files[2], ELSEWHERE).files[0].known
    void("books", [files[1]], lake)
    assert standing(lake) == ["1"]
    void("books", [files[2]], lake)
    assert standing(lake) == ["1", "2"]


def test_what_a_command_takes_away_twice_is_told_once(
    lake: Lake, tmp_path: Path
) -> None:
    read(lake, write_csv(tmp_path / "a.csv", [order("1", "درگاه")]), ELSEWHERE)
    files = [
        write_csv(tmp_path / f"{at}.csv", [order("1", "cod"), order(f"9{at}", "x")])
        for at in range(2)
    ]
    imports = Imports(skip={"books": {PAID_BY: ("cod",)}})
    settings = Settings(business=Business(name="shop"), imports=imports)
    told = [each.warnings for each in take("books", files, settings, lake).files]
    assert [any(TOPIC in each for each in those) for those in told] == [True, False]


@pytest.mark.parametrize(
    ("stood", "passed", "left"),
    [
        (["unified"], "", []),
        ([""], "unified", []),
        (["unified", "gateway", ""], "", []),
        (["unified", "gateway", ""], "gateway", ["unified"]),
        (["unified"], "gateway", ["unified"]),
        ([""], "", []),
    ],
)
def test_an_empty_product_may_be_each(
    lake: Lake, tmp_path: Path, stood: list[str], passed: str, left: list[str]
) -> None:
    """Also where both files come together; another order stands."""
    first = [order("1", "درگاه", product=each) for each in stood]
    first += [order("2", "درگاه", product="unified")]
    files = [
        write_csv(tmp_path / "a.csv", first),
        write_csv(tmp_path / "b.csv", [order("1", "cod", product=passed)]),
    ]
    imports = Imports(skip={"books": {PAID_BY: ("cod",)}})
    settings = Settings(business=Business(name="shop"), imports=imports)
    for name, commands in (("one", [files]), ("two", [files[:1], files[1:]])):
        other = Lake(tmp_path / name)
        for command in commands:
            report = take("books", command, settings, other)
        told = f"{TOPIC}: 1 row, first at line 2"
        assert (told in report.files[-1].warnings) is (len(left) < len(stood))
        with engine_of(other) as engine:
            rows = engine.table("stg_books__orders").to_pylist()
        found = [row["product"] for row in rows if row["reference"] == "1"]
        assert sorted(found) == left
        assert len(rows) == len(left) + 1


def test_a_file_without_a_column_of_products_passes_over_all_of_an_order(
    lake: Lake, tmp_path: Path
) -> None:
    read(lake, write_csv(tmp_path / "a.csv", [order("1", "درگاه")]), ELSEWHERE)
    bare = order("1", "cod")
    del bare["product"]
    read(lake, write_csv(tmp_path / "b.csv", [bare]), ELSEWHERE)
    assert standing(lake) == []


def test_the_column_that_passes_a_row_over_may_be_that_of_its_product(
    lake: Lake, tmp_path: Path
) -> None:
    imports = Imports(
        columns={"books": {"product": PAID_BY}},
        words={"books": {"product": {"درگاه": "gateway", "کیف": "unified"}}},
        skip={"books": {PAID_BY: ("cod", "کیف")}},
    )
    settings = Settings(business=Business(name="shop"), imports=imports)

    def rows(*paid_by: str) -> list[dict[str, str]]:
        found = [order(str(at), each) for at, each in enumerate(paid_by, start=1)]
        return [{k: v for k, v in row.items() if k != "product"} for row in found]

    monday = write_csv(tmp_path / "a.csv", rows("درگاه", "درگاه", "درگاه"))
    tuesday = write_csv(tmp_path / "b.csv", rows("cod", "کیف", "درگاه"))
    take("books", [monday], settings, lake)
    (file,) = take("books", [tuesday], settings, lake).files
    assert f"{TOPIC}: 1 row, first at line 2" in file.warnings
    assert standing(lake) == ["2", "3"]  # the second was of another product


def test_what_cannot_be_read_of_a_row_passed_over_is_told(
    lake: Lake, tmp_path: Path
) -> None:
    rows = [
        order("", "cod", amount="total"),
        order("1", "cod", product="shop"),
        order("2", "cod", product="", currency="USD"),
    ]
    rows = [row | {"currency": row.get("currency", "")} for row in rows]
    (file,) = read(lake, write_csv(tmp_path / "b.csv", rows), ELSEWHERE).files
    assert f"{UNREAD}: 1 row, first at line 3" in file.warnings


def test_a_kind_that_passes_over_a_key_it_cannot_read_tells_so(
    lake: Lake, tmp_path: Path
) -> None:
    row = changed("balances", note="test")
    rows = [row, row | {"at": "2026/11/01 xx"}, row | {"at": ""}]
    path = write_csv(tmp_path / "a.csv", rows)
    (file,) = read(lake, path, {"note": ["test"]}, "balances").files
    assert file.skipped_rows == 3
    assert f"{UNREAD}: 2 rows, first at line 3" in file.warnings
    total = changed("bank_statement", booked_at="", note="test")
    path = write_csv(tmp_path / "c.csv", [total])
    (file,) = read(lake, path, {"note": ["test"]}, "bank_statement").files
    assert not any(UNREAD in each for each in file.warnings)


def unknown(track_id: str, note: str = "x", **cells: str) -> dict[str, str]:
    """A cash-in request without a clear answer: its entry has no number."""
    row = dict.fromkeys(changed("deposits"), "") | {"outcome": "unknown"}
    row |= {"track_id": track_id, "requested_at": "2026-10-02", "note": note}
    return row | cells


def test_an_empty_part_of_a_key_is_found_too(lake: Lake, tmp_path: Path) -> None:
    skip = {"note": ["x"]}
    known = [unknown("a", ""), changed("deposits", note="")]
    read(lake, write_csv(tmp_path / "a.csv", known), skip, "deposits")
    other = write_csv(tmp_path / "b.csv", [unknown("b"), unknown("b", "")])
    assert read(lake, other, skip, "deposits").rows == 1
    path = tmp_path / "c.csv"
    for rows, line in (
        ([unknown("b", ""), unknown("a")], 3),
        ([unknown("c"), changed("deposits", note="x"), unknown("a")], 3),
    ):
        with pytest.raises(RefusedFile, match=rf"c\.csv, line {line}: .* count on"):
            read(lake, write_csv(path, rows), skip, "deposits")
    near = [changed("deposits", note="x", gateway_transaction_id="32")]
    assert read(lake, write_csv(path, near), skip, "deposits").rows == 0
