"""Night by night over a lake whose wallet changes: no break of it goes silently."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from recon.errors import ExitCode
from recon.reconcile.breaks import History as Known
from recon.reconcile.breaks import break_id, with_unseen
from recon.reconcile.evidence import evidence
from recon.reconcile.result import Result
from recon.reconcile.run import reconcile
from recon.reconcile.telling import tell
from recon.reports.summary import summary
from recon.reports.writing import write
from recon.settings import CashIn, Reports, Settings
from tests.reconcile.lake_history import SETTINGS, History, at, only

OLD, NEW = "IR000000000000000000000001", "IR000000000000000000000002"
CHECK = "wallet_rollforward"
THEFT = break_id(CHECK, "wallet", f"{OLD}:2026-10-02T00:00:00Z")


def of(iban: str, **since: str) -> Settings:
    wallet = CashIn(wallet_iban=iban, wallet_iban_since=since)
    return replace(SETTINGS, cash_in=wallet, checks=only(CHECK))


def night(
    history: History, when: datetime, *shown: tuple[str, datetime, int]
) -> Result:
    """Run a night that found these balances: IBAN, instant and rials of each."""
    history.clock(when)
    rows = [
        {"iban": iban, "at": taken, "balance": rials, "origin": "provider"}
        for iban, taken, rials in shown
    ]
    if rows:
        history.pull("balances", {"balances": rows})
    return reconcile(history.lake, history.settings)


def stolen(history: History) -> None:
    """The nights of the old wallet: of 100 rials 60 are gone."""
    history.settings = of(OLD)
    night(history, at(1), (OLD, at(1), 100)).close()
    with night(history, at(2), (OLD, at(2), 40)) as found:
        assert lives(found) == {THEFT: ("open", at(2), 0)}
        assert found.exit_code() is ExitCode.BREAKS_OPEN


def lives(result: Result) -> dict[str, tuple[str, datetime, int]]:
    return {
        row["break_id"]: (row["status"], row["first_seen"], row["age_days"])
        for row in result.breaks.to_pylist()
    }


@pytest.mark.parametrize(
    "chosen", [of(NEW), of(OLD, **{"2026-10-02 12:00+00:00": NEW})]
)
def test_a_theft_before_the_change_stays_open(
    history: History, chosen: Settings
) -> None:
    stolen(history)
    history.settings = chosen
    for day in (3, 4):
        with night(history, at(day), (NEW, at(day), 7)) as found:
            assert lives(found) == {THEFT: ("open", at(2), day - 2)}
            assert found.exit_code() is ExitCode.BREAKS_OPEN
            figures = summary(found)
    (change,) = figures["wallet_changes"]
    assert change == {
        "from": OLD,
        "to": NEW,
        "from_at": "2026-10-02T00:00:00Z",
        "to_at": "2026-10-03T00:00:00Z",
        "movements": 0,
        "amount": 0,
    }
    assert figures["wallet"] == {
        "closing": 7,
        "unexplained": -60,
        "unexplained_intervals": 1,
    }
    assert "other_balances" not in figures


def test_before_the_new_wallet_is_known_the_break_of_the_old_one_stays(
    history: History,
) -> None:
    stolen(history)
    history.settings = of(NEW)
    with night(history, at(3)) as found:
        assert lives(found) == {THEFT: ("open", at(2), 1)}
        assert summary(found)["other_balances"] == {OLD: 2}
        assert found.rollforward.num_rows == 0


def test_what_cannot_be_told_apart_is_said_and_its_break_stays(
    history: History,
) -> None:
    """The new wallet has a balance among those of the old one: nobody knows since when
    it was the wallet, until the settings say it or somebody decides."""
    stolen(history)
    history.settings = of(NEW)
    between = (NEW, at(1, 12), 7), (NEW, at(3), 7)
    with night(history, at(3), *between) as found:
        assert lives(found) == {THEFT: ("open", at(2), 1)}
        assert found.exit_code() is ExitCode.BREAKS_OPEN
        assert summary(found)["other_balances"] == {OLD: 2}
        assert "wallet_changes" not in summary(found)
    with night(history, at(4)) as found:
        assert lives(found) == {THEFT: ("open", at(2), 2)}
        told = tell(found, evidence(found, THEFT) or {})
        assert any("is not compared any more" in line for line in told.lines)
        assert told.figures["difference"] == -60
    history.decide(THEFT, "resolve", at(4))
    with night(history, at(5)) as found:
        assert lives(found) == {THEFT: ("resolved", at(2), 3)}
        assert found.exit_code() is ExitCode.CLEAN
    history.settings = of(OLD, **{"2026-10-02 12:00+00:00": NEW})
    with night(history, at(6)) as found:
        assert lives(found) == {THEFT: ("resolved", at(2), 4)}
        assert summary(found)["other_balances"] == {NEW: 1}


BETWEEN = {"2026-10-01 06:00+00:00": NEW, "2026-10-01 12:00+00:00": OLD}
NOT_YET = {"2026-10-01 06:00+00:00": OLD}


@pytest.mark.parametrize("chosen", [of(OLD, **BETWEEN), of(NEW, **NOT_YET)])
def test_a_break_stays_where_the_settings_leave_its_interval_out(
    history: History, chosen: Settings
) -> None:
    """Another is said to have been the wallet in it, or at its begin: nobody compares
    the balances any more, which is no proof that the money is there."""
    stolen(history)
    told = history.settings
    history.settings = chosen
    with night(history, at(3), (OLD, at(3), 40)) as found:
        assert lives(found) == {THEFT: ("open", at(2), 1)}
        assert found.exit_code() is ExitCode.BREAKS_OPEN
        shown = evidence(found, THEFT) or {}
        assert any(
            "is not compared any more" in line for line in tell(found, shown).lines
        )
    history.settings = told
    with night(history, at(4)) as found:
        assert lives(found) == {THEFT: ("open", at(2), 2)}
        assert "wallet_changes" not in summary(found)
    left = {"at": at(1, 9), "amount": -60, "kind": "correction"}
    history.pull("adjustments", {"adjustments": [left]}, kind="import")
    with night(history, at(5)) as found:
        assert lives(found) == {THEFT: ("gone", at(2), 3)}


def test_the_evidence_of_a_break_is_not_that_of_another_wallet_at_that_instant(
    history: History,
) -> None:
    """Both have balances of both midnights, and each another rest."""
    stolen(history)
    history.settings = of(NEW, **{"2026-10-02 12:00+00:00": OLD})
    with night(history, at(3), (NEW, at(1), 7), (NEW, at(2), 9)) as found:
        own = break_id(CHECK, "wallet", f"{NEW}:2026-10-02T00:00:00Z")
        assert {each: life[0] for each, life in lives(found).items()} == {
            THEFT: "open",
            own: "open",
        }
        seen = [evidence(found, each) or {} for each in (THEFT, own)]
        assert [bool(each["wallet"]["told"]) for each in seen] == [False, True]


def test_a_disabled_check_keeps_nothing_open(history: History) -> None:
    stolen(history)
    quiet = replace(SETTINGS.checks, disabled=(CHECK,))
    history.settings = replace(of(NEW), checks=quiet)
    with night(history, at(3)) as found:
        assert lives(found) == {}


@pytest.mark.parametrize(
    ("given", "severity", "code"),
    [
        ({CHECK: "warning"}, "warning", ExitCode.CLEAN),
        ({}, "critical", ExitCode.BREAKS_OPEN),
    ],
)
def test_a_break_that_stays_weighs_what_the_settings_say_now(
    history: History, given: dict[str, str], severity: str, code: ExitCode
) -> None:
    stolen(history)
    for day, each in ((3, {CHECK: "info"}), (4, given)):
        history.settings = replace(of(NEW), checks=replace(only(CHECK), severity=each))
        with night(history, at(day)) as found:
            assert lives(found) == {THEFT: ("open", at(2), day - 2)}
    assert found.breaks["severity"].to_pylist() == [severity]
    assert found.exit_code() is code


def test_two_wallets_of_which_one_is_set_are_told_and_no_alarm(
    history: History,
) -> None:
    history.settings = of(OLD)
    for day in (1, 2, 3):
        shown = (OLD, at(day), 40), (NEW, at(day, 1), day * 9)
        with night(history, at(day, 2), *shown) as found:
            assert lives(found) == {}
            assert found.exit_code() is ExitCode.CLEAN
            assert summary(found)["other_balances"] == {NEW: day}


def test_what_left_across_the_change_is_counted_and_not_compared(
    history: History,
) -> None:
    """An adjustment of -30 and one of 5 are all that is known of 60 rials less."""
    history.settings = of(OLD, **{"2026-10-02 12:00+00:00": NEW})
    shown = (OLD, at(1), 100), (OLD, at(2), 100), (NEW, at(3), 40), (NEW, at(4), 40)
    moved = [(at(2), 0), (at(2, 9), -30), (at(3), 5), (at(3, 9), 0)]
    adjustments = [
        {"at": when, "amount": rials, "kind": "correction"} for when, rials in moved
    ]
    history.pull("adjustments", {"adjustments": adjustments}, kind="import")
    with night(history, at(4), *shown) as found:
        assert lives(found) == {}
        (change,) = summary(found)["wallet_changes"]
    assert (change["movements"], change["amount"]) == (2, -25)


def files(result: Result, settings: Settings, folder: Path) -> Mapping[str, Any]:
    chosen = replace(settings, reports=Reports(path=str(folder), excel=False))
    written = write(result, chosen)
    return {name: path.read_bytes() for name, path in written.items()}


def test_nights_before_the_change_are_the_same_bytes(
    history: History, tmp_path: Path
) -> None:
    stolen(history)
    with reconcile(history.lake, history.settings, as_of=at(2)) as before:
        known = files(before, history.settings, tmp_path / "before")
    history.settings = of(OLD, **{"2026-10-02 12:00+00:00": NEW})
    night(history, at(3), (NEW, at(3), 7)).close()
    with reconcile(history.lake, history.settings, as_of=at(2)) as again:
        assert files(again, history.settings, tmp_path / "after") == known
    assert len(known) > 10


@pytest.mark.parametrize(
    ("product", "unseen", "kept"),
    [
        ("wallet", {"IR1:x"}, ["IR1:x"]),
        ("wallet", {"IR1:y"}, []),  # its balance was taken back
        ("wallet", set(), []),
        ("books", {"IR1:x"}, []),
    ],
)
def test_only_breaks_of_balances_that_are_there_are_kept(
    product: str, unseen: set[str], kept: list[str]
) -> None:
    names = ("related_id", "occurred_at", "expected", "actual", "detail")
    row = dict.fromkeys(names) | {
        "break_id": "1",
        "check": CHECK,
        "product": product,
        "record_id": "IR1:x",
    }
    known = Known(runs=[at(1)], last={"1": row})
    found = with_unseen([], known, (), lambda: unseen)
    assert [each["record_id"] for each in found] == kept
    assert with_unseen([row], known, (), lambda: unseen) == [row]
    ends = with_unseen([], known, (), set, lambda: unseen)
    assert [each["record_id"] for each in ends] == kept
    other = Known(runs=[at(1)], last={"1": row | {"check": "another"}})
    assert with_unseen([], other, (), set, lambda: unseen) == []
    assert with_unseen([], known, (CHECK,), lambda: unseen) == []
