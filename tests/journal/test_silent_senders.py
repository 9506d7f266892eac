"""A request whose answer never comes is unknown, though its sender seems to live."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from recon.journal import AlreadySent, Journal, deposit_entries
from recon.journal.seals import seal
from recon.records.requests import Outcome

DEPOSIT = {"iban": "IR1", "amount": 5_000, "track_id": "t-1"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.sqlite3"


def _age(journal: Journal, minutes: int) -> None:
    began = datetime.now(UTC) - timedelta(minutes=minutes)
    ask = journal._connection.execute
    (said,) = ask("select operation, subject, body from requests").fetchall()
    ask(
        "update requests set began_at = ?, seal = ?",
        [began.isoformat(), seal(*said, began.isoformat())],
    )


@pytest.mark.parametrize(("minutes", "unknown"), [(59, []), (61, ["t-1"])])
def test_what_is_on_its_way_for_an_hour_is_unknown(
    path: Path, minutes: int, unknown: list[str]
) -> None:
    """Its sender was stopped, or a child of it holds its lock: the money may move."""
    with Journal(path) as sender, Journal(path) as reader:
        number = sender.begin("deposit", "t-1", DEPOSIT)
        _age(sender, minutes)
        assert [each.subject for each in reader.unknown()] == unknown
        assert [row["track_id"] for row in deposit_entries(reader)] == unknown
        for again in (False, True):  # it may be sent yet
            with pytest.raises(AlreadySent):
                reader.begin("deposit", "t-1", DEPOSIT, again=again)
        sender.end(number, Outcome.REFUSED)  # it goes on after all
        assert reader.unknown() == []
        assert list(deposit_entries(reader)) == []


def test_what_was_silent_is_sent_again_once_its_sender_is_gone(path: Path) -> None:
    with Journal(path) as reader, Journal(path) as sender:
        sender.begin("deposit", "t-1", DEPOSIT)
        _age(sender, 61)
        with pytest.raises(AlreadySent, match="is unknown: its sender is still at"):
            reader.begin("deposit", "t-1", DEPOSIT, again=True)
    with Journal(path) as journal:
        with pytest.raises(AlreadySent, match="not sent again unasked"):
            journal.begin("deposit", "t-1", DEPOSIT)
        journal.begin("deposit", "t-1", DEPOSIT, again=True)


def test_an_answer_that_was_taken_out_leaves_the_outcome_unknown(path: Path) -> None:
    with Journal(path) as journal:
        journal.begin("deposit", "t-1", DEPOSIT)
    with Journal(path) as journal:
        assert [each.outcome for each in journal.requests()] == [Outcome.UNKNOWN]
        journal._connection.execute("delete from answers")
        (request,) = journal.unknown()
        assert (request.outcome, request.ended_at) == (Outcome.UNKNOWN, None)
        assert "no answer was stored" in request.note
        journal.end(request.number, Outcome.UNDONE)
        assert journal.unknown() == []


def test_a_sender_whose_lock_was_taken_away_is_still_found_when_it_dies(
    path: Path,
) -> None:
    """Its next requests are no longer those of a sender that is done with."""
    sender = Journal(path)
    sender.begin("deposit", "t-1", DEPOSIT)
    for lock in path.with_name("journal.sessions").iterdir():
        lock.unlink()
    with Journal(path) as reader:
        assert [each.subject for each in reader.unknown()] == ["t-1"]
    number = sender.begin("deposit", "t-2", DEPOSIT)
    sender.begin("deposit", "t-3", DEPOSIT)
    assert sender.end(number, Outcome.ANSWERED) is None
    assert [str(each.outcome) for each in sender.requests()] == [
        "unknown",
        "answered",
        "open",
    ]
    sender.close()
    with Journal(path) as reader:
        assert [each.subject for each in reader.unknown()] == ["t-1", "t-3"]
