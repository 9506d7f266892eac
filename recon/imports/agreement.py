"""Rows of one file that must not contradict each other: none says which is true."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from recon.imports.formats.rows import Refusal


@dataclass(frozen=True)
class Agreement:
    """Rows alike in the columns `by` must be alike in the columns `on`, too.

    With `may_be_empty` a row may leave these out.
    """

    by: tuple[str, ...]
    on: tuple[str, ...]
    may_be_empty: bool = False


class Agreed:
    """What the rows of one file have said so far."""

    def __init__(self, agreement: Agreement) -> None:
        self._agreement = agreement
        self._met: dict[tuple[Any, ...], tuple[int, tuple[Any, ...]]] = {}

    def take(self, record: Mapping[str, Any], line: int) -> None:
        """Take a row; Refusal where an earlier line of the file contradicts it."""
        agreement = self._agreement
        own = tuple(record[name] for name in agreement.on)
        if agreement.may_be_empty and set(own) == {None}:
            return
        key = tuple(record[name] for name in agreement.by)
        first, known = self._met.setdefault(key, (line, own))
        if known != own:
            names = ", ".join(agreement.by)
            column = agreement.on[0] if len(agreement.on) == 1 else None
            reason = f"has the {names} of line {first} and says something else"
            raise Refusal(reason, column=column)
