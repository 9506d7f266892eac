"""Amounts without a sign, beside a word for which way they went; files of two makes."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from recon.cli.group import run
from recon.errors import RefusedFile, SettingsError
from recon.imports.importing import take
from recon.lake import Lake
from recon.setting_files import load
from recon.settings import Business, Imports, Settings
from tests.imports.import_cases import IBAN, WRITERS, changed, stored, write_csv
from tests.imports.test_import_sides import NAMES as OTHER_BANK
from tests.imports.test_import_sides import OUT as OTHER_ROW
from tests.imports.test_import_staging import staged

NAMES = {
    "booked_at": "تاریخ",
    "amount": "مبلغ",
    "description": "شرح",
    "direction": "نوع",
}
WORDS = {"برداشت": "debit", "واریز": "credit"}
VALUES = {"calendar": "jalali", "iban": IBAN}
OUT = {
    "تاریخ": "1405/07/10",
    "مبلغ": "۱٬۰۰۰٬۰۰۰",
    "نوع": "برداشت",
    "شرح": "پایا",
    "مانده": "7",
}
INTO = OUT | {"مبلغ": "2,500", "نوع": "واريز", "شرح": "کارت"}  # an Arabic yeh


def bank(
    columns: Mapping[str, str] = NAMES, words: Mapping[str, str] = WORDS
) -> Settings:
    said = {"direction": dict(words)} if words else {}
    imports = Imports(
        columns={"bank_statement": dict(columns)},
        words={"bank_statement": said},
        values={"bank_statement": VALUES},
    )
    return Settings(business=Business(name="shop"), imports=imports)


def read(
    folder: Path, row: Mapping[str, Any], settings: Settings | None = None
) -> list[int]:
    lake = Lake(folder / "lake")
    path = write_csv(folder / "bank.csv", [dict(row)])
    take("bank_statement", [path], settings or bank(), lake)
    return amounts(lake)


def amounts(lake: Lake) -> list[int]:
    return [row["amount"] for row in stored(lake, "bank_statement")]


@pytest.mark.parametrize("ending", WRITERS)
def test_a_word_gives_an_amount_its_sign(tmp_path: Path, ending: str) -> None:
    lake = Lake(tmp_path / "lake")
    path = WRITERS[ending](tmp_path / f"bank{ending}", [OUT, INTO])
    report = take("bank_statement", [path], bank(), lake)
    assert amounts(lake) == [-1_000_000, 2_500]
    (file,) = report.files
    assert not file.warnings
    assert file.columns["direction"] == "نوع"
    assert file.words == {"direction": {"برداشت": "debit", "واريز": "credit"}}
    assert file.further == ("مانده",)
    assert stored(lake, "bank_statement")[0]["extra"] == '{"مانده":"7"}'


def test_it_is_the_row_of_two_columns(tmp_path: Path) -> None:
    """The same entry of the same account, by whichever of its exports."""
    lake, names = Lake(tmp_path / "lake"), NAMES
    take("bank_statement", [write_csv(tmp_path / "a.csv", [OUT])], bank(names), lake)
    pairs = Settings(
        business=Business(name="shop"),
        imports=Imports(
            columns={"bank_statement": OTHER_BANK}, values={"bank_statement": VALUES}
        ),
    )
    take("bank_statement", [write_csv(tmp_path / "b.csv", [OTHER_ROW])], pairs, lake)
    assert len(staged(lake, "bank_statement")) == 1


def test_our_own_words_need_no_setting(tmp_path: Path) -> None:
    assert read(tmp_path, OUT | {"نوع": "debit"}, bank(words={})) == [-1_000_000]


def test_a_sign_that_says_the_same_is_taken_once(tmp_path: Path) -> None:
    assert read(tmp_path, OUT | {"مبلغ": "-1,000,000"}) == [-1_000_000]


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        ({"مبلغ": "-5", "نوع": "واریز"}, "is below zero, and its direction says cred"),
        ({"نوع": "انتقال"}, "'انتقال' is not allowed: debit, credit; .imports.words."),
        ({"نوع": ""}, "is empty; it must be filled"),
        ({"مبلغ": ""}, "is empty; it must be filled"),
        ({"مبلغ": "12.5"}, "12.5"),
    ],
)
def test_a_row_that_tells_no_way_is_refused(
    tmp_path: Path, cells: dict[str, str], reason: str
) -> None:
    with pytest.raises(RefusedFile, match=r"bank\.csv, line 2.*" + reason):
        read(tmp_path, OUT | cells)


def test_nothing_is_neither(tmp_path: Path) -> None:
    assert read(tmp_path, OUT | {"مبلغ": "0"}) == [0]


def test_amounts_beside_directions_may_be_in_toman(tmp_path: Path) -> None:
    names = NAMES | {"amount": "مبلغ (تومان)"}
    row = OUT | {"مبلغ (تومان)": "5"}
    with pytest.raises(RefusedFile, match="its header says toman"):
        read(tmp_path, row, bank(names))
    settings = bank(names)
    settings.imports.values["bank_statement"] = VALUES | {"currency": "toman"}
    assert read(tmp_path, row, settings) == [-50]


@pytest.mark.parametrize("lacking", ["نوع", "مبلغ"])
def test_both_columns_must_be_there(tmp_path: Path, lacking: str) -> None:
    row = {name: cell for name, cell in OUT.items() if name != lacking}
    with pytest.raises(
        RefusedFile, match=f"names columns that are missing: '{lacking}"
    ):
        read(tmp_path, row)


@pytest.mark.parametrize(
    ("amount", "word"),
    [
        ("1000", "برداشت"),
        ("1000", "بدهکار"),
        ("1000", " Debit "),
        ("1000", "DR."),
        ("-1000", "واریز"),
        ("-1000", "CR"),
    ],
)
def test_a_word_that_is_not_read_contradicts_no_amount(
    tmp_path: Path, amount: str, word: str
) -> None:
    row = changed("bank_statement", amount=amount, نوع=word)
    settings = Settings(business=Business(name="shop"))
    way = r"column نوع: says .* is not read, and the amount is (above|below) zero: "
    how = r"name it, direction = 'نوع' in \[imports\.columns\.bank_statement\]"
    with pytest.raises(RefusedFile, match=way + how):
        read(tmp_path, row, settings)


@pytest.mark.parametrize(
    ("amount", "word"),
    [
        ("-1000", "برداشت"),
        ("1000", "واریز"),
        ("0", "برداشت"),
        ("1000", ""),
        ("1000", "برداشت از حساب"),
        ("1000", "بد"),
    ],
)
def test_a_word_that_agrees_or_is_none_of_direction_is_kept(
    tmp_path: Path, amount: str, word: str
) -> None:
    row = changed("bank_statement", amount=amount, نوع=word)
    settings = Settings(business=Business(name="shop"))
    assert read(tmp_path, row, settings) == [int(amount)]


def test_what_the_two_sides_say_needs_no_word(tmp_path: Path) -> None:
    row = OTHER_ROW | {"نوع": "واریز"}
    assert read(tmp_path, row, bank(OTHER_BANK, {})) == [-1_000_000]


@pytest.mark.parametrize("ours", ["credits", ""])
def test_a_word_that_means_no_direction_is_a_wrong_setting(
    tmp_path: Path, ours: str
) -> None:
    reason = r"imports\.words\.bank_statement\.direction: '.*' is not allowed: debit, "
    with pytest.raises(SettingsError, match=reason):
        read(tmp_path, OUT, bank(words=WORDS | {"واریز": ours}))


def test_only_a_statement_has_directions(tmp_path: Path) -> None:
    imports = Imports(columns={"adjustments": {"direction": "نوع"}})
    settings = Settings(business=Business(name="shop"), imports=imports)
    path = write_csv(tmp_path / "a.csv", [changed("adjustments")])
    with pytest.raises(SettingsError, match="there is no column 'direction'"):
        take("adjustments", [path], settings, Lake(tmp_path / "lake"))


TWO_BANKS = """
[business]
name = "shop"
[imports.columns.bank_statement]
booked_at = "تاریخ"
description = "شرح"
debit = "برداشت"
credit = "واریز"
[imports.values.bank_statement]
calendar = "jalali"
iban = "IBAN"
[imports.layouts.saman.columns.bank_statement]
booked_at = "تاریخ"
amount = "مبلغ"
description = "شرح"
direction = "نوع"
[imports.layouts.saman.values.bank_statement]
calendar = "jalali"
iban = "IBAN"
[imports.layouts.saman.words.bank_statement.direction]
"برداشت" = "debit"
"واریز" = "credit"
[imports.layouts.saman.skip.bank_statement]
"شرح" = ["مانده"]
"""


@pytest.fixture
def shop(tmp_path: Path) -> str:
    config = tmp_path / "recon.toml"
    config.write_text(TWO_BANKS.replace("IBAN", IBAN), encoding="utf-8")
    return str(config)


def test_a_layout_reads_files_of_another_make(
    tmp_path: Path, shop: str, capsys: pytest.CaptureFixture[str]
) -> None:
    total = OUT | {"شرح": "مانده", "نوع": ""}
    one = write_csv(tmp_path / "one.csv", [OTHER_ROW])
    two = write_csv(tmp_path / "two.csv", [OUT | {"شرح": "خرید"}, INTO, total])
    given = ["bank_statement", "--config", shop]
    assert run(["import", *given, str(one)]) == 0
    assert run(["import", *given, str(two)]) == 2
    assert "imports.columns.bank_statement names columns that are missing" in (
        capsys.readouterr().err
    )
    assert run(["import", *given, "--layout", "saman", str(two)]) == 0
    assert amounts(Lake.of(load(Path(shop)))) == [-1_000_000, -1_000_000, 2_500]
    assert run(["import", *given, "--layout", "saman", str(two)]) == 0
    assert "already there: 2 rows" in capsys.readouterr().out


def test_a_layout_that_is_not_there_is_refused(
    tmp_path: Path, shop: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(write_csv(tmp_path / "one.csv", [OTHER_ROW]))
    given = ["import", "bank_statement", "--config", shop, path]
    assert run([*given, "--layout", "mellat"]) == 2
    assert "there is no layout 'mellat'; there are: saman" in capsys.readouterr().err
    assert run([*given, "--layout", "saman", "--void"]) == 2
    assert "has no use for --layout" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["saman", '"سامان"'])
@pytest.mark.parametrize(
    ("kind", "row", "told"),
    [
        ("bank_statement", OUT | {"نوع": "کسر"}, "[NAME.words.bank_statement.direc"),
        ("bank_statement", OTHER_ROW, "NAME.columns.bank_statement names columns th"),
        ("books", changed("books", status="باز"), "[NAME.words.books.status] says"),
        ("deposits", changed("deposits", currency="ت"), "[NAME.words.deposits.curr"),
    ],
)
def test_a_refusal_names_the_tables_of_the_layout(
    tmp_path: Path,
    shop: str,
    capsys: pytest.CaptureFixture[str],
    kind: str,
    row: dict[str, str],
    told: str,
    name: str,
) -> None:
    """What is written into the tables beside the layout would change nothing."""
    config = Path(shop)
    text = config.read_text(encoding="utf-8").replace("saman", name)
    config.write_text(text, encoding="utf-8")
    path = str(write_csv(tmp_path / "one.csv", [row]))
    given = ["import", kind, "--config", shop, path, "--layout", name.strip('"')]
    assert run(given) == 2
    section = f"imports.layouts.{name}"
    assert told.replace("NAME", section) in capsys.readouterr().err


@pytest.mark.parametrize(
    ("right", "wrong", "told"),
    [
        (
            "direction = ",
            "side = ",
            "columns.bank_statement: there is no column 'side'",
        ),
        ('["مانده"]', "[]", "skip.bank_statement: 'شرح' has no words"),
        ('"debit"', '"out"', "words.bank_statement.direction: 'out' is not allowed"),
        (f'iban = "{IBAN}"', 'iban = ""', "values.bank_statement.iban: the value is e"),
    ],
)
def test_a_bad_table_of_a_layout_is_named(
    tmp_path: Path,
    shop: str,
    capsys: pytest.CaptureFixture[str],
    right: str,
    wrong: str,
    told: str,
) -> None:
    config = Path(shop)
    before, layout, own = config.read_text(encoding="utf-8").partition(
        "[imports.layouts.saman.columns"
    )
    config.write_text(before + layout + own.replace(right, wrong), encoding="utf-8")
    path = str(write_csv(tmp_path / "one.csv", [OUT]))
    given = ["bank_statement", "--config", shop, path, "--layout", "saman"]
    assert run(["import", *given]) == 2
    assert f"recon: imports.layouts.saman.{told}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("layout", "reason"),
    [
        ("[imports.layouts.a.colums.books]\n", "tables columns, words, skip, values"),
        ("[imports.layouts]\na = 5\n", "tables columns, words, skip, values"),
        ("[imports]\nlayouts = 5\n", r"a table \[imports\.layouts\."),
        ("[imports.layouts.a.skip]\nbooks = 5\n", "for books .in layout 'a'"),
        ("[imports.layouts.a.columns.book]\nb = 'c'\n", "not 'book' .in layout 'a'"),
    ],
)
def test_a_layout_holds_what_imports_do(
    tmp_path: Path, layout: str, reason: str
) -> None:
    config = tmp_path / "recon.toml"
    config.write_text(f'[business]\nname = "shop"\n{layout}', encoding="utf-8")
    with pytest.raises(SettingsError, match=r"imports\.layouts.*" + reason):
        load(config)


def test_layouts_may_come_from_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "recon.toml"
    config.write_text('[business]\nname = "shop"\n', encoding="utf-8")
    told = '{"a": {"columns": {"books": {"reference": "شماره"}}}}'
    monkeypatch.setenv("RECON_IMPORTS__LAYOUTS", told)
    found = load(config).imports.of_layout("a")
    assert found == Imports(columns={"books": {"reference": "شماره"}})
