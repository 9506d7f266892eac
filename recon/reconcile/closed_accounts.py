"""When accounts of the business left the provider's list of active ones.

A deposit of before is of an account that was active then. Opening a run's engine asks
for it: the lake's newest sweep alone says which are active now.
"""

from collections.abc import Sequence
from itertools import pairwise

import pyarrow as pa

from recon.errors import CorruptLake
from recon.lake import Commit, Lake
from recon.lake.schema import INSTANT, TEXT

CLOSED_ACCOUNTS = pa.schema({"iban": TEXT, "closed_by": INSTANT})
"""`raw_closed_accounts`: one row an account that a complete list had and the next one
lacked; `closed_by` is when that next one was asked for; of one that left more than
once, the last time."""

ACCOUNTS = "accounts"


def closed_accounts(lake: Lake, commits: Sequence[Commit]) -> pa.Table:
    """Return the accounts that lists of these commits lost.

    Of the lists only those are read that lost any, and each one before. One that is
    missing or damaged says of no account that it was closed, so that its deposits are
    told: what is in doubt is no reason to be quiet. Raises LakeError where a file may
    be whole and cannot be read.
    Source: document 2, A. Get active IBANs.
    """
    lists = [
        commit
        for commit in commits
        if commit.source == ACCOUNTS and commit.complete and commit.whole
    ]
    closed = {
        iban: after.started_at
        for before, after in pairwise(lists)
        if after.counts.get("vanished")
        for iban in _lost(lake, before, after)
    }
    columns = [list(closed), list(closed.values())]
    return pa.table(columns, schema=CLOSED_ACCOUNTS)


def _lost(lake: Lake, before: Commit, after: Commit) -> list[str]:
    try:
        return sorted(_ids(lake, before) - _ids(lake, after))
    except CorruptLake:  # `recon doctor` tells of it
        return []


def _ids(lake: Lake, commit: Commit) -> set[str]:
    """Return the IBANs that a list had, as they stood there."""
    files = lake.fetch(commit.files_of("seen", ACCOUNTS))
    return {iban for file in files for iban in lake.read(file)["id"].to_pylist()}
