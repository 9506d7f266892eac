"""In whose language disclosures are told, and what several of them say alike."""

from collections.abc import Sequence
from datetime import date
from typing import Protocol

from recon.money import format_rials
from recon.wording import in_one_line, truncated

_MORE = "and {count} more"
_MOST = 5
_MOST_SIGNS = 40


class Locale(Protocol):
    """How a reader's language has phrases, numbers and dates; `charts.Look` is one."""

    def say(self, text: str, /, **values: object) -> str:
        """Return a phrase in the language, with its places filled."""

    def count(self, number: int) -> str:
        """Write a whole number."""

    def day(self, day: date) -> str:
        """Write a date."""

    def from_left(self, text: str) -> str:
        """Return a text that is read from left to right, whatever the language."""


class _English:
    """The language that the phrases are written in."""

    def say(self, text: str, /, **values: object) -> str:
        return text.format(**values)

    def count(self, number: int) -> str:
        return format_rials(number)

    def day(self, day: date) -> str:
        return day.isoformat()

    def from_left(self, text: str) -> str:
        return text


ENGLISH: Locale = _English()
"""What terminals, messages and closings take."""


def item_words(
    phrases: tuple[str, str], count: int, amount: int, locale: Locale
) -> str:
    """Say how many items there are and of how many rials, in a phrase of one or many.

    `phrases` are the two, with the places `{count}` and `{amount}`.
    """
    return locale.say(
        phrases[0 if count == 1 else 1],
        count=locale.count(count),
        amount=locale.count(amount),
    )


def first_ones(told: Sequence[str], locale: Locale) -> str:
    """List what is told, of very many the first ones and how many more there are."""
    more = len(told) - _MOST
    rest = [locale.say(_MORE, count=locale.count(more))] if more > 0 else []
    return locale.say(", ").join([*told[:_MOST], *rest])


def shown(text: str) -> str:
    """Return a text of a file or of the provider as a sentence may have it."""
    return truncated(in_one_line(text), _MOST_SIGNS)
