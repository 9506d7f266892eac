"""A header that says toman, where nothing says the currency: ten times too little."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from recon.errors import RefusedFile
from recon.imports.importing import FileReport, take
from recon.imports.naming import says_toman
from recon.lake import Lake
from recon.settings import Business, Imports, Settings
from tests.imports.import_cases import VALID, WRITERS, stored

MONEY = {
    "books": "amount",
    "balances": "available_balance",
    "deposits": "requested_amount",
    "adjustments": "amount",
    "bank_statement": "amount",
    "tariff": "maximum",
    "gateway_tokens": "real_amount",
    "hosted_checkouts": "amount",
}
TOMAN = "مبلغ (تومان)"


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


def read(
    lake: Lake,
    kind: str,
    headers: Mapping[str, str],
    *,
    suffix: str = ".csv",
    values: Mapping[str, str] | None = None,
    settings: Imports | None = None,
    **cells: str,
) -> FileReport:
    """Import the valid row of a kind, some columns under other headers."""
    row = {
        headers.get(name, name): cell for name, cell in (VALID[kind] | cells).items()
    }
    path = WRITERS[suffix](lake.root.parent / f"a{suffix}", [row])
    imports = settings or Imports(columns={kind: dict(headers)})
    given = Settings(business=Business(name="shop"), imports=imports)
    return take(kind, [path], given, lake, values=values).files[0]


@pytest.mark.parametrize("kind", MONEY)
def test_a_file_of_any_kind_is_refused_with_what_to_state(
    kind: str, lake: Lake
) -> None:
    column = MONEY[kind]
    with pytest.raises(RefusedFile) as caught:
        read(lake, kind, {column: TOMAN})
    assert str(caught.value) == (
        f"a.csv, line 2, column {TOMAN} ({column}): its header says toman, and nothing "
        "says the currency (rial or toman): state it by --value currency=toman, by "
        f'currency = "toman" in [imports.values.{kind}], or in a column currency'
    )
    assert lake.commits() == []


@pytest.mark.parametrize("suffix", WRITERS)
def test_a_file_of_any_format_is_refused(suffix: str, lake: Lake) -> None:
    with pytest.raises(RefusedFile, match="its header says toman"):
        read(lake, "books", {"amount": "amount (toman)"}, suffix=suffix)


@pytest.mark.parametrize("suffix", WRITERS)
@pytest.mark.parametrize(("currency", "rials"), [("toman", 10), ("rial", 1)])
def test_a_stated_currency_counts_whatever_the_header_says(
    currency: str, rials: int, suffix: str, lake: Lake
) -> None:
    headers = {"amount": "amount (toman)"}
    values = {"currency": currency}
    read(lake, "books", headers, suffix=suffix, values=values)
    assert stored(lake, "books")[0]["amount"] == 1_200_000 * rials


def test_the_currency_may_stand_in_settings_or_in_a_column(lake: Lake) -> None:
    headers = {"amount": TOMAN}
    imports = Imports(
        columns={"adjustments": headers}, values={"adjustments": {"currency": "toman"}}
    )
    read(lake, "adjustments", headers, settings=imports)
    read(lake, "adjustments", headers, currency="toman", note="another file")
    assert [row["amount"] for row in stored(lake, "adjustments")] == [-2_500_000] * 2


@pytest.mark.parametrize("currency", ["", " "])
def test_an_empty_cell_of_a_column_says_nothing(currency: str, lake: Lake) -> None:
    with pytest.raises(RefusedFile, match="its header says toman"):
        read(lake, "books", {"amount": TOMAN}, currency=currency)
    read(lake, "books", {}, currency=currency)
    assert stored(lake, "books")[0]["amount"] == 1_200_000


@pytest.mark.parametrize("column", ["debit", "credit"])
def test_either_side_of_a_statement_may_say_it(column: str, lake: Lake) -> None:
    headers = {"debit": "برداشت", "credit": "واریز", "amount": "amount"}
    headers |= {column: f"{headers[column]} به تومان"}
    del headers["amount"]
    with pytest.raises(RefusedFile, match=rf"\({column}\): its header says toman"):
        read(lake, "bank_statement", headers, debit="5", credit="")


def test_columns_that_are_no_amounts_of_the_row_say_nothing(lake: Lake) -> None:
    """`amount_toman` is the contract's own, beside the one in rials."""
    read(lake, "deposits", {})
    read(lake, "books", {"description": "note in toman"})
    read(lake, "adjustments", {}, **{TOMAN: "25000"})
    assert stored(lake, "deposits")[0]["amount_toman"] == 100_000_000
    assert stored(lake, "adjustments")[0]["amount"] == -250_000


@pytest.mark.parametrize(
    "header",
    [
        *("amount (toman)", "Amount_Tomans", "amountToman", "AMOUNT/TOMAN", "tomān"),
        *("IRT", "amount TMN", "Tuman"),
        *(TOMAN, "مبلغ به تومن", "تـومان", "مبلغ تومانی"),
    ],
)
def test_a_header_that_says_toman(header: str) -> None:
    assert says_toman(header)


@pytest.mark.parametrize(
    "header",
    [
        *("amount", "amount (rial)", "custom analysis", "amount to manager"),
        *("customanalysis", "Ottomans", "firth", "", "IRR", "to man", "مبلغ (ریال)"),
    ],
)
def test_a_header_that_does_not(header: str) -> None:
    assert not says_toman(header)
