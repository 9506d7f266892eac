"""A list that is empty by its filters is no list of a shop without breaks."""

import json
from pathlib import Path

import pytest

from recon.cli.group import run
from recon.reconcile.run import reconcile
from tests.reconcile.lake_history import History, at, unpaid


def listed(
    config: Path, capsys: pytest.CaptureFixture[str], *given: str
) -> tuple[str, list[str]]:
    capsys.readouterr()
    assert run(["--config", str(config), "breaks", "list", *given]) == 0
    said = capsys.readouterr()
    return said.out, said.err.splitlines()[1:]  # after the line of the instant


@pytest.fixture
def shop(history: History) -> None:
    """Two paid checkouts without a payment: breaks of one check, critical and open."""
    history.pull("checkouts", unpaid("a", "b"))
    history.clock(at(1, 20))
    reconcile(history.lake, history.settings).close()


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize(
    "given",
    [
        ("--severity", "info"),
        ("--status", "resolved"),
        ("--assignee", "omid"),
        ("--check", "checkout_paid_without_payment", "--status", "gone"),
    ],
)
def test_an_empty_list_says_how_many_breaks_its_filters_leave_out(
    config: Path, capsys: pytest.CaptureFixture[str], given: tuple[str, ...]
) -> None:
    left_out = [f"2 breaks are left out by {given[-2]}"]
    assert listed(config, capsys, *given) == ("no breaks\n", left_out)
    out, said = listed(config, capsys, *given, "--json")
    assert (json.loads(out), said) == ([], left_out)


@pytest.mark.usefixtures("shop")
def test_what_another_check_found_is_left_out_by_no_filter(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ("--check", "wallet_rollforward", "--status", "open")
    assert listed(config, capsys, *given) == ("no breaks\n", [])


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize(
    ("given", "told"),
    [
        (("list", "--check", "nope"), "recon: --check: there is no check 'nope'"),
        (("note", "aa44"), "recon: Missing argument 'TEXT'. (see "),
        (("note",), "recon: Missing argument 'ID… TEXT'. (see "),
    ],
)
def test_a_mistake_is_told_alone_and_by_what_is_missing(
    config: Path,
    capsys: pytest.CaptureFixture[str],
    given: tuple[str, ...],
    told: str,
) -> None:
    capsys.readouterr()
    assert run(["--config", str(config), "breaks", *given]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith(told)
