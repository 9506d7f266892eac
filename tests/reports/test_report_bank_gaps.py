"""What is not held against the bank for want of a statement: figures and words."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from recon.charts import Look
from recon.reconcile.disclosures.bank_gaps import gap_words, gaps
from recon.reconcile.engines import DuckEngine
from recon.reports import bank_matches
from recon.reports.periods import Period
from recon.reports.verdict import in_words
from recon.settings import Business, Settings
from tests.builders import AS_OF, BANK, lake_tables
from tests.reports.test_report_verdict import ENGLISH, FARSI, RULES
from tests.reports.test_report_verdict import summary as of_a_run

SETTINGS = Settings(business=Business(name="shop"))
NOVEMBER = datetime(2026, 11, 20, tzinfo=UTC)
BILLION = 10**9
OTHER = "IR000000000000000000000009"
Row = dict[str, Any]


def at(day: int) -> datetime:
    """Half past noon of a day of October 2026 in Tehran; 32 is November 1."""
    return datetime(2026, 10, 1, 9, tzinfo=UTC) + timedelta(days=day - 1)


def line(day: int, file: str, iban: str = BANK) -> Row:
    return {"booked_at": at(day), "amount": 1, "pull_id": file, "iban": iban}


def deposit(name: str, day: int, amount: int) -> Row:
    return {
        "track_id": name,
        "gateway_transaction_id": name,
        "requested_at": at(day),
        "amount": amount,
    }


def settled(day: int, amount: int) -> Row:
    return {"at": at(day), "amount": -amount, "kind": "settlement"}


def found(
    given: dict[str, list[Row]],
    period: Period | None = None,
    as_of: datetime = NOVEMBER,
) -> list[Row]:
    with DuckEngine.open(lake_tables(given), SETTINGS, as_of) as engine:
        return gaps(engine.query, (period or Period()).condition())


GIVEN: dict[str, list[Row]] = {
    "deposits": [
        deposit("a", 4, 5),  # its days are the last ones that are covered
        deposit("b", 8, 1_200_000_000),  # queued over the end of the file
        deposit("c", 12, 7),
        deposit("d", 30, 9),
        deposit("e", 15, 11),
    ],
    "adjustments": [settled(15, 300), settled(35, 400)],
    "bank_statement": [
        *(line(day, "a") for day in (1, 7, 10)),
        *(line(day, "b") for day in (30, 36, 40)),
        {"booked_at": at(10), "amount": -11, "pull_id": "a"},
        *(line(day, "c", OTHER) for day in (1, 9, 17, 25, 33, 40)),
    ],
}
"""10 is the last day before the gap, 30 the first one after it."""


def test_what_the_bank_may_have_booked_between_two_statements_is_counted() -> None:
    assert found(GIVEN) == [
        {
            "iban": BANK,
            "from": "2026-10-11",
            "to": "2026-10-29",
            "deposits": 3,
            "amount": 1_200_000_018,
            "settlements": 1,
            "settled": 300,
        }
    ]
    early = Period(date(2026, 10, 1), date(2026, 10, 12))
    (gap,) = found(GIVEN, early)
    assert (gap["deposits"], gap["amount"]) == (2, 1_200_000_007)
    assert (gap["settlements"], gap["settled"]) == (0, 0)


def test_a_gap_in_which_nothing_is_awaited_is_not_told() -> None:
    quiet_ones = {"bank_statement": GIVEN["bank_statement"]}
    assert found(quiet_ones) == []
    assert found(quiet_ones | {"deposits": [deposit("a", 4, 5)]}) == []
    filled = [*GIVEN["bank_statement"], line(10, "f"), line(30, "f")]
    assert found(GIVEN | {"bank_statement": filled}) == []


def test_what_the_bank_may_still_book_is_not_told_yet() -> None:
    late = {"deposits": [deposit("a", 29, 5)], "adjustments": [settled(29, 300)]}
    given = late | {"bank_statement": GIVEN["bank_statement"]}
    assert found(given, as_of=at(31)) == []
    (gap,) = found(given)
    assert (gap["amount"], gap["settled"]) == (5, 300)


def test_deposits_of_a_gap_are_awaited_in_the_list_of_matches() -> None:
    with DuckEngine.open(lake_tables(GIVEN), SETTINGS, NOVEMBER) as engine:
        rows = bank_matches.table(engine, SETTINGS, Period()).to_pylist()  # type: ignore[arg-type]
        missing = engine.table("check_bank_debit_missing").to_pylist()
    assert {row["track_id"]: row["status"] for row in rows} == {
        **dict.fromkeys("bce", "awaited"),
        **dict.fromkeys("ad", "missing"),
    }
    assert sorted(row["record_id"] for row in missing) == ["a", "d"]
    assert AS_OF < NOVEMBER


GAP = {
    "iban": "IR1",
    "from": "2026-10-11",
    "to": "2026-10-29",
    "deposits": 3,
    "amount": 1_200_000_018,
    "settlements": 1,
    "settled": 300,
}
SPAN = "IR1 from 2026-10-11 to 2026-10-29"
LOST = SPAN.replace("IR1", "IR2\ufffd")
SETTLED, SUM = "1 settlement of 300 rials", "that come to 9,000 rials"
ONE = GAP | {"deposits": 1, "amount": 5, "settlements": 0, "settled": 0}
MANY = GAP | {"deposits": 0, "amount": 0, "settlements": 2, "settled": 9_000}


@pytest.mark.parametrize(
    ("told", "words"),
    [
        (
            [GAP],
            f"{SPAN} (3 deposits that come to 1,200,000,018 rials, {SETTLED})",
        ),
        (
            [ONE, MANY | {"iban": "IR2\x1b"}],
            f"{SPAN} (1 deposit of 5 rials), {LOST} (2 settlements {SUM})",
        ),
        ([ONE | {"to": "2026-10-11"}], "IR1 on 2026-10-11 (1 deposit of 5 rials)"),
        (
            [ONE] * 8,
            ", ".join([f"{SPAN} (1 deposit of 5 rials)"] * 5) + ", and 3 more",
        ),
    ],
)
def test_gaps_are_told_in_one_sentence(told: list[Row], words: str) -> None:
    sentence = "Not held against the bank, since no statement has those days: "
    assert gap_words(told) == f"{sentence}{words}."


def test_what_balances_prove_has_a_sentence_of_its_own() -> None:
    lost, gained = ONE | {"missing": -1_200_000_005}, MANY | {"missing": 7}
    alone = {"deposits": 0, "settlements": 0, "missing": 3}
    sentence = (
        "Entries are missing between the bank's statements, as their balances show, "
        "and are compared with nothing: "
    )
    given = [lost, GAP, gained, GAP | alone]
    assert gap_words(given) == (
        f"{gap_words([GAP])} {sentence}"
        f"{SPAN} (net debits of 1,200,000,005 rials, 1 deposit of 5 rials), "
        f"{SPAN} (net credits of 7 rials, 2 settlements {SUM}), "
        f"{SPAN} (net credits of 3 rials)."
    )


def test_what_could_not_be_read_is_told_before_what_is_not_compared() -> None:
    given = of_a_run(bank_gaps=[GAP], stale={"accounts": "2026-10-01T00:00:00Z"})
    words = in_words(given, RULES, {}, ENGLISH).sentences
    assert [each for each in words if "accounts" in each or "Not held" in each] == [
        next(each for each in words if "accounts" in each),
        f"{gap_words([GAP])}",
    ]


@pytest.mark.parametrize("look", [ENGLISH, FARSI])
def test_the_page_tells_of_gaps_in_its_language(look: Look) -> None:
    told = [GAP, ONE, MANY | {"from": GAP["to"]}, MANY | {"missing": -5}]
    words = in_words(of_a_run(bank_gaps=told), RULES, {}, look).sentences
    (sentence,) = (each for each in words if "IR1" in each)
    assert (gap_words(told) == sentence) is (look is ENGLISH)
    assert ("1,200,000,018" in sentence) is (look is ENGLISH)
    assert ("Not held" in sentence) is (look is ENGLISH)
    if look is FARSI:
        assert "از ۱۴۰۵/۰۷/۱۹ تا ۱۴۰۵/۰۸/۰۷" in sentence
        assert "خالص برداشت ۵ ریال" in sentence
        assert "IR1 در ۱۴۰۵/۰۸/۰۷ (" in sentence
        assert "۳ واریز، در مجموع ۱٬۲۰۰٬۰۰۰٬۰۱۸ ریال" in sentence
    assert len(in_words(of_a_run(), RULES, {}, look).sentences) == len(words) - 1
