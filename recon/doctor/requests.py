"""Requests that move money and ended without a clear answer; looked up on wish."""

from collections.abc import Iterator
from dataclasses import replace

import httpx

from recon.api.outcomes import LookedUp, look_up
from recon.api.provider import Provider
from recon.doctor.findings import Finding, ok, problem, warning
from recon.doctor.provider import short
from recon.errors import CorruptLake, ExitCode, LakeError, ReconError
from recon.imports.delivered import UNDELIVERED, undelivered
from recon.journal import Journal, journal_path
from recon.journal.damage import refuse_damage
from recon.journal.deliveries import Deliveries
from recon.lake import Lake
from recon.pull.unjournaled import REMEDY, of_journal, unjournaled
from recon.records.requests import Operation, Outcome, Request
from recon.settings import Settings
from recon.times import format_instant
from recon.wording import counted, listed, reason_of

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
        refuse_damage(path)
        with Journal(path) as journal:
            unknown = journal.unknown()
            standing = [each.outcome for each in journal.requests()]
            deposits = _told_since(settings, unknown)
            if look:
                found = await _looked_up(settings, journal, transport)
            else:
                found = [(each, _unanswered(each)) for each in unknown]
        with Deliveries(path) as deliveries:
            for _ in deliveries.after(0):  # each is proven as it is read
                pass
    except CorruptLake as error:
        return [problem(AREA, str(error), _BROKEN, ExitCode.INCOMPLETE)]
    except (ReconError, ValueError) as error:
        return [problem(AREA, str(error), _BARRED)]
    return list(_findings(found, deposits, standing.count(Outcome.OPEN)))


def lacking(lake: Lake, settings: Settings) -> Iterator[Finding]:
    """Tell of what the lake has from a journal that has it no longer."""
    witnesses = of_journal(lake)
    try:
        told = unjournaled(settings, witnesses)
        gone = undelivered(settings, lake)
    except LakeError:  # of the journal: `findings` says it
        return
    if told:
        yield warning(AREA, told, REMEDY)
    if gone:
        yield warning(AREA, gone, UNDELIVERED)


def _told_since(settings: Settings, unknown: list[Request]) -> list[str]:
    """Return the `track_id`s of unknown deposits of which the lake has entries.

    Empty where it cannot be read: what is found of the lake says why.
    """
    sent = {each.subject for each in unknown if each.operation == Operation.DEPOSIT}
    if not sent:
        return []
    try:
        rows = Lake.of(settings).current("deposits", ["track_id", "outcome"])
    except (ReconError, OSError):
        return []
    known = {row["track_id"] for row in rows.to_pylist() if row["outcome"] != "unknown"}
    return sorted(sent & known)


def _findings(
    found: list[tuple[Request, Finding]], deposits: list[str], open_count: int
) -> Iterator[Finding]:
    """Tell what became of each, but of deposits that a list or an import told of."""
    for request, finding in found:
        if request.operation != Operation.DEPOSIT or request.subject not in deposits:
            yield finding
    if deposits:
        told = f"{counted(len(deposits), 'deposit')} got no clear answer, but the lake"
        yield ok(AREA, f"{told} has what became of it: {listed(deposits)}")
    if open_count:
        yield ok(AREA, f"{counted(open_count, 'request')} on the way, not answered yet")
    if not found and not open_count:
        yield ok(AREA, "every request that moves money has a known outcome")


def _unanswered(request: Request) -> Finding:
    deposit = request.operation == Operation.DEPOSIT
    told = f"{_named(request)}: nobody knows whether it took effect"
    note = f" ({request.note})" if request.note else ""
    return problem(AREA, told + note, _DEPOSIT if deposit else _LOOK_UP)


def _named(request: Request) -> str:
    subject = f" {request.subject}" if request.subject else ""
    at = format_instant(request.began_at)
    return f"{request.operation}{subject}, sent {at} (number {request.number})"


async def _looked_up(
    settings: Settings, journal: Journal, transport: httpx.AsyncBaseTransport | None
) -> list[tuple[Request, Finding]]:
    brief = replace(settings, http=short(settings.http))
    async with Provider(brief, journal, transport=transport) as provider:
        return [(each.request, _told(each)) for each in await look_up(provider)]


def _told(found: LookedUp) -> Finding:
    told = f"{_named(found.request)}: {found.outcome}: {found.told}"
    if found.outcome is not Outcome.UNKNOWN:
        return ok(AREA, told)
    deposit = found.request.operation == Operation.DEPOSIT
    do = _DEPOSIT if deposit else "look it up again later, or ask the provider"
    return problem(AREA, told, do)
