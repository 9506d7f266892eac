"""What is lost of very many accounts of one lake, each of which has its own entries.

They have the same balances, and entries within their files that are dated back.
"""

import random
from collections import defaultdict
from datetime import timedelta
from typing import Any

from recon.reconcile.engines import DuckEngine
from tests.builders import lake_tables
from tests.reconcile.disclosures.test_bank_balance_gaps import (
    NOW,
    SETTINGS,
    Entry,
    day,
    history,
    tables,
)

Row = dict[str, Any]
ACCOUNTS = 300
HOURS = (0, 1, 2, 24, 24, 48)


def drawn(chance: random.Random) -> tuple[list[list[Entry]], int]:
    """Three statements of an account, and the rials of what came before the last.

    No balance comes twice. Of a statement that stands in no order of time the first
    and the last entry are the earliest and the latest one.
    """
    powers = [3**power for power in range(13)]
    chance.shuffle(powers)
    steps = [
        (60 * chance.choice(HOURS), chance.choice([-1, 1]) * power) for power in powers
    ]
    entries = history(steps, opening=0)
    for begin in (0, 4, 9):
        if chance.random() < 0.5:
            first, last = entries[begin + 1 : begin + 3]
            entries[begin + 2] = (first[0], *last[1:])
            entries[begin + 1] = (last[0], *first[1:])
    files = [entries[:4], entries[4:8], entries[9:]]
    files = [file[::-1] if chance.random() < 0.3 else file for file in files]
    return files, entries[8][1]


def test_of_each_account_what_it_lacks_is_told_and_nothing_else() -> None:
    chance = random.Random(1)
    rows: dict[str, list[Row]] = defaultdict(list)
    lost: dict[str, tuple[Any, ...]] = {}
    for number in range(ACCOUNTS):
        iban = f"IR{number:024d}"
        files, missing = drawn(chance)
        ends = max(at for at, *_ in files[1]), min(at for at, *_ in files[2])
        if ends[0] < ends[1]:
            lost[iban] = (*map(day, ends), missing)
        for name, each in tables(files).items():
            for row in each:
                hashed = {"record_hash": f"{iban}{row.get('record_hash')}"}
                pull = {"pull_id": f"{iban}-{row['pull_id']}"}
                own = hashed if "record_hash" in row else {}
                rows[name].append(row | pull | own | {"iban": iban})
    with DuckEngine.open(lake_tables(rows), SETTINGS, NOW) as engine:
        gaps = engine.table("int_bank_gaps").to_pylist()
    assert {
        row["iban"]: (
            row["after_date"] + timedelta(days=1),
            row["before_date"] - timedelta(days=1),
            row["missing_rial"],
        )
        for row in gaps
    } == lost
    assert len(gaps) == len(lost) > ACCOUNTS // 2
