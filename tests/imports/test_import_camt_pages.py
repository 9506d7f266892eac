"""Pages of a camt.053 statement, and the interim balances between them."""

from pathlib import Path

import pytest

from recon.lake import Lake
from tests.imports.import_cases import IBAN, taken

OTHER = "IR062960000000100324200001"
LACKS = f"the statement of {IBAN} lacks a page: "
NOT_LAST = "which is not the last one (LastPgInd), so a page of the statement is not in"


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


def balance(code: str, value: int, day: str = "", amount: str = "") -> str:
    """A balance, on one line; its code may be followed by a subtype."""
    kind, _, subtype = code.partition(" ")
    side = "CRDT" if value >= 0 else "DBIT"
    written = amount or abs(value)
    return (
        f"<Bal><Tp><CdOrPrtry><Cd>{kind}</Cd></CdOrPrtry>"
        + (f"<SubTp><Cd>{subtype}</Cd></SubTp>" if subtype else "")
        + f'</Tp><Amt Ccy="IRR">{written}</Amt><CdtDbtInd>{side}</CdtDbtInd>'
        + (f"<Dt><Dt>{day}</Dt></Dt>" if day else "")
        + "</Bal>\n"
    )


def entry(moved: int) -> str:
    side = "CRDT" if moved >= 0 else "DBIT"
    return (
        f'<Ntry><Amt Ccy="IRR">{abs(moved)}</Amt><CdtDbtInd>{side}</CdtDbtInd>'
        "<Sts>BOOK</Sts><BookgDt><Dt>2026-10-03</Dt></BookgDt></Ntry>\n"
    )


def statement(
    balances: str, moved: int, *, account: str = IBAN, page: str = "", last: str = ""
) -> str:
    numbers = f"<PgNb>{page}</PgNb>" if page else ""
    numbers += f"<LastPgInd>{last}</LastPgInd>" if last else ""
    return (
        "<Stmt>"
        + (f"<StmtPgntn>{numbers}</StmtPgntn>" if numbers else "")
        + f"<Acct><Id><IBAN>{account}</IBAN></Id></Acct>\n"
        + f"{balances}{entry(moved)}</Stmt>"
    )


def message(*statements: str, page: str = "", last: str = "") -> str:
    numbers = f"<PgNb>{page}</PgNb><LastPgInd>{last}</LastPgInd>" if page else ""
    return (
        "<Document><BkToCstmrStmt>"
        + (f"<GrpHdr><MsgPgntn>{numbers}</MsgPgntn></GrpHdr>" if numbers else "")
        + f"{''.join(statements)}</BkToCstmrStmt></Document>"
    )


def warnings(lake: Lake, *messages: str) -> tuple[str, ...]:
    path = lake.root.parent / "a.xml"
    path.write_text(f"<Messages>{''.join(messages)}</Messages>")
    (file,) = taken(lake, "bank_statement", path).files
    assert file.rows == path.read_text().count("<Ntry>")
    return file.warnings


def ends(first: str, opens: int, last: str, closes: int) -> str:
    return balance(first, opens) + balance(last, closes)


ENDS = {  # how banks write the ends of three pages, the balances 50, 40, 30 and 20
    "interim": ("OPBD", "ITBD", "ITBD", "ITBD", "ITBD", "CLBD"),
    "previous": ("PRCD", "ITBD", "ITBD", "ITBD", "ITBD", "CLBD"),
    "intermediate": (
        *("OPBD", "CLBD INTM", "OPBD INTM", "CLBD INTM", "OPBD INTM", "CLBD"),
    ),
    "subtypes": (
        *("OPBD", "ITBD CIBD", "ITBD OIBD", "ITBD CIBD", "ITBD OIBD", "CLBD"),
    ),
}


def pages(form: str, *, of_statement: bool) -> list[str]:
    codes, found = ENDS[form], []
    for at in range(3):
        first, last = codes[2 * at : 2 * at + 2]
        balances = ends(first, 50 - 10 * at, last, 40 - 10 * at)
        says = {"page": str(at + 1), "last": "true" if at == 2 else "false"}
        if of_statement:
            found.append(message(statement(balances, -10, **says)))
        else:
            found.append(message(statement(balances, -10), **says))
    return found


FORMS = pytest.mark.parametrize("form", ENDS)
LEVELS = pytest.mark.parametrize("of_statement", [True, False])


@FORMS
@LEVELS
def test_pages_that_go_on_have_no_warning(
    form: str, of_statement: bool, lake: Lake
) -> None:
    assert warnings(lake, *pages(form, of_statement=of_statement)) == ()


@FORMS
@LEVELS
def test_a_page_after_which_others_are_missing_is_told(
    form: str, of_statement: bool, lake: Lake
) -> None:
    first, second, _ = pages(form, of_statement=of_statement)
    assert warnings(lake, first) == (f"it ends with page 1, {NOT_LAST} it ({IBAN})",)
    (told,) = warnings(lake, first, second)
    assert told == f"it ends with page 2, {NOT_LAST} it ({IBAN})"


@FORMS
@LEVELS
def test_a_page_before_which_others_are_missing_is_told(
    form: str, of_statement: bool, lake: Lake
) -> None:
    *_, last = pages(form, of_statement=of_statement)
    (told,) = warnings(lake, last)
    assert told == (
        f"{LACKS}page 3 opens at 30 ({ENDS[form][4]}, line 2), and the one before it "
        "is not in the file"
    )


@FORMS
@LEVELS
def test_a_page_that_is_missing_in_the_middle_is_told_with_both_figures(
    form: str, of_statement: bool, lake: Lake
) -> None:
    first, _, last = pages(form, of_statement=of_statement)
    (told,) = warnings(lake, first, last)
    assert told == (
        f"{LACKS}page 1 closes at 40 ({ENDS[form][1]}, line 3), and page 3 opens at 30 "
        f"({ENDS[form][4]}, line 6)"
    )


@FORMS
@LEVELS
@pytest.mark.parametrize("at", [0, 1, 2])
def test_each_page_that_does_not_add_up_is_told(
    form: str, of_statement: bool, at: int, lake: Lake
) -> None:
    found = pages(form, of_statement=of_statement)
    found[at] = found[at].replace(entry(-10), entry(-7))
    opens, closes = 50 - 10 * at, 40 - 10 * at
    (told,) = warnings(lake, *found)
    assert told == (
        f"the statement of {IBAN} does not add up: {opens} and -7 make {opens - 7}, "
        f"but it closes at {closes}"
    )


WHOLE = ends("OPBD", 50, "CLBD", 40)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        # nothing but the entries, and no closing balance
        (message(statement(balance("OPBD", 50), -10, last="false")), "a page"),
        (
            message(statement(balance("OPBD", 50), -10), page="1", last="false"),
            "page 1",
        ),
        (message(statement("", -10), page="4", last="0"), "page 4"),
        # the statement itself goes on, whatever it closes with
        (message(statement(WHOLE, -10, page="1", last="false")), "page 1"),
    ],
)
def test_a_page_that_is_not_the_last_is_told(text: str, told: str, lake: Lake) -> None:
    found = warnings(lake, text)
    assert found[-1] == f"it ends with {told}, {NOT_LAST} it ({IBAN})"


@pytest.mark.parametrize(
    "texts",
    [
        [message(statement(WHOLE, -10))],
        [message(statement(WHOLE, -10, page="1", last="true"))],
        # the message goes on, and the statement in it is whole
        [message(statement(WHOLE, -10), page="1", last="false")],
        [message(statement(WHOLE, -10), page="2", last="true")],
        # a number that is none of a page
        [message(statement(WHOLE, -10, page="276"))],
        # a day's balance so far
        [message(statement(ends("OPBD", 50, "ITBD", 40), -10))],
        [message(statement(balance("ITBD", 7), -10))],
        [message(statement(ends("ITBD", 7, "CLBD", 40), -10))],
        [message(statement(balance("OPBD", 50) + ends("ITBD", 7, "CLBD", 40), -10))],
        # either end: nobody knows which
        [
            message(statement(balance("OPBD", 50), -10, page="1", last="false")),
            message(statement(balance("ITBD", 7), -10, page="2", last="true")),
        ],
        # every page opens as if it were whole
        [
            message(statement(ends("OPBD", 50, "ITBD", 40), -10), page="1", last="0"),
            message(statement(ends("OPBD", 40, "CLBD", 30), -10), page="2", last="1"),
        ],
        # two statements of one account, of two pages each
        [
            *pages("interim", of_statement=True),
            message(statement(ends("OPBD", 20, "ITBD", 10), -10, page="1", last="0")),
            message(statement(ends("ITBD", 10, "CLBD", 0), -10, page="2", last="1")),
        ],
        # two accounts, page by page
        [
            message(
                statement(ends("OPBD", 50, "ITBD", 40), -10),
                statement(ends("OPBD", 5, "ITBD", 2), -3, account=OTHER),
                page="1",
                last="false",
            ),
            message(
                statement(ends("ITBD", 40, "CLBD", 30), -10),
                statement(ends("ITBD", 2, "CLBD", 1), -1, account=OTHER),
                page="2",
                last="true",
            ),
        ],
    ],
)
def test_what_may_be_whole_has_no_warning(texts: list[str], lake: Lake) -> None:
    assert warnings(lake, *texts) == ()


def test_the_statement_of_another_currency_is_no_page_between_two(lake: Lake) -> None:
    first, second, last = pages("interim", of_statement=True)
    euros = message(statement(ends("OPBD", 5, "CLBD", 5), 0, page="1", last="true"))
    euros = euros.replace("IRR", "EUR").replace(entry(0).replace("IRR", "EUR"), "")
    assert warnings(lake, first, euros, second, last) == ()


def test_an_account_whose_page_is_not_the_last_is_told_before_that_of_another(
    lake: Lake,
) -> None:
    whole = message(statement(ends("OPBD", 5, "CLBD", 4), -1, account=OTHER))
    (told,) = warnings(lake, pages("interim", of_statement=False)[0], whole)
    assert told == f"it ends with page 1, {NOT_LAST} it ({IBAN})"


def test_the_last_page_of_one_statement_and_the_second_of_the_next_lack_the_first(
    lake: Lake,
) -> None:
    """Also where its entries came to nothing."""
    found = pages("interim", of_statement=True)
    second = statement(ends("ITBD", 20, "CLBD", 10), -10, page="2", last="true")
    (told,) = warnings(lake, *found, message(second))
    assert told == (
        f"{LACKS}page 3 closes at 20 (CLBD, line 11), and page 2 opens at 20 "
        "(ITBD, line 14)"
    )


@pytest.mark.parametrize(
    ("balances", "moved", "told"),
    [
        # balances of each day, in any order
        ([("OPBD", 50, 1), ("CLBD", 40, 1), ("OPBD", 40, 2), ("CLBD", 20, 2)], -30, ""),
        ([("OPBD", 40, 2), ("CLBD", 20, 2), ("OPBD", 50, 1), ("CLBD", 40, 1)], -30, ""),
        (
            [("OPBD", 50, 1), ("CLBD", 40, 1), ("OPBD", 40, 2), ("CLBD", 20, 2)],
            -20,
            "30",
        ),
        # of which one is held back
        ([("OPBD", 50, 1), ("CLBD", 20, 1), ("CLBD BLKD", 7, 1)], -30, ""),
        ([("OPBD", 50, 1), ("CLBD", 21, 1), ("CLBD BLKD", 20, 1)], -30, "20"),
    ],
)
def test_a_statement_adds_up_from_its_first_balance_to_its_last(
    balances: list[tuple[str, int, int]],
    moved: int,
    told: str,
    lake: Lake,
) -> None:
    text = "".join(balance(*each[:2], f"2026-10-0{each[2]}") for each in balances)
    found = warnings(lake, message(statement(text, moved)))
    assert [f"make {told}," in each for each in found] == ([True] if told else [])


@pytest.mark.parametrize(
    ("old", "written"),
    [
        (">40<", "-40"),
        (">40<", "4,0"),
        (">40<", "x"),
        ("CRDT</CdtDbtInd></Bal>\n<Ntry", "40 OUT"),
    ],
)
def test_a_balance_that_cannot_be_read_is_told(
    old: str, written: str, lake: Lake
) -> None:
    new = f">{written}<" if old == ">40<" else old.replace("CRDT", "OUT")
    text = message(statement(WHOLE, -10))
    assert text.count(old) == 1
    shown = f"{written} CRDT" if old == ">40<" else written
    (told,) = warnings(lake, text.replace(old, new))
    assert told == (
        f"the statement of {IBAN} has a balance that cannot be read "
        f"(CLBD, line 3): '{shown}'"
    )


def test_a_balance_that_is_not_booked_need_not_be_read(lake: Lake) -> None:
    text = WHOLE + balance("CLAV", 7, amount="-7") + balance("FWAV", 7, amount="x")
    assert warnings(lake, message(statement(text, -10))) == ()


def test_an_overdrawn_account_adds_up(lake: Lake) -> None:
    assert warnings(lake, message(statement(ends("OPBD", 5, "CLBD", -5), -10))) == ()
