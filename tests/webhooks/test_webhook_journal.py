"""Deliveries in the journal: durable, once each, beside everything else in it."""

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from recon.errors import LakeError
from recon.journal import Journal
from recon.journal.deliveries import Arrival, Corroboration, Deliveries, Verdict

NOW = datetime(2026, 10, 1, 9, 30, 0, 123456, tzinfo=UTC)


def arrival(event: str, body: bytes = b"{}") -> Arrival:
    return Arrival(event=event, received_at=NOW, body=body)


def look(
    delivery: int, verdict: Verdict, *, again: int | None = None, code: str = "T1"
) -> Corroboration:
    return Corroboration(
        delivery=delivery,
        tracking_code=code,
        at=NOW,
        verdict=verdict,
        reason="why",
        status=200,
        body=b"answer",
        again_at=None if again is None else NOW + timedelta(seconds=again),
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "lake" / "journal.sqlite3"


def test_an_event_is_stored_once(path: Path) -> None:
    with Deliveries(path) as deliveries:
        assert deliveries.add([arrival("a"), arrival("b"), arrival("a")]) == [
            True,
            True,
            False,
        ]
        assert deliveries.add([arrival("b", b"other bytes")]) == [False]
        assert deliveries.count() == 2
    with Deliveries(path) as deliveries:
        assert [each.body for each in deliveries.after(0)] == [b"{}", b"{}"]


def test_a_delivery_comes_back_as_it_was(path: Path) -> None:
    with Deliveries(path) as deliveries:
        deliveries.add([arrival("a", b"\x00\xff")])
        (stored,) = deliveries.of([1, 7])
    assert (stored.number, stored.event, stored.received_at) == (1, "a", NOW)
    assert stored.body == b"\x00\xff"


def test_all_of_a_batch_is_stored_or_none(path: Path) -> None:
    with Deliveries(path) as deliveries:
        with closing(sqlite3.connect(path)) as other:
            other.execute(
                "create trigger picky before insert on deliveries when new.sha256 = 'b'"
                " begin select raise(abort, 'no'); end"
            )
        with pytest.raises(LakeError, match="no"):
            deliveries.add([arrival("a"), arrival("b")])
        assert deliveries.count() == 0
        assert deliveries.add([arrival("a")]) == [True]


def test_reading_ends_although_deliveries_keep_coming(path: Path) -> None:
    with Deliveries(path) as deliveries:
        deliveries.add([arrival(str(number)) for number in range(120)])
        numbers = []
        for each in deliveries.after(10):
            numbers.append(each.number)
            deliveries.add([arrival(f"late {each.number}")])
        assert numbers == list(range(11, 121))


def test_two_receivers_share_one_file(path: Path) -> None:
    with Deliveries(path) as one, Deliveries(path) as other, Journal(path) as journal:
        assert one.add([arrival("a")]) == [True]
        assert other.add([arrival("a"), arrival("b")]) == [False, True]
        number = journal.begin("deposit", "track", {"amount": 1})
        assert number
        assert [each.event for each in one.after(0)] == ["a", "b"]


TWO_IN_ONE_PROCESS = """
import os, subprocess, sys
from datetime import UTC, datetime
from pathlib import Path
from recon.journal.deliveries import Arrival, Deliveries
path = Path(sys.argv[1])
one = Deliveries(path)
Deliveries(path).close()
other = "from pathlib import Path; from recon.journal.deliveries import Deliveries;"
other += f"Deliveries(Path({str(path)!r})).close()"
subprocess.run([sys.executable, "-c", other], check=True)
one.add([Arrival(event="a", received_at=datetime.now(UTC), body=b"{}")])
os._exit(0)
"""


def test_what_is_stored_outlives_others_who_open_and_close_the_file(
    path: Path,
) -> None:
    # A lost lock would let the other process delete the log that is written to.
    Deliveries(path).close()
    subprocess.run([sys.executable, "-c", TWO_IN_ONE_PROCESS, str(path)], check=True)
    with Deliveries(path) as deliveries:
        assert [each.event for each in deliveries.after(0)] == ["a"]


def test_the_file_is_flushed_at_every_commit(path: Path) -> None:
    with Deliveries(path) as deliveries:
        ask = deliveries._connection.execute
        assert ask("pragma synchronous").fetchone() == (2,)  # FULL
        assert ask("pragma journal_mode").fetchone() == ("wal",)
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("is_put_back", [True, False])
def test_what_nobody_would_find_is_not_said_to_be_stored(
    path: Path, is_put_back: bool
) -> None:
    with Deliveries(path) as deliveries:
        deliveries.add([arrival("a")])
        copy = path.parent.with_name("copy")
        shutil.copytree(path.parent, copy)
        assert deliveries.add([arrival("b")]) == [True]
        assert not deliveries.is_replaced()
        path.parent.rename(path.parent.with_name("before"))
        if is_put_back:
            copy.rename(path.parent)
        became = "replaced" if is_put_back else "moved away or removed"
        for event in ("b", "c"):
            with pytest.raises(LakeError, match=f"was {became} while it was open"):
                deliveries.add([arrival(event)])
        assert deliveries.is_replaced() == is_put_back
    assert path.parent.exists() == is_put_back
    with Deliveries(path) as deliveries:
        assert deliveries.count() == int(is_put_back)


def test_a_journal_whose_making_was_killed_is_made(path: Path) -> None:
    path.parent.mkdir()
    path.touch()
    with Deliveries(path) as deliveries:
        assert deliveries.add([arrival("a")]) == [True]


def test_two_that_open_a_journal_at_once_name_it_alike(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = Deliveries._writing
    names = []

    def overtaken(late: Deliveries) -> AbstractContextManager[sqlite3.Connection]:
        monkeypatch.setattr(Deliveries, "_writing", write)
        with Deliveries(path) as first:
            names.append(first.name)
        return write(late)

    monkeypatch.setattr(Deliveries, "_writing", overtaken)
    with Deliveries(path) as late:
        assert names == [late.name]


class Overtaken(list[Arrival]):
    """Deliveries while which are written the journal is moved away."""

    def __init__(self, path: Path, *arrivals: Arrival) -> None:
        super().__init__(arrivals)
        self._path = path

    def __iter__(self) -> Iterator[Arrival]:
        self._path.parent.rename(self._path.parent.with_name("before"))
        return super().__iter__()


def test_what_is_moved_away_while_it_is_written_is_not_said_to_be_stored(
    path: Path,
) -> None:
    told = "moved away or removed while it was open"
    with Deliveries(path) as deliveries, pytest.raises(LakeError, match=told):
        deliveries.add(Overtaken(path, arrival("a")))


def test_no_verdict_is_written_where_nobody_would_find_it(path: Path) -> None:
    with Deliveries(path) as deliveries:
        deliveries.add([arrival("a")])
        path.parent.rename(path.parent.with_name("before"))
        with pytest.raises(LakeError, match="moved away or removed while it was open"):
            deliveries.judge([look(1, Verdict.CONFIRMED)])
        assert deliveries.verdict(1) is None


@pytest.mark.parametrize("end", ["-wal", "-shm"])
@pytest.mark.parametrize("is_put_back", [True, False])
def test_what_only_a_lost_log_holds_is_not_said_to_be_stored(
    path: Path, is_put_back: bool, end: str
) -> None:
    """The file itself is no other one, as a copy put back leaves it where it can."""
    log = path.with_name(f"{path.name}{end}")
    with Deliveries(path) as deliveries:
        deliveries.add([arrival("a")])
        copy = path.with_name("copy")
        shutil.copyfile(log, copy)
        assert deliveries.add([arrival("b")]) == [True]
        assert not deliveries.is_replaced()
        log.unlink()
        if is_put_back:
            copy.rename(log)
        became = "replaced" if is_put_back else "moved away or removed"
        with pytest.raises(LakeError, match=f"{end} was {became} while it was open"):
            deliveries.add([arrival("c")])
        assert deliveries.is_replaced()


def test_what_is_stored_outlives_a_lost_index(path: Path) -> None:
    """Another process makes a new one, and does not see that the file is open."""
    index = path.with_name(f"{path.name}-shm")
    with Deliveries(path) as deliveries:
        deliveries.add([arrival("a")])
        index.unlink()
        for event in ("b", "c"):
            with pytest.raises(LakeError, match="-shm was"):
                deliveries.add([arrival(event)])
            with Deliveries(path) as other:
                assert other.add([arrival(f"other-{event}")]) == [True]
    with Deliveries(path) as deliveries:
        told = [each.event for each in deliveries.after(0)]
    assert told == ["a", "other-b", "other-c"]


def test_a_place_that_cannot_be_looked_at_is_an_error(path: Path) -> None:
    """Whoever sends is answered 503, and the receiver goes on as soon as it can."""
    away = path.parent.with_name("away")
    with Deliveries(path) as deliveries:
        path.parent.rename(away)
        path.parent.write_bytes(b"")
        with pytest.raises(LakeError, match="Not a directory"):
            deliveries.add([arrival("a")])
        assert not deliveries.is_replaced()
        path.parent.unlink()
        away.rename(path.parent)
        assert deliveries.add([arrival("b")]) == [True]


def test_a_file_that_is_no_journal_is_an_error(path: Path) -> None:
    path.parent.mkdir()
    path.write_text("not a database, only text that is long enough to be read")
    with pytest.raises(LakeError):
        Deliveries(path)


def test_a_verdict_is_added_and_the_newest_counts(path: Path) -> None:
    with Deliveries(path) as deliveries:
        deliveries.add([arrival("a"), arrival("b")])
        assert deliveries.verdict(1) is None
        deliveries.judge([look(1, Verdict.CONTRADICTED, again=10)])
        deliveries.judge([look(1, Verdict.CONFIRMED), look(2, Verdict.UNCONFIRMED)])
        assert deliveries.verdict(1) == look(1, Verdict.CONFIRMED)
        assert deliveries.look_count(1) == 2
        assert deliveries.open_of("T1", 9) == {2: Verdict.UNCONFIRMED}
        assert deliveries.open_of("T2", 9) == {}


def test_what_was_never_looked_into_and_what_is_due(path: Path) -> None:
    with Deliveries(path) as deliveries:
        deliveries.add([arrival(name) for name in "abcd"])
        deliveries.judge(
            [look(1, Verdict.UNCONFIRMED, again=60), look(3, Verdict.CONFIRMED)]
        )
        assert deliveries.unread(0, 9) == [2, 4]
        assert deliveries.unread(2, 9) == [4]
        assert deliveries.unread(0, 1) == [2]
        assert deliveries.due(NOW + timedelta(seconds=59), 9) == []
        assert deliveries.due(NOW + timedelta(seconds=60), 9) == [1]
        before = NOW - timedelta(days=1)  # by a clock that was ahead at the first look
        assert deliveries.due(before, 9) == [1]
        deliveries.judge([look(1, Verdict.UNCONFIRMED)])
        assert deliveries.due(NOW + timedelta(days=9), 9) == []


def test_a_verdict_needs_its_delivery(path: Path) -> None:
    with Deliveries(path) as deliveries, pytest.raises(LakeError):
        deliveries.judge([look(1, Verdict.CONFIRMED)])
