"""What may be sent: the contract's limits, checked before anything leaves.

Each function takes the field's name as the contract writes it and its value, returns
the value as it goes on the wire, or raises WrongInput, which names the field and what
it may be. Values are not repeated in errors: many are personal data.
"""

from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from urllib.parse import urlsplit

from recon.errors import UsageError
from recon.money import MAX_AMOUNT_DIGITS

GATEWAY_LEAST = 1_000
"""Rials. Source: document 2, Limits."""

HOSTED_LEAST = 10_000
"""Rials. Source: document 2, Limits."""

DESCRIPTION_MOST = 255
"""Characters, gateway and hosted. Source: document 2, Limits."""

CHECKOUT_NUMBER_MOST = 32
"""Digits, hosted. Source: document 2, Limits."""

CARDS_MOST = 10
"""Gateway `valid_card_number`. Source: document 2, Limits."""

_MOST = 10**MAX_AMOUNT_DIGITS - 1
_MOBILE_DIGITS = 11
_BIRTH_DATE_DIGITS = 8


class WrongInput(UsageError):  # noqa: N818 - said as people say it
    """A value that the contract does not allow; nothing was sent."""

    def __init__(self, field: str, allowed: str) -> None:
        super().__init__(f"{field}: must be {allowed}")
        self.field = field


def rials(field: str, value: int, least: int = 1) -> int:
    """Take an amount: an int of rials, at least `least`; no float, no bool.

    Unknown: where the contract states no minimum, an amount is taken to be above 0.
    """
    return count(field, value, least, "whole number of rials")


def count(field: str, value: int, least: int = 1, noun: str = "whole number") -> int:
    """Take a whole number of things, at least `least`; no float, no bool."""
    if type(value) is not int or not least <= value <= _MOST:
        raise WrongInput(field, f"a {noun} (int), at least {least:,}")
    return value


def text(field: str, value: str, most: int | None = None) -> str:
    """Take a text that is not blank, of at most `most` characters."""
    limit = f" of at most {most} characters" if most else ""
    if not isinstance(value, str) or not value.strip() or len(value) > (most or 2**31):
        raise WrongInput(field, f"a text{limit}")
    return value


def digits(field: str, value: str, least: int, most: int) -> str:
    """Take a text of `least` to `most` ASCII digits."""
    if not _is_digits(value) or not least <= len(value) <= most:
        span = f"{least}" if least == most else f"{least} to {most}"
        raise WrongInput(field, f"{span} digits")
    return value


def mobile(field: str, value: str) -> str:
    """Take a mobile number in the local form: 09 and nine digits.

    Source: document 1, Customer; document 3, Customer.
    """
    if not _is_digits(value) or len(value) != _MOBILE_DIGITS or value[:2] != "09":
        raise WrongInput(field, "a mobile number of 11 digits beginning with 09")
    return value


def birth_date(field: str, value: str) -> str:
    """Take eight digits: year, month, day. Source: document 1, Customer.

    Unknown: the calendar; the contract does not say which, so neither is refused.
    """
    return digits(field, value, _BIRTH_DATE_DIGITS, _BIRTH_DATE_DIGITS)


def one_of(field: str, value: str, allowed: Collection[str]) -> str:
    """Take one of the contract's words."""
    if not isinstance(value, str) or value not in allowed:
        raise WrongInput(field, "one of " + ", ".join(sorted(allowed)))
    return value


def flag(field: str, value: bool) -> bool:
    """Take true or false."""
    if not isinstance(value, bool):
        raise WrongInput(field, "true or false")
    return value


def many(field: str, values: Sequence[str], least: int = 1) -> list[str]:
    """Take a list of at least `least` texts; a single text is no list."""
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise WrongInput(field, "a list of texts")
    if len(values) < least:
        raise WrongInput(field, f"a list of at least {least}")
    return [text(f"{field}.{place}", value) for place, value in enumerate(values)]


def cards(field: str, value: str | Sequence[str]) -> str | list[str]:
    """Take a card number, or up to ten. Source: document 2, Limits.

    Unknown: how a card number is written; only its absence is refused.
    """
    if isinstance(value, str):
        return text(field, value)
    numbers = many(field, value)
    if len(numbers) > CARDS_MOST:
        raise WrongInput(field, f"at most {CARDS_MOST} card numbers")
    return numbers


def address(field: str, value: str, *, domain: str = "", https: bool = False) -> str:
    """Take a web address: http or https, or https alone.

    With `domain`, its host must be that domain or one under it. Source: document 2,
    gateway step 1 and hosted send; document 1, Webhooks.
    """
    schemes = {"https"} if https else {"http", "https"}
    kind = "an https address" if https else "an http or https address"
    try:
        parts = urlsplit(text(field, value))
        host = (parts.hostname or "").rstrip(".")
        _ = parts.port
    except (ValueError, WrongInput):
        raise WrongInput(field, kind) from None
    if parts.scheme not in schemes or not host or _has_traps(value):
        raise WrongInput(field, kind)
    approved = domain.lower().strip(".")
    if approved and host != approved and not host.endswith(f".{approved}"):
        raise WrongInput(field, f"{kind} under the approved domain {approved}")
    return value


def future(field: str, value: datetime | int, now: datetime) -> int:
    """Take an instant later than `now`; returns Unix seconds.

    Takes a datetime with a zone, or Unix seconds. Source: document 3, Limits.
    """
    if isinstance(value, datetime) and value.tzinfo is not None:
        seconds = int(value.astimezone(UTC).timestamp())
    elif type(value) is int:
        seconds = value
    else:
        raise WrongInput(field, "an instant: a datetime with a zone or Unix seconds")
    if seconds <= now.timestamp():
        raise WrongInput(field, "later than the present time")
    return seconds


def _is_digits(value: str) -> bool:
    return isinstance(value, str) and value.isascii() and value.isdigit()


def _has_traps(value: str) -> bool:
    """Say whether browsers would read another host than Python does."""
    return "\\" in value or any(not sign.isprintable() or sign == " " for sign in value)
