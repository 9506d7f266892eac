"""What was journaled, as rows of the lake's tables.

Each function yields mappings with the columns of its table (`recon/lake/schema.py`)
and `seen_at`, when the row's newest part was learned. Amounts are rials, instants
UTC. A request that was refused or never sent gives no row.
"""

import json
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any, TypeVar

from recon.journal.damage import refuse_damage
from recon.journal.journal import Journal, journal_path
from recon.records import cash_in, scalars
from recon.records.requests import Operation, Outcome, Request
from recon.settings import Settings

_NO_VERIFY = {Outcome.OPEN, Outcome.NOT_SENT, Outcome.REFUSED}
_NO_ROW = {*_NO_VERIFY, Outcome.UNDONE}
_LONGEST = timedelta(minutes=5)  # from a request, and its turn, to its answer

Row = dict[str, Any]
Read = TypeVar("Read")


def journaled(
    settings: Settings, read: Callable[[Journal], Iterator[Read]]
) -> list[Read]:
    """Return what the journal has of one kind; nothing where none was ever sent.

    Raises CorruptLake where it is damaged, in whatever part.
    """
    path = journal_path(settings)
    if not path.is_file():
        return []
    refuse_damage(path)
    with Journal(path) as journal:
        return list(read(journal))


def deposit_entries(journal: Journal) -> Iterator[Row]:
    """Yield the rows of `deposits`: one an entry, or one a request of unknown outcome.

    A `track_id` that was sent again counts once: by its answer, if there is one, and
    by the newest word on an entry that several answers hold. A deposit known to be
    registered, but whose entries were never seen, stays unknown.
    """
    by_track_id: dict[str, list[Request]] = {}
    for request in _deposits(journal):
        by_track_id.setdefault(request.subject, []).append(request)
    for requests in by_track_id.values():
        entries: list[Row] = []
        for request in requests:
            entries = _renewed(entries, _entries(request))
        yield from entries or [_unknown_deposit(requests[0])]


def deposit_track_ids(journal: Journal) -> Iterator[str]:
    """Yield the `track_id` of what gives rows of `deposits`, as often as it was sent.

    The answers are not read for it.
    """
    return (request.subject for request in _deposits(journal))


def gateway_requests(journal: Journal) -> Iterator[Row]:
    """Yield the rows of `gateway_tokens`: one a token, with its verify result if any.

    A token that was verified here but sent elsewhere, whatever became of that, has
    neither `amount` nor `sent_at`: what an import said about those still counts.
    """
    rows: dict[str, Row] = {}
    for request in journal.requests(Operation.GATEWAY_SEND):
        token = _code(_answer(request).get("token"))
        if token:
            rows[token] = _sent_token(token, request)
    for request in journal.requests(Operation.GATEWAY_VERIFY):
        if request.outcome not in _NO_VERIFY:
            token = request.subject
            row = rows.setdefault(token, _unsent_token(token, request))
            row.update(_verify_result(request))
    yield from rows.values()


def hosted_requests(journal: Journal) -> Iterator[Row]:
    """Yield the rows of `hosted_requests`: one a checkout that was sent or verified.

    One that was verified here but sent elsewhere has no `amount` and no `sent_at`.
    """
    rows: dict[str, Row] = {}
    for request in journal.requests(Operation.HOSTED_SEND):
        data = _answer(request).get("data")
        checkout_id = _code(data.get("token")) if isinstance(data, dict) else None
        if checkout_id:
            rows[checkout_id] = {
                "checkout_id": checkout_id,
                "amount": _amount(request.body.get("amount")),
                "checkout_number": request.body.get("checkout_number"),
                "sent_at": _sent_at(request),
                "seen_at": _seen_at(request),
            }
    for request in journal.requests(Operation.HOSTED_VERIFY):
        if request.outcome not in _NO_VERIFY:
            unsent = dict.fromkeys(("amount", "checkout_number", "sent_at"))
            unsent |= {"seen_at": _seen_at(request)}
            rows.setdefault(request.subject, {"checkout_id": request.subject, **unsent})
    yield from rows.values()


def _deposits(journal: Journal) -> Iterator[Request]:
    for request in journal.requests(Operation.DEPOSIT):
        if request.outcome not in _NO_ROW:
            yield request


def _entries(request: Request) -> list[Row]:
    if request.outcome is not Outcome.ANSWERED:
        return []
    try:
        entries = cash_in.deposit_answer(request.answer).value.data.cash_in
    except ValueError:
        # An answer that cannot be read says no more than none.
        return []
    sent = _request_columns(request) | {"outcome": ""}
    return [sent | entry.columns() for entry in entries]


def _renewed(earlier: list[Row], later: list[Row]) -> list[Row]:
    """Put a later answer's entries over an earlier one's; the request was the first."""
    first = {row["gateway_transaction_id"]: row for row in earlier}
    sent = ("requested_at", "requested_amount")
    renewed = [
        row
        | {name: first.get(row["gateway_transaction_id"], row)[name] for name in sent}
        for row in later
    ]
    told = {row["gateway_transaction_id"] for row in later}
    kept = [row for row in earlier if row["gateway_transaction_id"] not in told]
    return [*kept, *renewed]


def _unknown_deposit(request: Request) -> Row:
    return _request_columns(request) | {"outcome": "unknown"}


def _request_columns(request: Request) -> Row:
    return {
        "track_id": request.subject,
        "requested_at": _sent_at(request),
        "requested_amount": _amount(request.body.get("amount")),
        "origin": "journal",
        "seen_at": _seen_at(request),
    }


def _sent_token(token: str, request: Request) -> Row:
    return {
        "token": token,
        "amount": _amount(request.body.get("amount")),
        "factor_number": request.body.get("factorNumber"),
        "sent_at": _sent_at(request),
        "real_amount": None,
        "wage": None,
        "verified_at": None,
        "seen_at": _seen_at(request),
    }


def _unsent_token(token: str, request: Request) -> Row:
    return dict.fromkeys(
        ("amount", "factor_number", "sent_at", "real_amount", "wage", "verified_at")
    ) | {"token": token, "seen_at": _seen_at(request)}


def _verify_result(request: Request) -> Row:
    wire = _answer(request)
    real_amount = _amount(wire.get("realAmount"))
    if real_amount is None:
        return {}
    return {
        "real_amount": real_amount,
        "wage": _amount(wire.get("wage")),
        "verified_at": request.ended_at,
        "seen_at": _seen_at(request),
    }


def _amount(value: Any) -> int | None:
    try:
        return scalars.amount(value)
    except ValueError:
        return None


def _answer(request: Request) -> dict[str, Any]:
    """Return the JSON object of a success, or an empty one."""
    if request.outcome is not Outcome.ANSWERED:
        return {}
    try:
        found = json.loads(request.answer)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _code(value: Any) -> str | None:
    """Read a token as the client that handed it out did: a text, or a number."""
    try:
        return scalars.code(value)
    except ValueError:
        return None


def _sent_at(request: Request) -> datetime:
    """Return when a request was sent; where its clock was wrong, when it was answered.

    What was answered before it began, or long after, was begun by a clock that was
    wrong: whoever takes an answer corrects its time alone.
    """
    if request.outcome is not Outcome.ANSWERED or request.ended_at is None:
        return request.began_at
    took = request.ended_at - request.began_at
    return request.began_at if timedelta() <= took <= _LONGEST else request.ended_at


def _seen_at(request: Request) -> datetime:
    return request.ended_at or request.began_at
