"""How a run stands: one judgement for everybody who tells it, each in their own words.

So the page and the message of a night agree in whether all is well, and why it is not.
"""

from collections.abc import Collection, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

from recon.errors import ExitCode
from recon.reconcile.disclosures.coverage import is_short
from recon.reconcile.disclosures.unjudged import is_unknown
from recon.setting_values import BLOCKING

Mood: TypeAlias = Literal["good", "warn", "bad"]
Reason: TypeAlias = Literal[
    "incomplete",
    "blocked",
    "blocked_elsewhere",
    "empty",
    "unread",
    "open",
    "restated",
    "missing_settlements",
    "duplicate_payments",
    "never_read",
    "stale",
    "unproven",
    "well",
]
"""`blocked` is by open breaks of error or critical, `blocked_elsewhere` by none of the
period told; `empty` is a lake of which nothing is known, `unread` one of files alone
with other breaks open."""


class Judgement(NamedTuple):
    """How a run stands, the gravest reason for it, and how many breaks block."""

    mood: Mood
    reason: Reason
    blocking: int


def judgement(summary: Mapping[str, Any], disabled: Collection[str] = ()) -> Judgement:
    """Judge a summary as JSON has it; what only `disabled` checks tell is no reason."""
    counts = summary["breaks"]["open"]["by_severity"]
    blocking = sum(counts.get(name, 0) for name in BLOCKING)
    count = sum(counts.values())
    unread = is_unread(summary)
    unproven = is_short(summary, disabled) or is_unknown(summary, disabled)
    reasons: tuple[tuple[Mood, Reason, object], ...] = (
        ("bad", "incomplete", not summary["complete"]),
        ("bad", "blocked", blocking),
        ("warn", "blocked_elsewhere", summary.get("exit_code") == ExitCode.BREAKS_OPEN),
        ("warn", "empty", unread and not count),
        ("warn", "unread", unread),
        ("warn", "open", count),
        ("warn", "restated", summary.get("restated")),
        ("warn", "missing_settlements", summary.get("missing_settlements")),
        ("warn", "duplicate_payments", summary.get("duplicate_payments")),
        ("warn", "never_read", summary.get("never_read")),
        ("warn", "stale", summary.get("stale")),
        ("warn", "unproven", unproven),
        ("good", "well", True),
    )
    mood, reason = next((mood, reason) for mood, reason, holds in reasons if holds)
    return Judgement(mood, reason, blocking)


def is_unread(summary: Mapping[str, Any]) -> bool:
    """Tell whether no source was ever read, and no two balances are known."""
    return not summary["sources"] and summary["wallet"]["closing"] is None
