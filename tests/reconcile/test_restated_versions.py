"""What was restated is found wherever a compaction has put its versions."""

from collections import defaultdict
from typing import Any

import pytest

from recon.reconcile.engines import DuckEngine
from tests.builders import AS_OF, checkout, payment
from tests.raw_rows import raw_table
from tests.reconcile.test_matching import SETTINGS

Row = dict[str, Any]
OPEN, DONE, MORE = ("open", 5), ("done", 5), ("done", 6)

HISTORIES = {
    "changed": [DONE, MORE],
    "changed later": [OPEN, DONE, MORE],
    "changed and back": [DONE, MORE, DONE],
    "taken back": [DONE, OPEN],
    "taken back for a time": [DONE, OPEN, DONE],
    "came late": [DONE, OPEN, DONE],
    "same": [DONE, DONE],
    "done at last": [OPEN, ("open", 6), DONE],
    "met once": [DONE],
}
"""Status and amount of each version, the first of pull 1, the next of pull 2.

The first one that came late is of a pull that ended after the compaction."""

FOUND = {
    "changed": (5, 6),
    "changed later": (5, 6),
    "changed and back": (5, 6),
    "taken back": (None, None),
    "taken back for a time": (None, None),
    "came late": (None, None),
}


def is_late(row: Row, compacted_to: int) -> bool:
    pull = int(row["pull_id"])
    return pull > compacted_to or (pull == 1 and row["id"].endswith("came late"))


def parts(table: str, rows: list[Row], compacted_to: int) -> dict[str, Any]:
    """Split versions as a compaction after that pull does."""
    split: dict[str, list[Row]] = defaultdict(list)
    late = [row for row in rows if is_late(row, compacted_to)]
    last = {row["id"]: row for row in rows if row not in late}
    for row in rows:
        kept = "compacted" if last.get(row["id"]) is row else "superseded"
        split["later" if row in late else kept].append(row)
    names = [f"{table}_{part}" for part in ("compacted", "superseded", "later")]
    return {name: raw_table(name, split[name.rpartition("_")[2]]) for name in names}


@pytest.mark.parametrize("compacted_to", [0, 1, 2, 3])
def test_what_was_restated_is_found_wherever_its_versions_lie(
    compacted_to: int,
) -> None:
    payments, checkouts = [], []
    for name, versions in HISTORIES.items():
        for pull, (status, amount) in enumerate(versions, start=1):
            row = {"id": name, "amount": amount, "pull_id": str(pull), "position": 1}
            payments.append(payment(**row, status=status, checkout_id="none"))
            paid = "paid" if status == "done" else "not_paid"
            checkouts.append(checkout(**row | {"id": f"c {name}"}, status=paid))
    tables = parts("payments", payments, compacted_to)
    tables |= parts("checkouts", checkouts, compacted_to)
    with DuckEngine.open(tables, SETTINGS, AS_OF) as engine:
        rows = engine.table("check_record_restated").to_pylist()
    assert {row["record_id"]: (row["expected"], row["actual"]) for row in rows} == {
        f"{kind}{name}": figures
        for name, figures in FOUND.items()
        for kind in ("", "c ")
    }
    assert len(rows) == 2 * len(FOUND)
