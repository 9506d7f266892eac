"""The journal: what moves money is on disk before it leaves, and after it returns.

SQLite in WAL mode with `synchronous=FULL`: a row that `begin` returned for survives a
power cut. Rows are only added. A request that was begun and has no answer, and whose
sender is gone or silent for an hour, was cut: nobody knows whether the provider got it.
"""

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from recon.errors import LakeError, UsageError
from recon.journal.damage import as_lake_error, readable
from recon.journal.file import JournalFile, connected, instant, make_private, stored
from recon.journal.schema import NEWEST, STEPS
from recon.journal.seals import check, seal
from recon.journal.sessions import Session, is_alive
from recon.records.requests import Outcome, Request
from recon.settings import Settings

_BUSY_SECONDS = 30.0
_PORTION = 1_000  # requests read at once
_MAY_HAVE_MOVED = {Outcome.OPEN, Outcome.ANSWERED, Outcome.UNKNOWN, Outcome.DONE}
_CUT = "cut before an answer was stored"
_SILENT = "no answer was stored, though it should be long there"
_NOT_UNASKED = "it is not sent again unasked"
_AT_WORK = (
    "select number from requests join sessions on sessions.name = requests.session"
    " where operation = ? and subject = ? and ended = 0"
    " and number not in (select request from answers)"
)
_UNANSWERED = (
    "select number from requests where session = ? and not exists"
    " (select 1 from answers where answers.request = requests.number)"
)
_ANSWER = (
    "insert into answers (request, at, outcome, status, body, note, seal)"
    " values (?, ?, ?, ?, ?, ?, ?)"
)


class AlreadySent(UsageError):  # noqa: N818 - said as people say it
    """The same thing was sent before; sending it again must be asked for."""


def journal_path(settings: Settings) -> Path:
    """Return the journal's file: in the lake's folder.

    A lake in an object store has no folder; the journal, a file with locks, is then
    in the folder of `recon.toml`.
    """
    place = settings.lake_path
    folder = settings.folder.resolve() if "://" in place else Path(place)
    return folder / "journal.sqlite3"


class Journal(JournalFile):
    """The journal at a file, made when absent (mode 0600). A context manager.

    Opening it finds the requests that were cut, since their senders are gone, and
    writes them down as unknown. Threads may share one; processes may open the same
    file at once. Raises LakeError when the file cannot be used, CorruptLake when it
    is damaged.
    """

    def __init__(self, path: Path) -> None:
        with as_lake_error(path):
            make_private(path)
            super().__init__(path, connected(path, busy_seconds=_BUSY_SECONDS))
        self._sessions = path.with_name(f"{path.stem}.sessions")
        self._session: Session | None = None
        self._open: dict[int, Session] = {}  # by the number of its request
        self._cut: set[Session] = set()  # an end in it could not be written
        self._has_left = False  # a session whose cut requests are not yet written down
        try:
            with as_lake_error(path):
                self._prepare()
                self._mark_cut()
                self._take_place()
        except BaseException:
            self._connection.close()
            raise

    def begin(
        self,
        operation: str,
        subject: str,
        body: Mapping[str, Any],
        *,
        again: bool = False,
    ) -> int:
        """Write a request down before it is sent; returns its number.

        `subject` identifies what it is about; an empty one has no history. `body`
        must hold no credential. Raises AlreadySent when the subject was sent before
        and may have had its effect: `again` allows that, but never beside a request
        whose sender may still send it, however long it is silent.
        """
        text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
        self._mark_left()
        with self._lock:
            with self._writing() as connection:
                self._refuse_elsewhere()
                if subject:
                    self._refuse_a_repetition(operation, subject, again=again)
                if self._session is None:
                    self._session = Session(self._sessions)
                session = self._session
                connection.execute(
                    "insert into sessions (name) values (?)"
                    " on conflict (name) do update set ended = 0",
                    (session.name,),
                )
                began_at = _now()
                sealed = seal(operation, subject, text, began_at)
                added = connection.execute(
                    "insert into requests"
                    " (operation, subject, body, session, began_at, seal)"
                    " values (?, ?, ?, ?, ?, ?)",
                    (operation, subject, text, session.name, began_at, sealed),
                )
                number = int(added.lastrowid or 0)
            self._open[number] = session
            return number

    def end(
        self,
        number: int,
        outcome: Outcome,
        *,
        status: int | None = None,
        answer: bytes = b"",
        note: str = "",
        at: datetime | None = None,
    ) -> None:
        """Write down what became of a request; the newest such row counts.

        `at` is when that was learned; the present if None. Where it cannot be written
        the request is as good as cut: whoever opens the journal next, or asks this one
        for what is unknown, writes it down as unknown, however long this process lives.
        """
        ended_at = stored(at) if at else _now()
        try:
            with self._writing() as connection:
                said = (number, ended_at, outcome.value, status, answer, note)
                connection.execute(_ANSWER, (*said, seal(*said)))
        except BaseException:
            self._leave(number, is_cut=True)
            raise
        self._leave(number)

    def requests(self, operation: str = "", subject: str = "") -> Iterator[Request]:
        """Yield the requests in the order they were begun, each as now known."""
        asked = {"requests.operation": operation, "requests.subject": subject}
        given = {column: value for column, value in asked.items() if value}
        which = " and ".join(f"{column} = ?" for column in given)
        yield from self._select(which or "true", tuple(given.values()))

    def unknown(self) -> list[Request]:
        """Return the requests of which nobody knows whether they had their effect."""
        self._mark_left()
        return list(
            self._select(
                "standing = 'unknown' and (answers.number is null or requests.number in"
                " (select request from answers where outcome = 'unknown'))",
            )
        )

    def mentioning(self, operation: str, text: str) -> list[Request]:
        """Return the requests of an operation whose answer holds that text."""
        return list(
            self._select(
                "requests.operation = ? and instr(answers.body, cast(? as blob)) > 0",
                (operation, text),
            )
        )

    def close(self) -> None:
        """Close the file. What is still open is found as cut at the next start."""
        with self._lock:
            super().close()
            for session in {*filter(None, [self._session]), *self._cut}:
                session.close()

    def _leave(self, number: int, *, is_cut: bool = False) -> None:
        """Let go of the session of a cut request once nothing else in it is open."""
        with self._lock:
            session = self._open.pop(number, None)
            if session is None:
                return
            if is_cut:
                self._cut.add(session)
                if self._session is session:
                    self._session = None  # the next request begins another
            if session in self._cut and session not in self._open.values():
                self._cut.remove(session)
                session.close()
                self._has_left = True

    def _mark_left(self) -> None:
        """Write down as unknown what was cut in this process, once that can be done."""
        with self._lock, as_lake_error(self.path):
            if self._has_left:
                self._mark_cut()
                self._has_left = False

    def _prepare(self) -> None:
        self._connection.execute("pragma journal_mode = wal")
        self._connection.execute("pragma synchronous = full")
        self._connection.execute("pragma foreign_keys = on")
        (step,) = self._connection.execute("pragma user_version").fetchone()
        if step > len(STEPS):
            raise LakeError(f"{self.path}: written by a newer version")
        if step == len(STEPS):
            return
        with self._writing() as connection:
            (step,) = connection.execute("pragma user_version").fetchone()
            for statements in STEPS[step:]:
                for statement in statements.split(";"):
                    connection.execute(statement)
            connection.execute(f"pragma user_version = {len(STEPS)}")

    def _mark_cut(self) -> None:
        """Give every open request of a sender that is gone an unknown outcome."""
        for (name,) in self._rows("select name from sessions where ended = 0"):
            if is_alive(self._sessions, name):
                continue
            with self._writing() as connection:
                cut = connection.execute(_UNANSWERED, (name,)).fetchall()
                for (number,) in cut:
                    said = (number, _now(), Outcome.UNKNOWN.value, None, b"", _CUT)
                    connection.execute(_ANSWER, (*said, seal(*said)))
                connection.execute(
                    "update sessions set ended = 1 where name = ?", (name,)
                )

    def _refuse_a_repetition(
        self, operation: str, subject: str, *, again: bool
    ) -> None:
        at_work = self._rows(_AT_WORK, (operation, subject))
        for before in self.requests(operation, subject):
            is_at_work = (before.number,) in at_work
            if is_at_work or (before.outcome in _MAY_HAVE_MOVED and not again):
                why = "its sender is still at work" if is_at_work else _NOT_UNASKED
                raise AlreadySent(
                    f"{operation} {subject} was sent at {before.began_at:%F %T}Z"
                    f" and is {before.outcome}: {why}"
                )

    def _select(self, which: str, values: tuple[Any, ...] = ()) -> Iterator[Request]:
        """Yield in portions: what is begun meanwhile is met, and memory stays flat."""
        query = (
            f"{NEWEST} where {which} and requests.number > ?"
            " order by requests.number limit ?"
        )
        last = 0
        while True:
            found = self._rows(query, (*values, last, _PORTION))
            yield from map(self._request, found)
            if len(found) < _PORTION:
                return
            last = found[-1][0]

    def _request(self, row: tuple[Any, ...]) -> Request:
        with readable(self.path, f"request {row[0]}"):
            return _request(row)


def _request(row: tuple[Any, ...]) -> Request:
    number, operation, subject, body, began, outcome, *answered = row
    ended, status, answer, note, sealed, answer_sealed = answered
    check(sealed, operation, subject, body, began)
    if ended is not None:
        check(answer_sealed, number, ended, outcome, status, answer, note)
    sent, known = json.loads(body), Outcome(outcome)
    if not isinstance(sent, dict):
        raise TypeError("what was sent is no JSON object")
    return Request(
        number=number,
        operation=operation,
        subject=subject,
        body=sent,
        began_at=instant(began),
        outcome=known,
        ended_at=instant(ended) if ended else None,
        status=status,
        answer=bytes(answer or b""),
        note=note or (_SILENT if known is Outcome.UNKNOWN and not ended else ""),
    )


def _now() -> str:
    return stored(datetime.now(UTC))
