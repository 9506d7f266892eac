"""What generated statements lack is told to the rial, whatever their files are."""

from collections.abc import Sequence
from itertools import cycle, pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reconcile.disclosures.test_bank_balance_gaps import (
    Entry,
    day,
    found,
    history,
    tables,
)


@st.composite
def distinct(draw: st.DrawFn) -> list[Entry]:
    """A history in which no balance comes twice: each sum of such powers is another.

    It takes at most 50 days, and may have no times of day.
    """
    step = st.tuples(st.integers(0, 4_000), st.sampled_from((1, -1)))
    steps = draw(st.lists(step, min_size=9, max_size=18))
    powers = draw(st.permutations(range(len(steps))))
    entries = history(
        [
            (minutes, sign * 3**power)
            for (minutes, sign), power in zip(steps, powers, strict=True)
        ]
    )
    if draw(st.booleans()):
        entries = [(at.replace(hour=5, minute=0), *rest) for at, *rest in entries]
    return entries


AGAIN = st.lists(
    st.tuples(st.integers(1, 4_000), st.integers(-3, 3)), min_size=9, max_size=18
).map(history)
"""Histories that come back to the same balances; no two entries are of one time."""


@st.composite
def exports(
    draw: st.DrawFn, histories: st.SearchStrategy[list[Entry]]
) -> tuple[list[Entry], list[tuple[int, int]]]:
    """A history, and the entries of each file: they overlap, and leave none out."""
    entries = draw(histories)
    cuts = sorted(draw(st.sets(st.integers(1, len(entries) - 1), max_size=4)))
    ends = [0, *cuts, len(entries)]
    files = []
    for begin, end in pairwise(ends):
        files.append((max(0, begin - draw(st.integers(0, 2))), end))
    return entries, files


TURNED = st.lists(st.booleans(), min_size=5, max_size=5)


def written(
    entries: list[Entry], files: Sequence[tuple[int, int]], turned: Sequence[bool]
) -> list[list[Entry]]:
    """The files in the order of their rows: the newest first in some."""
    rows = [entries[begin:end] for begin, end in files]
    return [
        part[::-1] if is_turned else part
        for part, is_turned in zip(rows, cycle(turned), strict=False)
    ]


@settings(max_examples=60)
@given(exports(distinct() | AGAIN), TURNED, st.randoms())
def test_files_that_follow_each_other_leave_no_gap(
    made: tuple[list[Entry], list[tuple[int, int]]], turned: list[bool], chance: Any
) -> None:
    files = written(*made, turned)
    chance.shuffle(files)
    assert found(tables(files)) == []


@settings(max_examples=60)
@given(exports(distinct() | AGAIN), TURNED, st.data())
def test_what_no_file_has_is_told_to_the_rial(
    made: tuple[list[Entry], list[tuple[int, int]]], turned: list[bool], data: Any
) -> None:
    """A file is cut where it has no overlap: rows at its end are lost."""
    entries, files = made
    lost_from = data.draw(st.integers(2, len(entries) - 2))
    lost_to = data.draw(st.integers(lost_from + 1, min(lost_from + 3, len(entries))))
    before, after = entries[lost_from - 1], entries[min(lost_to, len(entries) - 1)]
    kept = [(begin, min(end, lost_from)) for begin, end in files if begin < lost_from]
    kept += [(max(begin, lost_to), end) for begin, end in files if end > lost_to]
    lost = sum(amount for _, amount, _ in entries[lost_from:lost_to])
    is_within = lost_to < len(entries) and before[0] < after[0] and lost
    expected = [(day(before[0]), day(after[0]), lost)] if is_within else []
    assert found(tables(written(entries, kept, turned))) == expected


@settings(max_examples=100)
@given(AGAIN, st.lists(st.booleans(), min_size=2, max_size=2), st.data())
def test_what_is_lost_is_told_though_the_account_comes_back_to_its_balances(
    entries: list[Entry], turned: list[bool], data: Any
) -> None:
    lost_from = data.draw(st.integers(2, len(entries) - 3))
    lost_to = data.draw(
        st.integers(lost_from + 1, min(lost_from + 2, len(entries) - 2))
    )
    files = written(entries, [(0, lost_from), (lost_to, len(entries))], turned)
    lost = sum(amount for _, amount, _ in entries[lost_from:lost_to])
    ends = day(entries[lost_from - 1][0]), day(entries[lost_to][0])
    assert found(tables(files)) == ([(*ends, lost)] if lost else [])
