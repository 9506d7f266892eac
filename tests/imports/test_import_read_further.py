"""Statements of which more is read than by the release that stored their rows."""

from itertools import permutations
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from recon.errors import RefusedFile, UsageError
from recon.imports.importing import take
from recon.imports.voiding import void
from recon.lake import Lake
from recon.settings import Business, Settings
from tests.imports.import_cases import IBAN, stored, taken, write_csv
from tests.imports.stored_before import entry, stored_before
from tests.imports.test_import_staging import staged

PAID = "settlement"


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


def camt(lake: Lake, name: str, *payees: str | None, amount: int = 1_000_000) -> Path:
    """A statement with one debit to each of these; they differ in nothing else."""
    entries = [
        f'<Ntry><Amt Ccy="IRR">{amount}</Amt><CdtDbtInd>DBIT</CdtDbtInd>'
        "<BookgDt><Dt>2026-10-03</Dt></BookgDt><AcctSvcrRef>B1</AcctSvcrRef>"
        f"<AddtlNtryInf>{PAID}</AddtlNtryInf><NtryDtls><TxDtls><RltdPties>"
        + (f"<Cdtr><Nm>{payee}</Nm></Cdtr>" if payee else "")
        + "</RltdPties></TxDtls></NtryDtls></Ntry>"
        for payee in payees
    ]
    path = lake.root.parent / f"{name}.xml"
    path.write_text(
        "<Document><BkToCstmrStmt><Stmt>"
        f"<Acct><Id><IBAN>{IBAN}</IBAN></Id></Acct>{''.join(entries)}"
        f"</Stmt></BkToCstmrStmt></Document><!-- {name} -->"
    )
    return path


def descriptions(lake: Lake) -> list[str]:
    return sorted(row["description"] or "" for row in staged(lake, "bank_statement"))


def texts(*payees: str) -> list[str]:
    return sorted(f"{PAID} {payee}".strip() for payee in payees)


def test_a_file_of_an_earlier_release_is_taken_again_and_counts_once(
    lake: Lake,
) -> None:
    path = camt(lake, "a", "Paywell", "Ali")
    stored_before(lake, path, [entry(PAID), entry(PAID)])
    assert descriptions(lake) == texts("", "")
    before = staged(lake, "bank_statement")
    assert taken(lake, "bank_statement", path).files[0].taken
    assert descriptions(lake) == texts("Ali", "Paywell")
    places = [
        [(row["pull_id"], row["position"], row["record_hash"]) for row in rows]
        for rows in (before, staged(lake, "bank_statement"))
    ]
    assert places[0] == places[1]
    assert taken(lake, "bank_statement", path).files[0].known
    assert len(stored(lake, "bank_statement")) == 4


def test_a_file_that_tells_nothing_more_is_known(lake: Lake) -> None:
    path = camt(lake, "a", None)
    stored_before(lake, path, [entry(PAID)])
    assert taken(lake, "bank_statement", path).files[0].known
    assert descriptions(lake) == texts("")


def test_the_row_of_an_empty_text_is_known_again(lake: Lake) -> None:
    path = camt(lake, "a", "Paywell")
    path.write_text(path.read_text().replace(PAID, ""))
    stored_before(lake, path, [entry(None)])
    assert taken(lake, "bank_statement", path).files[0].taken
    assert descriptions(lake) == ["Paywell"]


def test_an_overlapping_file_counts_the_rows_of_an_earlier_release_once(
    lake: Lake,
) -> None:
    stored_before(lake, camt(lake, "a", "Ali", "Reza"), [entry(PAID), entry(PAID)])
    taken(lake, "bank_statement", camt(lake, "b", "Reza", amount=7))
    taken(lake, "bank_statement", camt(lake, "c", "Reza"))
    assert len(descriptions(lake)) == 3
    taken(lake, "bank_statement", camt(lake, "d", "Reza", "Ali", "Sara"))
    assert descriptions(lake) == texts("Ali", "Reza", "Reza", "Sara")


@pytest.mark.parametrize("order", [*permutations(["before", "part", "whole"])])
def test_the_order_of_files_is_all_one(order: tuple[str, ...], lake: Lake) -> None:
    """Also where an earlier release is used again for a while."""
    whole = camt(lake, "whole", "Ali", "Ali", "Reza")
    part = camt(lake, "part", "Ali")
    for step in order:
        if step == "before":
            stored_before(lake, camt(lake, "b", "Ali", "Ali"), [entry(PAID)] * 2)
        else:
            taken(lake, "bank_statement", {"part": part, "whole": whole}[step])
    assert descriptions(lake) == texts("Ali", "Ali", "Reza")


def test_entries_of_two_files_that_differ_in_the_payee_both_count(lake: Lake) -> None:
    taken(lake, "bank_statement", camt(lake, "a", "Ali"))
    taken(lake, "bank_statement", camt(lake, "b", "Reza"))
    taken(lake, "bank_statement", camt(lake, "c", None))
    assert descriptions(lake) == texts("", "Ali", "Reza")


def test_entries_of_one_file_that_differ_in_the_payee_repeat_nothing(
    lake: Lake,
) -> None:
    (file,) = taken(lake, "bank_statement", camt(lake, "a", "Ali", "Reza")).files
    assert file.repeated_rows == 0
    (file,) = taken(lake, "bank_statement", camt(lake, "b", "Ali", "Ali")).files
    assert file.repeated_rows == 1
    assert descriptions(lake) == texts("Ali", "Ali", "Reza")


def test_rows_of_a_table_are_those_of_an_earlier_release(
    lake: Lake, tmp_path: Path
) -> None:
    """A table's cells are read as ever, and its rows keep their hashes."""
    cells = {
        "booked_at": "2026-10-03",
        "amount": "-1000000",
        "description": PAID,
        "iban": IBAN,
        "reference": "B1",
    }
    taken(lake, "bank_statement", write_csv(tmp_path / "a.csv", [cells]))
    (row,) = stored(lake, "bank_statement")
    assert row["record_hash"] == entry(PAID)["record_hash"]
    taken(lake, "bank_statement", camt(lake, "a", "Paywell"))
    assert descriptions(lake) == texts("Paywell")


def test_a_second_text_and_a_broken_line_make_no_other_row(lake: Lake) -> None:
    """The last :86: alone was read, to its first brace, with spaces between lines."""
    full = "TRANSFER TO PAY".rjust(65, "x")
    text = (
        f":20:R\n:25:{IBAN}\n:60F:C261001IRR5000000,\n"
        ":61:2610031003D1000000,NTRF//B1\n:86:first\n:86:second\n{third\nfourth\n"
        f":61:2610031003D2000000,NTRF//B1\n:86:{full}\nMENT\n:62F:C261003IRR2000000,\n-"
    )
    path = lake.root.parent / "a.sta"
    path.write_text(text)
    rows = [entry("second"), entry(f"{full} MENT", amount=-2_000_000)]
    stored_before(lake, path, rows)
    assert taken(lake, "bank_statement", path).files[0].taken
    assert descriptions(lake) == sorted(["first second {third fourth", f"{full}\nMENT"])


def test_another_zone_is_still_taken_back_first(lake: Lake) -> None:
    """Its rows are other ones: both would count."""
    path = camt(lake, "a", "Paywell")
    stored_before(lake, path, [entry(PAID)])
    utc = Settings(business=Business(name="shop", timezone=ZoneInfo("UTC")))
    with pytest.raises(RefusedFile, match="take it back first"):
        take("bank_statement", [path], utc, lake)


def test_taking_a_file_back_takes_back_both_of_its_imports(lake: Lake) -> None:
    path = camt(lake, "a", "Paywell")
    stored_before(lake, path, [entry(PAID)])
    taken(lake, "bank_statement", path)
    assert len(void("bank_statement", [path], lake).voided) == 2
    assert descriptions(lake) == []
    taken(lake, "bank_statement", path)
    assert descriptions(lake) == texts("Paywell")


def test_a_file_that_came_with_others_names_them_to_be_taken_back(lake: Lake) -> None:
    paths = [camt(lake, name, name) for name in "ab"]
    taken(lake, "bank_statement", *paths)
    with pytest.raises(UsageError, match=r"name these, too"):
        void("bank_statement", paths[:1], lake)
    assert len(void("bank_statement", paths, lake).voided) == 1
