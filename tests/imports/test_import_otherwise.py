"""A file that was taken is read in another way: its rows must not stand twice."""

from pathlib import Path
from typing import Any

import pytest

from recon.errors import RefusedFile
from recon.imports.importing import FileReport, take
from recon.imports.voiding import void
from recon.lake import Lake
from recon.settings import Business, Imports, Settings
from recon.times import zone
from tests.imports.import_cases import (
    SETTINGS,
    VALID,
    changed,
    stored,
    write_csv,
)

TWICE = r"a\.csv: .* would count twice: take it back first \(--void\)"


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


def read(
    lake: Lake, path: Path, kind: str, settings: Settings = SETTINGS, **options: Any
) -> FileReport:
    (file,) = take(kind, [path], settings, lake, **options).files
    return file


def test_a_balance_of_a_day_is_taken_back_before_it_is_that_of_its_end(
    lake: Lake, tmp_path: Path
) -> None:
    path = write_csv(tmp_path / "a.csv", [changed("balances", at="2026-10-01")])
    (warning,) = read(lake, path, "balances").warnings
    assert "take the file back where it was taken (--void)" in warning
    at_end = {"at_time": "24:00"}
    for dry_run in (True, False):
        with pytest.raises(RefusedFile, match=TWICE):
            read(lake, path, "balances", values=at_end, dry_run=dry_run)
    void("balances", [path], lake)
    assert read(lake, path, "balances", values=at_end).taken
    assert [row["at"].day for row in stored(lake, "balances")] == [1]
    assert read(lake, path, "balances", values=at_end).known


def named(kind: str, **columns: str) -> Settings:
    return Settings(
        business=Business(name="shop"), imports=Imports(columns={kind: columns})
    )


@pytest.mark.parametrize(
    ("kind", "column"), [("balances", "at"), ("tariff", "valid_from")]
)
def test_a_time_in_a_key_may_stand_under_another_header(
    lake: Lake, tmp_path: Path, kind: str, column: str
) -> None:
    """Where it says the same, the file is known, unless a later one has its keys."""
    times = {column: "2026-10-01", "other": "2026-10-02", "same": "2026-10-01"}
    path = write_csv(tmp_path / "a.csv", [changed(kind, **times)])
    plain = named(kind, **{column: column})
    read(lake, path, kind, plain)
    with pytest.raises(RefusedFile, match=TWICE):
        read(lake, path, kind, named(kind, **{column: "other"}))
    assert len(stored(lake, kind)) == 1
    assert read(lake, path, kind, plain).known


@pytest.mark.parametrize("kind", ["balances", "tariff"])
def test_rows_that_are_the_same_read_otherwise_are_known(
    lake: Lake, tmp_path: Path, kind: str
) -> None:
    """Unless a later file has their keys: then they are the newest again."""
    path = write_csv(tmp_path / "a.csv", [changed(kind)])
    other = {"balance": "7"} if kind == "balances" else {"fixed": "7"}
    later = write_csv(tmp_path / "b.csv", [changed(kind, **other)])
    in_rial = {"currency": "rial"}
    read(lake, path, kind)
    assert read(lake, path, kind, values=in_rial).known
    read(lake, later, kind)
    assert read(lake, path, kind, values=in_rial).taken
    assert read(lake, path, kind, values=in_rial).known
    assert len(stored(lake, kind)) == 3


@pytest.mark.parametrize("kind", ["balances", "tariff"])
def test_other_amounts_under_the_same_keys_replace_those_before(
    lake: Lake, tmp_path: Path, kind: str
) -> None:
    """Nothing counts twice."""
    amount = "balance" if kind == "balances" else "fixed"
    path = write_csv(tmp_path / "a.csv", [changed(kind)])
    read(lake, path, kind)
    assert read(lake, path, kind, values={"currency": "toman"}).taken
    (row,) = lake.current(kind, [amount]).to_pylist()
    assert row[amount] == 10 * stored(lake, kind)[0][amount]


def test_one_of_files_that_came_together_is_not_read_otherwise(
    lake: Lake, tmp_path: Path
) -> None:
    day = changed("balances", at="2026-10-02T00:00:00Z")
    files = [
        write_csv(tmp_path / "a.csv", [changed("balances")]),
        write_csv(tmp_path / "b.csv", [day]),
    ]
    take("balances", files, SETTINGS, lake)
    with pytest.raises(RefusedFile, match=TWICE):
        read(lake, files[0], "balances", values={"currency": "toman"})


def test_a_file_of_another_hash_is_another_file(lake: Lake, tmp_path: Path) -> None:
    rows = [changed("balances", at="2026-10-01", note="a")]
    read(lake, write_csv(tmp_path / "a.csv", rows), "balances")
    rows = [changed("balances", at="2026-10-01", note="b")]
    at_end = {"at_time": "24:00"}
    path = write_csv(tmp_path / "b.csv", rows)
    assert read(lake, path, "balances", values=at_end).taken


@pytest.mark.parametrize("kind", ["books", "deposits", "gateway_tokens"])
def test_a_key_without_a_time_is_replaced_by_a_later_reading(
    lake: Lake, tmp_path: Path, kind: str
) -> None:
    path = write_csv(tmp_path / "a.csv", [changed(kind)])
    read(lake, path, kind)
    assert read(lake, path, kind, values={"currency": "toman"}).taken
    assert lake.current(kind, ["amount"])["amount"].to_pylist() == [
        10 * row["amount"] for row in stored(lake, kind)[:1]
    ]


def test_rows_that_a_setting_passes_over_now_are_taken_back_first(
    lake: Lake, tmp_path: Path
) -> None:
    rows = [changed("balances"), changed("balances", at="2026-10-02T00:00:00Z")]
    rows = [row | {"note": note} for row, note in zip(rows, ("", "x"), strict=True)]
    path = write_csv(tmp_path / "a.csv", rows)

    def skipping(word: str) -> Settings:
        imports = Imports(skip={"balances": {"note": (word,)}})
        return Settings(business=Business(name="shop"), imports=imports)

    read(lake, path, "balances")
    with pytest.raises(RefusedFile, match=TWICE):
        read(lake, path, "balances", skipping("x"))
    assert read(lake, path, "balances", skipping("y")).known


def test_the_balances_beside_a_statement_make_no_other_rows_of_it(
    lake: Lake, tmp_path: Path
) -> None:
    row = changed("bank_statement") | {"balance": "1000", "مانده": "2000"}
    path = write_csv(tmp_path / "a.csv", [row, row | {"amount": "7"}])
    assert read(lake, path, "bank_statement").taken
    for header in ("مانده", "balance"):
        settings = named("bank_statement", balance=header)
        assert read(lake, path, "bank_statement", settings).known
    assert {row["balance"] for row in stored(lake, "bank_balances")} == {1000}


ABROAD = Settings(business=Business(name="shop", timezone=zone("Europe/Berlin")))
ELSEWHERE = "the newest file of this kind was read in Asia/Tehran, and this one in"


@pytest.mark.parametrize("kind", ["adjustments", "bank_statement", "balances"])
def test_a_file_after_one_that_was_read_in_another_zone_is_told_once(
    lake: Lake, tmp_path: Path, kind: str
) -> None:
    """An export that overlaps an earlier one may have its rows at other instants."""
    (time,) = {"at", "booked_at"} & VALID[kind].keys()
    rows = [changed(kind, **{time: f"2026-10-0{day} 08:00"}) for day in (1, 2, 3)]
    first, second, third = (
        write_csv(tmp_path / f"{count}.csv", rows[:count]) for count in (1, 2, 3)
    )
    assert not read(lake, first, kind).warnings
    told = read(lake, second, kind, ABROAD, dry_run=True).warnings
    assert read(lake, second, kind, ABROAD).warnings == told
    assert any(each.startswith(f"{ELSEWHERE} Europe/Berlin: ") for each in told)
    assert not any(
        ELSEWHERE in each for each in read(lake, third, kind, ABROAD).warnings
    )


def test_a_file_after_one_of_another_zone_that_was_taken_back_is_not_told(
    lake: Lake, tmp_path: Path
) -> None:
    path = write_csv(tmp_path / "a.csv", [changed("adjustments", at="2026-10-01")])
    read(lake, path, "adjustments")
    void("adjustments", [path], lake)
    assert not read(lake, path, "adjustments", ABROAD).warnings


@pytest.mark.parametrize("kind", ["books", "deposits"])
def test_another_zone_is_not_told_where_a_key_without_a_time_replaces_rows(
    lake: Lake, tmp_path: Path, kind: str
) -> None:
    path = write_csv(tmp_path / "a.csv", [changed(kind)])
    read(lake, path, kind)
    found = read(lake, path, kind, ABROAD)
    assert found.taken
    assert not any(ELSEWHERE in each for each in found.warnings)


def test_another_zone_is_not_told_of_events_which_have_unix_seconds(
    lake: Lake, tmp_path: Path
) -> None:
    path = tmp_path / "events.jsonl"
    for created in (1_790_000_000, 1_790_000_001):
        path.write_text(f'{{"created": {created}, "type": "a", "data": {{}}}}\n')
        assert not read(
            lake, path, "events", ABROAD if created % 2 else SETTINGS
        ).warnings
