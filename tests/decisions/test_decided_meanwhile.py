"""A decision is about the figures that its command looked at, whatever follows."""

from collections.abc import Callable
from pathlib import Path

import pytest

from recon.cli.group import run
from recon.reconcile import decisions
from recon.reconcile.breaks import break_id
from recon.reconcile.run import last_result, reconcile
from tests.reconcile.lake_history import History, at, unpaid

ID = break_id("checkout_paid_without_payment", "unified", "a")
ACKNOWLEDGED = ["acknowledge", ID]
RESOLVED = ["resolve", ID, "--reason", "paid by hand"]
APPLIED = ["apply", "edited.csv"]


def found(history: History, day: int, amount: int) -> None:
    """Give the checkout an amount, and keep a run of that day."""
    checkouts = [{**each, "amount": amount} for each in unpaid("a")["checkouts"]]
    history.clock(at(day, 12))
    history.pull("checkouts", {"checkouts": checkouts})
    history.clock(at(day, 20))
    reconcile(history.lake, history.settings).close()


def stands(history: History) -> str:
    with last_result(history.lake, history.settings) as result:
        rows = {row["break_id"]: row for row in result.breaks.to_pylist()}
    return str(rows[ID]["status"])


@pytest.fixture
def decide(
    history: History, config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., None]:
    """Decide by a command while a job is done between its look and its commit."""
    monkeypatch.chdir(tmp_path)
    Path("edited.csv").write_text(
        f"break_id,expected,actual,status,reason\n{ID},5,0,resolved,paid by hand\n"
    )
    record = decisions.record

    def decided(words: list[str], meanwhile: Callable[[], object]) -> None:
        def recorded(*given: object, **named: object) -> object:
            meanwhile()
            history.clock(at(2, 21))
            return record(*given, **named)  # type: ignore[arg-type]

        monkeypatch.setattr(decisions, "record", recorded)
        assert run(["--config", str(config), "breaks", *words, "--by", "sara"]) == 0

    found(history, 1, 5)
    return decided


@pytest.mark.parametrize("words", [ACKNOWLEDGED, RESOLVED, APPLIED])
def test_figures_of_a_run_that_came_meanwhile_are_not_decided_upon(
    history: History, decide: Callable[..., None], words: list[str]
) -> None:
    decide(words, lambda: found(history, 2, 900))
    assert history.lake.versions("decisions").num_rows == 1
    assert stands(history) == "open"
    found(history, 3, 900)
    assert stands(history) == "open"


@pytest.mark.parametrize("words", [RESOLVED, APPLIED])
def test_a_run_that_came_meanwhile_with_the_same_figures_changes_nothing(
    history: History, decide: Callable[..., None], words: list[str]
) -> None:
    decide(words, lambda: found(history, 2, 5))
    assert stands(history) == "resolved"
    found(history, 3, 5)
    assert stands(history) == "resolved"
    found(history, 4, 900)
    assert stands(history) == "open"
