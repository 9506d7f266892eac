"""What a closed period says now that it did not at its closing."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from recon.cli.close import command
from recon.close import restatements
from recon.lake import Commit
from recon.lake.voids import VOID, certificate
from recon.reconcile.run import present_result
from recon.settings import CashIn
from tests.close.closed_shop import (
    PERIOD,
    WALLET,
    closed,
    copied,
    restate,
    settings_of,
    trade,
)
from tests.reconcile.lake_history import History, at, unpaid


def found(history: History, day: int = 9) -> list[dict[str, Any]]:
    history.clock(at(day))
    with present_result(history.lake, history.settings) as result:
        return list(restatements(result).to_pylist())


def measures(
    rows: list[dict[str, Any]],
) -> dict[tuple[str, str], tuple[int | None, int]]:
    return {
        (row["record_id"] or row["product"], row["measure"]): (
            row["closed"],
            row["now"],
        )
        for row in rows
    }


def late_evening(history: History, shown: int) -> None:
    """A snapshot of the sixth, 23:00, beside those of the first and of the fifth."""
    trade(history, {1: 100, 5: 105})
    row = {"at": at(6, 23), "iban": WALLET, "balance": shown, "origin": "import"}
    history.pull("balances", {"balances": [row]}, kind="import")


def numbered(history: History) -> None:
    """Trade whose checkout has the number that the books have."""
    trade(history)
    rows = unpaid("a", paid=True)
    rows["checkouts"][0]["checkout_number"] = "a"  # type: ignore[index]
    history.pull("checkouts", rows)


def booked(history: History, **changed: Any) -> Commit:
    """Import a file of three orders: of the checkout, of none, and of the sixth."""
    order = {"status": "paid", "occurred_at": at(1, 22), "amount": 5}
    rows = [
        order | {"reference": "a"} | changed,
        order | {"reference": "b", "status": "refunded", "amount": 7},
        order | {"reference": "c", "occurred_at": at(6), "amount": 9},
    ]
    return history.pull("books", {"books": rows}, kind="import")


def numbered_and_booked(history: History) -> None:
    numbered(history)
    booked(history)


def evening_of_95(history: History) -> None:
    late_evening(history, 95)


Closed = Callable[[Callable[[History], None]], History]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The folders of shops that are closed, by the name of what happened in them."""
    folders = {}
    with pytest.MonkeyPatch.context() as patch:
        for happened in (trade, evening_of_95, numbered_and_booked):
            folder = tmp_path_factory.mktemp(happened.__name__)
            history = History(folder / "lake", patch)
            happened(history)
            closed(history, carry_forward=happened is not trade)
            folders[happened.__name__] = folder
    return folders


@pytest.fixture
def shop(
    made: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Closed:
    """Give a copy of the shop in which that happened, and was closed on the seventh."""

    def of(happened: Callable[[History], None]) -> History:
        history = copied(made[happened.__name__], tmp_path, monkeypatch)
        history.clock(at(7, 1))
        return history

    return of


def test_nothing_is_restated_where_nothing_changed(shop: Closed) -> None:
    history = shop(trade)
    assert found(history) == []


def test_a_restated_payment_is_told_by_date_and_product(shop: Closed) -> None:
    history = shop(trade)
    history.clock(at(8))
    restate(history, 8)
    rows = found(history)
    flows = [row for row in rows if row["product"] == "unified"]
    assert [row["measure"] for row in flows] == ["affected", "amount"]
    assert {row["business_date"].isoformat() for row in flows} == {"2026-10-01"}
    assert [(row["closed"], row["now"], row["difference"]) for row in flows] == [
        (5, 8, 3)
    ] * 2
    assert {row["period"] for row in rows} == {PERIOD}
    assert measures(rows)[f"{WALLET}:2026-10-06T00:00:00Z", "unexplained"] == (0, -3)


def test_a_payment_that_came_late_is_told_beside_none(shop: Closed) -> None:
    history = shop(trade)
    late = unpaid("b", paid=True)
    late["payments"][0]["paid_at"] = at(2, 1)  # type: ignore[index]
    history.pull("checkouts", late)
    assert measures(found(history))["unified", "count"] == (0, 1)


def test_an_import_that_was_voided_is_told(shop: Closed) -> None:
    history = shop(trade)
    history.clock(at(8))
    (balances,) = history.lake.commits(kind="import", source="balances")
    void = certificate([balances.id])
    history.pull("balances", {}, kind=VOID, certificate=void)
    gone = {"opening": (100, None), "closing": (105, None)}
    interval = f"{WALLET}:2026-10-06T00:00:00Z"
    assert measures(found(history)) == {
        (name, measure): figures
        for name, measures in {
            interval: gone | {"unexplained": (0, None)},
            WALLET: gone,
        }.items()
        for measure, figures in measures.items()
    }


def test_another_balance_of_the_end_is_told_where_no_interval_of_the_period_is(
    shop: Closed,
) -> None:
    """A correction of the fifth, after its snapshot, is imported after the closing."""
    history = shop(evening_of_95)
    history.clock(at(8))
    moved = {"at": at(5, 20), "amount": -10, "kind": "correction"}
    history.pull("adjustments", {"adjustments": [moved]}, kind="import")
    (row,) = [each for each in found(history) if each["record_id"]]
    assert row == row | {"record_id": WALLET, "measure": "closing"}
    assert (row["closed"], row["now"], row["difference"]) == (105, 95, -10)
    assert row["business_date"].isoformat() == "2026-10-05"


def test_a_balance_is_none_other_by_what_moved_after_the_end(shop: Closed) -> None:
    history = shop(evening_of_95)
    history.clock(at(8))
    moved = {"at": at(6, 20), "amount": -10, "kind": "correction"}
    history.pull("adjustments", {"adjustments": [moved]}, kind="import")
    assert found(history) == []


def test_a_closing_of_an_earlier_release_kept_no_balance_that_is_another_one(
    history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    late_evening(history, 95)
    monkeypatch.setattr("recon.close.closing._FROZEN", ("figures.json",))
    closed(history, carry_forward=True)
    history.clock(at(8))
    moved = {"at": at(5, 20), "amount": -10, "kind": "correction"}
    history.pull("adjustments", {"adjustments": [moved]}, kind="import")
    assert {row["record_id"] for row in found(history)} == {None}  # the flow alone


def test_a_closing_without_a_snapshot_has_no_balance_that_is_another_one(
    history: History,
) -> None:
    trade(history, {})
    closed(history)
    snapshot = {"at": at(6), "iban": WALLET, "balance": 7, "origin": "import"}
    history.pull("balances", {"balances": [snapshot]}, kind="import")
    assert found(history) == []


def test_books_that_were_voided_are_told_by_date(history: History) -> None:
    numbered(history)
    books = booked(history)
    closed(history, carry_forward=True)
    assert found(history) == []
    history.pull("books", {}, kind=VOID, certificate=certificate([books.id]))
    rows = found(history)
    assert measures(rows) == {
        ("books", measure): (figure, 0)
        for measure, figure in {
            "paid_orders": 1,
            "paid_amount": 5,
            "refunded_orders": 1,
            "refunded_amount": 7,
            "matched_orders": 1,
            "matched_amount": 5,
        }.items()
    }
    assert {row["business_date"].isoformat() for row in rows} == {"2026-10-01"}
    assert {row["difference"] for row in rows} == {-1, -5, -7}
    assert {(row["period"], row["closed_at"]) for row in rows} == {
        (PERIOD, rows[0]["closed_at"])
    }


def test_another_amount_of_an_order_is_told(shop: Closed) -> None:
    history = shop(numbered_and_booked)
    booked(history, amount=50)
    assert measures(found(history)) == {
        ("books", "paid_amount"): (5, 50),
        ("books", "matched_amount"): (5, 50),
    }


def test_another_status_date_or_product_of_an_order_is_told(shop: Closed) -> None:
    history = shop(numbered_and_booked)
    booked(history, status="unpaid")
    told = measures(found(history))
    assert told["books", "unpaid_orders"] == (0, 1)
    assert told["books", "paid_orders"] == (1, 0)
    assert ("books", "matched_orders") not in told
    booked(history, occurred_at=at(6, 1))
    assert measures(found(history))["books", "matched_orders"] == (1, 0)
    booked(history, occurred_at=None)
    assert measures(found(history))["books", "matched_orders"] == (1, 0)


def test_books_that_came_after_the_closing_are_told_beside_none(
    history: History,
) -> None:
    numbered(history)
    closed(history)
    booked(history, product="unified")
    told = measures(found(history))
    assert told["unified", "paid_amount"] == told["unified", "matched_amount"] == (0, 5)
    assert told["books", "refunded_orders"] == (0, 1)


def test_orders_of_other_dates_are_no_restatement(shop: Closed) -> None:
    history = shop(numbered_and_booked)
    order = {"reference": "c", "status": "unpaid", "occurred_at": at(6), "amount": 1}
    history.pull("books", {"books": [order]}, kind="import")
    assert found(history) == []


def test_a_closing_of_an_earlier_release_says_nothing_of_the_books(
    history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbered(history)
    booked(history)
    monkeypatch.setattr("recon.close.closing._FROZEN", ("figures.json", "balances.csv"))
    closed(history, carry_forward=True)
    booked(history, amount=50)
    assert found(history) == []


def test_where_nothing_was_closed_no_figures_are_computed(
    history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbered(history)
    booked(history)
    monkeypatch.setattr("recon.reconcile.restatements.book_figures", None)
    monkeypatch.setattr("recon.reconcile.restatements.escrow_figures", None)
    assert found(history) == []


def test_a_change_outside_the_period_is_none(shop: Closed) -> None:
    history = shop(trade)
    late = unpaid("b", paid=True)
    late["payments"][0]["paid_at"] = at(6, 1)  # type: ignore[index]
    history.pull("checkouts", late)
    assert found(history) == []


def test_a_snapshot_that_came_late_leaves_no_figure_to_subtract(
    shop: Closed,
) -> None:
    history = shop(trade)
    late = {"at": at(3), "iban": WALLET, "balance": 105, "origin": "import"}
    history.pull("balances", {"balances": [late]}, kind="import")
    rows = found(history)
    assert measures(rows)[f"{WALLET}:2026-10-03T00:00:00Z", "closing"] == (None, 105)
    assert measures(rows)[f"{WALLET}:2026-10-06T00:00:00Z", "opening"] == (100, 105)
    new = [row for row in rows if row["closed"] is None]
    assert {row["difference"] for row in new} == {None}


@pytest.mark.parametrize("back", [True, False])
def test_each_balance_of_a_wallet_that_another_replaced_for_days_is_told(
    history: History, *, back: bool
) -> None:
    """IR2 is the wallet on the third and fourth; the first has both of IR1's ends."""
    trade(history, {})
    shown = {at(1, 12): 100, at(2): 105, at(3): 50, at(4): 50, at(5): 90, at(6): 90}
    last = WALLET if back else "IR2"
    of = {1: WALLET, 2: WALLET, 3: "IR2", 4: "IR2", 5: last, 6: last}
    rows = [
        {"at": when, "iban": of[when.day], "balance": rials}
        for when, rials in shown.items()
    ]
    history.pull("balances", {"balances": rows}, kind="import")
    since = {"2026-10-02 12:00": "IR2", "2026-10-04 12:00": last}
    wallet = CashIn(wallet_iban=WALLET, wallet_iban_since=since)
    history.settings = settings_of(history, cash_in=wallet)
    closed(history, carry_forward=True)
    late = {"at": at(1, 6), "amount": 7, "kind": "correction"}
    history.pull("adjustments", {"adjustments": [late]}, kind="import")
    (told,) = [each for each in found(history) if each["record_id"]]
    assert (told["measure"], told["closed"], told["now"]) == ("opening", 100, 93)
    assert told["business_date"].day == 5
    span = f"{WALLET}:2026-10-01T00:00:00Z..2026-10-02T00:00:00Z"
    assert told["record_id"] == (span if back else WALLET)


@pytest.mark.parametrize(
    ("since", "told"),
    [("2026-10-06", []), ("2026-10-07", []), ("2026-10-05 23:59", [(105, None)])],
)
def test_a_wallet_that_follows_as_the_period_ends_restates_nothing(
    history: History, since: str, told: list[tuple[int, None]]
) -> None:
    """Its first balance came after the closing; the old one's last was of the third."""
    trade(history, {1: 100, 3: 105})
    closed(history)
    new = [{"at": at(7, hour), "iban": "IR2", "balance": 9} for hour in (1, 2)]
    history.pull("balances", {"balances": new}, kind="import")
    history.settings = settings_of(
        history, cash_in=CashIn(wallet_iban=WALLET, wallet_iban_since={since: "IR2"})
    )
    assert [(row["closed"], row["now"]) for row in found(history)] == told


def test_as_of_an_instant_before_the_closing_there_is_none(shop: Closed) -> None:
    history = shop(trade)
    history.clock(at(8))
    restate(history, 8)
    with present_result(history.lake, history.settings, as_of=at(6, 12)) as result:
        assert restatements(result).num_rows == 0


def test_the_command_writes_them_as_csv(
    history: History,
    config: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    config.write_text(
        config.read_text("utf-8").replace(
            'name = "shop"', 'name = "shop"\ntimezone = "UTC"'
        ),
        encoding="utf-8",
    )
    trade(history)
    command.main(
        [PERIOD, "--config", str(config), "--by", "sara", "--json"],
        standalone_mode=False,
    )
    closing = json.loads(capsys.readouterr().out)
    assert (closing["period"], closing["carried_forward"]) == (PERIOD, 0)
    history.clock(at(8))
    restate(history, 8)
    file = history.settings.reports_path / "closed" / "restatements.csv"
    arguments = ["--restatements", "--config", str(config)]
    command.main([*arguments, "--dry-run"], standalone_mode=False)
    assert not file.exists()
    command.main(arguments, standalone_mode=False)
    lines = file.read_text("utf-8-sig").splitlines()
    assert lines[0].startswith("period,closed_at,business_date,product")
    assert (
        f"{PERIOD},2026-10-07T00:00:01Z,2026-10-01,unified,,,affected,5,8,3"
    ) in lines
