"""What is decided while a run looks at the lake knows of nothing that the run finds."""

from dataclasses import replace

import pytest

from recon.lake import Lake
from recon.reconcile import run
from recon.reconcile.breaks import Decisions, break_id, read_decisions
from recon.reconcile.run import last_result, reconcile
from tests.reconcile.lake_history import History, Rows, at, only, unpaid

CHECK = "checkout_paid_without_payment"
A = break_id(CHECK, "unified", "a")


@pytest.fixture(autouse=True)
def known(history: History) -> None:
    """Let a night find one break, which somebody may decide about."""
    history.settings = replace(history.settings, checks=only(CHECK))
    history.pull("checkouts", unpaid("a"))
    assert night(history, 1) == ["open"]


def night(history: History, day: int) -> list[str]:
    """Run on a day, and say where what it found stands."""
    history.clock(at(day, 20))
    with reconcile(history.lake, history.settings) as result:
        found: list[str] = result.breaks["status"].to_pylist()
        return found


def night_beside_a_decision(
    history: History, patch: pytest.MonkeyPatch, action: str
) -> list[str]:
    """Run on the second day; once it looks at the lake, the break is decided about."""

    def look(lake: Lake, until: object) -> Decisions:
        found = read_decisions(lake, at(2, 20))
        patch.setattr(run, "read_decisions", read_decisions)
        history.clock(at(2, 20, 1))
        history.decide(A, action, at(2, 20, 1))
        history.clock(at(2, 20, 2))
        return found

    patch.setattr(run, "read_decisions", look)
    return night(history, 2)


def dearer(*names: str) -> Rows:
    """Return the same checkouts with another amount, and so have their breaks."""
    rows = unpaid(*names)
    return {**rows, "checkouts": [{**row, "amount": 7} for row in rows["checkouts"]]}


@pytest.mark.parametrize("action", ["acknowledge", "resolve"])
def test_figures_that_a_run_found_meanwhile_are_decided_by_nobody(
    history: History, monkeypatch: pytest.MonkeyPatch, action: str
) -> None:
    """They were kept after the decision, though the run's instant is an earlier one."""
    history.clock(at(2))
    history.pull("checkouts", dearer("a"))
    assert night_beside_a_decision(history, monkeypatch, action) == ["open"]
    with last_result(history.lake, history.settings) as seen:
        assert seen.breaks["status"].to_pylist() == ["open"]
    assert night(history, 3) == ["open"]


def test_a_decision_holds_where_a_run_found_the_same_meanwhile(
    history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert night_beside_a_decision(history, monkeypatch, "acknowledge") == ["open"]
    with last_result(history.lake, history.settings) as seen:
        assert seen.breaks["status"].to_pylist() == ["acknowledged"]
    assert night(history, 3) == ["acknowledged"]


def test_a_break_that_went_away_meanwhile_and_returns_is_open(
    history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    history.clock(at(2))
    history.pull("checkouts", unpaid("a", paid=True))
    assert night_beside_a_decision(history, monkeypatch, "acknowledge") == ["gone"]
    history.clock(at(3))
    history.pull("checkouts", unpaid("a"))
    assert night(history, 3) == ["open"]
