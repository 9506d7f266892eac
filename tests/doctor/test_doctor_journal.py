"""The doctor looks at requests of unknown outcome, and at what became of them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from recon.doctor import Level
from recon.errors import ExitCode
from recon.journal import Journal
from recon.lake import Lake
from recon.records.requests import Operation, Outcome
from tests.doctor.doctor_cases import (
    UNIFIED,
    config,
    examined,
    of,
    provider,
    told,
)


@pytest.fixture
def journal(lake: Lake) -> Iterator[Journal]:
    with Journal(lake.root / "journal.sqlite3") as journal:
        yield journal


def test_a_journal_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    found = examined(config(tmp_path, UNIFIED), look_up=True)
    assert len(told(found, "journal", Level.OK)) == 1
    assert not (tmp_path / "data").exists()


def test_requests_of_known_outcome_are_no_trouble(
    tmp_path: Path, journal: Journal
) -> None:
    number = journal.begin(Operation.DEPOSIT, "track-1", {})
    journal.end(number, Outcome.ANSWERED, status=200, answer=b"{}")
    found = examined(config(tmp_path))
    assert told(found, "journal") == [
        "every request that moves money has a known outcome"
    ]


def test_requests_of_unknown_outcome_are_listed_with_a_way_out(
    tmp_path: Path, journal: Journal
) -> None:
    for operation in (Operation.DEPOSIT, Operation.HOSTED_SEND):
        number = journal.begin(operation, f"{operation}-1", {"amount": 1})
        journal.end(number, Outcome.UNKNOWN, note="no whole answer within 30 s")
    found = examined(config(tmp_path))
    deposit, hosted = of(found, "journal", Level.PROBLEM)
    assert "deposit deposit-1" in deposit.told
    assert "no whole answer within 30 s" in deposit.told
    assert "recon import deposits" in deposit.do
    assert "--look-up" in hosted.do
    assert found.exit_code is ExitCode.BREAKS_OPEN


def test_a_look_up_journals_what_it_finds_unless_it_is_a_rehearsal(
    tmp_path: Path, journal: Journal
) -> None:
    number = journal.begin(Operation.CHECKOUT_CREATE, "order-1", {"amount": 1})
    journal.end(number, Outcome.UNKNOWN)
    checkout = {
        "id": "c-1",
        "request_id": "order-1",
        "amount": 1,
        "status": "not_paid",
        "payments": [],
    }
    meta = {"current_page": 1, "last_page": 1, "per_page": 100, "total": 1}
    answer = provider(
        body={"success": True, "message": "", "data": [checkout], "meta": meta}
    )
    path = config(tmp_path, UNIFIED)
    assert of(
        examined(path, answer, look_up=True, dry_run=True), "journal", Level.PROBLEM
    )
    assert len(journal.unknown()) == 1
    found = examined(path, answer, look_up=True)
    (line,) = told(found, "journal", Level.OK)
    assert "checkout_create order-1" in line
    assert "done: it is in the list" in line
    assert journal.unknown() == []


def test_what_a_look_up_cannot_settle_stays_a_problem(
    tmp_path: Path, journal: Journal
) -> None:
    number = journal.begin(Operation.DEPOSIT, "track-1", {})
    journal.end(number, Outcome.UNKNOWN)
    found = examined(config(tmp_path), look_up=True)
    (finding,) = of(found, "journal", Level.PROBLEM)
    assert "no way to look it up" in finding.told


def test_a_damaged_journal_is_a_problem(tmp_path: Path, lake: Lake) -> None:
    (lake.root / "journal.sqlite3").write_bytes(b"no database at all" * 100)
    (finding,) = of(examined(config(tmp_path)), "journal", Level.PROBLEM)
    assert "damaged" in finding.told
