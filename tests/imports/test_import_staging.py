"""Imports seen through `queries/staging`: what replaces what, what adds nothing."""

from pathlib import Path
from typing import Any

import pytest

from recon.lake import Lake
from recon.reconcile.engines import DuckEngine
from tests.imports.import_cases import SETTINGS, VALID, changed, taken, write_csv

MODELS = {
    "books": "stg_books__orders",
    "balances": "stg_cash_in__balances",
    "deposits": "stg_cash_in__deposits",
    "adjustments": "stg_business__adjustments",
    "bank_statement": "stg_business__bank_entries",
    "tariff": "stg_business__tariff",
    "gateway_tokens": "stg_gateway__requests",
    "hosted_checkouts": "stg_hosted__requests",
}


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


def staged(lake: Lake, kind: str) -> list[dict[str, Any]]:
    """Return the rows that count, as the staging query picks them."""
    table = "hosted_requests" if kind == "hosted_checkouts" else kind
    raw = {table: lake.versions(table)}
    with DuckEngine.open(raw, SETTINGS, lake.now()) as engine:
        rows: list[dict[str, Any]] = engine.table(MODELS[kind]).to_pylist()
    return sorted(
        rows, key=lambda row: (row["pull_id"], row["page_no"], row["position"])
    )


@pytest.mark.parametrize("kind", MODELS)
def test_a_valid_row_reaches_staging_once(
    kind: str, lake: Lake, tmp_path: Path
) -> None:
    taken(lake, kind, write_csv(tmp_path / "a.csv", [VALID[kind]]))
    assert len(staged(lake, kind)) == 1


@pytest.mark.parametrize("kind", ["adjustments", "bank_statement"])
def test_overlapping_exports_add_nothing_twice(
    kind: str, lake: Lake, tmp_path: Path
) -> None:
    week = [changed(kind, amount=str(at)) for at in (1, 2, 2, 3)]
    later = [changed(kind, amount=str(at)) for at in (2, 2, 3, 2, 4)]
    taken(lake, kind, write_csv(tmp_path / "week.csv", week))
    taken(lake, kind, write_csv(tmp_path / "later.csv", later))
    assert sorted(row["amount_rial"] for row in staged(lake, kind)) == [
        1,
        2,
        2,
        2,
        3,
        4,
    ]


def test_overlapping_exports_may_part_their_cells_otherwise(
    lake: Lake, tmp_path: Path
) -> None:
    first, second = (changed("bank_statement", amount=at) for at in ("1", "2"))
    commas = write_csv(tmp_path / "a.csv", [first])
    semicolons = write_csv(tmp_path / "b.csv", [first, second])
    semicolons.write_bytes(semicolons.read_bytes().replace(b",", b";"))
    taken(lake, "bank_statement", commas)
    taken(lake, "bank_statement", semicolons)
    assert sorted(row["amount_rial"] for row in staged(lake, "bank_statement")) == [
        1,
        2,
    ]


@pytest.mark.parametrize("kind", ["adjustments", "bank_statement"])
def test_overlapping_files_of_one_command_add_nothing_twice(
    kind: str, lake: Lake, tmp_path: Path
) -> None:
    first = write_csv(tmp_path / "first.csv", [VALID[kind]] * 2)
    second = write_csv(tmp_path / "second.csv", [VALID[kind]] * 3)
    taken(lake, kind, first, second)
    assert len(staged(lake, kind)) == 3


def test_further_columns_in_another_order_make_no_other_row(
    lake: Lake, tmp_path: Path
) -> None:
    row = changed("adjustments", teller="4", branch="9")
    taken(lake, "adjustments", write_csv(tmp_path / "a.csv", [row]))
    turned = dict(reversed(row.items()))
    taken(lake, "adjustments", write_csv(tmp_path / "b.csv", [turned]))
    assert len(staged(lake, "adjustments")) == 1


def test_a_files_rows_of_a_key_replace_all_earlier_ones(
    lake: Lake, tmp_path: Path
) -> None:
    first = [changed("books", amount=str(at)) for at in (1, 2, 3)]
    kept = changed("books", reference="1002", amount="9")
    taken(lake, "books", write_csv(tmp_path / "first.csv", [*first, kept]))
    second = [changed("books", amount=str(at)) for at in (4, 4)]
    taken(lake, "books", write_csv(tmp_path / "second.csv", second))
    assert [row["amount_rial"] for row in staged(lake, "books")] == [9, 4, 4]


def test_files_of_one_command_count_in_their_order(lake: Lake, tmp_path: Path) -> None:
    paths = [
        write_csv(tmp_path / f"{name}.csv", [changed("books", amount=amount)])
        for name, amount in (("z", "1"), ("a", "2"))
    ]
    taken(lake, "books", *paths)
    assert [row["amount_rial"] for row in staged(lake, "books")] == [2]


def test_a_reference_of_two_products_is_two_keys(lake: Lake, tmp_path: Path) -> None:
    for number, product in enumerate(("unified", "gateway", "")):
        row = changed("books", product=product)
        taken(lake, "books", write_csv(tmp_path / f"{number}.csv", [row]))
    assert len(staged(lake, "books")) == 3


@pytest.mark.parametrize(
    ("kind", "amount", "column"),
    [
        ("balances", "balance", "balance_rial"),
        ("deposits", "amount", "amount_rial"),
        ("tariff", "fixed", "fixed_rial"),
        ("gateway_tokens", "amount", "sent_amount_rial"),
        ("hosted_checkouts", "amount", "sent_amount_rial"),
    ],
)
def test_a_later_file_corrects_a_key(
    kind: str, amount: str, column: str, lake: Lake, tmp_path: Path
) -> None:
    taken(lake, kind, write_csv(tmp_path / "a.csv", [VALID[kind]]))
    corrected = changed(kind, **{amount: "777"})
    taken(lake, kind, write_csv(tmp_path / "b.csv", [corrected]))
    assert [row[column] for row in staged(lake, kind)] == [777]


@pytest.mark.parametrize("kind", ["books", "deposits", "tariff"])
def test_a_repeated_row_of_one_file_stays_two(
    kind: str, lake: Lake, tmp_path: Path
) -> None:
    taken(lake, kind, write_csv(tmp_path / "a.csv", [VALID[kind]] * 2))
    assert len(staged(lake, kind)) == 2
