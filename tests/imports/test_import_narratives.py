"""The texts of MT940 entries: lines, braces, dashes, and several :86: of one entry."""

from pathlib import Path

import pytest

from recon.lake import Lake
from recon.reconcile.engines import DuckEngine
from recon.settings import Business, Checks, Settings
from tests.imports.import_cases import IBAN, stored, taken

HEAD = f":20:R\n:25:{IBAN}\n:28C:1/1\n:60F:C261001IRR5000,\n"
ENTRY = ":61:2610021003D1000,NTRF//B1\n"
TAIL = "\n:62F:C261003IRR4000,\n-"


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


def read(lake: Lake, details: str) -> str:
    """Import a statement of one entry with these details; returns its description."""
    path = lake.root.parent / "a.sta"
    path.write_text(f"{HEAD}{ENTRY}{details}{TAIL}")
    assert taken(lake, "bank_statement", path).files[0].warnings == ()
    (row,) = stored(lake, "bank_statement")
    return str(row["description"])


@pytest.mark.parametrize(
    ("details", "told"),
    [
        (":86:one\n:86:two", "one two"),
        (":86:one\nmore\n:86:two\n:86:three", "one more two three"),
        ("own text\n:86:one\n:86:two", "one two"),
        (":86:one\n:86:", "one "),
        (":86:one", "one"),
        ("own text", "own text"),
        (":86:", "None"),
    ],
)
def test_every_text_of_an_entry_is_kept(details: str, told: str, lake: Lake) -> None:
    assert read(lake, details) == told


@pytest.mark.parametrize(
    ("details", "told"),
    [
        (":86:one\n{two}\nthree", "one {two} three"),
        (":86:one\n{two\n:86:three", "one {two three"),
        (":86:one\n-two\nthree", "one -two three"),
        (":86:one\n-\ntwo", "one - two"),
        (":86:one\n-\n-\ntwo", "one - - two"),
        ("{own}\ntext", "{own} text"),
        (":86:one\n-", "one"),
        (":86:one\n-}", "one"),
        (":86:one\n-}\ntwo", "one"),
        (":86:one\n{5:{CHK:1}}\ntwo", "one"),
        (":86:one\n{1:F01BANKIRTH}{2:O940}{4:\n:86:two", "one two"),
    ],
)
def test_a_text_ends_where_its_message_or_field_does(
    details: str, told: str, lake: Lake
) -> None:
    assert read(lake, details) == told


FULL = "x" * 62 + "PAY"  # a line of 65
SHORT = FULL[1:]


@pytest.mark.parametrize(
    ("details", "told"),
    [
        (f":86:{FULL}\nMENT", f"{FULL}\nMENT"),
        (f":86:{FULL[4:]}\nMENT", f"{FULL[4:]}\nMENT"),
        (f":86:{FULL[5:]}\nMENT", f"{FULL[5:]} MENT"),
        (f":86:a\n{FULL}\nMENT", f"a {FULL}\nMENT"),
        (f":86:a\n{SHORT}\nMENT", f"a {SHORT} MENT"),
        (f":86:a\n{FULL}", f"a {FULL}"),
        (f":86:{FULL}\n:86:MENT", f"{FULL} MENT"),
    ],
)
def test_a_full_line_may_end_within_a_word(details: str, told: str, lake: Lake) -> None:
    """65 letters; of the first line the tag may be part of them."""
    assert read(lake, details) == told


@pytest.mark.parametrize("name", ["PAYMENT", "Pay Ment", "pay"])
@pytest.mark.parametrize(
    ("details", "names"),
    [
        (f":86:{FULL}\nMENT", {"PAYMENT", "Pay Ment", "pay"}),
        (f":86:{SHORT}\nMENT", {"Pay Ment", "pay", "PAYMENT"}),
        (f":86:a\n{SHORT}\nMENT", {"Pay Ment", "pay"}),
        (f":86:a\n{FULL}X\nMENT", {"pay"}),
        (":86:nothing", set()),
        ("", set()),
    ],
)
def test_a_name_is_found_on_both_sides_of_a_full_line(
    details: str, names: set[str], name: str, lake: Lake
) -> None:
    read(lake, details)
    settings = Settings(
        business=Business(name="shop"), checks=Checks(provider_names=(name,))
    )
    raw = {"bank_statement": lake.versions("bank_statement")}
    with DuckEngine.open(raw, settings, lake.now()) as engine:
        (line,) = engine.table("int_bank_lines").to_pylist()
    assert line["is_provider_named"] is (name in names)


def test_a_message_after_the_end_of_another_is_read_with_its_own_texts(
    lake: Lake,
) -> None:
    text = f"{HEAD}{ENTRY}:86:one{TAIL}}}{{5:{{CHK:1}}}}\n"
    text += f"{{1:F01BANKIRTH}}{{2:O940}}{{4:\n{HEAD}{ENTRY}:86:two{TAIL}}}"
    (lake.root.parent / "a.sta").write_text(text)
    taken(lake, "bank_statement", lake.root.parent / "a.sta")
    rows = stored(lake, "bank_statement")
    assert [row["description"] for row in rows] == ["one", "two"]
