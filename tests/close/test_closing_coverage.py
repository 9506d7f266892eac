"""A closing tells what of its period no file of the business covers."""

import zipfile
from pathlib import Path
from typing import Any

import pytest

from recon.cli.group import run
from recon.close import Closing, verify
from recon.settings import Checks
from tests.close.closed_shop import PERIOD, WALLET, closed, settings_of, trade
from tests.reconcile.lake_history import History, at, unpaid

BANK = "IR2"


def books_until(history: History, day: int) -> Closing:
    """A record paid on October 1 and one on October 4; books that end on a day."""
    trade(history, {1: 100, 6: 110})
    rows = unpaid("b", paid=True)
    for table, column in (("checkouts", "created_at"), ("payments", "paid_at")):
        rows[table][0][column] = at(4, 9)  # type: ignore[index]
    history.pull("checkouts", rows)
    orders = [
        {"reference": f"order-{each}", "amount": 5, "status": "paid"}
        | {"occurred_at": at(each, 9)}
        for each in (1, day)
    ]
    history.pull("books", {"books": orders}, kind="import")
    history.clock(at(8))
    return closed(history, dry_run=True)


def test_what_came_after_the_books_end_is_told(history: History) -> None:
    """The books end on October 3: nothing is compared of 5 rials of the fourth."""
    (found,) = books_until(history, 3).uncovered
    assert (found["count"], found["amount"], found["first"]) == (1, 5, "2026-10-04")
    assert found["covered_to"] == "2026-10-03"


def test_books_that_reach_over_the_period_leave_nothing_to_tell(
    history: History,
) -> None:
    closing = books_until(history, 4)
    assert closing.uncovered == closing.as_dict()["uncovered"] == []


def test_what_is_outside_of_the_period_is_no_matter_of_it(history: History) -> None:
    books_until(history, 3)
    rows = unpaid("c", paid=True)
    for table, column in (("checkouts", "created_at"), ("payments", "paid_at")):
        rows[table][0][column] = at(6, 9)  # type: ignore[index]
    history.pull("checkouts", rows)
    history.clock(at(9))
    (found,) = closed(history, dry_run=True).uncovered
    assert (found["count"], found["last"]) == (1, "2026-10-04")


def test_days_between_two_statements_of_the_bank_are_told(history: History) -> None:
    """Statements of September and of late October; 7 rials were settled on the 2nd."""
    trade(history, {})
    entry: dict[str, Any] = {"iban": BANK, "amount": 1, "description": "x"}
    for booked in (at(1).replace(month=9), at(20)):
        history.pull(
            "bank_statement",
            {"bank_statement": [entry | {"booked_at": booked}]},
            kind="import",
        )
    settled = {"at": at(2), "amount": -7, "kind": "settlement"}
    history.pull("adjustments", {"adjustments": [settled]}, kind="import")
    history.clock(at(28))
    closing = closed(history, dry_run=True)
    (gap,) = closing.bank_gaps
    assert (gap["iban"], gap["settlements"], gap["settled"]) == (BANK, 1, 7)
    assert (gap["from"], gap["to"]) == ("2026-09-02", "2026-10-19")
    assert closing.as_dict()["bank_gaps"] == closing.bank_gaps
    assert closing.uncovered == []


def test_files_of_which_there_are_none_are_named(
    history: History, config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing at all is compared with the books, which leaves no row to tell of."""
    trade(history, {})
    history.clock(at(8))
    closing = closed(history, dry_run=True)
    assert closing.never_imported == ["books", "tariff"]
    assert closing.as_dict()["never_imported"] == closing.never_imported
    close = ["close", PERIOD, "--dry-run", "--carry-forward", "--config", str(config)]
    assert run(close) == 0
    told = "so nothing is compared with them: the books, the tariff.\n"
    assert told in capsys.readouterr().out


def test_checks_that_the_settings_leave_out_are_named_by_command_and_pack(
    history: History, config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A break of theirs would be open: that none is carried forward proves nothing."""
    told = "by checks.disabled: record_restated, wallet_rollforward"
    trade(history, {1: 100, 6: 99})
    off = ("wallet_rollforward", "record_restated")
    text = config.read_text("utf-8").replace('"shop"', '"shop"\ntimezone = "UTC"')
    config.write_text(f"{text}\n[checks]\ndisabled = {[*off]}\n", "utf-8")
    close = ["close", PERIOD, "--dry-run", "--carry-forward", "--config", str(config)]
    assert run(close) == 0
    assert f"not run, {told}\n" in capsys.readouterr().out
    history.settings = settings_of(history, checks=Checks(disabled=off))
    closing = closed(history, carry_forward=True)
    assert closing.not_run == closing.as_dict()["not_run"] == sorted(off)
    with zipfile.ZipFile(closing.pack) as pack:
        assert f"\nNot run, {told}.\n" in pack.read("README.txt").decode()
    assert verify(closing.pack, settings_of(history), history.lake).holds


def test_a_kind_of_which_there_is_one_is_not_named(history: History) -> None:
    assert books_until(history, 3).never_imported == ["tariff"]


def test_the_command_tells_it(
    history: History, config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = config.read_text("utf-8").replace('"shop"', '"shop"\ntimezone = "UTC"')
    config.write_text(f'{text}\n[cash_in]\nwallet_iban = "{WALLET}"\n', "utf-8")
    books_until(history, 3)
    close = ["close", PERIOD, "--dry-run", "--carry-forward", "--config", str(config)]
    assert run(close) == 0
    told = "which reach from 2026-10-01 to 2026-10-03: 1 paid record of 5 rials"
    assert told in capsys.readouterr().out


def test_money_that_no_check_judges_is_told(history: History) -> None:
    """A record of an unknown status took 5 rials on October 1; another one later."""
    trade(history, {1: 100, 6: 110})
    rows = unpaid("b", paid=True)
    rows["checkouts"][0] |= {"status": "settled", "created_at": at(1, 9)}  # type: ignore[index]
    history.pull("checkouts", rows)
    history.clock(at(8))
    closing = closed(history, dry_run=True)
    (found,) = closing.unjudged
    assert (found["why"], found["name"], found["count"]) == ("status", "settled", 1)
    assert closing.as_dict()["unjudged"] == closing.unjudged
