"""Where a table's versions lie: what a compaction put together, and what came later.

A compaction is a commit of its own (`compaction` makes it) that copies the versions of
all earlier commits, one table at a time, into two files: `compacted` holds the newest
version of each key, `superseded` the others. Its certificate says the last commit that
it `covers`, and `upon` which earlier compaction, by its number, it went on from: that
one's superseded versions stay where they are. So the originals are never needed to
read the whole, and never removed: without the compaction they are read as before.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from recon.lake.commits import Commit, StoredFile
from recon.lake.voids import standing

COMPACTION = "compaction"
"""The kind of such a commit."""


CLEARING = "clearing"
"""The kind of a commit that says which compacted rows need not be read again."""

DERIVED = (COMPACTION, CLEARING)
"""The kinds of commits that bring nothing: no run and no pack counts them."""


@dataclass(frozen=True)
class Parts:
    """A table's files; together they hold each version once.

    `compacted` has one version a key (of a table that is replaced whole, all rows of
    its newest file), of which none in `superseded` is newer; `later` may have any.
    `made_by` is the number of the compaction, 0 where there is none.
    """

    later: tuple[StoredFile, ...]
    compacted: tuple[StoredFile, ...] = ()
    superseded: tuple[StoredFile, ...] = ()
    made_by: int = 0


def readings(table: str, commits: Sequence[Commit]) -> Iterator[Parts]:
    """Yield the ways to read a table's versions in these commits, the best first.

    The last one is without any compaction. A compaction counts only where its rows
    are as many as those of the commits that it covers: where some of these are left
    out, or were voided since, or it went on from one that is not there, it does not.
    """
    stored = [
        (commit.sequence, file)
        for commit in standing(commits)
        for file in commit.files_of("records", table)
    ]
    compactions = [commit for commit in commits if commit.kind == COMPACTION]
    known = {commit.sequence: commit for commit in compactions}
    for commit in reversed(compactions):
        compacted = commit.files_of("compacted", table)
        if not compacted:
            continue
        covers = int(commit.certificate["covers"])
        superseded = tuple(_superseded(commit, table, known))
        covered = sum(file.rows for number, file in stored if number <= covers)
        if covered == sum(file.rows for file in compacted + superseded):
            later = tuple(file for number, file in stored if number > covers)
            yield Parts(later, compacted, superseded, commit.sequence)
    yield Parts(tuple(file for _, file in stored))


def _superseded(
    commit: Commit | None, table: str, known: Mapping[int, Commit]
) -> Iterator[StoredFile]:
    """Yield what a compaction and those that it went on from put aside."""
    while commit is not None:
        yield from commit.files_of("superseded", table)
        commit = known.get(commit.certificate["upon"].get(table, 0))
