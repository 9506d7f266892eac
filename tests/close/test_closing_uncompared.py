"""What of a closed period no two balances of the wallet enclose."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from recon.cli.group import run
from recon.close.balances import uncompared
from recon.close.periods import parse
from recon.reconcile.run import present_result
from recon.settings import CashIn
from recon.times import format_instant
from tests.close.closed_shop import PERIOD, WALLET, closed, settings_of, trade
from tests.reconcile.lake_history import History, at


@pytest.mark.parametrize(
    ("shown", "told"),
    [
        ({1: 100}, [(at(1), at(6))]),
        ({7: 105}, [(at(1), at(6))]),
        ({3: 105, 6: 105}, [(at(1), at(3))]),
        ({1: 100, 4: 105}, [(at(4), at(6))]),
        ({3: 105, 4: 105}, [(at(1), at(3)), (at(4), at(6))]),
        ({1: 100, 6: 105}, []),
        ({1: 100, 7: 105}, []),  # one interval encloses all of it
        ({2: 105, 5: 105}, []),  # a day is no old balance
        ({}, []),
    ],
)
def test_a_closing_tells_the_time_that_no_two_balances_enclose(
    history: History,
    shown: dict[int, int],
    told: list[tuple[datetime, datetime]],
) -> None:
    trade(history, shown)
    closing = closed(history, dry_run=True)
    assert [(each["from_at"], each["to_at"]) for each in closing.uncompared] == told
    assert closing.as_dict()["uncompared"] == closing.uncompared


def test_of_a_day_that_no_two_balances_enclose_all_is_told(history: History) -> None:
    trade(history, {2: 105, 5: 105})
    with present_result(history.lake, history.settings) as result:
        found = [
            uncompared(result, parse(f"2026-10-0{day}..2026-10-0{day}"))
            for day in (1, 2)
        ]
    assert found == [[{"wallet": WALLET, "from_at": at(1), "to_at": at(2)}], []]


@pytest.mark.parametrize(
    ("shown", "told"),
    [
        (
            {1: 100, 4: 105},
            "IR1 is not compared from 2026-10-04T00:00:00Z to 2026-10-06T00:00:00Z",
        ),
        ({}, "the wallet is not compared: no balance of it is known\n"),
        ({1: 100, 6: 105}, ""),
    ],
)
def test_the_command_says_what_of_the_period_is_not_compared(
    history: History,
    config: Path,
    capsys: pytest.CaptureFixture[str],
    shown: dict[int, int],
    told: str,
) -> None:
    config.write_text(
        config.read_text("utf-8").replace('"shop"', '"shop"\ntimezone = "UTC"'), "utf-8"
    )
    trade(history, shown)
    assert run(["close", PERIOD, "--dry-run", "--config", str(config)]) == 0
    out = capsys.readouterr().out
    assert (told or "would write") in out
    assert ("not compared" in out) == bool(told)


NEW = "IR2"
SINCE = """
[cash_in]
wallet_iban = "IR1"
[cash_in.wallet_iban_since]
2026-10-03 = "IR2"
"""


@pytest.mark.parametrize(
    ("old", "new", "told", "movements"),
    [
        ({1: 100, 2: 105}, {4: 50, 6: 50}, [(at(2), at(4))], (1, 7)),
        ({1: 100, 2: 105}, {7: 57}, [(at(2), at(7))], (1, 7)),  # over the end
        ({0: 100, 1: 100}, {7: 57}, [(at(1), at(7))], (2, 12)),  # all of it
        ({1: 100, 3: 112}, {3: 50, 6: 50}, [], None),  # of one instant
        ({0: 100, 1: 100}, {1: 50, 6: 62}, [], None),
    ],
)
def test_a_closing_tells_what_moved_while_the_wallet_changed(
    history: History,
    config: Path,
    capsys: pytest.CaptureFixture[str],
    old: dict[int, int],
    new: dict[int, int],
    told: list[tuple[datetime, datetime]],
    movements: tuple[int, int] | None,
) -> None:
    """5 on the first and 7 on the second: no balance of the two wallets has the 7."""
    text = config.read_text("utf-8").replace('"shop"', '"shop"\ntimezone = "UTC"')
    day = min(new)
    since = f"2026-10-0{min(day, 3)}"
    config.write_text(text + SINCE.replace("2026-10-03", since), "utf-8")
    trade(history, {})
    snapshots = [
        {"at": at(1) + timedelta(days=day - 1), "iban": iban, "balance": each}
        for iban, given in ((WALLET, old), (NEW, new))
        for day, each in given.items()
    ]
    history.pull("balances", {"balances": snapshots}, kind="import")
    moved = {"at": at(2, 12), "amount": 7, "kind": "correction"}
    history.pull("adjustments", {"adjustments": [moved]}, kind="import")
    history.clock(at(8))
    history.settings = settings_of(
        history, cash_in=CashIn(wallet_iban=WALLET, wallet_iban_since={since: NEW})
    )
    closing = closed(history, dry_run=True)
    instants = [(each["from_at"], each["to_at"]) for each in closing.wallet_changes]
    assert instants == [tuple(map(format_instant, each)) for each in told]
    assert closing.as_dict()["wallet_changes"] == closing.wallet_changes
    assert run(["close", PERIOD, "--dry-run", "--config", str(config)]) == 0
    out = capsys.readouterr().out
    assert ("The wallet changed from IR1 to IR2: what moved" in out) == bool(told)
    assert "no balance of it is known" not in out
    if movements:
        count, rials = movements
        assert (closing.wallet_changes[0]["movements"], rials) == (count, rials)
        assert closing.wallet_changes[0]["amount"] == rials
