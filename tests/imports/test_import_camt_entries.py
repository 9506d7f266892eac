"""Entries of camt.053: only booked ones are taken, and amounts have no sign."""

from pathlib import Path

import pytest

from recon.errors import RefusedFile
from recon.lake import Lake
from tests.imports.import_cases import IBAN, stored
from tests.imports.test_import_statements import CAMT, read, swapped, warnings


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


@pytest.mark.parametrize(
    ("status", "told"),
    [
        ("<Sts><Prtry>VOID</Prtry></Sts>", "VOID"),
        ("<Sts><Prtry>BOOK</Prtry></Sts>", "BOOK"),
        ("<Sts><Cd>BOOK</Cd><Prtry>VOID</Prtry></Sts>", "VOID"),
        ("<Sts>VOID</Sts>", "VOID"),
        ("<Sts><Cd>book</Cd></Sts>", "book"),
    ],
)
def test_a_camt_status_that_is_not_known_is_left_out_by_its_name(
    status: str, told: str, lake: Lake
) -> None:
    text = swapped("camt", ("<Sts>BOOK</Sts>", status))
    found = warnings(lake, "a.xml", text)
    assert stored(lake, "bank_statement") == []
    named = f"left out, as only BOOK is booked: 1 of the entries of status {told!r}"
    assert found[1:] == (named,)
    assert "does not add up" in found[0]


def test_of_many_unknown_camt_statuses_a_warning_names_a_few(lake: Lake) -> None:
    entry = CAMT[CAMT.index("<Ntry>") : CAMT.index("</Stmt>")]
    names = "".join(
        entry.replace("<Sts>BOOK", f"<Sts>{each}")
        for each in ("AA", "B", "C", "D", "B")
    )
    *_, told = warnings(lake, "a.xml", swapped("camt", ("</Stmt>", names + "</Stmt>")))
    assert len(stored(lake, "bank_statement")) == 1
    assert told == (
        "left out, as only BOOK is booked: 2 of the entries of status 'B', 1 of the "
        "entries of status 'AA', 1 of the entries of status 'C', 1 of others"
    )


@pytest.mark.parametrize("status", ["<Sts><Cd>BOOK</Cd></Sts>", ""])
def test_a_camt_entry_that_is_booked_is_taken(status: str, lake: Lake) -> None:
    text = swapped("camt", ("<Sts>BOOK</Sts>", status))
    assert warnings(lake, "a.xml", text) == ()


@pytest.mark.parametrize("direction", ["CRDT", "DBIT"])
@pytest.mark.parametrize("sign", ["-", "+", "\u2212"])
def test_a_camt_amount_with_a_sign_is_refused(
    sign: str, direction: str, lake: Lake
) -> None:
    """It would turn a debit into a credit, or be one twice."""
    text = swapped("camt", ("1000.00", f"{sign}1000.00"), ("DBIT", direction))
    with pytest.raises(
        RefusedFile,
        match=rf"^a\.xml, line 8, column Amt: '\{sign}1000\.00' is not allowed: an "
        r"amount without a sign, since CdtDbtInd says which way it went$",
    ):
        read(lake, "a.xml", text)
    assert stored(lake, "bank_statement") == []


def test_a_camt_amount_with_a_sign_that_is_not_booked_is_left_out(lake: Lake) -> None:
    text = swapped("camt", ("1000.00", "-1000.00"), ("BOOK", "PDNG"))
    assert read(lake, "a.xml", text) == []


def test_a_camt_amount_with_separators_adds_up_as_it_is_taken(lake: Lake) -> None:
    text = swapped("camt", ("1000.00", "1,000.00"))
    assert warnings(lake, "a.xml", text) == ()
    (row,) = stored(lake, "bank_statement")
    assert row["amount"] == -1_000


OF_ACCOUNT = ("</Id></Acct>", "</Id><Ccy>USD</Ccy></Acct>")


def test_a_camt_amount_that_names_no_currency_is_in_that_of_its_account(
    lake: Lake,
) -> None:
    """Dollars would be taken as rials."""
    text = swapped("camt", OF_ACCOUNT, (' Ccy="IRR"', ""))
    told = "column currency: 'USD' is not allowed: rial"
    with pytest.raises(RefusedFile, match=rf"^a\.xml, line 8, {told}"):
        read(lake, "a.xml", text)


def test_a_camt_amount_that_names_its_currency_is_in_that(lake: Lake) -> None:
    (row,) = read(lake, "a.xml", swapped("camt", OF_ACCOUNT))
    assert row["amount"] == -1_000


def test_the_currency_of_an_account_is_that_of_no_other(lake: Lake) -> None:
    statement = CAMT[CAMT.index("<Stmt>") : CAMT.index("</BkToCstmrStmt>")]
    empty = statement[: statement.index("<Ntry>")].replace(*OF_ACCOUNT) + "</Stmt>"
    bare = statement.replace(' Ccy="IRR"', "").replace(IBAN, f"{IBAN[:-1]}9")
    (row,) = read(lake, "a.xml", swapped("camt", (statement, empty + bare)))
    assert row["amount"] == -1_000


ADDED = """<NtryDtls><TxDtls><SplmtryData><PlcAndNm>x</PlcAndNm><Envlp>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:supl.999.001.01"><BkToCstmrStmt><Stmt>
<Ntry><Amt Ccy="IRR">7</Amt></Ntry></Stmt></BkToCstmrStmt></Document>
</Envlp></SplmtryData></TxDtls></NtryDtls></Ntry>"""


def test_a_document_that_a_bank_adds_to_a_camt_entry_hides_none_of_the_next(
    lake: Lake,
) -> None:
    entry = CAMT[CAMT.index("<Ntry>") : CAMT.index("</Stmt>")]
    further = entry.replace("</Ntry>", ADDED) + entry.replace("B1", "B2")
    text = swapped("camt", ("</Stmt>", further + "</Stmt>"), (">4000<", ">2000<"))
    assert warnings(lake, "a.xml", text) == ()
    found = [row["amount"] for row in stored(lake, "bank_statement")]
    assert found == [-1_000] * 3


def test_a_camt_document_within_another_is_refused(lake: Lake) -> None:
    """Nobody could tell whose the entries after it are."""
    inner = CAMT[CAMT.index("<Document") :]
    text = swapped("camt", ("</Ntry>", f"</Ntry>\n{inner}"))
    with pytest.raises(RefusedFile, match="line 14: has a Document within another"):
        read(lake, "a.xml", text)
