"""Requests that move money and ended without a clear answer; looked up on wish."""

import sqlite3
from collections import deque
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import httpx

from recon.api.outcomes import Finding as LookedUp
from recon.api.outcomes import look_up
from recon.api.provider import Provider
from recon.doctor.findings import Finding, ok, problem, warning
from recon.doctor.provider import short
from recon.errors import CorruptLake, ExitCode, LakeError, ReconError
from recon.journal import Journal, journal_path
from recon.journal.damage import as_lake_error
from recon.lake import Lake
from recon.pull.unjournaled import REMEDY, of_journal, unjournaled
from recon.records.requests import Operation, Outcome, Request
from recon.settings import Settings
from recon.times import format_instant
from recon.wording import reason_of

AREA = "journal"
_LOOK_UP = "recon doctor --look-up asks the provider what became of it"
_DEPOSIT = (
    "look for this track_id in the provider's panel, then recon import deposits; "
    "deposit_again settles it through the API"
)
_BROKEN = (
    "stop what writes to it, and put back all that a copy has of it: the file, and its "
    "-wal and -shm or neither"
)
_BARRED = (
    "let this user read and write it, on a disk with room, and recon doctor tells more"
)


async def findings(
    settings: Settings,
    *,
    look: bool = False,
    transport: httpx.AsyncBaseTransport | None = None,
) -> list[Finding]:
    """List the requests of unknown outcome; with `look`, look them up and journal it.

    A look-up sends nothing that counts. A journal that is not there is not made.
    """
    path = journal_path(settings)
    try:
        if not path.is_file():
            return [ok(AREA, "no request that moves money was sent from here")]
    except OSError as error:
        told = f"{path} cannot be read: {reason_of(error)}"
        return [problem(AREA, told, "let this user read it, or run recon as its owner")]
    try:
        _refuse_damage(path)
        with Journal(path) as journal:
            deque(journal.requests(), maxlen=0)  # each can be read, answered or not
            if look:
                return await _looked_up(settings, journal, transport)
            return list(_listed(journal.unknown()))
    except CorruptLake as error:
        return [problem(AREA, str(error), _BROKEN, ExitCode.INCOMPLETE)]
    except (ReconError, ValueError) as error:
        return [problem(AREA, str(error), _BARRED)]


def lacking(settings: Settings, lake: Lake) -> Iterator[Finding]:
    """Tell of deposits that the lake has from a journal that has them no longer."""
    witnesses = of_journal(lake)
    try:
        told = unjournaled(settings, witnesses)
    except LakeError:  # of the journal: `findings` says it
        return
    if told:
        yield warning(AREA, told, REMEDY)


def _refuse_damage(path: Path) -> None:
    """Raise CorruptLake where SQLite finds something wrong with the whole file."""
    with as_lake_error(path), closing(sqlite3.connect(str(path))) as connection:
        (said,) = connection.execute("pragma quick_check(1)").fetchone()
    if said != "ok":
        raise CorruptLake(f"{path} is damaged: {said}")


def _listed(unknown: list[Request]) -> Iterator[Finding]:
    if not unknown:
        yield ok(AREA, "every request that moves money has a known outcome")
    for request in unknown:
        deposit = request.operation == Operation.DEPOSIT
        told = f"{_named(request)}: nobody knows whether it took effect"
        note = f" ({request.note})" if request.note else ""
        yield problem(AREA, told + note, _DEPOSIT if deposit else _LOOK_UP)


def _named(request: Request) -> str:
    subject = f" {request.subject}" if request.subject else ""
    at = format_instant(request.began_at)
    return f"{request.operation}{subject}, sent {at} (number {request.number})"


async def _looked_up(
    settings: Settings, journal: Journal, transport: httpx.AsyncBaseTransport | None
) -> list[Finding]:
    brief = replace(settings, http=short(settings.http))
    async with Provider(brief, journal, transport=transport) as provider:
        found = await look_up(provider)
    return [_told(each) for each in found] or list(_listed([]))


def _told(found: LookedUp) -> Finding:
    told = f"{_named(found.request)}: {found.outcome}: {found.told}"
    if found.outcome is not Outcome.UNKNOWN:
        return ok(AREA, told)
    deposit = found.request.operation == Operation.DEPOSIT
    do = _DEPOSIT if deposit else "look it up again later, or ask the provider"
    return problem(AREA, told, do)
