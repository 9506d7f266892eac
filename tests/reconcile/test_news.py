"""Which critical breaks are news to whoever was told of a run: those not open then."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

import pytest

from recon.reconcile import decisions
from recon.reconcile.breaks import break_id
from recon.reconcile.run import reconcile
from recon.times import format_instant
from tests.reconcile.lake_history import History, at, only, unpaid

CHECK, ERROR = "checkout_paid_without_payment", "payment_receipt_missing"
EVER = ""


@pytest.fixture
def history(history: History) -> History:
    """A shop whose one critical break, and one error, a run on the first day found."""
    history.settings = replace(history.settings, checks=only(CHECK, ERROR))
    paid = unpaid("b", paid=True)
    nameless = [row | {"ref_id": None} for row in paid["payments"]]
    history.pull("checkouts", unpaid("a"))
    history.pull("checkouts", paid | {"payments": nameless})
    history.clock(at(1, 20))
    reconcile(history.lake, history.settings).close()
    return history


def news(history: History, since: str) -> Mapping[str, int]:
    with reconcile(history.lake, history.settings, dry_run=True) as result:
        assert {CHECK, ERROR} <= {*result.breaks["check"].to_pylist()}
        return result.news(since)


def test_what_is_critical_and_open_is_news_to_who_was_never_told(
    history: History,
) -> None:
    history.clock(at(2, 20))
    assert news(history, EVER) == {CHECK: 1}
    assert news(history, format_instant(at(1, 19))) == {CHECK: 1}


def test_what_was_open_at_the_run_that_was_told_is_none(history: History) -> None:
    history.clock(at(2, 20))
    history.pull("checkouts", unpaid("c", "d"))
    assert news(history, format_instant(at(1, 20))) == {CHECK: 2}


def test_what_someone_closed_is_none(history: History) -> None:
    history.clock(at(2, 20))
    made = [decisions.decision(break_id(CHECK, "unified", "a"), "acknowledge")]
    decisions.record(history.lake, made, by="sara")
    assert news(history, EVER) == {}


def test_a_report_names_a_run_by_its_second(history: History) -> None:
    """The run as of an instant within it is the one that was told."""
    history.clock(at(3, 20))
    history.pull("checkouts", unpaid("c"))
    history.clock(at(4, 20))
    within = at(4, 10) + timedelta(milliseconds=500)
    reconcile(history.lake, history.settings, as_of=within).close()
    assert news(history, format_instant(within)) == {}
    assert news(history, format_instant(within - timedelta(seconds=1))) == {CHECK: 1}


def test_what_the_run_that_was_told_did_not_ask_is_held_against_the_last_that_did(
    history: History,
) -> None:
    usual = history.settings
    history.settings = replace(usual, checks=only(ERROR))
    history.clock(at(2, 20))
    reconcile(history.lake, history.settings).close()
    history.settings = usual
    history.clock(at(3, 20))
    assert news(history, format_instant(at(2, 20))) == {}
