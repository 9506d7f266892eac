"""Files with the business's own headers, as `[imports.columns.<kind>]` names them."""

import json
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from recon.cli.group import run
from recon.errors import RefusedFile, SettingsError
from recon.imports.importing import ImportReport, take
from recon.imports.kinds import KINDS
from recon.imports.naming import Naming, letters
from recon.lake import Lake
from recon.settings import Business, Imports, Settings
from tests.imports.import_cases import SETTINGS, VALID, WRITERS, changed, stored, taken
from tests.imports.import_cases import write_csv as csv_file

PERSIAN = {
    "reference": "شماره سفارش",
    "amount": "مبلغ",
    "status": "وضعیت",
    "occurred_at": "تاریخ پرداخت",
}


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


def named(columns: Mapping[str, str], kind: str = "books") -> Settings:
    return Settings(
        business=Business(name="shop"), imports=Imports(columns={kind: dict(columns)})
    )


def renamed(row: Mapping[str, str], columns: Mapping[str, str]) -> dict[str, str]:
    return {columns.get(name, name): cell for name, cell in row.items()}


def read(
    lake: Lake, path: Path, columns: Mapping[str, str], **options: Any
) -> ImportReport:
    return take("books", [path], named(columns), lake, **options)


def without_places(row: Mapping[str, Any]) -> dict[str, Any]:
    places = ("pull_id", "seen_at")
    return {name: value for name, value in row.items() if name not in places}


@pytest.mark.parametrize("ending", WRITERS)
def test_a_file_with_persian_headers_is_the_file_with_ours(
    lake: Lake, tmp_path: Path, ending: str
) -> None:
    rows = [changed("books", amount="۱٬۲۰۰", shelf="7"), changed("books", amount="5")]
    rows[1]["shelf"] = ""
    theirs = WRITERS[ending](
        tmp_path / f"theirs{ending}", [renamed(row, PERSIAN) for row in rows]
    )
    ours = WRITERS[ending](tmp_path / f"ours{ending}", rows)
    plain = Lake(tmp_path / "plain")
    read(lake, theirs, PERSIAN)
    taken(plain, "books", ours)
    assert [without_places(row) for row in stored(lake, "books")] == [
        without_places(row) for row in stored(plain, "books")
    ]
    assert [row["amount"] for row in stored(lake, "books")] == [1200, 5]


@pytest.mark.parametrize(
    "header",
    [
        "شماره\u200cسفارش",
        "شمارهسفارش",
        " شماره  سفارش ",
        "شماره\u00a0سفارش",
        "شـمـاره سفارش",
        "\u200fشماره سفارش",
        "شمارۀ سفارش",
        "شمارهٔ سفارش",
    ],
)
def test_a_header_is_known_by_its_letters(
    lake: Lake, tmp_path: Path, header: str
) -> None:
    path = csv_file(
        tmp_path / "b.csv", [renamed(VALID["books"], {"reference": header})]
    )
    read(lake, path, {"reference": "شماره سفارش"})
    assert [row["reference"] for row in stored(lake, "books")] == ["1001"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("کد پيگيري", "كد پیگیری"),
        ("مبلغ ۲", "مبلغ 2"),
        ("مبلغ ٢", "مبلغ ۲"),
        ("Order No", "ORDER\u00a0NO"),
    ],
)
def test_letters_of_both_keyboards_are_the_same(one: str, other: str) -> None:
    assert letters(one) == letters(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("مبلغ", "مبالغ"), ("مبلغ 1", "مبلغ 2"), ("order_no", "order-no"), ("a", "b")],
)
def test_other_words_stay_other_words(one: str, other: str) -> None:
    assert letters(one) != letters(other)


@given(st.text(max_size=20))
@example("\U0001d400")  # a capital only once it is taken apart
@examples(max_examples=100)
def test_the_letters_of_a_header_settle_at_once(text: str) -> None:
    assert letters(letters(text)) == letters(text)
    assert letters(f" {text}\u200c") == letters(text)
    assert not any(unicodedata.category(sign) == "Zs" for sign in letters(text))


def test_a_header_to_the_letter_goes_before_one_that_is_alike(
    lake: Lake, tmp_path: Path
) -> None:
    row = changed("books") | {"Total": "7", "total": "9"}
    del row["amount"]
    read(lake, csv_file(tmp_path / "b.csv", [row]), {"amount": "total"})
    assert [row["amount"] for row in stored(lake, "books")] == [9]


def test_two_headers_that_are_alike_are_never_picked_silently(
    lake: Lake, tmp_path: Path
) -> None:
    row = changed("books") | {"Total": "7", "total": "9"}
    path = csv_file(tmp_path / "b.csv", [row])
    with pytest.raises(RefusedFile, match=r"'Total' and 'total': .* 'TOTAL' for am"):
        read(lake, path, {"amount": "TOTAL"})
    assert not lake.commits()


def test_the_files_own_column_of_our_name_gives_way_and_is_kept(
    lake: Lake, tmp_path: Path
) -> None:
    row = changed("books", status="3") | {"state": "paid"}
    read(lake, csv_file(tmp_path / "b.csv", [row]), {"status": "state"})
    (found,) = stored(lake, "books")
    assert found["status"] == "paid"
    assert json.loads(found["extra"]) == {"status": "3"}


def test_columns_may_change_places(lake: Lake, tmp_path: Path) -> None:
    row = changed("books", reference="lamps", description="77")
    swapped = {"reference": "description", "description": "reference"}
    read(lake, csv_file(tmp_path / "b.csv", [row]), swapped)
    (found,) = stored(lake, "books")
    assert (found["reference"], found["description"]) == ("77", "lamps")


def test_currency_and_calendar_have_names_too(lake: Lake, tmp_path: Path) -> None:
    row = changed("books", occurred_at="1405-07-09") | {
        "واحد": "toman",
        "تقویم": "jalali",
    }
    names = {"currency": "واحد", "calendar": "تقویم"}
    read(lake, csv_file(tmp_path / "b.csv", [row]), names)
    (found,) = stored(lake, "books")
    assert found["amount"] == 12_000_000
    assert found["occurred_at"].isoformat() == "2026-09-30T20:30:00+00:00"


@pytest.mark.parametrize("ending", WRITERS)
def test_a_named_column_that_is_not_there_is_refused_by_both_names(
    lake: Lake, tmp_path: Path, ending: str
) -> None:
    path = WRITERS[ending](tmp_path / f"b{ending}", [VALID["books"]])
    with pytest.raises(RefusedFile) as refused:
        read(lake, path, {"reference": "شماره سفارش", "amount": "مبلغ"})
    told = str(refused.value)
    assert told.startswith(f"b{ending}, line 1: imports.columns.books names columns")
    assert "'شماره سفارش' for reference, 'مبلغ' for amount" in told
    assert "there are 'reference', 'amount'" in told
    assert "\n" not in told
    assert not lake.commits()


@pytest.mark.parametrize("ending", WRITERS)
def test_an_optional_named_column_that_is_not_there_is_refused_too(
    lake: Lake, tmp_path: Path, ending: str
) -> None:
    path = WRITERS[ending](tmp_path / f"b{ending}", [VALID["books"]])
    with pytest.raises(RefusedFile, match="missing: 'شرح' for description"):
        read(lake, path, {"description": "شرح"})
    assert not lake.commits()


def test_json_lines_may_leave_a_named_optional_column_out_of_some_rows(
    lake: Lake, tmp_path: Path
) -> None:
    full = renamed(VALID["books"], {"description": "شرح"})
    bare = {name: cell for name, cell in full.items() if name != "شرح"}
    path = WRITERS[".jsonl"](tmp_path / "b.jsonl", [bare, full])
    read(lake, path, {"description": "شرح"})
    found = [row["description"] for row in stored(lake, "books")]
    assert found == [None, "two lamps"]


def test_a_bad_cell_is_refused_by_both_names_of_its_column(
    lake: Lake, tmp_path: Path
) -> None:
    path = csv_file(
        tmp_path / "b.csv", [renamed(changed("books", amount="1.5"), PERSIAN)]
    )
    with pytest.raises(RefusedFile, match=r"line 2, column مبلغ \(amount\): '1.5'"):
        read(lake, path, PERSIAN)


def test_a_failed_check_of_a_row_names_the_column_by_both_names(
    lake: Lake, tmp_path: Path
) -> None:
    row = renamed(changed("gateway_tokens", wage=""), {"wage": "کارمزد"})
    path = csv_file(tmp_path / "t.csv", [row])
    settings = named({"wage": "کارمزد"}, "gateway_tokens")
    with pytest.raises(RefusedFile, match=r"column کارمزد \(wage\): is empty"):
        take("gateway_tokens", [path], settings, lake)


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        ({"refrence": "x"}, "there is no column 'refrence'; it may be reference, am"),
        ({"reference": "x", "amount": " X "}, "reference and amount have one header"),
        ({"amount": " \u200c"}, r"imports\.columns\.books\.amount: the name is empty"),
    ],
)
def test_a_bad_name_in_settings_is_said_before_any_file(
    lake: Lake, tmp_path: Path, columns: dict[str, str], told: str
) -> None:
    with pytest.raises(SettingsError, match=told):
        read(lake, tmp_path / "none.csv", columns)


def test_events_have_the_providers_names_alone(lake: Lake, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"imports\.columns\.events: events are no"):
        take("events", [tmp_path / "e"], named({"type": "kind"}, "events"), lake)


@pytest.mark.parametrize("kind", [name for name in KINDS if name != "events"])
def test_every_column_of_every_kind_may_be_named(kind: str) -> None:
    columns = {column.name: f"ستون {column.name}" for column in KINDS[kind].columns}
    places = KINDS[kind].naming(columns).places(list(columns.values()))
    assert places == {name: at for at, name in enumerate(columns)}


def test_without_names_every_column_has_its_own() -> None:
    naming = Naming("books", ["reference", "amount"], {})
    assert naming.places(["amount", "Reference", "x"]) == {"amount": 0}


def test_the_same_file_under_other_names_is_another_file(
    lake: Lake, tmp_path: Path
) -> None:
    row = changed("books") | {"net": "7", "gross": "9"}
    path = csv_file(tmp_path / "b.csv", [row])
    known = [
        read(lake, path, {"amount": header}).files[0].known
        for header in ("net", "net", "gross", "gross", "net")
    ]
    assert known == [False, True, False, True, False]
    assert [row["amount"] for row in stored(lake, "books")] == [7, 9, 7]


def test_rows_without_a_key_never_count_twice_under_other_names(
    lake: Lake, tmp_path: Path
) -> None:
    row = changed("adjustments") | {"net": "7", "gross": "9"}
    path = csv_file(tmp_path / "a.csv", [row])
    take("adjustments", [path], named({"amount": "net"}, "adjustments"), lake)
    with pytest.raises(RefusedFile, match="would count twice"):
        take("adjustments", [path], named({"amount": "gross"}, "adjustments"), lake)
    again = take("adjustments", [path], named({"amount": "net"}, "adjustments"), lake)
    assert again.files[0].known
    assert len(stored(lake, "adjustments")) == 1


def test_a_statement_of_a_bank_needs_no_names(lake: Lake, tmp_path: Path) -> None:
    path = tmp_path / "s.sta"
    path.write_text(
        ":20:1\n:25:IR820540102680020817909002\n:28C:1\n:60F:C261001IRR100,\n"
        ":61:261001D40,NTRFX\n:86:x\n:62F:C261001IRR60,\n"
    )
    settings = named({"amount": "مبلغ"}, "bank_statement")
    assert take("bank_statement", [path], settings, lake).rows == 1
    assert take("bank_statement", [path], SETTINGS, lake).files[0].known


def test_a_dry_run_tells_which_columns_were_understood(
    lake: Lake, tmp_path: Path
) -> None:
    row = renamed(changed("books", shelf="7"), PERSIAN)
    report = read(lake, csv_file(tmp_path / "b.csv", [row]), PERSIAN, dry_run=True)
    (file,) = report.files
    assert file.columns == {
        **PERSIAN,
        "product": "product",
        "description": "description",
    }
    assert file.further == ("shelf",)
    assert json.loads(json.dumps(report.as_dict()))["files"][0]["columns"]
    assert not lake.commits()


def test_the_command_shows_the_columns_of_a_preview(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "recon.toml").write_text(
        '[business]\nname = "shop"\n'
        '[imports.columns.books]\nreference = "شماره سفارش"\n'
    )
    row = renamed(changed("books", shelf="7"), {"reference": "شماره\u200cسفارش"})
    path = csv_file(tmp_path / "b.csv", [row])
    config = ["--config", str(tmp_path / "recon.toml")]
    assert run(["import", "books", str(path), *config, "--dry-run"]) == 0
    shown = capsys.readouterr().out
    assert "would take 1 row of books from b.csv" in shown
    assert "  reference from شماره" in shown
    assert "kept as they are: shelf" in shown
    wrong = csv_file(tmp_path / "w.csv", [VALID["books"]])
    assert run(["import", "books", str(wrong), *config]) == 2
    told = capsys.readouterr()
    assert "'شماره سفارش' for reference" in told.err
    assert "Traceback" not in told.err
    assert not told.out
