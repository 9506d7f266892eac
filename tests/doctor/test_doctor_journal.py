"""The doctor looks at requests of unknown outcome, and at what became of them."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from recon.doctor import Level
from recon.errors import ExitCode
from recon.journal import Journal
from recon.journal.deliveries import Arrival, Deliveries
from recon.lake import Lake
from recon.records.requests import Operation, Outcome
from tests.doctor.doctor_cases import (
    CASH_IN,
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


def test_a_request_on_its_way_is_none_of_known_outcome(
    tmp_path: Path, journal: Journal
) -> None:
    journal.end(journal.begin(Operation.DEPOSIT, "track-1", {}), Outcome.REFUSED)
    journal.begin(Operation.DEPOSIT, "track-2", {})
    found = examined(config(tmp_path))
    assert told(found, "journal") == ["1 request on the way, not answered yet"]
    assert told(found, "journal", Level.PROBLEM) == []


def _told_of(lake: Lake, track_id: str, outcome: str | None) -> None:
    row = {"track_id": track_id, "origin": "import", "outcome": outcome}
    row |= {"gateway_transaction_id": None if outcome == "unknown" else "71"}
    with lake.begin("import", "deposits") as writing:
        writing.rows("deposits", [row], seen_at=datetime(2026, 11, 1, tzinfo=UTC))
        writing.commit(counts={"records": 1})


@pytest.mark.parametrize("look_up", [False, True])
def test_a_deposit_that_an_import_told_of_since_is_no_trouble(
    tmp_path: Path, lake: Lake, journal: Journal, look_up: bool
) -> None:
    """What the doctor advises settles it; what still says unknown does not."""
    for track_id in ("track-1", "track-2", "track-3", "Track-1"):
        number = journal.begin(Operation.DEPOSIT, track_id, {})
        journal.end(number, Outcome.UNKNOWN, note="cut")
    journal.end(journal.begin(Operation.AGREEMENT_CANCEL, "track-1", {}), Outcome.DONE)
    _told_of(lake, "track-1", "")
    _told_of(lake, "track-2", "unknown")
    _told_of(lake, "track-3", None)
    found = examined(config(tmp_path), look_up=look_up)
    left = told(found, "journal", Level.PROBLEM)
    assert [line.split(",")[0] for line in left] == [
        "deposit track-2",
        "deposit Track-1",
    ]
    (line,) = told(found, "journal", Level.OK)
    assert "2 deposits got no clear answer" in line
    assert line.endswith("track-1, track-3")


def test_another_request_of_a_deposits_name_stays_unknown(
    tmp_path: Path, lake: Lake, journal: Journal
) -> None:
    number = journal.begin(Operation.GATEWAY_VERIFY, "track-1", {})
    journal.end(number, Outcome.UNKNOWN)
    _told_of(lake, "track-1", "")
    (line,) = told(examined(config(tmp_path)), "journal")
    assert line.startswith("gateway_verify track-1")


def test_a_lake_that_cannot_be_read_settles_no_deposit(
    tmp_path: Path, lake: Lake, journal: Journal
) -> None:
    journal.end(journal.begin(Operation.DEPOSIT, "track-1", {}), Outcome.UNKNOWN)
    _told_of(lake, "track-1", "")
    (file,) = lake.files("deposits")
    file.write_bytes(b"damaged")
    found = examined(config(tmp_path))
    assert len(told(found, "journal", Level.PROBLEM)) == 1


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


@pytest.mark.parametrize(
    "damage", [lambda page: bytes(len(page)), lambda page: page.replace(b"dep", b"d3p")]
)
def test_damage_that_no_request_is_read_from_is_a_problem(
    tmp_path: Path, lake: Lake, damage: Callable[[bytes], bytes]
) -> None:
    """Of an index that only the next sender asks: whether it was sent before."""
    path = lake.root / "journal.sqlite3"
    with Journal(path) as journal:
        for number in range(3):
            sent = journal.begin(Operation.DEPOSIT, f"track-{number}", {})
            journal.end(sent, Outcome.REFUSED)
        ask = journal._connection.execute
        query = "select rootpage from sqlite_master where name = 'requests_by_subject'"
        (page,) = ask(query).fetchone()
        (size,) = ask("pragma page_size").fetchone()
    content = bytearray(path.read_bytes())
    place = slice((page - 1) * size, page * size)
    content[place] = damage(content[place])
    path.write_bytes(content)
    (finding,) = of(examined(config(tmp_path)), "journal", Level.PROBLEM)
    assert "is damaged" in finding.told
    assert finding.exit_code is ExitCode.INCOMPLETE


def test_an_answered_request_that_cannot_be_read_is_told(
    tmp_path: Path, lake: Lake
) -> None:
    """Not as if every outcome were known: a pull could not read it either."""
    with Journal(lake.root / "journal.sqlite3") as journal:
        journal.end(journal.begin("deposit", "track-1", {}), Outcome.ANSWERED)
        journal._connection.execute("update requests set body = '{'")
    found = [
        each for each in examined(config(tmp_path)).findings if each.area == "journal"
    ]
    assert [each.level for each in found] == [Level.PROBLEM]
    assert "request 1 cannot be read" in found[0].told
    assert found[0].exit_code is ExitCode.INCOMPLETE


def test_a_delivery_that_is_not_what_was_received_is_told(
    tmp_path: Path, lake: Lake
) -> None:
    """Before a night comes to it, which takes nothing of what it may have become."""
    at = datetime(2026, 11, 1, tzinfo=UTC)
    with Deliveries(lake.root / "journal.sqlite3") as deliveries:
        deliveries.add([Arrival(event="e", received_at=at, body=b"{}")])
        deliveries._connection.execute("update deliveries set body = x'7b20'")
    (finding,) = of(examined(config(tmp_path)), "journal", Level.PROBLEM)
    assert "delivery 1 cannot be read: its SHA-256 is another" in finding.told
    assert finding.exit_code is ExitCode.INCOMPLETE


def test_a_journal_that_lacks_what_the_lake_has_of_it_is_told(
    tmp_path: Path, lake: Lake
) -> None:
    """One that was lost looks as if nothing had ever been sent."""
    row = {"track_id": "track-1", "origin": "journal", "outcome": "unknown"}
    with lake.begin("pull", "deposits") as writing:
        writing.rows("deposits", [row], seen_at=datetime(2026, 11, 1, tzinfo=UTC))
        writing.commit(counts={"records": 1})
    (finding,) = of(examined(config(tmp_path)), "journal", Level.WARNING)
    assert "1 deposit that the journal has not: track-1" in finding.told
    assert "put the newest copy back" in finding.do


def test_a_damaged_journal_is_told_once_and_hides_nothing_of_the_lake(
    tmp_path: Path, lake: Lake
) -> None:
    path = config(tmp_path, CASH_IN)
    whole = told(examined(path), "lake")
    (lake.root / "journal.sqlite3").write_bytes(b"no database at all" * 100)
    found = examined(path)
    assert told(found, "lake") == whole
    (finding,) = [each for each in found.findings if "journal.sqlite3" in each.told]
    assert (finding.area, finding.exit_code) == ("journal", ExitCode.INCOMPLETE)
    assert found.exit_code is ExitCode.INCOMPLETE
