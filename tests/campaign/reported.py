"""What a night reported, held against what was planted and against arithmetic."""

import csv
from collections import defaultdict
from collections.abc import Collection
from pathlib import Path

from recon.reconcile.result import Result
from recon.sandbox.history import History


def unplanted(
    result: Result, made: History, changed: Collection[str]
) -> tuple[list[str], int]:
    """Return how breaks differ from what was planted, and rials nobody planted."""
    wanted = {(each.product, each.check, each.record_id) for each in made.planted}
    names = ("product", "check", "record_id", "status")
    rows = zip(*(result.breaks[name].to_pylist() for name in names), strict=True)
    found = {tuple(row[:3]) for row in rows if row[3] == "open"}
    wrong = [f"planted and not found: {each}" for each in sorted(wanted - found)]
    wrong += [
        f"found and not planted: {each}"
        for each in sorted(found - wanted)
        if each[2] not in changed
    ]
    table = result.rollforward.to_pylist()
    stray = sum(
        abs(row["unexplained"] or 0)
        for row in table
        if not any(check == "wallet_rollforward" for _, check, _ in wanted)
    )
    return wrong, stray


def unbalanced(journal: Path) -> list[str]:
    """Name the entries of journal.csv whose debit is not their credit."""
    sums: dict[str, int] = defaultdict(int)
    with journal.open(encoding="utf-8-sig", newline="") as file:
        for row in csv.DictReader(file):
            sums[row["entry_id"]] += int(row["debit"] or 0) - int(row["credit"] or 0)
    return [
        f"journal entry {each} is out by {rest}" for each, rest in sums.items() if rest
    ]
