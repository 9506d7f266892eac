"""A break that was decided upon long ago is found for years of nights."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from recon.lake import Lake
from recon.reconcile import breaks
from recon.reconcile.break_figures import Figures, marks
from recon.reconcile.breaks import ACKNOWLEDGED, Decision, read_history

FIRST = datetime(2026, 10, 1, tzinfo=UTC)
NIGHTS = [FIRST + timedelta(days=day) for day in range(4)]
FOUND = {
    "break_id": "a",
    "check": "book_amount_mismatch",
    "product": "books",
    "record_id": "1",
    "expected": 5,
    "actual": 6,
    "detail": "differs",
}
FIGURES = (5, 6, None)


def test_the_same_figures_of_many_nights_are_held_and_weighed_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of very many breaks and nights the memory and the time would else be too much."""
    lake = Lake(tmp_path)
    for at in NIGHTS:
        with lake.begin("run", "reconcile") as writing:
            writing.rows("run_breaks", [{**FOUND, "run_id": "1", "as_of": at}])
            writing.commit(as_of=at)
    decided = Decision(FIRST, ACKNOWLEDGED, FIRST, marks(FIGURES)[0])
    history = read_history(lake, lake.commits(), {"a": [decided]})
    assert [*history.figures["a"]] == NIGHTS
    assert {*history.figures["a"].values()} == {FIGURES}
    assert len({id(each) for each in history.figures["a"].values()}) == 1
    weighed: list[Figures] = []

    def weigh(each: Figures) -> tuple[str, str]:
        weighed.append(each)
        return marks(each)

    monkeypatch.setattr(breaks, "marks", weigh)
    assert history.status(FOUND | {"related_id": None}, NIGHTS[-1]) == ACKNOWLEDGED
    assert weighed == [FIGURES]
