"""How a count is put into English words, and what of a text a terminal may get."""

import re
from collections.abc import Iterable, Sequence

_REPLACED = "\N{REPLACEMENT CHARACTER}"
_MOST_NAMED = 10
_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400  # seconds
_LENGTH = re.compile(r"\b\d[\d,]* (?:second|minute|hour|day)s?\b")
_JOINERS = "\u200c\u200d"  # invisible, but Persian is not written without them
_STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\ud800-\udfff]"
)
"""Signs that move a terminal's cursor, colour or clear it, turn a line around, or are
half of one.

Persian needs the others that are invisible: joiners, and marks of direction.
"""


def printable(text: str) -> str:
    """Return a text without what steers a terminal; its lines stay lines.

    Whoever knows the business's name can put texts into events, and with them into
    breaks.
    """
    return _STEERING.sub(_REPLACED, text)


def escaped(told: str) -> str:
    """Return JSON that says the same, with what steers a terminal as escapes."""
    return _STEERING.sub(lambda sign: f"\\u{ord(sign[0]):04x}", told)


def in_one_line(text: str) -> str:
    """Return a text of a file, such as its name, without what is not seen in a line."""
    return "".join(
        sign if sign.isprintable() or sign in _JOINERS else _REPLACED for sign in text
    )


def truncated(text: str, most: int) -> str:
    """Return a text of so many signs at most; one that was longer says so."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def is_utf8(text: str) -> bool:
    """Tell whether a text can be written down: an argument may hold other bytes."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def counted(count: int, noun: str) -> str:
    """Return a number with its noun, in the plural where it is not one."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def lasting(seconds: int) -> str:
    """Return how long a time is, in whole minutes, hours or days that people count.

    It is never said to be longer than it is; below a minute it is in seconds.
    """
    if seconds < _MINUTE:
        return counted(seconds, "second")
    if seconds < _HOUR * 2:
        return counted(seconds // _MINUTE, "minute")
    if seconds < _DAY * 14:
        return counted(seconds // _HOUR, "hour")
    return counted(seconds // _DAY, "day")


def without_lengths(text: str) -> str:
    """Return a text without how long a time in it is (`lasting`)."""
    return _LENGTH.sub("", text)


def listed(texts: Sequence[str]) -> str:
    """Return texts as one line, the rest of many as their number."""
    more = len(texts) - _MOST_NAMED
    shown = ", ".join(texts[:_MOST_NAMED])
    return f"{shown} and {more:,} more" if more > 0 else shown


def meant(name: str, known: Iterable[str]) -> str:
    """Return the end of a sentence that asks for the known name next to this one.

    Empty where none is near.
    """
    from difflib import get_close_matches  # noqa: PLC0415 - only a mistake pays for it

    near = get_close_matches(name, sorted(known), n=1)
    return f"; did you mean {near[0]}?" if near else ""


def reason_of(error: Exception) -> str:
    """Return what the system says went wrong, without its number or a path."""
    return getattr(error, "strerror", None) or str(error)
