"""Delivered events: what a delivery's body says, and its way into the lake.

The receiver takes only what `read_delivery` reads, so whatever it answered with 200
is taken into the lake by `take_deliveries`. Rows are made by the import of events.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Any

import filelock
import msgspec

from recon.errors import LakeError
from recon.imports import events
from recon.imports.formats.rows import Refusal
from recon.imports.notices import Notices
from recon.imports.shape import Record
from recon.journal import journal_path
from recon.journal.deliveries import Deliveries, Delivery
from recon.lake import Commit, Lake, Page, Writing
from recon.settings import Settings
from recon.times import format_instant

MOST_LEVELS = 32
"""How deep event data may nest; the contract's own has one level."""

MOST_CHARACTERS = 255
"""How long an event's slug, codes and state may be.

Anybody who knows the business's name can sign an event: what queries and reports go
over letter by letter must not be a book.
"""

_KIND, _SOURCE = "import", "events"
_PROOF = "deliveries"  # of a commit's certificate: how far the journal was taken
UNDELIVERED = (
    "if the journal was lost, or an older copy of it put back: put the newest copy "
    "back; without one, look in the provider's panel for what happened since, and "
    "recon import events. If another machine receives events: run the night there. "
    "Each night says so until it has taken an event from the journal in place"
)
"""What to do about a journal from which events were taken, and that is gone."""

_LOCK_SECONDS = 60.0
_UNIX_DIGITS = 10


class NotAnEnvelope(ValueError):  # noqa: N818 - said as people say it
    """A body that is no event envelope; the text says why, for the sender."""


def read_delivery(body: bytes) -> Record:
    """Return a delivery's event as a row of `events`, or raise NotAnEnvelope.

    A field of the data that is too long, no text or number, or an amount that is none,
    is null in the row; the data hold it as it came. Source: document 1, Events.
    """
    try:
        envelope = msgspec.json.decode(body, type=events.Envelope)
        data = events.canonical(envelope.data)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise NotAnEnvelope(f"not an envelope: {error}") from None
    except RecursionError:
        raise NotAnEnvelope("nested too deeply") from None
    _refuse_depth(envelope.data)
    if len(envelope.type) > MOST_CHARACTERS:
        raise NotAnEnvelope(f"type has more than {MOST_CHARACTERS} characters")
    at = _instant(envelope.created)
    record = _row(at, envelope.type, envelope.data)
    record["data"] = data
    record["origin"] = "delivery"
    return record


def event_hash(event: Record) -> str:
    """Return what two deliveries of one event have in common.

    Equal `created`, `type` and `data` are one event. Source: the interface.
    """
    same = [event["created"].isoformat(), event["type"], event["data"]]
    return hashlib.sha256(msgspec.json.encode(same)).hexdigest()


def take_deliveries(settings: Settings, lake: Lake) -> int:
    """Take the journal's deliveries into the lake; returns how many were new.

    One commit (kind import, source events) takes all that are waiting, or none; its
    certificate says how far it came, so that each is taken once, whenever it is
    killed. Each body is kept as a page of method DELIVERY.
    """
    path = journal_path(settings)
    if not path.is_file():
        return 0
    with _taking(path), Deliveries(path) as deliveries:
        waiting = deliveries.after(_taken(lake, deliveries))
        first = next(waiting, None)
        if first is None:
            return 0
        count, last = 0, first
        with lake.begin(_KIND, _SOURCE) as writing:
            for last in chain([first], waiting):
                count += _take(last, writing)
            writing.commit(
                counts={"files": 0, "records": count, "repeated": 0},
                certificate={_PROOF: _proof(deliveries, last)},
            )
        return count


def undelivered(settings: Settings, lake: Lake) -> str | None:
    """Say so where a journal that the lake took events from is in place no longer.

    What it received after that was answered with 200, and is nowhere else. It is told
    until a run follows the taking of events from the journal that is there now. Raises
    LakeError where the journal cannot be read.
    """
    path = journal_path(settings)
    takings = _takings(lake)
    if takings and path.is_file():
        with Deliveries(path) as there:
            takings = [
                each for each in takings if not _stands(each.certificate[_PROOF], there)
            ]
    if not takings:
        return None
    at = format_instant(max(each.committed_at for each in takings))
    return (
        f"the journal from which the lake took events until {at} is not the one in "
        f"place ({path}): what it received after that is lost with it"
    )


def _takings(lake: Lake) -> list[Commit]:
    """Return the commits that took events since the last run, and the one before it."""
    found, is_before = [], False
    for commit in reversed(lake.commits()):
        is_before = is_before or commit.kind == "run"
        if commit.certificate.get(_PROOF):
            found.append(commit)
            if is_before:
                break
    return found


def _take(delivery: Delivery, writing: Writing) -> int:
    page_no = writing.page(
        Page(
            method="DELIVERY",
            url=f"delivery:{delivery.number}",
            received_at=delivery.received_at,
            body=delivery.body,
        )
    )
    try:
        row = read_delivery(delivery.body)
    except NotAnEnvelope:
        # Stored by a receiver that read more than this one does: kept as a page.
        return 0
    row |= {"page_no": page_no, "position": 1}
    return writing.rows("events", [row], seen_at=delivery.received_at)


def _taken(lake: Lake, deliveries: Deliveries) -> int:
    """Return the number of the last delivery that the lake has; 0 is none.

    It must stand in this very journal: one that was begun anew, or restored, is taken
    from its beginning, and the lake knows equal events.
    """
    for commit in reversed(lake.commits(kind=_KIND, source=_SOURCE)):
        if proof := commit.certificate.get(_PROOF):
            return int(proof["through"]) if _stands(proof, deliveries) else 0
    return 0


def _stands(proof: dict[str, Any], deliveries: Deliveries) -> bool:
    """Tell whether this very journal has what a taking took of it last."""
    found = deliveries.of([proof["through"]])
    return bool(found) and _proof(deliveries, found[0]) == proof


def _proof(deliveries: Deliveries, last: Delivery) -> dict[str, Any]:
    return {
        "journal": deliveries.name,
        "through": last.number,
        "event": last.event,
    }


@contextmanager
def _taking(path: Path) -> Iterator[None]:
    """Let one process take at a time; the system frees the lock of a killed one."""
    lock = filelock.FileLock(path.with_name("deliveries.lock"), mode=0o600)
    try:
        lock.acquire(timeout=_LOCK_SECONDS)
    except filelock.Timeout:
        raise LakeError(f"{lock.lock_file} is held by another run") from None
    except OSError as error:
        raise LakeError(f"{lock.lock_file} cannot be written: {error}") from None
    try:
        yield
    finally:
        lock.release()


def _instant(created: int | str) -> datetime:
    digits = str(created)
    if not (digits.isascii() and digits.isdigit() and len(digits) <= _UNIX_DIGITS):
        raise NotAnEnvelope("created is not Unix time in seconds")
    return datetime.fromtimestamp(int(digits), UTC)


def _row(at: datetime, kind: str, data: dict[str, Any]) -> Record:
    """Read an event as a line of an import; fields that cannot be read are left out."""
    legible = {name: value for name, value in data.items() if not _is_long(value)}
    while True:
        line = {"created": at.isoformat(), "type": kind, "data": legible}
        sheet = events.read(BytesIO(msgspec.json.encode(line)))
        try:
            ((_, record),) = events.KIND.records(sheet, UTC, Notices())
        except Refusal as refusal:
            if refusal.column not in legible.keys() & events.FROM_DATA:
                where = f"{refusal.column} " if refusal.column else ""
                raise NotAnEnvelope(f"{where}{refusal.reason}") from None
            legible = {k: v for k, v in legible.items() if k != refusal.column}
        else:
            return record


def _is_long(value: Any) -> bool:
    return isinstance(value, str) and len(value) > MOST_CHARACTERS


def _refuse_depth(data: Any) -> None:
    """Refuse what nests deeper than queries over it should ever go."""
    level: list[Any] = [data]
    for _ in range(MOST_LEVELS):
        level = [
            inner
            for each in level
            if isinstance(each, (dict, list))
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
        if not level:
            return
    raise NotAnEnvelope(f"nested more than {MOST_LEVELS} levels deep")
