import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from recon.errors import RefusedFile
from recon.lake import Lake
from tests.imports.import_cases import IBAN, stored, taken

MT940 = f"""\
:20:REF
:25:{IBAN}
:28C:1/1
:60F:C261001IRR5000,
:61:2610021003D1000,00NTRFNONREF//B1
details
:86:to the wallet,
second line
:62F:C261003IRR4000,
-
"""

CAMT = f"""\
<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"><BkToCstmrStmt><Stmt>
<Acct><Id><IBAN>{IBAN}</IBAN></Id></Acct>
<Bal><Tp><CdOrPrtry><Cd>OPBD</Cd></CdOrPrtry></Tp>
<Amt Ccy="IRR">5000</Amt><CdtDbtInd>CRDT</CdtDbtInd></Bal>
<Bal><Tp><CdOrPrtry><Cd>CLBD</Cd></CdOrPrtry></Tp>
<Amt Ccy="IRR">4000</Amt><CdtDbtInd>CRDT</CdtDbtInd></Bal>
<Ntry><NtryRef>N1</NtryRef><Amt Ccy="IRR">1000.00</Amt><CdtDbtInd>DBIT</CdtDbtInd>
<RvslInd>true</RvslInd><Sts>BOOK</Sts><BookgDt><Dt>2026-10-03</Dt></BookgDt>
<ValDt><Dt>2026-10-02</Dt></ValDt><AcctSvcrRef>B1</AcctSvcrRef>
<NtryDtls><TxDtls><AmtDtls><TxAmt><Amt Ccy="USD">7</Amt></TxAmt></AmtDtls>
<RmtInf><Ustrd>to the wallet,</Ustrd><Ustrd>second line</Ustrd></RmtInf></TxDtls>
</NtryDtls></Ntry></Stmt></BkToCstmrStmt></Document>
"""
NAMES = {"mt940": "a.sta", "camt": "a.xml"}
TEXTS = {"mt940": MT940, "camt": CAMT}
LINES = {"mt940": 5, "camt": 8}


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


def read(lake: Lake, name: str, text: str) -> list[dict[str, Any]]:
    path = lake.root.parent / name
    path.write_text(text)
    taken(lake, "bank_statement", path)
    return stored(lake, "bank_statement")


def warnings(lake: Lake, name: str, text: str) -> tuple[str, ...]:
    path = lake.root.parent / name
    path.write_text(text)
    return taken(lake, "bank_statement", path).files[0].warnings


def swapped(form: str, *pairs: tuple[str, str]) -> str:
    text = TEXTS[form]
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return text


def test_a_jalali_year_of_two_digits_is_doubted(lake: Lake) -> None:
    """1405 looks like 2005, and nothing of such a statement would be asked for."""
    text = swapped("mt940", (":61:2610021003", ":61:0507120712"))
    (doubt,) = warnings(lake, "a.sta", text)
    assert doubt == (
        "column booked_at fails the test of years (over 15 years ago; is it a Jalali "
        "date?): 1 row, first at line 5"
    )


@pytest.mark.parametrize("form", ["mt940", "camt"])
def test_an_entry_is_stored_with_its_sign_date_and_reference(
    form: str, lake: Lake
) -> None:
    (row,) = read(lake, NAMES[form], TEXTS[form])
    assert row["booked_at"] == datetime(2026, 10, 2, 20, 30, tzinfo=UTC)
    assert (row["amount"], row["iban"]) == (-1_000, IBAN)
    assert row["description"] == "to the wallet, second line"
    assert json.loads(row["extra"]) == {"reference": "B1"}
    assert row["position"] == LINES[form]


@pytest.mark.parametrize("form", ["mt940", "camt"])
def test_a_statement_is_told_by_its_content(form: str, lake: Lake) -> None:
    assert len(read(lake, "statement.txt", TEXTS[form])) == 1


@pytest.mark.parametrize("form", ["mt940", "camt"])
def test_a_statement_is_of_one_kind_only(form: str, lake: Lake) -> None:
    (lake.root.parent / "a.txt").write_text(TEXTS[form])
    with pytest.raises(RefusedFile, match=r"^a\.txt: is .*; adjustments takes CSV"):
        taken(lake, "adjustments", lake.root.parent / "a.txt")


@pytest.mark.parametrize("form", ["mt940", "camt"])
def test_a_statement_that_adds_up_has_no_warning(form: str, lake: Lake) -> None:
    assert warnings(lake, NAMES[form], TEXTS[form]) == ()


@pytest.mark.parametrize(
    ("form", "closing"), [("mt940", "IRR4000,"), ("camt", ">4000<")]
)
def test_a_statement_that_does_not_add_up_is_doubted(
    form: str, closing: str, lake: Lake
) -> None:
    text = swapped(form, (closing, closing.replace("4000", "4001")))
    (warning,) = warnings(lake, NAMES[form], text)
    assert warning == (
        f"the statement of {IBAN} does not add up: 5,000 and -1,000.00 make "
        "4,000.00, but it closes at 4,001"
    )


@pytest.mark.parametrize(("form", "old"), [("mt940", "IRR"), ("camt", 'Ccy="IRR"')])
def test_another_currency_is_refused(form: str, old: str, lake: Lake) -> None:
    text = swapped(form, (old, old.replace("IRR", "EUR")))
    with pytest.raises(
        RefusedFile,
        match=f"line {LINES[form]}, column currency: 'EUR' is not allowed: rial",
    ) as refused:
        read(lake, NAMES[form], text)
    assert str(refused.value).endswith("rial (IRR)")  # words of settings are not read


@pytest.mark.parametrize(
    ("form", "old", "new"),
    [("mt940", "1000,00", "1000,50"), ("camt", "1000.00", "1000.50")],
)
def test_a_fraction_of_a_rial_is_refused(
    form: str, old: str, new: str, lake: Lake
) -> None:
    with pytest.raises(RefusedFile, match=f"line {LINES[form]}, column amount: "):
        read(lake, NAMES[form], swapped(form, (old, new)))


@pytest.mark.parametrize(
    ("mark", "amount"),
    [("C", 1_000), ("D", -1_000), ("RC", -1_000), ("RD", 1_000), ("CR", 1_000)],
)
def test_an_mt940_reversal_turns_the_sign(mark: str, amount: int, lake: Lake) -> None:
    (row,) = read(lake, "a.sta", swapped("mt940", ("1003D1000", f"1003{mark}1000")))
    assert row["amount"] == amount


@pytest.mark.parametrize(
    ("written", "booked"),
    [
        ("261002", "2026-10-02"),
        ("2612310102", "2027-01-02"),
        ("2701021231", "2026-12-31"),
        ("2402280229", "2024-02-29"),
        ("2602300301", "2026-03-01"),
    ],
)
def test_an_mt940_entry_date_is_the_one_nearest_to_the_value_date(
    written: str, booked: str, lake: Lake
) -> None:
    (row,) = read(lake, "a.sta", swapped("mt940", ("2610021003", written)))
    assert row["booked_at"] == datetime.fromisoformat(f"{booked}T00:00:00+03:30")


@pytest.mark.parametrize("written", ["261302", "260230", "2610021332", "2602280229"])
def test_an_mt940_date_that_is_none_is_refused(written: str, lake: Lake) -> None:
    with pytest.raises(RefusedFile, match=r"line 5, column booked_at: .* is not"):
        read(lake, "a.sta", swapped("mt940", ("2610021003", written)))


@pytest.mark.parametrize(
    ("account", "iban"),
    [
        (f"BANKIRTH/{IBAN}", IBAN),
        (f"{IBAN}IRR", IBAN),
        ("20041010/0602070", "20041010/0602070"),
    ],
)
def test_an_mt940_account_is_its_iban_where_it_has_one(
    account: str, iban: str, lake: Lake
) -> None:
    (row,) = read(lake, "a.sta", swapped("mt940", (f":25:{IBAN}", f":25:{account}")))
    assert row["iban"] == iban


def test_an_mt940_envelope_and_preamble_are_no_fields(lake: Lake) -> None:
    wrapped = "BANK\n940\n" + MT940.replace(":20:", "{1:F01X}{2:O940}{4:\n:20:")
    rows = read(lake, "a.sta", wrapped.replace("\n-\n", "\n-}{5:}\n") + MT940)
    assert [row["position"] for row in rows] == [8, 18]


def test_an_mt940_entry_without_details_keeps_its_own_text(lake: Lake) -> None:
    text = swapped("mt940", (":86:to the wallet,\nsecond line\n", ""))
    (row,) = read(lake, "a.sta", text)
    assert row["description"] == "details"


def test_mt940_details_after_the_closing_balance_belong_to_no_entry(lake: Lake) -> None:
    (row,) = read(lake, "a.sta", swapped("mt940", ("4000,\n", "4000,\n:86:page\n")))
    assert row["description"] == "to the wallet, second line"


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (f":25:{IBAN}\n", "", "line 4: an entry before :25: and :60F:"),
        (":60F:C261001IRR5000,\n", "", "line 4: an entry before :25: and :60F:"),
        ("C261001IRR", "C261001", "line 4: is no opening balance"),
        ("D1000,00", "X1000,00", "line 5: is not an MT940 entry"),
        ("D1000,00", "D,", "line 5: is not an MT940 entry"),
        ("D1000,00", "D1.000,00", "line 5: is not an MT940 entry"),
        ("D1000,00", "D1 000,00", "line 5: is not an MT940 entry"),
        ("IRR5000,", "IRR5.000,", "line 4: is no opening balance"),
        ("IRR4000,", "IRR4.000,", "line 9: is no closing balance"),
        ("IRR4000,", "IRR", "line 9: is no closing balance"),
    ],
)
def test_mt940_is_refused_with_its_line(
    old: str, new: str, reason: str, lake: Lake
) -> None:
    with pytest.raises(RefusedFile, match=rf"^a\.sta, {reason}"):
        read(lake, "a.sta", swapped("mt940", (old, new)))


@pytest.mark.parametrize(
    ("old", "new", "allowed"),
    [
        ("D1000,00", "D1.000,00", "(:61:); allowed: YYMMDD, MMDD or nothing, C, D, RC"),
        ("D1000,00", "ED1000,00", "(:61:); allowed: YYMMDD, MMDD or nothing, C, D, RC"),
        ("IRR5000,", "IRR5.000,", "(:60F:); allowed: C or D, YYMMDD, a currency"),
        (":60F:C261001IRR5000,", ":60M:C261001", "(:60M:); allowed: C or D, YYMMDD"),
        ("IRR4000,", "IRR4.000,", "(:62F:); allowed: C or D, YYMMDD, a currency"),
    ],
)
def test_mt940_is_refused_with_what_is_allowed(
    old: str, new: str, allowed: str, lake: Lake
) -> None:
    with pytest.raises(RefusedFile) as refused:
        read(lake, "a.sta", swapped("mt940", (old, new)))
    assert allowed in str(refused.value)


def test_a_text_without_mt940_fields_is_refused(lake: Lake) -> None:
    with pytest.raises(RefusedFile, match=r"^a\.sta, line 1: is no MT940"):
        read(lake, "a.sta", "hello\n")


def test_camt_entries_that_are_not_booked_are_left_out_and_counted(lake: Lake) -> None:
    text = swapped("camt", ("<Sts>BOOK</Sts>", "<Sts><Cd>PDNG</Cd></Sts>"))
    found = warnings(lake, "a.xml", text)
    assert stored(lake, "bank_statement") == []
    assert "not booked yet and left out: 1 of the entries" in found


def test_a_camt_entry_without_a_booking_date_has_its_value_date(lake: Lake) -> None:
    booked = "<BookgDt><Dt>2026-10-03</Dt></BookgDt>"
    (row,) = read(lake, "a.xml", swapped("camt", (booked, "")))
    assert row["booked_at"] == datetime(2026, 10, 1, 20, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    "written",
    [
        "<DtTm>2026-10-02T20:30:00Z</DtTm>",
        "<Dt>2026-10-03+03:30</Dt>",
        "<Dt>2026-10-03Z</Dt>",  # a day is one wherever the file was written
        "<Dt>2026-10-03-05:00</Dt>",
    ],
)
def test_a_camt_date_may_carry_its_zone(written: str, lake: Lake) -> None:
    (row,) = read(lake, "a.xml", swapped("camt", ("<Dt>2026-10-03</Dt>", written)))
    assert row["booked_at"] == datetime(2026, 10, 2, 20, 30, tzinfo=UTC)


def test_a_camt_document_may_stand_in_an_envelope(lake: Lake) -> None:
    head, _, document = CAMT.partition("\n")
    wrapped = f"{head}\n<Envelope><AppHdr><To/></AppHdr>{document}</Envelope>"
    assert len(read(lake, "a.xml", wrapped)) == 1


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("</Ntry>", "", "line 13: is not UTF-8 XML: mismatched tag"),
        ("BkToCstmrStmt", "BkToCstmrAcctRpt", "line 1: is XML without a camt.053"),
        ("DBIT", "OUT", "line 8, column CdtDbtInd: 'OUT' is not allowed: CRDT, DBIT"),
        ("DBIT", "9" * 5_000, r"line 8, column CdtDbtInd: '9{,99}'… \(5,000 charac"),
        ("1000.00", "", "line 8, column amount: is empty"),
        (f"<IBAN>{IBAN}</IBAN>", "", "line 8, column iban: is empty"),
        (
            "<Document",
            '<!DOCTYPE x [<!ENTITY e "eeee">]>\n<Document',
            "line 1: has a document type",
        ),
        ("<Sts>", "<x>" * 100, "line 9: is nested too deeply"),
    ],
)
def test_camt_is_refused_with_its_line(
    old: str, new: str, reason: str, lake: Lake
) -> None:
    with pytest.raises(RefusedFile, match=rf"^a\.xml, {reason}"):
        read(lake, "a.xml", swapped("camt", (old, new)))


def test_camt_in_another_encoding_is_refused(lake: Lake, tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_bytes(CAMT.replace("second line", "ligne é").encode("latin-1"))
    with pytest.raises(RefusedFile, match="is not UTF-8 XML"):
        taken(lake, "bank_statement", path)


@pytest.mark.parametrize("form", ["mt940", "camt"])
def test_overlapping_statements_give_identical_rows(form: str, lake: Lake) -> None:
    read(lake, "a", TEXTS[form])
    rows = read(lake, "b", TEXTS[form] + "\n")
    assert len(rows) == 2
    assert len({row["record_hash"] for row in rows}) == 1


@pytest.mark.parametrize("last", ["61:2610021003D1000,00", "61:2610021003D10", "86:to"])
def test_an_mt940_that_was_cut_is_refused(last: str, lake: Lake) -> None:
    """A cut may fall within an amount: 1,000 would be 10."""
    cut = MT940[: MT940.index(last) + len(last)]
    with pytest.raises(RefusedFile, match=r"a.sta, line 5: no closing balance"):
        read(lake, "a.sta", cut)
    with pytest.raises(RefusedFile, match="no closing balance"):
        read(lake, "a.sta", f"{cut}\n{MT940}")
    assert stored(lake, "bank_statement") == []


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (MT940[: MT940.index(":61:")], 4),
        (MT940[: MT940.index(":61:")] + MT940, 4),
        (MT940[: MT940.index(":60F:")], 1),
        (MT940.replace("\n", "\r"), 1),
    ],
)
def test_an_mt940_without_an_entry_or_a_closing_balance_is_no_empty_one(
    text: str, line: int, lake: Lake
) -> None:
    with pytest.raises(RefusedFile, match=f"line {line}: no closing balance"):
        read(lake, "a.sta", text)


def test_an_mt940_that_ends_between_its_pages_is_doubted(lake: Lake) -> None:
    first = MT940.replace(":62F:", ":62M:")
    (doubt,) = warnings(lake, "a.sta", first)
    assert "a page of the statement is not in it" in doubt
    second = f":20:R\n:25:{IBAN}\n:60M:C261003IRR4000,\n:62F:C261003IRR4000,\n-\n"
    assert warnings(lake, "b.sta", first + second) == ()


@pytest.mark.parametrize(
    ("form", "old", "new"),
    [("mt940", "D1000,00", "D100,000"), ("camt", "1000.00", "100.000")],
)
def test_three_zeros_are_a_fraction_where_the_format_says_so(
    form: str, old: str, new: str, lake: Lake
) -> None:
    (row,) = read(lake, NAMES[form], swapped(form, (old, new)))
    assert row["amount"] == -100
