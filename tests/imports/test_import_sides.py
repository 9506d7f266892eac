"""Banks' own exports: debits and credits side by side, and columns that they lack."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from recon.cli.group import run
from recon.errors import RefusedFile, SettingsError
from recon.imports.importing import ImportReport, take
from recon.lake import Lake
from recon.settings import Business, Imports, Settings
from tests.imports.import_cases import IBAN, WRITERS, changed, stored, taken, write_csv
from tests.imports.test_import_staging import staged

NAMES = {
    "booked_at": "تاریخ",
    "description": "شرح",
    "debit": "برداشت",
    "credit": "واریز",
}
VALUES = {"calendar": "jalali", "iban": IBAN}
OUT = {
    "تاریخ": "1405/07/10",
    "شرح": "پایا",
    "برداشت": "۱٬۰۰۰٬۰۰۰",
    "واریز": "",
    "مانده": "7",
}
INTO = OUT | {"برداشت": "0", "واریز": "2,500", "شرح": "کارت", "مانده": "9"}
CHECKED = ("booked_at", "amount", "description", "iban")


def bank(
    columns: Mapping[str, str] = NAMES, values: Mapping[str, str] = VALUES
) -> Settings:
    imports = Imports(
        columns={"bank_statement": dict(columns)},
        values={"bank_statement": dict(values)},
    )
    return Settings(business=Business(name="shop"), imports=imports)


def read(
    lake: Lake, path: Path, settings: Settings | None = None, **options: Any
) -> ImportReport:
    return take("bank_statement", [path], settings or bank(), lake, **options)


def amounts(lake: Lake) -> list[int]:
    return [row["amount"] for row in stored(lake, "bank_statement")]


@pytest.mark.parametrize("ending", WRITERS)
def test_a_bank_s_export_is_what_its_signed_rows_are(
    tmp_path: Path, ending: str
) -> None:
    lake, plain = Lake(tmp_path / "lake"), Lake(tmp_path / "plain")
    report = read(lake, WRITERS[ending](tmp_path / f"bank{ending}", [OUT, INTO]))
    rows = [
        changed("bank_statement", amount="-1000000", description="پایا"),
        changed("bank_statement", amount="2500", description="کارت"),
    ]
    taken(plain, "bank_statement", write_csv(tmp_path / "ours.csv", rows))
    found, expected = stored(lake, "bank_statement"), stored(plain, "bank_statement")
    for one, other in zip(found, expected, strict=True):
        assert [one[name] for name in CHECKED] == [other[name] for name in CHECKED]
    assert '"مانده":"7"' in found[0]["extra"]
    (file,) = report.files
    assert file.values == VALUES
    assert file.warnings == ()


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ({"برداشت": "5", "واریز": "5"}, "debit and credit are both filled"),
        ({"برداشت": " ", "واریز": ""}, "debit and credit are empty"),
        ({"برداشت": "-5"}, r"column برداشت \(debit\)"),
        ({"برداشت": "x"}, r"column برداشت \(debit\)"),
        ({"برداشت": "", "واریز": "-5"}, r"column واریز \(credit\)"),
    ],
)
def test_a_row_that_went_both_ways_or_none_is_refused(
    tmp_path: Path, cells: dict[str, str], said: str
) -> None:
    lake = Lake(tmp_path / "lake")
    path = write_csv(tmp_path / "bank.csv", [INTO, OUT | cells])
    with pytest.raises(RefusedFile, match=rf"^bank\.csv, line 3.*{said}"):
        read(lake, path)
    assert lake.commits() == []


def test_zeros_on_both_sides_move_nothing(tmp_path: Path) -> None:
    lake = Lake(tmp_path / "lake")
    read(lake, write_csv(tmp_path / "b.csv", [OUT | {"برداشت": "0", "واریز": "۰"}]))
    assert amounts(lake) == [0]


def test_a_signed_amount_is_taken_before_debits_that_nobody_named(
    tmp_path: Path,
) -> None:
    lake = Lake(tmp_path / "lake")
    row = changed("bank_statement", debit="7", credit="8")
    taken(lake, "bank_statement", write_csv(tmp_path / "a.csv", [row]))
    (stored_row,) = stored(lake, "bank_statement")
    assert stored_row["amount"] == -1_000_000_000
    assert stored_row["extra"] == '{"credit":"8","debit":"7"}'


def test_debits_that_settings_name_are_taken_before_an_amount(tmp_path: Path) -> None:
    lake = Lake(tmp_path / "lake")
    read(lake, write_csv(tmp_path / "b.csv", [OUT | {"amount": "99"}]))
    assert amounts(lake) == [-1_000_000]
    assert '"amount":"99"' in stored(lake, "bank_statement")[0]["extra"]


def test_debits_and_credits_may_have_our_own_names(tmp_path: Path) -> None:
    lake = Lake(tmp_path / "lake")
    row = changed("bank_statement", debit="", credit="8", currency="toman")
    del row["amount"]
    taken(lake, "bank_statement", write_csv(tmp_path / "a.csv", [row]))
    assert amounts(lake) == [80]


def test_one_side_alone_is_refused_by_the_name_of_the_other(tmp_path: Path) -> None:
    row = changed("bank_statement", debit="5")
    del row["amount"]
    lake = Lake(tmp_path / "lake")
    with pytest.raises(RefusedFile, match="required columns are missing: credit"):
        taken(lake, "bank_statement", write_csv(tmp_path / "a.csv", [row]))
    del row["debit"]
    with pytest.raises(RefusedFile, match="required columns are missing: amount"):
        taken(lake, "bank_statement", write_csv(tmp_path / "b.csv", [row]))


def test_what_a_file_says_itself_goes_before_a_value(tmp_path: Path) -> None:
    lake = Lake(tmp_path / "lake")
    other = "IR550570028180010674404001"
    path = write_csv(tmp_path / "bank.csv", [OUT | {"iban": other}])
    (file,) = read(lake, path).files
    assert file.values == {"calendar": "jalali"}
    assert [row["iban"] for row in stored(lake, "bank_statement")] == [other]


def test_a_header_almost_named_as_a_value_s_column_is_told(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "bank.csv", [OUT | {"IBAN": "IR1"}])
    (file,) = read(Lake(tmp_path / "lake"), path).files
    (told,) = file.warnings
    assert told.startswith("'IBAN' is kept as it is, not read as iban: 1 row")


def test_a_value_is_read_as_a_cell_is(tmp_path: Path) -> None:
    lake = Lake(tmp_path / "lake")
    path = write_csv(tmp_path / "bank.csv", [OUT])
    with pytest.raises(RefusedFile, match="line 2, column calendar: 'moon' is not all"):
        read(lake, path, bank(values=VALUES | {"calendar": "moon"}))
    (file,) = read(lake, path, bank(values=VALUES | {"iban": "IR1"})).files
    assert file.warnings == (
        "column iban fails the checksum of an IBAN: 1 row, first at line 2",
    )


def test_books_without_a_status_are_paid_where_a_value_says_so(tmp_path: Path) -> None:
    lake = Lake(tmp_path / "lake")
    row = changed("books", amount="120")
    del row["status"]
    path = write_csv(tmp_path / "books.csv", [row])
    values = {"status": "paid", "currency": "toman"}
    take("books", [path], bank({}, {}), lake, values=values)
    assert [(each["status"], each["amount"]) for each in stored(lake, "books")] == [
        ("paid", 1200)
    ]


def test_a_bad_value_is_an_error_of_the_settings(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "bank.csv", [OUT])
    for values, said in (
        ({"bank": "x"}, "there is no column 'bank'; it may be booked_at, amount"),
        ({"iban": " "}, "imports.values.bank_statement.iban: the value is empty"),
    ):
        with pytest.raises(SettingsError, match=said):
            read(Lake(tmp_path / "lake"), path, bank(values=values))
    with pytest.raises(SettingsError, match=r"imports\.values\.events: events are no"):
        take("events", [path], bank({}, {}), Lake(tmp_path / "l"), values={"type": "x"})


def test_a_statement_taken_with_another_value_would_count_twice(tmp_path: Path) -> None:
    lake = Lake(tmp_path / "lake")
    path = write_csv(tmp_path / "bank.csv", [OUT])
    read(lake, path)
    assert read(lake, path).files[0].known
    with pytest.raises(RefusedFile, match=r"imports\.values, .* was another one"):
        read(lake, path, values={"iban": "IR550570028180010674404001"})
    assert amounts(lake) == [-1_000_000]


def test_the_command_takes_values_and_tells_which_are_not_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "recon.toml").write_text('[business]\nname = "acme"\n', "utf-8")
    row = changed("bank_statement")
    del row["iban"]
    write_csv(tmp_path / "bank.csv", [row])
    told = ["import", "bank_statement", "bank.csv"]
    given = ["--value", f"iban={IBAN}"]
    assert run([*told, "--value", "iban"]) == 2
    assert "--value 'iban' is not allowed: COLUMN=VALUE" in capsys.readouterr().err
    assert run([*told, *given, "--dry-run"]) == 0
    assert f"  iban is {IBAN} in each row\n" in capsys.readouterr().out
    assert run([*told, *given]) == 0
    assert "is not used" not in capsys.readouterr().err
    write_csv(tmp_path / "bank.csv", [changed("bank_statement", description="b")])
    assert run([*told, *given]) == 0
    assert (
        "bank.csv: it says iban itself; --value iban is not used"
        in capsys.readouterr().err
    )


def test_values_that_are_not_used_are_told_in_the_order_in_which_they_were_given(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "recon.toml").write_text('[business]\nname = "acme"\n', "utf-8")
    row = changed("tariff")
    write_csv(tmp_path / "tariff.csv", [row])
    values = (word for name in row for word in ("--value", f"{name}=1"))
    assert run(["import", "tariff", "tariff.csv", *values]) == 0
    told = capsys.readouterr().err.splitlines()
    assert told == [
        f"tariff.csv: it says {name} itself; --value {name} is not used" for name in row
    ]


def test_a_column_that_numbers_the_rows_is_no_part_of_them(tmp_path: Path) -> None:
    rows = [{"ردیف": str(at), **OUT, "مانده": str(at * 7)} for at in (1, 2, 3)]
    later = [row | {"ردیف": str(at)} for at, row in enumerate(rows[1:], start=1)]
    first = write_csv(tmp_path / "first.csv", rows)
    second = write_csv(
        tmp_path / "second.csv", [*later, OUT | {"ردیف": "3", "برداشت": "9"}]
    )
    for names, count, told in ((NAMES, 6, 1), (NAMES | {"row_number": "ردیف"}, 4, 0)):
        lake = Lake(tmp_path / f"lake{count}")
        read(lake, first, bank(names))
        (file,) = read(lake, second, bank(names)).files
        assert len(file.warnings) == told
        assert len(staged(lake, "bank_statement")) == count
    assert "ردیف" not in stored(lake, "bank_statement")[0]["extra"]


def test_a_row_number_that_settings_name_must_be_there(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "bank.csv", [OUT])
    with pytest.raises(RefusedFile, match="'ردیف' for row_number"):
        read(Lake(tmp_path / "lake"), path, bank(NAMES | {"row_number": "ردیف"}))
    row = changed("bank_statement", row_number="5")
    lake = Lake(tmp_path / "plain")
    taken(lake, "bank_statement", write_csv(tmp_path / "own.csv", [row]))
    assert stored(lake, "bank_statement")[0]["extra"] == '{"row_number":"5"}'
