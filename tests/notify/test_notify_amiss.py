"""What is no break and should be known makes a night that is not called well."""

from pathlib import Path
from typing import Any

import pytest

from recon import notify

LEVELS = ("critical", "error", "warning", "info")


def message(folder: Path, critical: int = 0, **amiss: Any) -> notify.Message:
    counts = dict.fromkeys(LEVELS, 0) | {"critical": critical}
    summary = {
        "as_of": "2026-10-01T06:30:00Z",
        "complete": True,
        "sources": {"deposits": {"complete": True, "error": None}},
        "breaks": {"open": {"by_severity": counts, "by_check": {}}},
        "wallet": {"closing": 5_000, "unexplained": 0, "unexplained_intervals": 0},
    }
    return notify.message("acme", summary | amiss, folder)


LOST = {"missing_settlements": {"settlements": 2, "amount": 2_400_000_000}}
AGAIN = {"duplicate_payments": {"orders": 1, "excess": 700_000}}


@pytest.mark.parametrize(
    ("amiss", "title", "line"),
    [
        (
            LOST,
            "no break is open, but money never came to the bank",
            "Never came to the bank: 2 settlements, 2,400,000,000 rials.",
        ),
        (
            AGAIN,
            "no break is open, but orders were paid twice",
            "Paid more than once: 1 order, 700,000 rials beyond.",
        ),
    ],
)
def test_money_that_is_amiss_is_told(
    amiss: dict[str, Any], title: str, line: str, tmp_path: Path
) -> None:
    said = message(tmp_path, **amiss)
    assert (said.title, said.mood) == (f"recon acme: {title}", "warning")
    assert line in said.body.splitlines()


def test_it_is_told_beside_breaks_that_are_open(tmp_path: Path) -> None:
    said = message(tmp_path, critical=1, **LOST, **AGAIN)
    assert (said.title, said.mood) == ("recon acme: 1 break to look at", "failure")
    assert "Never came to the bank: 2 settlements" in said.body
    assert "Paid more than once: 1 order" in said.body


def test_a_night_without_it_is_well(tmp_path: Path) -> None:
    said = message(tmp_path)
    assert (said.title, said.mood) == ("recon acme: all is well", "success")
    assert "Never came" not in said.body
    assert "Paid more" not in said.body
