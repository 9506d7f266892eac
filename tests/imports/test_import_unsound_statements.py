"""A statement that its own balances contradict is told until a whole one comes."""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest

from recon.imports.voiding import void
from recon.lake import Lake
from recon.reconcile.disclosures.bank_gaps import gap_words, gaps
from recon.reconcile.engines import DuckEngine
from recon.settings import Business, Settings
from tests.builders import BANK, lake_tables
from tests.imports.import_cases import taken, write_csv
from tests.imports.test_import_statement_gaps import camt

SETTINGS = Settings(business=Business(name="shop"))
NOW = datetime(2026, 12, 1, tzinfo=UTC)
OTHER = "IR740217876908633198199319"
AMOUNTS = (1_000, -20, 7, -300, 50, 8)
WHOLE = tuple(
    (f"2026-10-{day:02}", amount, balance)
    for day, amount, balance in zip(
        range(1, 7), AMOUNTS, accumulate(AMOUNTS), strict=True
    )
)
"""A statement of six days: the day, the amount, the balance after it."""

DAYS = (BANK, date(2026, 10, 1), date(2026, 10, 6))
CUT = [*WHOLE[:3], *WHOLE[4:]]  # -300 is missing
ROUNDS = [
    (f"2026-10-0{day}", amount, balance)
    for day, amount, balance in ((1, 10, 10), (2, -10, 0), (3, 10, 10), (4, 10, 10))
]
"""-10 is missing before the last entry, and the account comes back to its balances."""

LATER = [("2026-11-10", 5, 9_000), ("2026-11-11", 5, 9_005)]
"""Another statement, before which entries are missing."""

UNTOLD = ("2026-10-02", -20, "")  # its balance is not known

Entry = tuple[Any, ...]


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


def table(lake: Lake, name: str, entries: Sequence[Entry], iban: str = BANK) -> Path:
    columns = ("booked_at", "amount", "balance")
    rows = [
        dict(zip(columns, map(str, each), strict=True)) | {"iban": iban}
        for each in entries
    ]
    path = lake.root.parent / f"{name}.csv"
    return write_csv(path, [row | {"description": "rent"} for row in rows])


def found(
    lake: Lake, model: str = "int_bank_unsound_statements", now: datetime = NOW
) -> list[Entry]:
    names = ("bank_statement", "bank_balances")
    raw = {name: lake.versions(name) for name in names}
    with DuckEngine.open(raw, SETTINGS, now) as engine:
        rows = engine.table(model).to_pylist()
    return sorted(tuple(row.values()) for row in rows)


@pytest.mark.parametrize(
    ("entries", "told"),
    [
        (CUT, [DAYS]),
        (CUT[::-1], [DAYS]),
        (WHOLE, []),
        (WHOLE[::-1], []),
        ([WHOLE[0], WHOLE[2], WHOLE[1], *WHOLE[3:]], []),  # one is dated back
        ([WHOLE[0], *WHOLE[2:]][:2], []),  # of two nobody knows which is first
        # after a date with an entry without a balance they may begin anew
        ([WHOLE[0], UNTOLD, *WHOLE[2:]], []),
        ([WHOLE[0], UNTOLD, WHOLE[2], *WHOLE[4:]], [DAYS]),
        (ROUNDS, [(BANK, date(2026, 10, 1), date(2026, 10, 4))]),
        # balances of a day's end, and a column of other figures
        ([("2026-10-01", 5, 12), ("2026-10-01", 7, 12), ("2026-10-02", 1, 99)], []),
        ([(day, amount, 7 * at * at) for at, (day, amount, _) in enumerate(WHOLE)], []),
    ],
)
def test_a_statement_that_lacks_an_entry_is_told_whatever_the_order(
    lake: Lake, entries: list[Entry], told: list[Entry]
) -> None:
    taken(lake, "bank_statement", table(lake, "later", LATER))
    taken(lake, "bank_statement", table(lake, "october", entries))
    assert found(lake) == told


@pytest.mark.parametrize("missing", range(1, 5))
def test_what_a_statement_lacks_is_no_gap_between_statements(
    lake: Lake, missing: int
) -> None:
    entries = [each for at, each in enumerate(WHOLE) if at != missing]
    taken(lake, "bank_statement", table(lake, "october", entries))
    assert found(lake) == [DAYS]
    assert found(lake, "int_bank_gaps") == []


def test_an_entry_that_is_still_to_come_is_not_missing(lake: Lake) -> None:
    """Its statement has it: in the middle of the balances, as it was dated on."""
    entries = [*WHOLE[:3], ("2026-12-24", *WHOLE[3][1:]), *WHOLE[4:]]
    taken(lake, "bank_statement", table(lake, "october", entries))
    assert found(lake) == []


@pytest.mark.parametrize("is_first", [True, False])
def test_a_whole_statement_of_its_days_has_what_is_missing(
    lake: Lake, is_first: bool
) -> None:
    """Also where entries are missing elsewhere: between it and a later one."""
    files = [table(lake, "cut", CUT), table(lake, "whole", WHOLE)]
    taken(lake, "bank_statement", table(lake, "later", LATER))
    for file in files[::-1] if is_first else files:
        taken(lake, "bank_statement", file)
    assert found(lake) == []
    void("bank_statement", [files[1]], lake)
    assert found(lake) == [DAYS]


def test_files_of_one_command_are_each_a_statement(lake: Lake) -> None:
    taken(lake, "bank_statement", table(lake, "cut", CUT), table(lake, "later", LATER))
    assert found(lake) == [DAYS]
    other = Lake(lake.root.parent / "other" / "lake")
    other.root.parent.mkdir()
    files = [table(other, "whole", WHOLE), table(other, "cut", CUT)]
    taken(other, "bank_statement", *files, table(other, "later", LATER))
    assert found(other) == []


def test_one_of_fewer_days_or_of_another_account_is_not_it(lake: Lake) -> None:
    taken(lake, "bank_statement", table(lake, "cut", CUT))
    taken(lake, "bank_statement", table(lake, "fewer", WHOLE[:3]))
    taken(lake, "bank_statement", table(lake, "later", WHOLE[4:]))
    taken(lake, "bank_statement", table(lake, "other", WHOLE, iban=OTHER))
    taken(lake, "bank_statement", table(lake, "again", [*CUT[:3], CUT[4]]))
    assert found(lake) == [DAYS]


def test_statements_that_each_have_what_the_other_lacks_are_sound(lake: Lake) -> None:
    taken(lake, "bank_statement", table(lake, "cut", CUT))
    assert found(lake) == [DAYS]
    taken(lake, "bank_statement", table(lake, "again", [*WHOLE[:4], WHOLE[5]]))
    assert found(lake) == []


def test_one_of_a_bank_format_that_does_not_add_up_is_told(lake: Lake) -> None:
    days = {day: (amount,) for day, amount, _ in WHOLE}
    path = camt(lake, 500, days, "\n")
    whole = path.read_text()
    cut = whole.replace('<Amt Ccy="IRR">300<', '<Amt Ccy="IRR">301<')
    later = camt(lake, 500, {"2026-11-01": (5,)}, "\n").read_text()
    beside = later.split("BkToCstmrStmt>")[1].removesuffix("</")
    path.write_text(cut.replace("<Stmt>", f"{beside}<Stmt>"))
    taken(lake, "bank_statement", path)
    assert found(lake) == [DAYS]
    path.with_name("whole.xml").write_text(whole)
    taken(lake, "bank_statement", path.with_name("whole.xml"))
    assert found(lake) == []


def test_a_period_tells_those_that_begin_in_it(lake: Lake) -> None:
    taken(lake, "bank_statement", table(lake, "cut", CUT))
    raw = {
        name: lake.versions(name).to_pylist()
        for name in ("bank_statement", "bank_balances")
    }
    with DuckEngine.open(lake_tables(raw), SETTINGS, NOW) as engine:
        (gap,) = gaps(engine.query, "business_date = date '2026-10-01'")
        assert gaps(engine.query, "business_date > date '2026-10-01'") == []
    assert gap == {
        "iban": BANK,
        "from": "2026-10-01",
        "to": "2026-10-06",
        "deposits": 0,
        "amount": 0,
        "settlements": 0,
        "settled": 0,
        "unsound": True,
    }
    assert gap_words([gap, gap | {"to": "2026-10-01"}]) == (
        "Statements of the bank do not add up by their own balances, so entries of "
        "them may be missing or wrong, until a sound file has their days: "
        f"{BANK} from 2026-10-01 to 2026-10-06, {BANK} on 2026-10-01."
    )


def test_what_is_not_known_of_a_row_makes_no_statement_unsound() -> None:
    """Though entries are missing between it and the next one of the account."""
    days = {1: 10, 2: 20, 3: 30, 30: 500}
    sound = [
        {
            "booked_at": datetime(2026, 10, day, tzinfo=UTC),
            "amount": 10,
            "balance": balance,
            "pull_id": "a" if day < 30 else "b",
            "position": day,
        }
        for day, balance in days.items()
    ]
    row = sound[1] | {"balance": 77}
    nulls = [row | {name: None} for name in ("amount", "booked_at", "iban")]
    nulls.append(dict.fromkeys(row) | {"iban": None})
    given = lake_tables({"bank_balances": [*sound, *nulls]})
    with DuckEngine.open(given, SETTINGS, NOW) as engine:
        assert engine.table("int_bank_gaps").num_rows == 1
        assert engine.table("int_bank_unsound_statements").num_rows == 0
