"""An end that the journal could not write down leaves the request unknown."""

import sqlite3
from pathlib import Path
from typing import NoReturn

import pytest

from recon.errors import LakeError
from recon.journal import AlreadySent, Journal
from recon.records.requests import Outcome

DEPOSIT = {"iban": "IR1", "amount": 5_000, "track_id": "t-1"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "lake" / "journal.sqlite3"


def _full() -> NoReturn:
    raise LakeError("the disk is full")


def _unwritten(journal: Journal, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """End a request on a disk that is full."""
    with monkeypatch.context() as patch:
        patch.setattr(journal, "_writing", _full)
        with pytest.raises(LakeError, match="full"):
            journal.end(number, Outcome.ANSWERED)


def test_an_end_that_could_not_be_written_is_unknown_to_the_same_journal(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Journal(path) as journal:
        number = journal.begin("deposit", "t-1", DEPOSIT)
        with monkeypatch.context() as patch:
            patch.setattr(journal, "_writing", _full)
            with pytest.raises(LakeError, match="full"):
                journal.end(number, Outcome.ANSWERED)
            with pytest.raises(LakeError, match="full"):
                journal.unknown()  # never as if there were none
        assert [each.number for each in journal.unknown()] == [number]
        with pytest.raises(AlreadySent, match="unknown"):
            journal.begin("deposit", "t-1", DEPOSIT)
        again = journal.begin("deposit", "t-1", DEPOSIT, again=True)
        with Journal(path) as other:
            assert [each.outcome for each in other.requests()] == ["unknown", "open"]
        journal.end(again, Outcome.ANSWERED)


def test_a_begin_whose_commit_failed_keeps_no_other_request_from_being_found(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sender that lost an answer is let go, whatever else it could not begin."""
    with Journal(path) as journal:
        number = journal.begin("deposit", "t-1", DEPOSIT)
        with sqlite3.connect(path) as rival:
            rival.executescript(
                "create table orphans (parent integer"
                " references requests (number) deferrable initially deferred);"
                "create trigger orphaned after insert on requests"
                " begin insert into orphans values (-1); end"
            )
        with pytest.raises(LakeError, match="FOREIGN KEY"):
            journal.begin("deposit", "t-2", DEPOSIT)
        _unwritten(journal, number, monkeypatch)
        with Journal(path) as other:
            assert [each.subject for each in other.unknown()] == ["t-1"]


def test_a_request_that_is_on_its_way_outlives_the_end_of_another(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Journal(path) as journal:
        number = journal.begin("deposit", "t-1", {})
        other = journal.begin("deposit", "t-2", {})
        with monkeypatch.context() as patch:
            patch.setattr(journal, "_writing", None)
            with pytest.raises(TypeError):
                journal.end(number, Outcome.ANSWERED)
        later = journal.begin("deposit", "t-3", {})
        with Journal(journal.path) as reader:
            assert reader.unknown() == []
        journal.end(other, Outcome.ANSWERED)
        with Journal(journal.path) as reader:
            assert [each.subject for each in reader.unknown()] == ["t-1"]
            outcomes = [str(each.outcome) for each in reader.requests()]
        assert outcomes == ["unknown", "answered", "open"]
        journal.end(later, Outcome.ANSWERED)


def test_whoever_asks_for_it_sends_again_what_could_not_be_ended(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody is at work on it any more, though nobody asked what is unknown."""
    with Journal(path) as journal:
        _unwritten(journal, journal.begin("deposit", "t-1", DEPOSIT), monkeypatch)
        again = journal.begin("deposit", "t-1", DEPOSIT, again=True)
        journal.end(again, Outcome.ANSWERED)
        outcomes = [str(each.outcome) for each in journal.requests()]
    assert outcomes == ["unknown", "answered"]


def test_what_was_open_beside_an_unwritten_end_is_cut_at_the_close(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Journal(path) as journal:
        number = journal.begin("deposit", "t-1", {})
        journal.begin("deposit", "t-2", {})
        _unwritten(journal, number, monkeypatch)
    with Journal(path) as later:
        assert [each.subject for each in later.unknown()] == ["t-1", "t-2"]
