"""Entries of camt.053: only booked ones are taken, and amounts have no sign."""

from pathlib import Path

import pytest

from recon.errors import RefusedFile
from recon.lake import Lake
from tests.imports.import_cases import stored
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
