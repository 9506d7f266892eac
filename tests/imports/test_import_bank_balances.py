"""The balance beside an entry of a statement: read and kept, and no part of its row."""

import json
from datetime import UTC, datetime
from itertools import accumulate
from pathlib import Path

import pytest

from recon.imports.importing import take
from recon.imports.running_balance import JUMP
from recon.imports.voiding import void
from recon.lake import Lake
from recon.reconcile.engines import DuckEngine
from recon.settings import Business, Imports, Settings
from tests.imports.import_cases import (
    IBAN,
    SETTINGS,
    stored,
    taken,
    write_csv,
    write_excel,
)
from tests.imports.test_import_statements import NAMES, TEXTS

OTHER = "IR740217876908633198199319"
Row = dict[str, str]


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


def entry(day: int, amount: int | str, **more: str) -> Row:
    return {
        "booked_at": f"2026-10-{day:02}",
        "amount": str(amount),
        "description": "rent",
        "iban": IBAN,
        **more,
    }


def balances(lake: Lake) -> list[tuple[int, int, int]]:
    """The line of each entry that has a balance, its amount, and the balance."""
    rows = stored(lake, "bank_balances")
    assert {(row["iban"], row["statement"]) for row in rows} <= {(IBAN, 1)}
    return [(row["position"], row["amount"], row["balance"]) for row in rows]


def test_a_balance_is_read_and_its_column_kept_as_it_is(lake: Lake) -> None:
    path = write_csv(
        lake.root.parent / "a.csv",
        [
            entry(1, -200, balance="۱٬۰۰۰"),
            entry(2, 5, balance=" "),
            entry(3, -1005, balance="-5"),
        ],
    )
    (report,) = taken(lake, "bank_statement", path).files
    assert balances(lake) == [(2, -200, 1000), (4, -1005, -5)]
    kept = [json.loads(row["extra"]) for row in stored(lake, "bank_statement")]
    assert [each["balance"].strip() for each in kept] == ["۱٬۰۰۰", "", "-5"]
    assert (report.columns["balance"], report.warnings) == ("balance", ())
    assert "balance" not in report.further


def test_an_entry_is_the_same_with_and_without_what_is_read_beside_it(
    lake: Lake, tmp_path: Path
) -> None:
    """As earlier releases stored it, who kept the column alone."""
    with_one = write_csv(tmp_path / "a.csv", [entry(1, -200, balance="1000")])
    taken(lake, "bank_statement", with_one)
    (row,) = stored(lake, "bank_statement")
    assert row["record_hash"] == "bcb3322260584271c2b96aa45a34e229"


def test_a_balance_is_in_the_currency_of_its_row(lake: Lake, tmp_path: Path) -> None:
    rows = [entry(1, -200, balance="1000", currency="toman")]
    taken(lake, "bank_statement", write_csv(tmp_path / "a.csv", rows))
    assert balances(lake) == [(2, -2000, 10_000)]


def test_a_balance_has_the_header_that_the_settings_name(
    lake: Lake, tmp_path: Path
) -> None:
    path = write_csv(tmp_path / "a.csv", [entry(1, -200) | {"مانده": "1000"}])
    imports = Imports(columns={"bank_statement": {"balance": "مانده"}})
    settings = Settings(business=Business(name="shop"), imports=imports)
    take("bank_statement", [path], settings, lake)
    assert balances(lake) == [(2, -200, 1000)]
    (row,) = stored(lake, "bank_statement")
    assert json.loads(row["extra"]) == {"مانده": "1000"}


@pytest.mark.parametrize("said", ["n/a", "1.5", "9" * 19])
def test_one_that_is_no_amount_is_doubted_and_the_entry_taken(
    said: str, lake: Lake, tmp_path: Path
) -> None:
    rows = [entry(1, -200, balance=said), entry(2, -1, balance="7")]
    path = write_csv(tmp_path / "a.csv", rows)
    (report,) = taken(lake, "bank_statement", path).files
    assert (report.rows, balances(lake)) == (2, [(3, -1, 7)])
    (warning,) = report.warnings
    assert "column balance is no amount, and shows no missing entry" in warning
    assert "line 2" in warning


def test_one_in_toman_beside_amounts_in_rials_is_read_in_rials(
    lake: Lake, tmp_path: Path
) -> None:
    header = "مانده (تومان)"
    imports = Imports(columns={"bank_statement": {"balance": header}})
    settings = Settings(business=Business(name="shop"), imports=imports)
    rows = [
        entry(1, -200, currency="rial") | {header: "100"},
        entry(2, -20, currency="toman") | {header: "80"},
    ]
    take("bank_statement", [write_csv(tmp_path / "a.csv", rows)], settings, lake)
    assert balances(lake) == [(2, -200, 1000), (3, -200, 800)]


def test_one_in_rials_beside_amounts_in_toman_is_read_in_rials(
    lake: Lake, tmp_path: Path
) -> None:
    header = "مانده (ریال)"
    imports = Imports(columns={"bank_statement": {"balance": header}})
    settings = Settings(business=Business(name="shop"), imports=imports)
    rows = [entry(1, -20, currency="toman") | {header: "1000"}]
    take("bank_statement", [write_csv(tmp_path / "a.csv", rows)], settings, lake)
    assert balances(lake) == [(2, -200, 1000)]


def test_one_whose_header_says_millions_is_doubted(lake: Lake, tmp_path: Path) -> None:
    header = "balance (million rials)"
    imports = Imports(columns={"bank_statement": {"balance": header}})
    settings = Settings(business=Business(name="shop"), imports=imports)
    path = write_csv(tmp_path / "a.csv", [entry(1, -200) | {header: "100"}])
    (report,) = take("bank_statement", [path], settings, lake).files
    assert balances(lake) == []
    (warning,) = report.warnings
    expected = f"column {header} (balance) is in thousands or millions, and shows no"
    assert warning.startswith(expected)


@pytest.mark.parametrize(
    ("written", "is_exact"),
    [(123_456_789_012_345, True), (1_234_567_890_123_450, False)],
)
def test_a_number_that_excel_may_have_rounded_proves_nothing(
    written: int, is_exact: bool, lake: Lake, tmp_path: Path
) -> None:
    """It keeps 15 digits: a few rials would be called missing."""
    rows = [entry(1, -200) | {"balance": written}]
    (report,) = taken(
        lake, "bank_statement", write_excel(tmp_path / "a.xlsx", rows)
    ).files
    assert balances(lake) == ([(2, -200, written)] if is_exact else [])
    assert any("of which Excel keeps 15" in each for each in report.warnings) is not (
        is_exact
    )


SIDED = "booked_at,description,iban,{debit},{credit},{balance},{side}\n"
OURS = {"debit": "debit", "credit": "credit", "balance": "balance", "side": "side"}
LEDGER = {"debit": "بستانکار", "credit": "بدهکار", "balance": "مانده", "side": "تشخیص"}
"""As the business's own books have the account: what it has is a debit."""


@pytest.mark.parametrize("names", [OURS, LEDGER])
@pytest.mark.parametrize("is_before", [True, False])
def test_one_whose_side_stands_in_a_column_of_its_own_needs_a_sign_below_zero(
    names: dict[str, str], is_before: bool, lake: Lake, tmp_path: Path
) -> None:
    given = {ours: names[ours] for ours in ("debit", "credit", "balance")}
    imports = Imports(columns={"bank_statement": given if names is LEDGER else {}})
    settings = Settings(business=Business(name="shop"), imports=imports)
    has, owes = ("بد", "بس") if names is LEDGER else ("بس", "بد")
    header = SIDED.format(**names)
    rows = [(90, 0, 10, has), (30, 0, 20, owes), (30, 0, -50, owes), (0, 90, 40, has)]
    rows += [(40, 0, 0, owes)]
    text = header + "".join(
        f"2026-10-0{day},rent,{IBAN},{out},{into},"
        + (f"{side},{balance}" if is_before else f"{balance},{side}")
        + "\n"
        for day, (out, into, balance, side) in enumerate(rows, start=1)
    )
    if is_before:
        first, _, _ = header.rpartition(f",{names['balance']},")
        text = text.replace(header, f"{first},{names['side']},{names['balance']}\n")
    path = tmp_path / "a.csv"
    path.write_text(text)
    (report,) = take("bank_statement", [path], settings, lake).files
    told = [row["balance"] for row in stored(lake, "bank_balances")]
    assert told == [10, -50, 40, 0]
    (warning,) = report.warnings
    assert f"has no minus beside '{owes}' in column {names['side']}" in warning
    assert "1 row, first at line 3" in warning


def test_a_word_of_another_column_says_nothing_of_the_balance(
    lake: Lake, tmp_path: Path
) -> None:
    """A word for the way that the amount went, beside an amount with a sign."""
    rows = [entry(1, -200) | {"side": "بدهکار", "balance": "1000"}]
    taken(lake, "bank_statement", write_csv(tmp_path / "a.csv", rows))
    text = "booked_at,debit,credit,side,description,iban,balance\n"
    text += f"2026-10-02,7,0,بدهکار,rent,{IBAN},993\n"
    path = tmp_path / "b.csv"
    path.write_text(text)
    taken(lake, "bank_statement", path)
    assert balances(lake) == [(2, -200, 1000), (2, -7, 993)]


def test_balances_go_with_the_file_that_is_taken_back(
    lake: Lake, tmp_path: Path
) -> None:
    path = write_csv(tmp_path / "a.csv", [entry(1, -200, balance="1000")])
    taken(lake, "bank_statement", path)
    void("bank_statement", [path], lake)
    assert balances(lake) == []


def test_a_file_without_any_has_none(lake: Lake, tmp_path: Path) -> None:
    taken(lake, "bank_statement", write_csv(tmp_path / "a.csv", [entry(1, -200)]))
    taken(lake, "books", write_csv(tmp_path / "b.csv", [BOOK]))
    assert balances(lake) == []


BOOK = {
    "reference": "1",
    "amount": "5",
    "status": "paid",
    "occurred_at": "2026-10-01",
    "balance": "7",
}


STEPS = {1: -5, 2: 7, 3: -9, 4: 11, 5: 2, 6: -20}
BEFORE = -4  # below zero, too


def followed(*, newest_first: bool = False, without: int = 0) -> list[Row]:
    """An entry a day, each with the balance after it."""
    sums = accumulate(STEPS.values(), initial=BEFORE)
    rows = [
        entry(day, amount, balance=str(balance))
        for (day, amount), balance in zip(STEPS.items(), list(sums)[1:], strict=True)
        if day != without
    ]
    return rows[::-1] if newest_first else rows


def told(lake: Lake, rows: list[Row], *, dry_run: bool = False) -> tuple[str, ...]:
    path = write_csv(lake.root.parent / "a.csv", rows)
    (report,) = taken(lake, "bank_statement", path, dry_run=dry_run).files
    return tuple(each for each in report.warnings if "balance" in each)


@pytest.mark.parametrize("newest_first", [False, True])
@pytest.mark.parametrize("without", STEPS)
def test_an_entry_that_a_filter_took_out_of_a_file_is_told(
    without: int, newest_first: bool, lake: Lake
) -> None:
    """Not the first or the last one: then the file may begin or end there."""
    rows = followed(newest_first=newest_first, without=without)
    expected = ()
    if 1 < without < len(STEPS):
        line = next(
            number
            for number, row in enumerate(rows, start=2)
            if row["booked_at"] == f"2026-10-{without + 1:02}"
        )
        expected = (f"{JUMP}: 1 row, first at line {line}",)
    assert told(lake, rows, dry_run=True) == expected
    assert told(lake, rows) == expected


@pytest.mark.parametrize("newest_first", [False, True])
@pytest.mark.parametrize("said", ["", "n/a"])
@pytest.mark.parametrize("empty", STEPS)
def test_an_entry_without_a_balance_is_none_that_is_missing(
    empty: int, said: str, newest_first: bool, lake: Lake
) -> None:
    """It leads from the balance before it to the one after, whatever these are."""
    rows = followed(newest_first=newest_first)
    for row in rows:
        if row["booked_at"] == f"2026-10-{empty:02}":
            row["balance"] = said
    assert not [each for each in told(lake, rows) if JUMP in each]


def test_what_is_missing_after_an_entry_without_a_balance_is_told(lake: Lake) -> None:
    rows = followed(without=4)
    rows[0]["balance"] = ""
    assert told(lake, rows) == (f"{JUMP}: 1 row, first at line 5",)


def test_what_is_missing_before_an_entry_without_a_balance_is_told(lake: Lake) -> None:
    rows = followed(without=3)
    rows[-1]["balance"] = ""
    assert told(lake, rows) == (f"{JUMP}: 1 row, first at line 4",)


def test_days_that_stand_newest_first_and_their_entries_oldest_first_follow(
    lake: Lake,
) -> None:
    rows = followed()
    assert told(lake, [*rows[4:], *rows[2:4], *rows[:2]]) == ()


def test_each_account_of_a_file_is_followed_alone(lake: Lake) -> None:
    other = [row | {"iban": OTHER} for row in followed(without=3)]
    mixed = [row for pair in zip(followed(), other, strict=False) for row in pair]
    assert told(lake, mixed) == (f"{JUMP}: 1 row, first at line 7",)


def test_a_column_that_is_no_running_balance_is_told_nothing_of(lake: Lake) -> None:
    """The balance at the day's end, whatever the entry was."""
    rows = [entry(day, day, balance=str(10**day)) for day in range(1, 9)]
    assert told(lake, rows) == ()


@pytest.mark.parametrize("is_of_days", [True, False])
def test_balances_at_the_end_of_each_day_tell_of_no_missing_entry(
    is_of_days: bool, lake: Lake
) -> None:
    """Beside an entry that is the only one of its day they are right."""
    rows = [entry(day, -5, balance=str(95 - 5 * day)) for day in range(1, 9)]
    told_of_both = ("43", "43", "38") if is_of_days else ("50", "38", "33")
    ends = zip((9, 9, 10), (-5, -7, -5), told_of_both, strict=True)
    rows += [entry(day, amount, balance=said) for day, amount, said in ends]
    lacking = () if is_of_days else (f"{JUMP}: 1 row, first at line 11",)
    assert told(lake, rows) == lacking


STATEMENT = """\
:20:REF
:25:{iban}
:28C:{number}/1
:60F:C261001IRR{opening},
:61:26100{day}100{day}D1000,00NTRFNONREF//B{number}
:62F:C261003IRR{closing},
-
"""


def test_balances_of_a_statement_that_does_not_add_up_prove_nothing(
    lake: Lake, tmp_path: Path
) -> None:
    """As a program writes them that knows no balances: each opens and closes at 0."""
    ends = ((1, 5000, 4000), (2, 0, 0), (3, 4000, 3000))
    texts = [
        STATEMENT.format(
            iban=IBAN, number=number, day=number, opening=opening, closing=closing
        )
        for number, opening, closing in ends
    ]
    path = tmp_path / "a.sta"
    path.write_text("".join(texts))
    taken(lake, "bank_statement", path)
    rows = stored(lake, "bank_balances")
    assert [(row["statement"], row["balance"]) for row in rows] == [
        *((1, 4000), (2, -1000), (3, 3000)),
        (2, None),
    ]
    raw = {name: lake.versions(name) for name in ("bank_statement", "bank_balances")}
    with DuckEngine.open(raw, SETTINGS, datetime(2026, 12, 1, tzinfo=UTC)) as engine:
        proving = engine.table("stg_business__bank_balances").to_pylist()
        gaps = engine.table("int_bank_gaps").num_rows
    assert sorted(row["statement"] for row in proving) == [1, 3]
    assert not gaps


@pytest.mark.parametrize("form", TEXTS)
@pytest.mark.parametrize(
    ("closing", "balances"), [("4000", [4000]), ("4001", [4000, None])]
)
def test_each_format_tells_whether_its_entries_lead_to_its_end(
    form: str, closing: str, balances: list[int | None], lake: Lake, tmp_path: Path
) -> None:
    path = tmp_path / NAMES[form]
    path.write_text(TEXTS[form].replace("4000", closing))
    taken(lake, "bank_statement", path)
    assert [row["balance"] for row in stored(lake, "bank_balances")] == balances
