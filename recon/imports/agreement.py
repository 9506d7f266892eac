"""Rows of one file that must not contradict each other: none says which is true."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from recon.imports.formats.rows import Refusal

_BITS = 64
_HASH = 2**_BITS - 1


@dataclass(frozen=True)
class Agreement:
    """Rows alike in the columns `by` must be alike in the columns `on`, too.

    With `may_be_empty` a row may leave these out.
    """

    by: tuple[str, ...]
    on: tuple[str, ...]
    may_be_empty: bool = False


class Agreed:
    """What the rows of one file have said so far, in some 110 bytes each.

    By the hash of what they are alike in: the line, and the hash of what it says.
    """

    def __init__(self, agreement: Agreement) -> None:
        self._agreement = agreement
        self._met: dict[int, int] = {}

    def take(self, record: Mapping[str, Any], line: int) -> None:
        """Take a row; Refusal where an earlier line of the file contradicts it."""
        agreement = self._agreement
        own = tuple(record[name] for name in agreement.on)
        if agreement.may_be_empty and set(own) == {None}:
            return
        key = hash(tuple(record[name] for name in agreement.by))
        said = hash(repr(own)) & _HASH  # numbers have worse ones
        met = self._met.setdefault(key, line << _BITS | said)
        if met & _HASH != said:
            names = ", ".join(agreement.by)
            column = agreement.on[0] if len(agreement.on) == 1 else None
            reason = f"has the {names} of line {met >> _BITS} and says something else"
            raise Refusal(reason, column=column)
