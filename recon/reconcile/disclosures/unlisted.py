"""Deposits that count as not landed for want of a word in `cash_in.settled_statuses`.

Unknown: what a status other than `INIT` means; the setting lists those by which money
has landed. That one is not listed may be right, so this is told and is no break.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta

import pyarrow as pa

from recon.reconcile.disclosures.locale import ENGLISH, Locale, first_ones, shown
from recon.reconcile.engine import Ask

Unlisted = Mapping[str, Mapping[str, int | None]]
"""`deposits` and `amount` by status, the largest first; rials, None if unknown."""

IN_THE_RUN = (
    "Count as not landed, since cash_in.settled_statuses does not list their status: "
    "{listed}."
)
IN_AN_INTERVAL = (
    "May have landed in this interval, but count as not landed, since "
    "cash_in.settled_statuses does not list their status: {listed}."
)
_ONE = "1 deposit of {amount} ({status})"
_MANY = "{count} deposits that come to {amount} ({status})"
_RIALS = "{rials} rials"
_UNKNOWN = "an unknown amount"
_QUERY = (
    "select status, count(*) as deposits, "
    # as text: a sum of many amounts may be wider than 64 bits
    "cast(sum(cast(amount_rial as decimal(38, 0))) as varchar) as amount "
    "from int_unlisted_deposits where {condition} group by status"
)
_IN_TIME = (
    "(landed_from is null or landed_from <= $latest) "
    "and (landed_until is null or landed_until > $earliest)"
)


def unlisted(ask: Ask, condition: str = "true") -> Unlisted:
    """Return the deposits of the lake that meet an SQL condition, by their status."""
    return _by_status(ask(_QUERY.format(condition=condition)))


def unlisted_between(
    ask: Ask, from_at: datetime, to_at: datetime, skew: timedelta
) -> Unlisted:
    """Return those that may have landed between two snapshots of the wallet.

    There is one wallet, to which all deposits go; clocks may differ by `skew`.
    """
    found = ask(
        _QUERY.format(condition=_IN_TIME),
        earliest=_shifted(from_at, -skew),
        latest=_shifted(to_at, skew),
    )
    return _by_status(found)


def renamed(found: Unlisted, name: Callable[[str], str]) -> Unlisted:
    """Return deposits by what `name` makes of each status; equal ones are one then."""
    made: dict[str, list[Mapping[str, int | None]]] = {}
    for status, each in found.items():
        made.setdefault(name(status), []).append(each)
    return _sorted((status, *_together(some)) for status, some in made.items())


def _together(some: Sequence[Mapping[str, int | None]]) -> tuple[int, int | None]:
    """Return the count and the known rials of several; None where none are known."""
    counts = [each["deposits"] or 0 for each in some]
    amounts = [each["amount"] for each in some if each["amount"] is not None]
    return sum(counts), sum(amounts) if amounts else None


def unlisted_words(
    found: Unlisted, template: str = IN_THE_RUN, locale: Locale = ENGLISH
) -> str:
    """Tell in one sentence how many deposits and rials have which status."""
    told = [
        locale.say(
            _ONE if each["deposits"] == 1 else _MANY,
            count=locale.count(each["deposits"] or 0),
            amount=_amount(each["amount"], locale),
            status=shown(status),
        )
        for status, each in found.items()
    ]
    return locale.say(template, listed=first_ones(told, locale))


def _by_status(found: pa.Table) -> Unlisted:
    return _sorted(
        (row["status"], row["deposits"], _whole(row["amount"]))
        for row in found.to_pylist()
    )


def _sorted(rows: Iterable[tuple[str, int, int | None]]) -> Unlisted:
    largest = sorted(rows, key=lambda row: (-abs(row[2] or 0), row[0]))
    return {
        status: {"deposits": count, "amount": amount}
        for status, count, amount in largest
    }


def _whole(amount: str | None) -> int | None:
    return None if amount is None else int(amount)


def _amount(amount: int | None, locale: Locale) -> str:
    if amount is None:
        return locale.say(_UNKNOWN)
    return locale.say(_RIALS, rials=locale.count(amount))


def _shifted(instant: datetime, by: timedelta) -> datetime:
    try:
        return instant + by
    except OverflowError:  # at an end of the calendar
        return instant
