from pathlib import Path

import pytest

from recon.errors import RefusedFile
from recon.imports.kinds import KINDS
from recon.lake import Lake
from tests.imports.import_cases import (
    IBAN,
    STORED,
    VALID,
    changed,
    stored,
    taken,
    write_csv,
)

PROVENANCE = {"pull_id", "seen_at", "record_hash", "page_no", "position"}


# The cells that a row must fill, and those that it may leave empty, by kind.
FILLED = {
    "books": {"reference", "amount", "status", "occurred_at"},
    "balances": {"at", "balance", "available_balance", "iban"},
    "deposits": set(VALID["deposits"]) - {"settled_at", "requested_amount", "outcome"},
    "adjustments": {"at", "amount", "kind"},
    "bank_statement": {"booked_at", "amount", "iban"},
    "tariff": {"product", "rate_bps", "fixed", "valid_from"},
    "gateway_tokens": {"token", "amount", "sent_at"},
    "hosted_checkouts": {"checkout_id", "amount", "sent_at"},
}
# The columns that a header may lack.
OPTIONAL = {
    "books": {"product", "description"},
    "deposits": {"settled_at", "requested_amount", "outcome"},
    "gateway_tokens": {"real_amount", "wage", "verified_at"},
}
SIGNED = {
    ("balances", "balance"),
    ("balances", "available_balance"),
    ("adjustments", "amount"),
    ("bank_statement", "amount"),
}
AMOUNTS = {
    "books": ["amount"],
    "balances": ["balance", "available_balance"],
    "deposits": ["amount", "wage", "requested_amount"],
    "adjustments": ["amount"],
    "bank_statement": ["amount"],
    "tariff": ["fixed", "maximum"],
    "gateway_tokens": ["amount", "real_amount", "wage"],
    "hosted_checkouts": ["amount"],
}
WHOLE = {"deposits": ["amount_toman", "wage_toman"], "tariff": ["rate_bps"]}
ALL_COLUMNS = [(kind, name) for kind, row in VALID.items() for name in row]


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


def one(lake: Lake, kind: str, path: Path, /, **cells: str) -> dict[str, object]:
    taken(lake, kind, write_csv(path, [changed(kind, **cells)]))
    (row,) = stored(lake, kind)
    return {name: value for name, value in row.items() if name not in PROVENANCE}


@pytest.mark.parametrize("kind", VALID)
def test_a_valid_row_is_stored_in_rials_and_utc(
    kind: str, lake: Lake, tmp_path: Path
) -> None:
    assert one(lake, kind, tmp_path / "a.csv") == STORED[kind]


def test_every_kind_but_events_is_tried_here() -> None:
    assert set(VALID) == set(KINDS) - {"events"}


@pytest.mark.parametrize("kind", VALID)
def test_the_columns_order_is_free(kind: str, lake: Lake, tmp_path: Path) -> None:
    turned = dict(reversed(VALID[kind].items()))
    taken(lake, kind, write_csv(tmp_path / "a.csv", [turned]))
    (row,) = stored(lake, kind)
    assert {name: row[name] for name in STORED[kind]} == STORED[kind]


@pytest.mark.parametrize(("kind", "column"), ALL_COLUMNS)
def test_a_header_without_a_column(
    kind: str, column: str, lake: Lake, tmp_path: Path
) -> None:
    row = {name: cell for name, cell in VALID[kind].items() if name != column}
    if kind == "gateway_tokens" and column in OPTIONAL[kind]:
        row |= dict.fromkeys(OPTIONAL[kind] - {column}, "")
    path = write_csv(tmp_path / "a.csv", [row])
    if column in OPTIONAL.get(kind, set()):
        assert taken(lake, kind, path).rows == 1
        assert stored(lake, kind)[0][column] is None
        return
    with pytest.raises(
        RefusedFile, match=rf"a\.csv, line 1: required columns are missing: {column} "
    ):
        taken(lake, kind, path)


@pytest.mark.parametrize("blank", ["", "  "])
@pytest.mark.parametrize(("kind", "column"), ALL_COLUMNS)
def test_an_empty_cell(
    kind: str, column: str, blank: str, lake: Lake, tmp_path: Path
) -> None:
    row = changed(kind, **{column: blank})
    if kind == "gateway_tokens" and column in OPTIONAL[kind]:
        row |= dict.fromkeys(OPTIONAL[kind], blank)
    path = write_csv(tmp_path / "a.csv", [row])
    if column not in FILLED[kind]:
        taken(lake, kind, path)
        expected = "*" if column == "payment_method" else None
        assert stored(lake, kind)[0][column] == expected
        return
    with pytest.raises(RefusedFile, match=rf"line 2, column {column}: is empty"):
        taken(lake, kind, path)


@pytest.mark.parametrize(
    ("kind", "column"), [(kind, name) for kind in AMOUNTS for name in AMOUNTS[kind]]
)
def test_a_minus_counts_only_in_signed_columns(
    kind: str, column: str, lake: Lake, tmp_path: Path
) -> None:
    path = write_csv(tmp_path / "a.csv", [changed(kind, **{column: "-1,000"})])
    if (kind, column) in SIGNED:
        taken(lake, kind, path)
        assert stored(lake, kind)[0][column] == -1_000
        return
    with pytest.raises(RefusedFile, match=f"column {column}: .*a minus is not allowed"):
        taken(lake, kind, path)


@pytest.mark.parametrize("kind", AMOUNTS)
def test_toman_are_ten_rials_in_every_amount_and_in_nothing_else(
    kind: str, lake: Lake, tmp_path: Path
) -> None:
    row = one(lake, kind, tmp_path / "a.csv", currency="toman")
    for name, value in STORED[kind].items():
        factor = 10 if name in AMOUNTS[kind] and isinstance(value, int) else 1
        assert row[name] == (value * factor if factor == 10 else value), name  # type: ignore[operator]


@pytest.mark.parametrize(
    ("kind", "column"), [(kind, name) for kind in WHOLE for name in WHOLE[kind]]
)
@pytest.mark.parametrize("cell", ["-1", "0.5", "1e3", "ten"])
def test_whole_numbers_are_strict_too(
    kind: str, column: str, cell: str, lake: Lake, tmp_path: Path
) -> None:
    with pytest.raises(RefusedFile, match=f"line 2, column {column}: "):
        one(lake, kind, tmp_path / "a.csv", **{column: cell})


def test_a_minimum_is_not_above_its_maximum(lake: Lake, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    with pytest.raises(RefusedFile, match="column minimum: 40,001 rials are more than"):
        one(lake, "tariff", path, minimum="40001")
    assert one(lake, "tariff", path, minimum="40000")["minimum"] == 40_000


@pytest.mark.parametrize(("cell", "allowed"), [("10000", True), ("10001", False)])
def test_a_wage_above_its_amount_is_no_rate(
    cell: str, allowed: bool, lake: Lake, tmp_path: Path
) -> None:
    if allowed:
        assert one(lake, "tariff", tmp_path / "a.csv", rate_bps=cell)["rate_bps"]
        return
    with pytest.raises(RefusedFile, match="line 2, column rate_bps: 10,001 is more"):
        one(lake, "tariff", tmp_path / "a.csv", rate_bps=cell)


@pytest.mark.parametrize(
    ("kind", "column", "allowed"),
    [
        ("books", "status", "paid, unpaid, refunded"),
        ("books", "product", "unified, gateway, hosted, escrow, cash_in, or empty"),
        ("deposits", "outcome", "unknown, or empty"),
        ("tariff", "product", "unified, gateway, hosted, escrow, cash_in"),
    ],
)
@pytest.mark.parametrize("cell", ["Paid", "x", "unknown paid"])
def test_an_enumeration_says_what_is_allowed(
    kind: str, column: str, allowed: str, cell: str, lake: Lake, tmp_path: Path
) -> None:
    with pytest.raises(RefusedFile) as caught:
        one(lake, kind, tmp_path / "a.csv", **{column: cell})
    assert str(caught.value) == (
        f"a.csv, line 2, column {column}: {cell!r} is not allowed: {allowed}; "
        f"[imports.words.{kind}.{column}] says what other words mean"
    )


ENTRY = [
    "gateway_transaction_id",
    "amount",
    "amount_toman",
    "wage",
    "wage_toman",
    "status",
    "iban",
    "receipt_url",
]


def test_a_deposit_of_unknown_outcome_may_leave_its_entry_empty(
    lake: Lake, tmp_path: Path
) -> None:
    row = one(
        lake,
        "deposits",
        tmp_path / "a.csv",
        outcome="unknown",
        **dict.fromkeys(ENTRY, ""),
    )
    assert row["outcome"] == "unknown"
    assert {row[name] for name in ENTRY} == {None}


def test_a_deposit_of_unknown_outcome_may_keep_what_it_has(
    lake: Lake, tmp_path: Path
) -> None:
    row = one(lake, "deposits", tmp_path / "a.csv", outcome="unknown")
    assert row == STORED["deposits"] | {"outcome": "unknown"}


@pytest.mark.parametrize("column", ["track_id", "requested_at"])
def test_a_deposit_of_unknown_outcome_still_says_which_and_when(
    column: str, lake: Lake, tmp_path: Path
) -> None:
    with pytest.raises(RefusedFile, match=f"column {column}: is empty"):
        one(lake, "deposits", tmp_path / "a.csv", outcome="unknown", **{column: ""})


@pytest.mark.parametrize(
    ("cell", "expected"),
    [("31.0", "31"), ("۳۱", "31"), ("٣١", "31"), ("031", "031")],
)
def test_a_deposits_id_is_one_however_exports_write_it(
    cell: str, expected: str, lake: Lake, tmp_path: Path
) -> None:
    row = one(lake, "deposits", tmp_path / "a.csv", gateway_transaction_id=cell)
    assert row["gateway_transaction_id"] == expected


@pytest.mark.parametrize("column", ["real_amount", "wage", "verified_at"])
def test_a_verify_answer_is_whole_or_absent(
    column: str, lake: Lake, tmp_path: Path
) -> None:
    with pytest.raises(RefusedFile, match=f"column {column}: is empty; real_amount"):
        one(lake, "gateway_tokens", tmp_path / "a.csv", **{column: ""})


@pytest.mark.parametrize(
    "cell",
    [
        "IR82 0540 1026 8002 0817 9090 02",
        "ir820540102680020817909002",
        "IR۸۲۰۵۴۰۱۰۲۶۸۰۰۲۰۸۱۷۹۰۹۰۰۲",
        " IR82-0540-1026-8002-0817-9090-02 ",
    ],
)
def test_an_iban_is_one_however_people_write_it(
    cell: str, lake: Lake, tmp_path: Path
) -> None:
    assert one(lake, "balances", tmp_path / "a.csv", iban=cell)["iban"] == IBAN


def test_what_is_no_iban_is_kept_and_doubted(lake: Lake, tmp_path: Path) -> None:
    rows = [
        changed("balances", iban=iban, at=f"2026-10-0{day}T00:00")
        for day, iban in enumerate((IBAN, "Wallet 7", IBAN[:-1] + "3"), start=1)
    ]
    report = taken(lake, "balances", write_csv(tmp_path / "a.csv", rows))
    assert [row["iban"] for row in stored(lake, "balances")] == [
        IBAN,
        "Wallet 7",
        IBAN[:-1] + "3",
    ]
    assert report.files[0].warnings == (
        "column iban fails the checksum of an IBAN: 2 rows, first at line 3",
    )


def test_a_tariff_may_be_valid_since_ever(lake: Lake, tmp_path: Path) -> None:
    row = changed("tariff", valid_from="1990-01-01")
    report = taken(lake, "tariff", write_csv(tmp_path / "a.csv", [row]))
    assert report.files[0].warnings == ()


def test_a_national_code_among_the_extra_columns_is_doubted_not_shown(
    lake: Lake, tmp_path: Path
) -> None:
    rows = [
        changed("books", national_code=code)
        for code in ("0499370899", "0499370898", "")
    ]
    report = taken(lake, "books", write_csv(tmp_path / "a.csv", rows))
    (warning,) = report.files[0].warnings
    assert warning == (
        "column national_code fails the checksum of a national code: "
        "1 row, first at line 3"
    )


def test_a_header_that_is_almost_ours_is_told_not_read(
    lake: Lake, tmp_path: Path
) -> None:
    """With `Currency` beside them, toman would pass for rials unsaid."""
    toman = changed("books", Currency="toman")
    with pytest.raises(RefusedFile, match="column Currency: says toman, and is not"):
        taken(lake, "books", write_csv(tmp_path / "a.csv", [toman]))
    rows = [changed("books", Currency="rial", note="x")] * 2
    report = taken(lake, "books", write_csv(tmp_path / "a.csv", rows))
    assert report.files[0].warnings == (
        "'Currency' is kept as it is, not read as currency: 2 rows, first at line 2",
    )
    fed = changed("books", Currency="toman", currency="rial")
    report = taken(lake, "books", write_csv(tmp_path / "b.csv", [fed]))
    assert report.files[0].warnings == ()


@pytest.mark.parametrize(
    ("units", "told"),
    [
        (("toman", "", "\u00a0"), "line 3, column currency: is empty in 2 rows, and"),
        (("", "Toman"), "line 2, column currency: is empty in 1 row, and toman in"),
    ],
)
def test_an_empty_currency_beside_toman_is_refused(
    units: tuple[str, ...], told: str, lake: Lake, tmp_path: Path
) -> None:
    """So looks a cell that a sheet merged over several rows."""
    rows = [changed("books", currency=unit) for unit in units]
    path = write_csv(tmp_path / "a.csv", rows)
    with pytest.raises(RefusedFile, match=told):
        taken(lake, "books", path)
    assert lake.commits() == []
    taken(lake, "books", path, values={"currency": "rial"})
    assert len(stored(lake, "books")) == len(units)


@pytest.mark.parametrize("units", [("", "rial"), ("", "")])
def test_an_empty_currency_beside_rials_is_one(
    units: tuple[str, ...], lake: Lake, tmp_path: Path
) -> None:
    rows = [changed("books", currency=unit) for unit in units]
    report = taken(lake, "books", write_csv(tmp_path / "a.csv", rows))
    assert report.files[0].warnings == ()


@pytest.mark.parametrize("kind", ["books", "adjustments", "bank_statement", "tariff"])
def test_extra_columns_are_kept_as_they_are(
    kind: str, lake: Lake, tmp_path: Path
) -> None:
    row = one(lake, kind, tmp_path / "a.csv", zone=" 5 ", رنگ="=1+1", empty="")
    assert row["extra"] == '{"empty":"","zone":" 5 ","رنگ":"=1+1"}'


@pytest.mark.parametrize("kind", ["balances", "deposits", "hosted_checkouts"])
def test_extra_columns_of_other_kinds_stay_in_the_stored_file(
    kind: str, lake: Lake, tmp_path: Path
) -> None:
    assert one(lake, kind, tmp_path / "a.csv", further="x") == STORED[kind]


def test_text_that_a_spreadsheet_would_run_is_stored_untouched(
    lake: Lake, tmp_path: Path
) -> None:
    text = '=HYPERLINK("http://x","y")'
    row = one(lake, "books", tmp_path / "a.csv", reference=text, description=text)
    assert (row["reference"], row["description"]) == (text, text)


def test_a_description_is_kept_to_the_letter_and_names_without_spaces(
    lake: Lake, tmp_path: Path
) -> None:
    row = one(lake, "books", tmp_path / "a.csv", reference=" 7 ", description=" a\nb ")
    assert (row["reference"], row["description"]) == ("7", " a\nb ")
