"""Single values as the provider writes them, read strictly; None stays None.

Each reader takes what JSON gave and raises ValueError on what it cannot mean.
"""

import re
from datetime import UTC, datetime, tzinfo
from typing import Any

from recon.money import MAX_AMOUNT_DIGITS
from recon.times import JALALI_CENTURIES, parse_instant

_AMOUNT = re.compile(r"(-?[0-9]{1,19})(?:\.0+)?")
AMOUNTS = range(1 - 10**MAX_AMOUNT_DIGITS, 10**MAX_AMOUNT_DIGITS)
"""Rials that an amount may be: up to 18 digits, as in the business's own files.

More cannot be money; a few of them would leave 64 bits in a sum, and stop every run.
"""

CEILINGS = range(AMOUNTS.start, 2**63)
"""Rials that a limit may be: the greatest number of 64 bits is a way to write none."""


def amount(value: Any, allowed: range = AMOUNTS) -> int | None:
    """Read rials: an integer, or ASCII digits with a fraction only of zeros."""
    number = value
    if isinstance(value, str):
        found = _AMOUNT.fullmatch(value)
        number = int(found[1]) if found else None
    if value is None:
        return None
    if type(number) is not int or number not in allowed:
        raise ValueError("not a whole amount")
    return number


def required_amount(value: Any) -> int:
    """Read rials that must be there."""
    found = amount(value)
    if found is None:
        raise ValueError("an amount is missing")
    return found


def code(value: Any) -> str | None:
    """Read an identifier: a text, or a number as its text; empty is none."""
    if isinstance(value, bool) or not isinstance(value, str | int | None):
        raise ValueError("not an identifier")  # noqa: TRY004 - one kind for bad JSON
    return None if value is None or value == "" else str(value)


def required_code(value: Any) -> str:
    """Read an identifier that must be there."""
    found = code(value)
    if found is None:
        raise ValueError("an identifier is missing")
    return found


def text(value: Any) -> str | None:
    """Read a text."""
    if not isinstance(value, str | None):
        raise ValueError("not a text")  # noqa: TRY004
    return value


def unix_time(value: Any) -> datetime | None:
    """Read Unix seconds, as a number or its digits."""
    seconds = amount(value)
    try:
        return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError):
        raise ValueError("not a time") from None


def local_time(value: Any, zone: tzinfo) -> datetime | None:
    """Read `YYYY-MM-DD HH:MM:SS`, which carries no zone, as local to `zone`.

    Unknown: the gateway's zone; the setting `gateway.timezone`. Its calendar, too: a
    year of 1300 to 1599 is a Jalali one, since no payment is that old.
    """
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        raise ValueError("not a time")  # noqa: TRY004
    if value.startswith(JALALI_CENTURIES):
        return parse_instant(value, zone, jalali=True)
    moment = datetime.fromisoformat(value)
    try:
        return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(
            UTC
        )
    except OverflowError:
        raise ValueError("not a time") from None


def mapping(value: Any) -> dict[str, Any]:
    """Read a JSON object."""
    if not isinstance(value, dict):
        raise ValueError("not an object")  # noqa: TRY004
    return value
