"""The life of a break: since when it is known, and where it stands."""

import hashlib
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pyarrow as pa
import pytest

from recon.reconcile.breaks import Decision, break_id, identified, with_life
from recon.reconcile.breaks import History as Known
from recon.reconcile.checks import FOUND
from recon.reconcile.result import Result
from recon.reconcile.run import last_result, reconcile
from recon.settings import Checks
from recon.times import zone
from tests.reconcile.lake_history import History, at, only, unpaid

CHECK = "checkout_paid_without_payment"


@pytest.fixture(autouse=True)
def asked(history: History) -> None:
    """Leave out the checks that no case here is about."""
    history.settings = replace(history.settings, checks=only(CHECK))


def identity(name: str) -> str:
    return break_id(CHECK, "unified", name)


def night(history: History, day: int, **status: str) -> dict[str, tuple[str, int, int]]:
    """Run on a day; a break's status, the day it was first seen, and its age."""
    history.clock(at(day, 20))
    with reconcile(history.lake, history.settings) as result:
        rows = result.breaks.to_pylist()
    return {
        row["record_id"]: (row["status"], row["first_seen"].day, row["age_days"])
        for row in rows
    }


def test_the_id_is_the_hash_of_check_product_and_record() -> None:
    expected = hashlib.sha256(b"c|unified|r").hexdigest()[:16]
    assert break_id("c", "unified", "r") == expected


def test_a_break_grows_older_from_the_run_that_first_had_it(history: History) -> None:
    history.pull("checkouts", unpaid("a"))
    assert night(history, 1) == {"a": ("open", 1, 0)}
    history.pull("checkouts", unpaid("b"))
    assert night(history, 4) == {"a": ("open", 1, 3), "b": ("open", 4, 0)}


@pytest.mark.parametrize(
    ("first", "later", "days"),
    [
        (at(1, 20, 0, 7), at(2, 20, 0, 2), 1),  # a timer is not exact to the second
        (at(1, 20, 0, 2), at(2, 20, 0, 7), 1),
        (at(1, 20, 29, 59), at(1, 20, 30), 1),  # midnight in Tehran
        (at(1, 20, 30), at(2, 20, 29, 59), 0),
        (at(1, 12), at(1, 18), 0),
    ],
)
def test_an_age_is_in_business_dates(
    history: History, first: datetime, later: datetime, days: int
) -> None:
    history.pull("checkouts", unpaid("a"))
    for instant in (first, later):
        history.clock(instant)
        with reconcile(history.lake, history.settings) as result:
            (row,) = result.breaks.to_pylist()
    assert (row["first_seen"], row["age_days"]) == (first, days)


def test_a_break_that_is_no_longer_found_is_gone_for_one_report(
    history: History,
) -> None:
    history.pull("checkouts", unpaid("a", "b"))
    night(history, 1)
    history.clock(at(2))
    history.pull("checkouts", unpaid("a", paid=True))
    assert night(history, 2) == {"a": ("gone", 1, 1), "b": ("open", 1, 1)}
    assert night(history, 3) == {"b": ("open", 1, 2)}


def test_a_break_that_returns_is_open_with_its_age(history: History) -> None:
    history.pull("checkouts", unpaid("a"))
    night(history, 1)
    history.clock(at(2))
    history.pull("checkouts", unpaid("a", paid=True))
    night(history, 2)
    history.clock(at(3))
    history.pull("checkouts", unpaid("a"))
    assert night(history, 3) == {"a": ("open", 1, 2)}


def test_a_decision_says_where_a_break_stands(history: History) -> None:
    stands = {
        "acknowledge": "acknowledged",
        "resolve": "resolved",
        "reopen": "open",
        "note": "open",
        "assign": "open",
    }
    history.pull("checkouts", unpaid(*stands))
    night(history, 1)
    history.clock(at(2))
    for action in stands:  # each of a break of its own
        history.decide(identity(action), action, at(2))
    for day in (2, 3):
        found = night(history, day)
        assert {name: status for name, (status, *_) in found.items()} == stands


def test_the_last_decision_counts(history: History) -> None:
    history.pull("checkouts", unpaid("a"))
    history.decide(identity("a"), "resolve", at(1, 2))
    history.decide(identity("a"), "acknowledge", at(1, 3))
    assert night(history, 1)["a"][0] == "acknowledged"


def test_a_reopened_break_is_open_from_then_on_and_not_before(
    history: History,
) -> None:
    decided = {"acknowledge": "acknowledged", "resolve": "resolved"}
    history.pull("checkouts", unpaid(*decided))
    night(history, 1)
    for action in decided:  # each of a break of its own
        history.decide(identity(action), action, at(2))
    found = night(history, 2)
    assert {name: status for name, (status, *_) in found.items()} == decided
    for action in decided:
        history.decide(identity(action), "reopen", at(3))
    assert night(history, 3) == dict.fromkeys(decided, ("open", 1, 2))
    with reconcile(history.lake, history.settings, as_of=at(2, 20)) as earlier:
        assert statuses_of(earlier) == decided
    history.clock(at(4))
    history.pull("checkouts", unpaid(*decided, paid=True))
    found = night(history, 4)
    assert {status for status, *_ in found.values()} == {"gone"}
    assert found.keys() == decided.keys()


def test_what_was_reopened_may_be_decided_again(history: History) -> None:
    history.pull("checkouts", unpaid("a"))
    history.decide(identity("a"), "resolve", at(1, 2))
    history.decide(identity("a"), "reopen", at(1, 3))
    history.decide(identity("a"), "acknowledge", at(1, 4))
    assert night(history, 1)["a"][0] == "acknowledged"


def test_a_decision_after_t_does_not_count(history: History) -> None:
    history.pull("checkouts", unpaid("a"))
    history.decide(identity("a"), "resolve", at(2))
    assert night(history, 1)["a"][0] == "open"
    assert night(history, 2)["a"][0] == "resolved"


@pytest.mark.parametrize(
    ("action", "stands"),
    [("resolve", "resolved"), ("acknowledge", "acknowledged")],
)
def test_a_decided_break_that_went_away_and_returns_is_open(
    history: History, action: str, stands: str
) -> None:
    history.pull("checkouts", unpaid("a"))
    night(history, 1)
    history.decide(identity("a"), action, at(1, 21))
    assert night(history, 2)["a"][0] == stands
    history.pull("checkouts", unpaid("a", paid=True))
    assert night(history, 3) == {}  # it was not open: nothing to report
    history.pull("checkouts", unpaid("a"))
    assert night(history, 4)["a"][0] == "open"


def test_a_decision_ends_where_the_figures_are_other_ones(history: History) -> None:
    """What was settled at 7 rials says nothing of 9."""
    decided = {"acknowledge": "acknowledged", "resolve": "resolved"}
    is_open = dict.fromkeys(decided, "open")
    night_of_amount(history, 1, 5)
    night_of_amount(history, 2, 7)
    history.clock(at(2, 21))
    for action in decided:  # each of a break of its own
        history.decide(identity(action), action, at(2, 21))
    with last_result(history.lake, history.settings) as shown:
        assert statuses_of(shown) == decided
    assert night_of_amount(history, 3, 7) == decided
    assert night_of_amount(history, 4, 9) == is_open
    assert night_of_amount(history, 5, 7) == is_open  # it moves: look again
    for action in decided:
        history.decide(identity(action), action, at(5, 21))
    assert night_of_amount(history, 6, 7) == decided
    with reconcile(history.lake, history.settings, as_of=at(4, 20)) as again:
        assert statuses_of(again) == is_open


def night_of_amount(history: History, day: int, amount: int) -> dict[str, str]:
    """Give two checkouts an amount, run that night, and say where they stand."""
    checkouts = unpaid("acknowledge", "resolve")["checkouts"]
    history.clock(at(day, 12))
    history.pull(
        "checkouts", {"checkouts": [{**each, "amount": amount} for each in checkouts]}
    )
    history.clock(at(day, 20))
    with reconcile(history.lake, history.settings) as result:
        return statuses_of(result)


def statuses_of(result: Result) -> dict[str, str]:
    """Where each break stands, by its record."""
    rows = [row for row in result.breaks.to_pylist() if row["check"] == CHECK]
    found = {str(row["record_id"]): str(row["status"]) for row in rows}
    assert len(found) == len(rows)
    return found


def test_no_longer_found_counts_even_if_the_run_is_repeated(history: History) -> None:
    history.pull("checkouts", unpaid("a"))
    night(history, 1)
    history.clock(at(2))
    history.pull("checkouts", unpaid("a", paid=True))
    first = night(history, 2)
    with reconcile(history.lake, history.settings, as_of=at(2, 20)) as again:
        assert again.breaks["status"].to_pylist() == ["gone"]
    assert first["a"][0] == "gone"


def test_an_ordinary_run_ignores_runs_of_its_own_future(history: History) -> None:
    """A run repeated for an earlier T does not see what later runs found."""
    history.pull("checkouts", unpaid("a"))
    history.clock(at(5))
    night(history, 5)
    with reconcile(history.lake, history.settings, as_of=at(3)) as earlier:
        (row,) = earlier.breaks.to_pylist()
    assert (row["first_seen"], row["age_days"]) == (at(3), 0)


ROW = dict.fromkeys(("expected", "actual", "related_id", "detail")) | {
    name: name for name in ("break_id", "check", "product", "record_id")
}


def known(days: range, seen: list[int], decided: Decision) -> Known:
    """Nightly runs of some days at 20:00, those that had the break, and a decision."""
    runs = [at(day, 20) for day in days]
    had = [at(day, 20) for day in seen]
    last = {"break_id": ROW} if runs[-1] in had else {}
    decisions = {"break_id": [decided]}
    figures = dict.fromkeys(had, (None, None, None, "now"))
    return Known(runs, {"break_id": had}, last, decisions, {"break_id": figures})


@pytest.mark.parametrize(
    ("status", "seen", "stands"),
    [
        ("resolved", [2, 3], "resolved"),  # the first run had it not yet
        ("resolved", [2], "open"),  # it went away and returns
        ("acknowledged", [2, 3], "acknowledged"),
        ("acknowledged", [2], "open"),
    ],
)
def test_only_a_later_run_without_the_break_ends_what_was_decided(
    status: str, seen: list[int], stands: str
) -> None:
    history = known(range(1, 4), seen, Decision(at(2, 21), status))
    assert history.status(ROW, at(4, 20)) == stands


def test_a_decision_ends_where_the_very_next_run_has_other_figures() -> None:
    history = known(range(1, 3), [1, 2], Decision(at(2, 21), "resolved"))
    assert history.status(ROW, at(3, 20)) == "resolved"
    assert history.status(ROW | {"detail": "then"}, at(3, 20)) == "resolved"
    assert history.status(ROW | {"actual": 5}, at(3, 20)) == "open"


@pytest.mark.parametrize(("day", "statuses"), [(2, ["gone"]), (1, [])])
def test_what_was_open_at_the_last_run_is_gone_whatever_was_decided_since(
    day: int, statuses: list[str]
) -> None:
    history = known(range(1, 3), [1, 2], Decision(at(day, 21), "resolved"))
    assert with_life([], history, at(3, 20), UTC)["status"].to_pylist() == statuses


def test_of_a_check_that_was_not_run_nothing_is_gone() -> None:
    history = known(range(1, 3), [1, 2], Decision(at(1, 21), "acknowledged"))
    history = replace(history, decisions={})
    gone = with_life([], history, at(3, 20), UTC, {"another"})["status"].to_pylist()
    assert gone == ["gone"]
    assert with_life([], history, at(3, 20), UTC, {ROW["check"]}).num_rows == 0


def test_a_break_found_twice_is_one_and_always_the_same() -> None:
    rows = [
        {"check": "c", "product": "unified", "record_id": "r", "detail": detail}
        for detail in ("b", "a")
    ]
    for order in (rows, rows[::-1]):
        found = identified(pa.Table.from_pylist(order, FOUND), zone("UTC"))
        assert [row["detail"] for row in found] == ["a"]


def test_a_break_without_a_record_or_amount_stays_one() -> None:
    rows = [{"check": "c", "product": None, "record_id": None, "expected": 5}]
    (row,) = identified(pa.Table.from_pylist(rows, FOUND), zone("UTC"))
    assert row["break_id"] == break_id("c", "", "")
    assert (row["difference"], row["business_date"]) == (None, None)


@pytest.mark.parametrize(
    ("product", "second", "day"),
    [("wallet", 0, 4), ("wallet", 1, 5), ("unified", 0, 5), ("unified", -1, 4)],
)
def test_a_break_of_the_wallet_has_the_date_that_its_snapshot_ends(
    product: str, second: int, day: int
) -> None:
    """20:30 UTC is midnight in Tehran, the begin of the 5th."""
    occurred = datetime(2026, 10, 4, 20, 30, tzinfo=UTC) + timedelta(seconds=second)
    rows = [{"check": "c", "product": product, "occurred_at": occurred}]
    found = identified(pa.Table.from_pylist(rows, FOUND), zone("Asia/Tehran"))
    assert [row["business_date"] for row in found] == [date(2026, 10, day)]


def without(history: History, day: int) -> dict[str, tuple[str, int, int]]:
    """Run on a day with the check disabled: nobody looks at what it would find."""
    usual = history.settings
    history.settings = replace(usual, checks=Checks(disabled=(CHECK,)))
    found = night(history, day)
    history.settings = usual
    return found


def test_a_night_that_did_not_ask_says_nothing_of_what_was_decided(
    history: History,
) -> None:
    history.pull("checkouts", unpaid("a", "b"))
    night(history, 1)
    history.decide(identity("a"), "resolve", at(2))
    history.decide(identity("b"), "acknowledge", at(2))
    stands = {"a": ("resolved", 1, 3), "b": ("acknowledged", 1, 3)}
    without(history, 3)
    assert night(history, 4) == stands


def test_a_break_that_went_while_nobody_asked_is_gone_once_somebody_does(
    history: History,
) -> None:
    history.pull("checkouts", unpaid("a", "b"))
    night(history, 1)
    without(history, 2)
    history.clock(at(3))
    history.pull("checkouts", unpaid("a", paid=True))
    without(history, 3)
    assert night(history, 4) == {"a": ("gone", 1, 3), "b": ("open", 1, 3)}
    assert night(history, 5) == {"b": ("open", 1, 4)}


def test_a_resolved_break_that_was_away_is_open_though_a_night_did_not_ask(
    history: History,
) -> None:
    history.pull("checkouts", unpaid("a"))
    night(history, 1)
    history.decide(identity("a"), "resolve", at(2))
    without(history, 2)
    history.clock(at(3))
    history.pull("checkouts", unpaid("a", paid=True))
    night(history, 3)
    history.clock(at(4))
    history.pull("checkouts", unpaid("a"))
    assert night(history, 4) == {"a": ("open", 1, 3)}


@pytest.mark.parametrize(
    "asked", [("nothing", CHECK, "nothing"), (CHECK, "checkout_paid_twice", CHECK)]
)
def test_a_check_was_asked_if_any_run_of_the_instant_asked_it(
    history: History, asked: tuple[str, ...]
) -> None:
    """Though they find the same: nothing. One that asks less changes nothing."""
    usual = history.settings
    history.pull("checkouts", unpaid("a"))
    night(history, 1)
    history.decide(identity("a"), "resolve", at(2))
    history.clock(at(3))
    history.pull("checkouts", unpaid("a", paid=True))
    for name in asked:
        history.settings = replace(usual, checks=only(name))
        night(history, 3)
    assert len(history.lake.commits(kind="run")) == 3
    history.settings = usual
    history.clock(at(4))
    history.pull("checkouts", unpaid("a"))
    assert night(history, 4) == {"a": ("open", 1, 3)}
