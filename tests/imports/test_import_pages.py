"""Pages of an MT940 statement: one that is not in the file is told, with figures."""

from pathlib import Path

import pytest

from recon.errors import RefusedFile
from recon.lake import Lake
from tests.imports.import_cases import IBAN, stored, taken

OTHER = "IR062960000000100324200001"
LACKS = f"the statement of {IBAN} lacks a page: "


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


def page(
    number: str, opens: str, closes: str, *, tags: str = "MM", account: str = IBAN
) -> str:
    """A page of one entry, which is what its balances differ by; six lines."""
    moved = int(closes) - int(opens)
    entry = f"{'C' if moved >= 0 else 'D'}{abs(moved)},"
    return (
        f":20:R\n:25:{account}\n"
        + (f":28C:{number}\n" if number else ":NS:\n")
        + f":60{tags[0]}:C261001IRR{opens},\n:61:261002{entry}NTRF//B\n"
        + f":62{tags[1]}:C261003IRR{closes},\n-\n"
    )


def warnings(lake: Lake, *pages: str) -> tuple[str, ...]:
    path = lake.root.parent / "a.sta"
    path.write_text("".join(pages))
    (file,) = taken(lake, "bank_statement", path).files
    assert len(stored(lake, "bank_statement")) == len(pages)
    return file.warnings


FIRST = page("7/1", "50", "40", tags="FM")
LAST = page("7/3", "30", "20", tags="MF")


def test_pages_that_go_on_have_no_warning(lake: Lake) -> None:
    assert warnings(lake, FIRST, page("7/2", "40", "30"), LAST) == ()


def test_a_page_that_is_missing_in_the_middle_is_told_with_both_figures(
    lake: Lake,
) -> None:
    (warning,) = warnings(lake, FIRST, LAST)
    assert warning == (
        f"{LACKS}page 1 closes at 40 (:62M:, line 6), and page 3 opens at 30 "
        "(:60M:, line 11)"
    )


@pytest.mark.parametrize(
    ("pages", "one", "other"),
    [
        # its entries come to nothing: the numbers tell
        (
            [FIRST, page("7/3", "40", "30", tags="MF")],
            "page 1 closes at 40 (:62M:, line 6)",
            "page 3 opens at 40 (:60M:, line 11)",
        ),
        # no numbers: the balances tell
        (
            [page("", "50", "40", tags="FM"), page("", "1030", "20", tags="MF")],
            "a page closes at 40 (:62M:, line 6)",
            "a page opens at 1,030 (:60M:, line 11)",
        ),
        # numbers that are all alike: the balances tell
        (
            [page("1", "50", "40", tags="FM"), page("1", "30", "20", tags="MF")],
            "a page closes at 40 (:62M:, line 6)",
            "a page opens at 30 (:60M:, line 11)",
        ),
        # the last page of one statement
        (
            [FIRST, page("8/1", "30", "20", tags="FF")],
            "page 1 closes at 40 (:62M:, line 6)",
            "page 1 opens at 30 (:60F:, line 11)",
        ),
        # the first page of the next
        (
            [page("7/1", "50", "40", tags="FF"), page("8/2", "30", "20", tags="MF")],
            "page 1 closes at 40 (:62F:, line 6)",
            "page 2 opens at 30 (:60M:, line 11)",
        ),
        (
            [page("7/1", "50", "40", tags="FF"), page("8/2", "40", "30", tags="MF")],
            "page 1 closes at 40 (:62F:, line 6)",
            "page 2 opens at 40 (:60M:, line 11)",
        ),
        (
            [page("7/1", "50", "40", tags="FF"), page("7/3", "40", "30", tags="MF")],
            "page 1 closes at 40 (:62F:, line 6)",
            "page 3 opens at 40 (:60M:, line 11)",
        ),
        # every page opens and closes as if it were whole
        (
            [page("7/1", "50", "40", tags="FF"), page("7/3", "30", "20", tags="FF")],
            "page 1 closes at 40 (:62F:, line 6)",
            "page 3 opens at 30 (:60F:, line 11)",
        ),
        # the first page of all
        (
            [LAST],
            "page 3 opens at 30 (:60M:, line 4)",
            "the one before it is not in the file",
        ),
    ],
)
def test_each_way_of_missing_a_page_is_told(
    pages: list[str], one: str, other: str, lake: Lake
) -> None:
    assert warnings(lake, *pages) == (f"{LACKS}{one}, and {other}",)


@pytest.mark.parametrize(
    "pages",
    [
        # numbers that are all alike, or none
        [page("1", "50", "40", tags="FM"), page("1", "40", "30", tags="MF")],
        [page("1/1", "50", "40", tags="FM"), page("1/1", "40", "30", tags="MF")],
        [page("", "50", "40", tags="FM"), page("", "40", "30", tags="MF")],
        [page("x", "50", "40", tags="FM"), page("y", "40", "30", tags="MF")],
        # a number for each page
        [page("7", "50", "40", tags="FM"), page("8", "40", "30", tags="MF")],
        # whole statements, of which some are in other files
        [page("7/1", "50", "40", tags="FF"), page("9/1", "30", "20", tags="FF")],
        [page("7", "50", "40", tags="FF"), page("9", "30", "20", tags="FF")],
        [page("7/1", "50", "40", tags="FF"), page("7/1", "30", "20", tags="FF")],
        # a page that closes as if it were the last
        [page("7/1", "50", "40", tags="FF"), page("7/2", "40", "30", tags="MF")],
        [page("", "50", "40", tags="FF"), page("", "40", "30", tags="MF")],
        # two accounts, page by page
        [
            FIRST,
            page("7/1", "5", "4", tags="FM", account=OTHER),
            page("7/2", "40", "30", tags="MF"),
            page("7/2", "4", "3", tags="MF", account=OTHER),
        ],
    ],
)
def test_what_may_be_whole_has_no_warning(pages: list[str], lake: Lake) -> None:
    assert warnings(lake, *pages) == ()


def test_the_statement_of_another_currency_is_no_page_between_two(lake: Lake) -> None:
    euros = page("7/1", "5", "5", tags="FF").replace("IRR", "EUR")
    euros = euros.replace(":61:261002C0,NTRF//B\n", "")
    path = lake.root.parent / "a.sta"
    path.write_text(FIRST + euros + page("7/2", "40", "30", tags="MF"))
    (file,) = taken(lake, "bank_statement", path).files
    assert (file.rows, file.warnings) == (2, ())


def test_each_account_that_goes_on_after_the_end_of_the_file_is_told(
    lake: Lake,
) -> None:
    """Also where that of another one ends."""
    whole = page("7/1", "5", "4", tags="FF", account=OTHER)
    assert warnings(lake, FIRST, whole) == (
        f"it ends with :62M:, so a page of the statement is not in it ({IBAN})",
    )


ONE = page("7/1", "50", "40", tags="FF")
TWO = page("7/1", "500", "490", tags="FF", account=OTHER)


@pytest.mark.parametrize(
    "further",
    [
        TWO,
        # without its own :20:
        TWO.removeprefix(":20:R\n"),
        # of the same account
        page("7/2", "40", "30", tags="FF").removeprefix(":20:R\n"),
        page("7/2", "40", "30", tags="FF").removeprefix(f":20:R\n:25:{IBAN}\n"),
    ],
)
def test_each_statement_of_a_message_adds_up_by_itself(
    further: str, lake: Lake
) -> None:
    assert warnings(lake, ONE, further) == ()


def test_a_further_statement_of_a_message_that_does_not_add_up_is_told(
    lake: Lake,
) -> None:
    """Its balances and its entries alone count."""
    wrong = TWO.removeprefix(":20:R\n").replace("D10,", "D7,")
    (told,) = warnings(lake, ONE, wrong)
    assert told == (
        f"the statement of {OTHER} does not add up: 500 and -7 make 493, but it closes "
        "at 490"
    )


def test_entries_between_two_closing_balances_go_on_from_the_first(lake: Lake) -> None:
    """Some banks close a day within a statement, and open none."""
    days = ONE.removesuffix("-\n") + ":61:261003D5,NTRF//B\n:62F:C261003IRR35,\n-\n"
    path = lake.root.parent / "a.sta"
    path.write_text(days)
    (file,) = taken(lake, "bank_statement", path).files
    assert (file.rows, file.warnings) == (2, ())


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        # cut, and followed by another: the balances of that one would count for both
        (ONE[: ONE.index(":62F:")] + TWO.removeprefix(":20:R\n"), "line 5: no closing"),
        (ONE[: ONE.index(":61:")] + TWO.removeprefix(":20:R\n"), "line 4: no closing"),
        (
            ONE + TWO.removeprefix(":20:R\n").replace(":60F:C261001IRR500,\n", ""),
            "line 10: an entry before :25: and :60F:",
        ),
    ],
)
def test_a_statement_takes_no_balance_of_another(
    text: str, reason: str, lake: Lake
) -> None:
    (lake.root.parent / "a.sta").write_text(text)
    with pytest.raises(RefusedFile, match=reason):
        taken(lake, "bank_statement", lake.root.parent / "a.sta")


def test_a_file_that_ends_within_the_head_of_a_message_is_doubted(lake: Lake) -> None:
    path = lake.root.parent / "a.sta"
    path.write_text(ONE + TWO[: TWO.index(":60F:")])
    (told,) = taken(lake, "bank_statement", path).files[0].warnings
    assert told == "its last message (:20:, line 8) has no balances: was it cut?"
    path.write_text(TWO[: TWO.index(":60F:")] + ONE)  # of another kind, it may be
    assert taken(lake, "bank_statement", path).files[0].warnings == ()
