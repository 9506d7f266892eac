"""What the terminal says of a run, line by line: nothing of it may be left out."""

from pathlib import Path
from typing import Any

import pytest

from recon.cli.verdict import print_files, print_left_out, print_pull, print_summary
from recon.pull.runner import PullReport, SourceOutcome

HEAD = "as of 2026-10-01T06:30:00Z, run r\n"
WALLET = {"closing": 1_250_000, "unexplained": 0, "unexplained_intervals": 0}
NO_WALLET = {"closing": None, "unexplained": None, "unexplained_intervals": 0}
HELD = "wallet: 1,250,000 rials\nunexplained: 0 rials\n"
FAILED = {"complete": False, "error": "it answered 503"}


def summary(**changed: Any) -> dict[str, Any]:
    return {
        "as_of": "2026-10-01T06:30:00Z",
        "run_id": "r",
        "complete": True,
        "sources": {"checkouts": {"complete": True, "error": None}},
        "breaks": {"open": {"by_severity": {"critical": 0, "info": 0}, "by_check": {}}},
        "wallet": WALLET,
    } | changed


def shown(capsys: pytest.CaptureFixture[str], **changed: Any) -> str:
    print_summary(summary(**changed))
    return capsys.readouterr().out


def test_a_quiet_run_is_four_lines(capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(capsys) == f"{HEAD}open breaks: none\n{HELD}"


def test_open_breaks_are_counted_by_severity_and_by_check(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = {
        "by_severity": {"critical": 1_200, "error": 0, "warning": 0, "info": 1},
        "by_check": {"checkout_paid_twice": 1_200, "payment_redirect_stale": 1},
        "rials_by_check": {"checkout_paid_twice": 5_000_000},
    }
    assert shown(capsys, breaks={"open": found}) == (
        f"{HEAD}open breaks: 1,200 critical, 1 info\n"
        "check                   open   rials\n"
        "checkout_paid_twice     1,200  5,000,000\n"
        f"payment_redirect_stale  1\n{HELD}"
    )


def test_sources_that_failed_come_first_with_their_reasons(
    capsys: pytest.CaptureFixture[str],
) -> None:
    sources = summary()["sources"] | {"mandates": FAILED}
    told = shown(
        capsys,
        complete=False,
        sources=sources,
        stale={"checkouts": "2026-09-01T00:00:00Z"},
        never_read=["accounts", "balances"],
    )
    assert told == (
        f"{HEAD}INCOMPLETE: mandates: it answered 503\n"
        "checkouts: last read at 2026-09-01T00:00:00Z, and shown as it was then\n"
        f"never read: accounts, balances\nopen breaks: none\n{HELD}"
    )


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (
            {"sources": {}, "wallet": NO_WALLET},
            "nothing is known: no source was ever read\n",
        ),
        ({"sources": {}}, f"open breaks: none\n{HELD}"),
        (
            {"wallet": NO_WALLET},
            (
                "open breaks: none\n"
                "wallet: not known, there are no two balance snapshots to compare\n"
            ),
        ),
    ],
)
def test_what_is_not_known_is_not_called_well(
    capsys: pytest.CaptureFixture[str], changed: dict[str, Any], said: str
) -> None:
    assert shown(capsys, **changed) == HEAD + said


def test_an_old_balance_is_told_with_its_time(
    capsys: pytest.CaptureFixture[str],
) -> None:
    old = WALLET | {"closing_at": "2026-09-01T00:00:00Z"}
    told = shown(capsys, wallet=old).splitlines()
    assert told[2] == "wallet: 1,250,000 rials at 2026-09-01T00:00:00Z"


def outcome(source: str, status: str, error: str | None) -> SourceOutcome:
    return SourceOutcome(source=source, status=status, error=error)


def test_a_pull_tells_why_a_source_was_left_out_or_failed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    pulled = PullReport(
        (
            outcome("checkouts", "skipped", "there is no section [unified]"),
            outcome("mandates", "skipped", "there is no section [unified]"),
            outcome("accounts", "skipped", "there is no section [cash_in]"),
            outcome("webhooks", "incomplete", "it answered 503"),
        )
    )
    known = ("checkouts", "mandates", "webhooks")
    print_left_out(pulled, summary(sources=dict.fromkeys(known, FAILED)))
    assert capsys.readouterr().out == (
        "not pulled, and shown as before: checkouts, mandates "
        "(there is no section [unified])\n"
    )
    print_pull(pulled)
    head, *rows = capsys.readouterr().out.splitlines()
    assert head.split() == [
        *("source", "status", "records", "pages"),
        *("new", "changed", "vanished", "proof"),
    ]
    assert [row.split()[1] for row in rows[:4]] == [*["skipped"] * 3, "incomplete"]
    assert rows[4:] == [
        "checkouts: there is no section [unified]",
        "mandates: there is no section [unified]",
        "accounts: there is no section [cash_in]",
        "webhooks: it answered 503",
    ]


def test_the_files_are_named_in_their_folder(
    capsys: pytest.CaptureFixture[str],
) -> None:
    files = {name: Path("/r/2026-10-01", name) for name in ("a.csv", "summary.json")}
    print_files(files)
    print_files(files, would=True)
    print_files({})
    assert capsys.readouterr().out == (
        "reports: /r/2026-10-01 (a.csv, summary.json)\n"
        "would write: /r/2026-10-01 (a.csv, summary.json)\n"
    )
