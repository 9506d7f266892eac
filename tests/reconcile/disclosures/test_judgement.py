from typing import Any, get_args

import pytest

from recon.reconcile.disclosures.judgement import Reason, judgement

LEVELS = ("critical", "error", "warning", "info")
NO_WALLET = {"closing": None, "unexplained": None, "unexplained_intervals": 0}
WALLET = {"closing": 1, "unexplained": 0, "unexplained_intervals": 0}
READ = {"checkouts": {"complete": True, "error": None}}


def open_breaks(**levels: int) -> dict[str, Any]:
    return {"open": {"by_severity": dict.fromkeys(LEVELS, 0) | levels}}


WORST: dict[str, Any] = {
    "complete": False,
    "sources": {},
    "breaks": open_breaks(critical=1, error=2, warning=3, info=4),
    "wallet": NO_WALLET,
    "restated": {"2026-09": 1},
    "missing_settlements": {"settlements": 1, "amount": 5},
    "duplicate_payments": {"orders": 1, "excess": 5},
    "never_read": ["mandates"],
    "stale": {"checkouts": "2026-10-01T00:00:00Z"},
    "exit_code": 3,
}
MENDED: list[tuple[Reason, str, dict[str, Any]]] = [
    ("incomplete", "bad", {"complete": True, "exit_code": 1}),
    ("blocked", "bad", {"breaks": open_breaks()}),
    ("blocked_elsewhere", "warn", {"exit_code": 0}),
    ("empty", "warn", {"breaks": open_breaks(info=1)}),
    ("unread", "warn", {"sources": READ, "wallet": WALLET | {"late": True}}),
    ("open", "warn", {"breaks": open_breaks()}),
    ("restated", "warn", {"restated": {}}),
    ("missing_settlements", "warn", {"missing_settlements": {}}),
    ("duplicate_payments", "warn", {"duplicate_payments": {}}),
    ("never_read", "warn", {"never_read": []}),
    ("stale", "warn", {"stale": {}}),
    ("unproven", "warn", {"wallet": WALLET}),
    ("well", "good", {}),
]
"""Each reason in its turn, the gravest first, and what settles it alone."""


def test_the_gravest_reason_is_told_until_it_is_settled() -> None:
    given = dict(WORST)
    for reason, mood, settled in MENDED:
        judged = judgement(given)
        assert (judged.reason, judged.mood) == (reason, mood)
        given |= settled
    assert tuple(reason for reason, *_ in MENDED) == get_args(Reason)


@pytest.mark.parametrize("level", LEVELS)
def test_breaks_block_by_their_severity_and_are_counted(level: str) -> None:
    read = WORST | {"complete": True, "sources": READ, "exit_code": 0}
    judged = judgement(read | {"breaks": open_breaks(**{level: 3})})
    blocks = level in ("critical", "error")
    assert judged[1:] == (("blocked", 3) if blocks else ("open", 0))


QUIET = WORST | {
    "complete": True,
    "sources": READ,
    "breaks": open_breaks(),
    "restated": {},
    "missing_settlements": {},
    "duplicate_payments": {},
    "never_read": [],
    "stale": {},
    "exit_code": 0,
}
ESCROW = {"agreements": READ["checkouts"], "webhooks": READ["checkouts"]}
PAYMENTS_TOO = READ | ESCROW


@pytest.mark.parametrize(
    ("sources", "wallet", "disabled", "is_well"),
    [
        (READ, NO_WALLET, (), False),
        (READ, WALLET | {"late": True}, (), False),
        (READ, WALLET, (), True),
        (ESCROW, NO_WALLET, (), True),  # its money goes from party to party
        (ESCROW, WALLET | {"late": True}, (), False),  # somebody compares it
        (PAYMENTS_TOO, NO_WALLET, (), False),
        (READ, NO_WALLET, ("wallet_rollforward",), True),
        (READ, WALLET | {"late": True}, ("wallet_rollforward",), True),
        (READ, NO_WALLET, ("wallet_available_exceeds_balance",), False),
    ],
)
def test_a_wallet_without_balances_is_not_well_unless_nobody_compares_it(
    sources: dict[str, Any],
    wallet: dict[str, Any],
    disabled: tuple[str, ...],
    *,
    is_well: bool,
) -> None:
    given = QUIET | {"sources": sources, "wallet": wallet}
    reason = judgement(given, disabled).reason
    assert reason == ("well" if is_well else "unproven")
