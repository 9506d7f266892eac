"""Entries that no statement has, as the balances of those around them prove."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from recon.reconcile.disclosures.bank_gaps import gap_words, gaps
from recon.reconcile.engines import DuckEngine
from recon.settings import Business, Settings
from tests.builders import BANK, lake_tables

SETTINGS = Settings(business=Business(name="shop"))
NOW = datetime(2026, 12, 1, tzinfo=UTC)
BEGIN = datetime(2026, 10, 1, 5, tzinfo=UTC)  # half past eight in Tehran
OPENING = 10**15
Row = dict[str, Any]
Entry = tuple[datetime, int, int]  # when, rials, the balance after


def history(steps: Sequence[tuple[int, int]], opening: int = OPENING) -> list[Entry]:
    """Entries, each some minutes after the one before it, and of some rials."""
    found, at, balance = [], BEGIN, opening
    for minutes, amount in steps:
        at, balance = at + timedelta(minutes=minutes), balance + amount
        found.append((at, amount, balance))
    return found


def tables(files: Sequence[Sequence[Entry]], *, told: bool = True) -> dict[str, Any]:
    entries, balances = [], []
    for number, file in enumerate(files):
        for position, (at, amount, balance) in enumerate(file, start=2):
            place = {"pull_id": f"{number}", "page_no": 1, "position": position}
            row = {"booked_at": at, "amount": amount, **place}
            text = {"extra": f"{balance}", "record_hash": f"{at}{amount}{balance}"}
            entries.append(row | text)
            balances.append(row | {"balance": balance})
    rows = {"bank_statement": entries}
    return rows | ({"bank_balances": balances} if told else {})


def found(rows: dict[str, list[Row]]) -> list[tuple[date, date, int | None]]:
    """First and last day of each gap, and what is missing."""
    day = timedelta(days=1)
    with DuckEngine.open(lake_tables(rows), SETTINGS, NOW) as engine:
        return sorted(
            (
                row["after_date"] + day,
                row["before_date"] - day,
                row["missing_rial"],
            )
            for row in engine.table("int_bank_gaps").to_pylist()
        )


def day(at: datetime) -> date:
    return (at + timedelta(hours=3, minutes=30)).date()


def entry(hours: int, amount: int, balance: int) -> Entry:
    return BEGIN + timedelta(hours=hours), amount, balance


MONDAY = [entry(0, -5, 95), entry(1, -20, 75), entry(2, 10, 85)]
TUESDAY = [entry(24, -1_200_000_000, -1_199_999_915)]
WEDNESDAY = [entry(48, 15, -1_199_999_900), entry(49, 5, -1_199_999_895)]


def test_a_day_that_was_not_imported_is_told_where_it_was_taken_for_quiet() -> None:
    days = [MONDAY, TUESDAY, WEDNESDAY]
    assert found(tables(days)) == []
    without = tables([MONDAY, WEDNESDAY])
    first, last = date(2026, 10, 1), date(2026, 10, 3)
    assert found(without) == [(first, last, -1_200_000_000)]
    assert found(tables([MONDAY, WEDNESDAY], told=False)) == []
    with DuckEngine.open(lake_tables(without), SETTINGS, NOW) as engine:
        (told,) = gaps(engine.query)
    assert told == {
        "iban": BANK,
        "from": "2026-10-01",
        "to": "2026-10-03",
        "deposits": 0,
        "amount": 0,
        "settlements": 0,
        "settled": 0,
        "missing": -1_200_000_000,
    }


def test_a_deposit_whose_debit_no_file_has_is_awaited_and_not_missing() -> None:
    deposit = {
        "track_id": "a",
        "gateway_transaction_id": "a",
        "requested_at": BEGIN,
        "amount": 1_200_000_000,
    }
    for is_told in (True, False):
        rows = tables([MONDAY, WEDNESDAY], told=is_told) | {"deposits": [deposit]}
        with DuckEngine.open(lake_tables(rows), SETTINGS, NOW) as engine:
            missing = engine.table("check_bank_debit_missing").num_rows
            told = gaps(engine.query)
        assert bool(missing) is not is_told
        awaited = [
            (gap["deposits"], gap["amount"], gap["missing"], gap["to"]) for gap in told
        ]
        whole = (1, 1_200_000_000, -1_200_000_000, "2026-10-03")
        assert awaited == ([whole] if is_told else [])


def test_the_rest_of_a_day_that_was_exported_at_noon_is_missing() -> None:
    noon, evening = MONDAY[:2], [entry(10, 1, 90), entry(11, 1, 91), entry(12, 1, 92)]
    (gap,) = found(tables([noon, evening]))
    assert gap == (date(2026, 10, 1), date(2026, 10, 1), 14)


def test_a_quiet_account_lacks_nothing_where_its_balance_stays() -> None:
    """Nothing for a month: without balances nobody can say it."""
    later = [entry(24 * 31, 15, 100), entry(24 * 31 + 1, 5, 105)]
    quiet = (date(2026, 10, 2), date(2026, 10, 31), None)
    assert found(tables([MONDAY, later], told=False)) == [quiet]
    assert found(tables([MONDAY, later])) == []
    moved = [(at, amount, balance + 7) for at, amount, balance in later]
    (gap,) = found(tables([MONDAY, moved]))
    assert gap == (date(2026, 10, 1), date(2026, 11, 1), 7)


@pytest.mark.parametrize("wrong", ["of the day", "of nothing", "null"])
def test_figures_that_are_no_running_balance_prove_nothing(wrong: str) -> None:
    rows = tables([MONDAY, TUESDAY, WEDNESDAY])
    for number, row in enumerate(rows["bank_balances"]):
        row["balance"] = {"of the day": 85, "of nothing": number * 10**9, "null": None}[
            wrong
        ]
    assert found(rows) == []


def test_entries_without_a_balance_end_what_is_followed() -> None:
    """Tuesday's came from a file without: nobody knows what stands between."""
    rows = tables([MONDAY, TUESDAY, WEDNESDAY])
    rows["bank_balances"] = [
        row for row in rows["bank_balances"] if row["amount"] > -9e8
    ]
    assert found(rows) == []
    gone = [entry(50, 3, 40), entry(51, 3, 43)]
    rows = tables([MONDAY, TUESDAY, WEDNESDAY, gone])
    rows["bank_balances"] = [
        row for row in rows["bank_balances"] if row["amount"] > -9e8
    ]
    (gap,) = found(rows)
    assert gap == (date(2026, 10, 3), date(2026, 10, 3), 1_199_999_932)


@pytest.mark.parametrize("is_in_the_gap", [True, False])
def test_a_later_entry_without_a_balance_takes_back_no_gap(is_in_the_gap: bool) -> None:
    """What is missing before it stays missing; what it stands in, nobody can tell."""
    bare = [entry(24 if is_in_the_gap else 72, -3, 0)]
    after = -1_199_999_895 if is_in_the_gap else -1_199_999_898
    later = [entry(96, -9, after - 9), entry(97, -9, after - 18)]
    rows = tables([MONDAY, WEDNESDAY, bare, later])
    rows["bank_balances"] = [row for row in rows["bank_balances"] if row["balance"]]
    missing = [(date(2026, 10, 1), date(2026, 10, 3), -1_200_000_000)]
    assert found(rows) == ([] if is_in_the_gap else missing)


def test_a_jump_within_a_statement_is_no_other_statement() -> None:
    """A bank that books its fee with the entry says less than its balance does."""
    whole = [*MONDAY, entry(24, -10, 70), entry(25, -1, 69), entry(26, -2, 67)]
    assert found(tables([whole])) == []
    assert len(found(tables([whole[:3], whole[3:]]))) == 1


def test_balances_of_two_exports_that_differ_prove_nothing() -> None:
    """The same days from two systems: every entry stands twice, and each chain ends."""
    other = [(at + timedelta(seconds=1), *rest) for at, *rest in [*MONDAY, *TUESDAY]]
    assert found(tables([[*MONDAY, *TUESDAY], other, WEDNESDAY])) == []  # type: ignore[list-item]


def test_each_account_has_balances_of_its_own() -> None:
    rows = tables([MONDAY, TUESDAY, WEDNESDAY])
    for table in rows.values():
        for row in table:
            row["iban"] = "IR05" if row["amount"] < -(10**9) else BANK
    (gap,) = found(rows)
    assert gap == (date(2026, 10, 1), date(2026, 10, 3), -1_200_000_000)


def test_an_account_that_ends_where_it_began_has_its_gap_told() -> None:
    round_trip = [entry(0, 5, 5), entry(1, 2, 7), entry(24, 1, 4), entry(25, -4, 0)]
    (gap,) = found(tables([round_trip[:2], round_trip[2:]]))
    assert gap == (date(2026, 10, 1), date(2026, 10, 2), -4)
    assert found(tables([[entry(0, 5, 5)], [entry(24, -5, 0)]])) == []


MORNING = [entry(0, -5, 95), entry(1, -5, 90)]
NOON = [entry(3, -5, 80), entry(4, -5, 75)]
EVENING = [entry(6, -5, 60), entry(7, -5, 55)]


@pytest.mark.parametrize(
    ("evening", "missing"), [(EVENING, -15), ([entry(6, -5, 80), entry(7, 1, 81)], 5)]
)
def test_two_gaps_of_one_day_are_one_with_all_that_is_missing(
    evening: list[Entry], missing: int
) -> None:
    """Before noon lack 5 rials. A deposit that either may have is awaited once."""
    day_of_all = date(2026, 10, 1)
    rows = tables([MORNING, NOON, evening])
    assert found(rows) == [(day_of_all, day_of_all, missing)]
    deposit = {"requested_at": BEGIN, "amount": 7}
    with DuckEngine.open(
        lake_tables(rows | {"deposits": [deposit]}), SETTINGS, NOW
    ) as engine:
        (told,) = gaps(engine.query)
    assert (told["deposits"], told["amount"], told["missing"]) == (1, 7, missing)


def test_two_gaps_of_one_day_that_come_to_nothing_are_told() -> None:
    evening = [entry(6, -5, 75), entry(7, -5, 70)]
    rows = tables([MORNING, NOON, evening])
    with DuckEngine.open(lake_tables(rows), SETTINGS, NOW) as engine:
        (told,) = gaps(engine.query)
    assert told["missing"] == 0
    assert gap_words([told]).endswith(f"{BANK} on 2026-10-01 (net credits of 0 rials).")


@pytest.mark.parametrize("is_at_the_end", [True, False])
def test_a_lost_day_beside_a_day_that_jumps_comes_to_what_both_lack(
    is_at_the_end: bool,
) -> None:
    """A file of two days jumps by -20 on one of them, and 35 rials are lost beside it.

    Where the jump is on the day before the gap, nobody knows which entry of that day
    stands last: the two are one.
    """
    plain = [entry(0, -5, 995), entry(24, -7, 988), entry(24, -9, 979)]
    jumps = [entry(48, -15, 964), entry(72, -11, 953), entry(72, 10, 943)]
    after = [entry(120, -5, 973), entry(144, -1, 972)]
    files = [plain + jumps, after]
    gap = (date(2026, 10, 4), date(2026, 10, 6), 15)
    if not is_at_the_end:
        jumps = [entry(72, -11, 1003), entry(72, 10, 993), entry(96, -4, 989)]
        after = [entry(120, -5, 984), entry(144, -1, 983)]
        files = [plain, jumps + after]
        gap = (date(2026, 10, 2), date(2026, 10, 4), 35)
    assert found(tables(files)) == [gap]


def test_the_lost_rest_of_a_day_is_told_of_an_account_that_is_emptied_each_day() -> (
    None
):
    """It begins and ends with nothing, as each of its days does."""
    monday = [entry(0, 40, 40), entry(1, 5, 45), entry(8, -45, 0)]
    tuesday = [entry(24, 30, 30), entry(25, 7, 37)]
    rest = [entry(30, 3, 40), entry(32, -40, 0)]
    wednesday = [entry(48, 20, 20), entry(49, 1, 21), entry(56, -21, 0)]
    assert found(tables([monday, tuesday, rest, wednesday])) == []
    without = (date(2026, 10, 2), date(2026, 10, 3))
    assert found(tables([monday, tuesday, wednesday])) == [(*without, -37)]
    before = (date(2026, 10, 1), date(2026, 10, 2))
    assert found(tables([monday, rest, wednesday])) == [(*before, 37)]


def test_an_entry_that_is_dated_back_is_no_gap() -> None:
    """Its value counts from an earlier day; the balances tell when it was booked."""
    fee = [entry(0, -1, 64), entry(72, 9, 73)]
    assert found(tables([MONDAY, [entry(48, -20, 65)], fee])) == []


def test_days_whose_rows_stand_in_no_order_hide_and_make_no_gap() -> None:
    """Those of Tuesday are sorted by their amounts: +10, -10 and +5, then -20."""
    first = [entry(0, -5, 90)]
    by_amount = [entry(24, a, b) for a, b in ((-20, 75), (-10, 90), (5, 95), (10, 100))]
    wednesday, thursday = [entry(48, -3, 72)], [entry(72, -1, 71), entry(73, -1, 70)]
    whole = first + by_amount
    assert found(tables([whole, wednesday, thursday])) == []
    gap = (date(2026, 10, 2), date(2026, 10, 4), -3)
    assert found(tables([whole, thursday])) == [gap]


def test_an_entry_ahead_counts_in_the_balances_of_a_statement_newest_first() -> None:
    """An MT940 file: each balance is the opening one and what the rows above moved."""
    rows = [(NOW + timedelta(days=3), 1_000, 1_100), entry(30, 5, 1_105)]
    rows += [entry(1, 20, 1_125), entry(0, 10, 1_135)]
    with DuckEngine.open(lake_tables(tables([rows])), SETTINGS, NOW) as engine:
        proving = engine.table("stg_business__bank_balances").to_pylist()
    assert sorted(row["balance_rial"] for row in proving) == [110, 130, 135]


def test_a_column_of_balances_at_the_end_of_each_day_proves_nothing() -> None:
    """Most days have one entry, beside which it is right; one day has two."""
    days = [[entry(24 * each, -5, 95 - 5 * each)] for each in range(4)]
    days.append([entry(96, -5, 65), entry(98, -10, 65)])
    days += [[entry(24 * each, -5, 85 - 5 * each)] for each in range(5, 9)]
    assert found(tables(days)) == []
    days[4] = [entry(96, -5, 75), entry(98, -10, 65)]
    assert found(tables(days)) == []
    without = days[:4] + days[5:]
    assert found(tables(without)) == [(date(2026, 10, 4), date(2026, 10, 6), -15)]


SWEPT = [
    entry(24 * d + h, way * (d + 1), (d + 1) * (1 - h))
    for d in range(6)
    for h, way in ((0, 1), (1, -1))
]
"""Each day brings what goes out again: the account is empty every night."""


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("hour", [0, 1])
@pytest.mark.parametrize("by_day", [False, True])
def test_what_comes_back_to_a_balance_hides_no_gap(
    turned: bool, hour: int, by_day: bool
) -> None:
    """One half of the third day's two entries is lost, the other begins a file."""
    entries = SWEPT
    if by_day:
        entries = [
            (BEGIN + timedelta(days=place // 2), amount, balance)
            for place, (_, amount, balance) in enumerate(SWEPT)
        ]
    lost = 4 + hour
    files = [entries[:lost], entries[lost + 1 :]]
    parts = [part[::-1] if turned else part for part in files]
    before, after = entries[lost - 1], entries[lost + 1]
    gap = (day(before[0]), day(after[0]), entries[lost][1])
    assert found(tables(parts)) == [gap]
    assert found(tables([entries[:lost], entries[lost:]])) == []


def test_a_payment_that_was_lost_and_came_back_is_no_quiet_time() -> None:
    """The debit is in no file; the bank gave it back on the next day."""
    back = [entry(48, 1_200_000_000, 85), entry(49, 5, 90), entry(73, 10, 100)]
    (gap,) = found(tables([MONDAY, back]))
    assert gap == (date(2026, 10, 1), date(2026, 10, 3), -1_200_000_000)
    assert found(tables([MONDAY, TUESDAY, back])) == []
