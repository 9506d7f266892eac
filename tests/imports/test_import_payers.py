"""Who paid and who was paid, of an entry of camt.053: names the provider's money."""

from pathlib import Path

import pytest

from recon.lake import Lake
from recon.reconcile.engines import DuckEngine
from recon.settings import Business, Checks, Settings
from tests.imports.import_cases import IBAN, stored, taken


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


def read(
    lake: Lake, parties: str, direction: str = "CRDT", further: str = ""
) -> tuple[str, ...]:
    """Import a statement of one entry with these parties; returns its warnings."""
    path = lake.root.parent / "a.xml"
    path.write_text(
        f"<Document><BkToCstmrStmt><Stmt><Acct><Id><IBAN>{IBAN}</IBAN></Id></Acct>"
        f'<Ntry><Amt Ccy="IRR">1000</Amt><CdtDbtInd>{direction}</CdtDbtInd>{further}'
        "<BookgDt><Dt>2026-10-03</Dt></BookgDt><NtryDtls><TxDtls>"
        f"<RltdPties>{parties}</RltdPties><RmtInf><Ustrd>ref 1</Ustrd></RmtInf>"
        "</TxDtls></NtryDtls></Ntry></Stmt></BkToCstmrStmt></Document>"
    )
    return taken(lake, "bank_statement", path).files[0].warnings


def description(lake: Lake) -> str:
    (row,) = stored(lake, "bank_statement")
    return str(row["description"])


PARTIES = (
    "<Dbtr><Nm>Payer</Nm></Dbtr><UltmtDbtr><Nm>Its buyer</Nm></UltmtDbtr>"
    "<Cdtr><Nm>Payee</Nm></Cdtr><UltmtCdtr><Nm>Its seller</Nm></UltmtCdtr>"
)
NEWER = PARTIES.replace("<Nm>", "<Pty><Nm>").replace("</Nm>", "</Nm></Pty>")
REVERSAL = "<RvslInd>true</RvslInd>"
PAYERS, PAYEES = "ref 1 Payer Its buyer", "ref 1 Payee Its seller"


@pytest.mark.parametrize("parties", [PARTIES, NEWER], ids=["older", "newer"])
@pytest.mark.parametrize(
    ("direction", "further", "told"),
    [
        ("CRDT", "", PAYERS),
        ("DBIT", "", PAYEES),
        ("CRDT", REVERSAL, PAYEES),
        ("DBIT", REVERSAL, PAYERS),
        ("DBIT", REVERSAL.replace("true", "1"), PAYERS),
        ("DBIT", REVERSAL.replace("true", "false"), PAYEES),
    ],
)
def test_the_other_side_of_an_entry_is_in_its_description(
    parties: str, direction: str, further: str, told: str, lake: Lake
) -> None:
    assert read(lake, parties, direction, further) == ()
    assert description(lake) == told


@pytest.mark.parametrize(
    "parties",
    [
        "",
        "<Dbtr/>",
        "<Dbtr><Nm/></Dbtr>",
        "<Dbtr><Id><OrgId><Othr><Nm>x</Nm></Othr></OrgId></Id></Dbtr>",
        "<DbtrAgt><Nm>x</Nm></DbtrAgt>",
        "<Cdtr><Nm>x</Nm></Cdtr>",
    ],
)
def test_an_entry_without_a_name_of_its_other_side_has_none(
    parties: str, lake: Lake
) -> None:
    read(lake, parties)
    assert description(lake) == "ref 1"


def test_a_name_that_is_the_text_already_is_not_said_twice(lake: Lake) -> None:
    read(lake, "<Dbtr><Nm>ref 1</Nm></Dbtr><UltmtDbtr><Nm>Ali</Nm></UltmtDbtr>")
    assert description(lake) == "ref 1 Ali"


def test_the_names_of_a_day_in_one_entry_never_make_its_file_too_large(
    lake: Lake,
) -> None:
    """A cell has 1 MiB at most; what is left out is told."""
    names = (f"<Dbtr><Nm>{at:0140d}</Nm></Dbtr>" for at in range(10_000))
    (warning,) = read(lake, "".join(names))
    assert warning == (
        "have more names of payers or payees than are kept: 1 of the entries"
    )
    assert len(description(lake)) == 5 + 1_859 * 141  # 256 KiB of names


@pytest.mark.parametrize(
    ("party", "is_named"), [("Dbtr", True), ("UltmtDbtr", True), ("Cdtr", False)]
)
def test_a_settlement_is_known_by_the_name_of_its_payer(
    party: str, is_named: bool, lake: Lake
) -> None:
    read(lake, f"<{party}><Pty><Nm>PAYWELL Co.</Nm></Pty></{party}>")
    settings = Settings(
        business=Business(name="shop"), checks=Checks(provider_names=("Paywell",))
    )
    raw = {"bank_statement": lake.versions("bank_statement")}
    with DuckEngine.open(raw, settings, lake.now()) as engine:
        (line,) = engine.table("int_bank_lines").to_pylist()
    assert line["is_provider_named"] is is_named
