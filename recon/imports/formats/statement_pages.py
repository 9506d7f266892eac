"""The pages of statements: each one goes on where the one before it ended.

In MT940, `:28C:` numbers a statement and its pages. The first page opens with `:60F:`,
each next one with `:60M:` and the balance at which the page before it closed with
`:62M:`; the last closes with `:62F:`. Of camt.053 `camt_pages` tells the same.
"""

import re
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Self

_NUMBERS = re.compile(r"(\d+)(?:/(\d+))?", re.ASCII)


@dataclass(frozen=True)
class PageBalance:
    """A balance at an end of a page, by its name and line; None where it has none.

    It `is_between` where another page of the statement stands on its other side.
    """

    value: Decimal | None = None
    name: str = ""
    line: int = 0
    is_between: bool = False

    def told(self) -> str:
        """Return the balance and where it stands, for people."""
        if not self.name:
            return "a balance that it does not say"
        return f"{self.value or 0:,} ({self.name}, line {self.line:,})"


@dataclass
class StatementPage:
    """One page; the numbers of its statement and of itself are None if unknown."""

    statement: int | None = None
    number: int | None = None
    opening: PageBalance = PageBalance()
    closing: PageBalance = PageBalance()

    @classmethod
    def numbered(cls, text: str) -> Self:
        """Return a page with the numbers of a `:28C:`."""
        found = _NUMBERS.match(text)
        if found is None:
            return cls()
        return cls(int(found[1]), int(found[2]) if found[2] else None)

    @property
    def name(self) -> str:
        """Return what people call it."""
        return "a page" if self.number is None else f"page {self.number:,}"


@dataclass
class StatementPages:
    """The pages of one file, as they come; those of several accounts may be mixed."""

    _before: dict[tuple[str, str], StatementPage] = field(default_factory=dict)

    def gap(self, account: str, currency: str, page: StatementPage) -> list[str]:
        """Return what is missing before a page that has come, if it can be told.

        An account may have a statement of each currency.
        """
        before = self._before.get((account, currency))
        self._before[account, currency] = page
        name = f"the statement of {account} lacks a page"
        opens = f"{page.name} opens at {page.opening.told()}"
        if before is None:
            told = f"{name}: {opens}, and the one before it is not in the file"
            return [told] if page.opening.is_between else []
        if not _is_gap(before, page):
            return []
        closes = f"{before.name} closes at {before.closing.told()}"
        return [f"{name}: {closes}, and {opens}"]

    def unfinished(self) -> list[tuple[str, StatementPage]]:
        """Return the accounts whose statements go on after the file's end.

        With each is the last of its pages that are there.
        """
        return [
            (account, page)
            for (account, _), page in self._before.items()
            if page.closing.is_between
        ]


def _is_gap(before: StatementPage, page: StatementPage) -> bool:
    """Tell whether a page is missing between two of an account.

    Some banks open and close every page as if it were whole: then it is the numbers
    that make two pages parts of one statement. Others number all pages alike.
    """
    ends = before.closing.value, page.opening.value
    differ = None not in ends and ends[0] != ends[1]
    is_one = before.statement == page.statement is not None
    steps = 0
    if is_one and before.number is not None and page.number is not None:
        steps = page.number - before.number
    if before.closing.is_between:
        return differ or steps > 1 or not (page.opening.is_between or steps == 1)
    if page.opening.is_between:
        are_two = None not in (before.statement, page.statement) and not is_one
        return differ or steps > 1 or are_two
    return differ and steps > 0
