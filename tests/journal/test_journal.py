"""The journal: written before sending, found after a kill, nothing twice."""

import contextlib
import json
import shutil
import sqlite3
import stat
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from recon.errors import LakeError
from recon.journal import AlreadySent, Journal, journal_path
from recon.journal.schema import STEPS
from recon.records.requests import Operation, Outcome
from recon.settings import Business, LakeSettings, Settings

DEPOSIT = {"iban": "IR1", "amount": 5_000, "track_id": "t-1"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "lake" / "journal.sqlite3"


@pytest.fixture
def journal(path: Path) -> Iterator[Journal]:
    with Journal(path) as opened:
        yield opened


def test_a_begun_request_is_kept_with_what_was_sent(journal: Journal) -> None:
    number = journal.begin(Operation.DEPOSIT, "t-1", DEPOSIT)

    (kept,) = journal.requests()

    assert kept.number == number
    assert (kept.operation, kept.subject, kept.body) == ("deposit", "t-1", DEPOSIT)
    assert kept.outcome is Outcome.OPEN
    assert kept.ended_at is None
    assert datetime.now(UTC) - kept.began_at < timedelta(minutes=1)


def test_the_newest_answer_counts_and_earlier_ones_stay(
    journal: Journal, path: Path
) -> None:
    number = journal.begin(Operation.GATEWAY_VERIFY, "tok", {"token": "tok"})
    journal.end(number, Outcome.UNKNOWN, note="time-out")
    journal.end(number, Outcome.DONE, status=200, answer=b'{"code":2}', note="seen")

    (kept,) = journal.requests()

    assert kept.outcome is Outcome.DONE
    assert (kept.status, kept.answer, kept.note) == (200, b'{"code":2}', "seen")
    assert kept.ended_at is not None
    with sqlite3.connect(path) as other:
        assert other.execute("select count(*) from answers").fetchone() == (2,)
    other.close()


def test_what_is_begun_is_durable_wal_and_private(path: Path) -> None:
    with Journal(path) as journal:
        journal.begin(Operation.DEPOSIT, "t-1", DEPOSIT)
        modes = {
            file.name: stat.S_IMODE(file.stat().st_mode)
            for file in path.parent.glob("journal.sqlite3*")
        }
        assert len(modes) > 1
        assert set(modes.values()) == {0o600}
        pragma = journal._connection.execute
        assert pragma("pragma journal_mode").fetchone() == ("wal",)
        assert pragma("pragma synchronous").fetchone() == (2,)


def test_a_file_that_others_could_read_is_made_private(path: Path) -> None:
    Journal(path).close()
    path.chmod(0o644)
    Journal(path).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "outcome", [Outcome.ANSWERED, Outcome.UNKNOWN, Outcome.DONE], ids=str
)
def test_what_may_have_happened_is_not_begun_twice_unasked(
    journal: Journal, outcome: Outcome
) -> None:
    journal.end(journal.begin(Operation.DEPOSIT, "t-1", DEPOSIT), outcome)

    with pytest.raises(AlreadySent, match="t-1"):
        journal.begin(Operation.DEPOSIT, "t-1", DEPOSIT)

    assert len(list(journal.requests())) == 1
    journal.begin(Operation.DEPOSIT, "t-1", DEPOSIT, again=True)


@pytest.mark.parametrize(
    "outcome", [Outcome.REFUSED, Outcome.NOT_SENT, Outcome.UNDONE], ids=str
)
def test_what_did_not_happen_may_be_begun_again(
    journal: Journal, outcome: Outcome
) -> None:
    journal.end(journal.begin(Operation.DEPOSIT, "t-1", DEPOSIT), outcome)
    journal.begin(Operation.DEPOSIT, "t-1", DEPOSIT)


def test_an_earlier_success_counts_behind_a_later_refusal(journal: Journal) -> None:
    journal.end(journal.begin("deposit", "t-1", DEPOSIT), Outcome.ANSWERED)
    second = journal.begin("deposit", "t-1", DEPOSIT, again=True)
    journal.end(second, Outcome.REFUSED)
    with pytest.raises(AlreadySent):
        journal.begin("deposit", "t-1", DEPOSIT)


def test_what_is_on_its_way_is_never_begun_again(journal: Journal) -> None:
    journal.begin("deposit", "t-1", DEPOSIT)
    with pytest.raises(AlreadySent):
        journal.begin("deposit", "t-1", DEPOSIT, again=True)


def test_another_subject_operation_or_none_is_another_thing(journal: Journal) -> None:
    journal.begin("deposit", "t-1", DEPOSIT)
    journal.begin("deposit", "T-1", DEPOSIT)  # the contract: case-sensitive
    journal.begin("gateway_verify", "t-1", {})
    journal.begin("gateway_send", "", {"amount": 1_000})
    journal.begin("gateway_send", "", {"amount": 1_000})
    assert len(list(journal.requests())) == 5


def test_of_many_threads_one_begins(journal: Journal) -> None:
    def begin(_: int) -> bool:
        try:
            journal.begin("deposit", "t-1", DEPOSIT)
        except AlreadySent:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(begin, range(16))) == 1


def test_of_two_racing_journals_one_begins_each_subject(path: Path) -> None:
    subjects = [f"t-{number}" for number in range(40)]
    Journal(path).close()

    def begin_all(_: int) -> int:
        begun = 0
        with Journal(path) as own:
            for subject in subjects:
                with contextlib.suppress(AlreadySent):
                    own.begin("deposit", subject, DEPOSIT)
                    begun += 1
        return begun

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(begin_all, range(4))) == len(subjects)


def test_a_journal_closed_by_another_thread_is_done_with(path: Path) -> None:
    journal = Journal(path)
    journal.begin("deposit", "t-1", DEPOSIT)
    with ThreadPoolExecutor(1) as pool:
        pool.submit(journal.close).result()
    with Journal(path) as again:
        assert len(again.unknown()) == 1


def test_requests_come_whole_in_order_whatever_their_number(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recon.journal.journal._PORTION", 2)
    for number in range(5):
        for each in ("deposit", "gateway_send"):
            journal.begin(each, f"t-{number}", {})
    subjects = [request.subject for request in journal.requests("deposit")]
    assert subjects == ["t-0", "t-1", "t-2", "t-3", "t-4"]


def test_of_two_open_journals_one_begins(path: Path) -> None:
    with Journal(path) as first, Journal(path) as second:
        first.begin("deposit", "t-1", DEPOSIT)
        with pytest.raises(AlreadySent):
            second.begin("deposit", "t-1", DEPOSIT, again=True)


def test_an_open_request_of_a_living_sender_is_not_called_unknown(path: Path) -> None:
    with Journal(path) as sender:
        number = sender.begin("deposit", "t-1", DEPOSIT)
        with Journal(path) as reader:
            assert reader.unknown() == []
            sender.end(number, Outcome.ANSWERED, status=200, answer=b"{}")
            (kept,) = reader.requests()
            assert kept.outcome is Outcome.ANSWERED


def test_what_a_closed_journal_left_open_is_unknown_at_the_next_start(
    path: Path,
) -> None:
    journal = Journal(path)
    journal.begin("deposit", "t-1", DEPOSIT)
    answered = journal.begin("deposit", "t-2", DEPOSIT)
    journal.end(answered, Outcome.ANSWERED)
    journal.close()

    with Journal(path) as again:
        (unknown,) = again.unknown()
    assert unknown.subject == "t-1"
    assert "cut" in unknown.note
    with Journal(path) as later:  # and it is written down once
        assert len(later.unknown()) == 1
        count = later._connection.execute("select count(*) from answers")
        assert count.fetchone() == (2,)


KILLED = """
    import os, signal, sys
    from pathlib import Path
    from recon.journal import Journal

    journal = Journal(Path(sys.argv[1]))
    journal.begin("deposit", "t-1", {"amount": 5000})
    print("begun", flush=True)
    if sys.argv[2] == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    sys.stdin.read()
"""


def _child(path: Path, what: str) -> subprocess.Popen[str]:
    child = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(KILLED), str(path), what],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout
    assert child.stdout.readline() == "begun\n"
    return child


def test_a_sender_killed_before_its_answer_leaves_an_unknown_outcome(
    path: Path,
) -> None:
    with _child(path, "kill") as child:
        child.wait(30)
        assert child.returncode == -9

    with Journal(path) as journal:
        (unknown,) = journal.unknown()
        assert (unknown.operation, unknown.subject) == ("deposit", "t-1")
        with pytest.raises(AlreadySent):
            journal.begin("deposit", "t-1", DEPOSIT)


def test_another_process_at_work_is_told_from_a_killed_one(path: Path) -> None:
    with _child(path, "stay") as child:
        with Journal(path) as journal:
            assert journal.unknown() == []
            child.kill()
            child.wait(30)
        with Journal(path) as journal:
            assert [each.subject for each in journal.unknown()] == ["t-1"]


def test_the_locks_of_ended_senders_are_cleared_away(path: Path) -> None:
    with Journal(path) as journal:
        journal.end(journal.begin("deposit", "t-0", DEPOSIT), Outcome.ANSWERED)
    with _child(path, "kill") as child:
        child.wait(30)
    Journal(path).close()
    assert list((path.parent / "journal.sessions").iterdir()) == []


def test_answers_are_found_by_what_they_hold(journal: Journal) -> None:
    for subject, answer in (("a", b'{"id":"p-1"}'), ("b", b'{"id":"p-2"}')):
        number = journal.begin("checkout_create", subject, {})
        journal.end(number, Outcome.ANSWERED, answer=answer)
    journal.begin("checkout_create", "c", {})
    found = journal.mentioning("checkout_create", "p-2")
    assert [each.subject for each in found] == ["b"]


def test_a_body_of_any_bytes_comes_back_as_it_was(journal: Journal) -> None:
    body = bytes(range(256))
    number = journal.begin("deposit", "t-1", {"description": "واریز «۱»\n\x00"})
    journal.end(number, Outcome.UNKNOWN, status=502, answer=body)
    (kept,) = journal.requests()
    assert kept.answer == body
    assert kept.body == {"description": "واریز «۱»\n\x00"}
    assert json.dumps(body.hex()) not in repr(kept)


@pytest.mark.parametrize("steps", [len(STEPS) + 1, 99])
def test_a_journal_of_a_newer_version_is_refused(path: Path, steps: int) -> None:
    with Journal(path) as journal:
        journal._connection.execute(f"pragma user_version = {steps}")
    with pytest.raises(LakeError, match="newer"):
        Journal(path)


def test_a_file_that_is_no_journal_is_refused(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"no database at all, but some text\n" * 100)
    with pytest.raises(LakeError, match="journal"):
        Journal(path)


@pytest.mark.parametrize("is_put_back", [True, False])
def test_nothing_begins_in_a_journal_that_nobody_would_find(
    path: Path, is_put_back: bool
) -> None:
    """A shop runs for weeks; an older copy of the lake is put back meanwhile."""
    before, copy = path.parent.with_name("before"), path.parent.with_name("copy")
    with Journal(path) as journal:
        shutil.copytree(path.parent, copy)
        journal.end(journal.begin(Operation.DEPOSIT, "t-1", DEPOSIT), Outcome.ANSWERED)
        path.parent.rename(before)
        if is_put_back:
            copy.rename(path.parent)
        became = "replaced" if is_put_back else "moved away or removed"
        for track_id in ("t-2", "t-3"):
            with pytest.raises(LakeError, match=f"was {became} while it was open"):
                journal.begin(Operation.DEPOSIT, track_id, DEPOSIT)
        assert path.parent.exists() == is_put_back
        if not is_put_back:
            before.rename(path.parent)
            journal.begin(Operation.DEPOSIT, "t-2", DEPOSIT)
            assert [each.subject for each in journal.requests()] == ["t-1", "t-2"]


def test_the_journal_lies_in_the_lakes_folder(tmp_path: Path) -> None:
    settings = Settings(business=Business(name="shop"), folder=tmp_path)
    assert journal_path(settings) == tmp_path / "data/lake/journal.sqlite3"


def test_the_journal_of_an_object_store_lies_beside_the_settings(
    tmp_path: Path,
) -> None:
    settings = Settings(
        business=Business(name="shop"),
        lake=LakeSettings(path="s3://bucket/prefix"),
        folder=tmp_path,
    )
    assert journal_path(settings) == tmp_path / "journal.sqlite3"
