"""A decision holds for what was looked at, also where no run of the lake has that."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from recon.cli.group import run
from recon.lake.voids import VOID, certificate
from recon.reconcile.breaks import break_id
from recon.reconcile.run import last_result, reconcile
from tests.reconcile.lake_history import History, at, only, unpaid

CHECK, OTHER = "checkout_paid_without_payment", "checkout_paid_twice"
ID = break_id(CHECK, "unified", "a")
WORDS = {
    "acknowledged": ["acknowledge", ID],
    "resolved": ["resolve", ID, "--reason", "paid by hand"],
}
Decide = Callable[..., None]


@pytest.fixture
def history(history: History) -> History:
    """The lake of a shop that asks what the cases here bring about, and one more."""
    history.settings = replace(history.settings, checks=only(CHECK, OTHER))
    return history


@pytest.fixture
def decide(history: History, config: Path) -> Decide:
    """Decide by a command on the evening of a day."""
    left_out = ", ".join(f'"{name}"' for name in history.settings.checks.disabled)
    with config.open("a", encoding="utf-8") as file:
        file.write(f"[checks]\ndisabled = [{left_out}]\n")

    def decided(day: int, words: Sequence[str]) -> None:
        history.clock(at(day, 21))
        assert run(["--config", str(config), "breaks", *words, "--by", "sara"]) == 0

    return decided


def pulled(history: History, day: int, amount: int, *, paid: bool = False) -> None:
    """Give the checkout an amount on a day, and perhaps its payment."""
    rows = unpaid("a", paid=paid)
    checkouts = [{**each, "amount": amount} for each in rows["checkouts"]]
    history.clock(at(day, 12))
    history.pull("checkouts", {**rows, "checkouts": checkouts})


def night(history: History, day: int) -> str:
    """Run on a day, and say where the break stands."""
    history.clock(at(day, 20))
    with reconcile(history.lake, history.settings) as result:
        rows = {row["break_id"]: row["status"] for row in result.breaks.to_pylist()}
    return str(rows.get(ID, "not found"))


@pytest.fixture(params=["before the first night", "by other rules"])
def unkept(history: History, request: pytest.FixtureRequest) -> None:
    """Let there be a break of 5 rials that no run has."""
    pulled(history, 1, 5)
    if request.param == "by other rules":
        usual = history.settings
        history.settings = replace(usual, checks=only(OTHER))
        assert night(history, 1) == "not found"
        history.settings = usual


@pytest.mark.usefixtures("unkept")
@pytest.mark.parametrize("stands", WORDS)
def test_figures_of_no_run_are_decided_upon(
    history: History, decide: Decide, stands: str
) -> None:
    decide(1, WORDS[stands])
    assert night(history, 2) == stands
    assert night(history, 3) == stands
    pulled(history, 4, 900)
    assert night(history, 4) == "open"


@pytest.mark.usefixtures("unkept")
@pytest.mark.parametrize("words", WORDS.values())
def test_other_figures_than_those_of_no_run_are_open(
    history: History, decide: Decide, words: Sequence[str]
) -> None:
    decide(1, words)
    pulled(history, 2, 900)
    assert night(history, 2) == "open"
    assert night(history, 3) == "open"
    pulled(history, 4, 5)
    assert night(history, 4) == "open"


@pytest.mark.parametrize("words", WORDS.values())
def test_a_decision_on_what_is_gone_says_nothing_of_what_returns(
    history: History, decide: Decide, words: Sequence[str]
) -> None:
    pulled(history, 1, 5)
    assert night(history, 1) == "open"
    pulled(history, 2, 5, paid=True)
    assert night(history, 2) == "gone"
    decide(2, words)
    with last_result(history.lake, history.settings) as shown:
        assert shown.breaks["status"].to_pylist() == ["gone"]
    pulled(history, 3, 5)
    assert night(history, 3) == "open"
    decide(3, words)
    assert night(history, 4) in WORDS


@pytest.mark.parametrize("words", WORDS.values())
def test_a_decision_on_what_other_rules_find_gone_says_nothing_of_what_returns(
    history: History, decide: Decide, words: Sequence[str]
) -> None:
    pulled(history, 1, 5)
    assert night(history, 1) == "open"
    usual = history.settings
    pulled(history, 2, 5, paid=True)
    history.settings = replace(usual, checks=only(OTHER))
    assert night(history, 2) == "not found"
    history.settings = usual
    decide(2, words)  # the check, run again, finds it gone
    pulled(history, 3, 5)
    assert night(history, 3) == "open"


@pytest.mark.parametrize("stands", WORDS)
def test_a_decision_holds_for_the_figures_of_a_run_that_was_written_off(
    history: History, decide: Decide, stands: str
) -> None:
    pulled(history, 1, 5)
    assert night(history, 1) == "open"
    decide(1, WORDS[stands])
    run_of_it = history.lake.commits(kind="run")[-1]
    history.clock(at(1, 22))
    history.pull("lake", {}, kind=VOID, certificate=certificate([run_of_it.id]))
    assert night(history, 2) == stands
    pulled(history, 3, 900)
    assert night(history, 3) == "open"


@pytest.mark.parametrize("words", WORDS.values())
def test_other_figures_than_those_of_a_run_that_was_written_off_are_open(
    history: History, decide: Decide, words: Sequence[str]
) -> None:
    pulled(history, 1, 5)
    assert night(history, 1) == "open"
    decide(1, words)
    run_of_it = history.lake.commits(kind="run")[-1]
    history.clock(at(1, 22))
    history.pull("lake", {}, kind=VOID, certificate=certificate([run_of_it.id]))
    pulled(history, 2, 900)
    assert night(history, 2) == "open"
