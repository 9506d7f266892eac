"""Which way money went, where an amount has no sign that says so.

A bank's export has its debits and its credits in two columns, or one column of amounts
beside a word for the direction. The debits of a bank's statement are what left the
account; in the business's own ledger of that account they are what came in.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from recon.imports.columns import Column, choice
from recon.imports.formats.rows import Cell, Refusal, is_blank, shortened
from recon.imports.naming import Naming, letters

DIRECTION = "direction"
"""A column that settings may name: its word says which way the amount went."""

_OUT = frozenset({"debit", "dr", "withdrawal", "برداشت", "بدهکار"})
_INTO = frozenset({"credit", "cr", "واریز", "بستانکار"})
_OWES = frozenset({"debit", "dr", "بدهکار", "بد"})
_HAS = frozenset({"credit", "cr", "بستانکار", "بس"})
_PAIRS = {  # what came in and what left; one of them alone may mean anything
    ("c", "d"),
    ("cr", "db"),
    ("d", "w"),  # deposit, withdrawal
    ("بس", "بد"),
    ("دریافت", "پرداخت"),
    ("+", "-"),
    ("ورودی", "خروجی"),
    ("in", "out"),
}
_OF_PAIRS = frozenset(word for pair in _PAIRS for word in pair)
_MOST_COLUMNS = 1_000  # that are known to hold something else
_NO_LETTER = re.compile(r"[\W_]")
_LONGEST_WORD = 24  # with spaces and marks around it


@dataclass(frozen=True)
class Sides:
    """The column `whole` (signed rials) may be given as `out` and `into` (unsigned)."""

    whole: Column
    out: Column
    into: Column

    @property
    def names(self) -> tuple[str, str]:
        """Return the names of the two columns."""
        return self.out.name, self.into.name

    @property
    def columns(self) -> tuple[Column, ...]:
        """Return the columns that a row is joined from."""
        return self.out, self.into

    @property
    def replaced(self) -> frozenset[str]:
        """Return the columns in whose place these stand."""
        return frozenset({self.whole.name})

    def settled(self, places: dict[str, int], given: Collection[str]) -> dict[str, int]:
        """Return the places of a file's columns with the whole or the two, never both.

        The whole is preferred, unless settings name the two (`given`): it is something
        else in that file then.
        """
        asked = any(name in given for name in self.names)
        if self.whole.name in places and not asked:
            dropped = set(self.names)
        elif places.keys() & set(self.names):
            dropped = {self.whole.name, DIRECTION}
        else:
            dropped = set()
        return {name: at for name, at in places.items() if name not in dropped}

    @property
    def direction(self) -> Column:
        """Return the column whose word is the name of one of the two."""
        return choice(DIRECTION, *self.names)

    def of(self, columns: Collection[str]) -> "Sides | Directed | None":
        """Return what a file's columns have in place of the signed one, if anything."""
        if any(name in columns for name in self.names):
            return self
        if DIRECTION not in columns:
            return None
        return Directed(self.out.name, (self.whole, self.direction))

    def joined(self, out: int | None, into: int | None) -> int:
        """Return what a row's two cells come to in signed rials.

        Refusal where both are filled, or neither is: nobody knows which way it went.
        """
        both = " and ".join(self.names)
        if out is None and into is None:
            raise Refusal(f"{both} are empty; one of them must be filled")
        if out and into:
            raise Refusal(f"{both} are both filled; only one of them may be")
        return (into or 0) - (out or 0)


@dataclass(frozen=True)
class Directed:
    """The signed column beside one whose word tells the side; `out` is what left.

    A row is joined from `columns`; the second alone, in `names`, is none of the kind's.
    """

    out: str
    columns: tuple[Column, ...]
    names: tuple[str, ...] = (DIRECTION,)
    replaced: frozenset[str] = frozenset()

    def joined(self, amount: int, direction: str) -> int:
        """Return what a row's two cells come to in signed rials.

        Refusal where the amount's own sign says another way than the word.
        """
        is_out = direction == self.out
        if amount < 0 and not is_out:
            raise Refusal(f"is below zero, and its {DIRECTION} says {direction}")
        return -abs(amount) if is_out else amount


def says_below_zero(cell: Cell, header_of_out: str) -> bool:
    """Tell whether a word beside a balance says that the account owes it.

    The header of what left tells whose words they are: in the business's own ledger a
    bank account that has money is a debtor, and what left stands among the credits.
    """
    if not (isinstance(cell, str) and _may_be_word(cell)):
        return False
    is_ledger = _NO_LETTER.sub("", letters(header_of_out)) in _HAS
    return _NO_LETTER.sub("", letters(cell)) in (_HAS if is_ledger else _OWES)


class UnreadLetters:
    """Columns of one file that are not read, and hold letters for the ways of amounts.

    One letter may mean anything. But where each row has one of a pair, and none has a
    sign, all debits would be taken for credits.
    """

    def __init__(self) -> None:
        self._columns: dict[str, dict[str, tuple[str, int]]] = {}
        self._others: set[str] = set()
        self._has_sign = False

    def note(self, told: Sequence[tuple[str, Cell]], amount: int, line: int) -> None:
        """Take the columns of a row that are not read, and its amount."""
        self._has_sign |= amount < 0
        if self._has_sign or len(self._others) > _MOST_COLUMNS:
            return
        for name, cell in told:
            if name in self._others or is_blank(cell):
                continue
            word = _letter(cell)
            if word not in _OF_PAIRS:
                self._others.add(name)
                continue
            self._columns.setdefault(name, {}).setdefault(word, (str(cell), line))

    def refuse(self, naming: Naming) -> None:
        """Refuse a file in which only such letters tell debits from credits."""
        for name, words in self._columns.items() if not self._has_sign else ():
            pair = next((each for each in _PAIRS if words.keys() == {*each}), None)
            if pair is None or name in self._others:
                continue
            (into, _), (out, line) = (words[each] for each in pair)
            both = f"{shortened(out)}, and in other rows {shortened(into)}"
            raise Refusal(
                f"says {both}, is not read, and no amount of the file is below zero: "
                f"name it, {DIRECTION} = {shortened(name)} in "
                f"[{naming.table('columns')}]{naming.of_words(DIRECTION)}",
                line=line,
                column=name,
            )


def _letter(cell: Cell) -> str:
    """Return a short word by its letters, a sign as it is; "" of anything else."""
    if not (isinstance(cell, str) and _may_be_word(cell)):
        return ""
    sign = cell.strip().replace("\u2212", "-")
    return sign if sign in _OF_PAIRS else _NO_LETTER.sub("", letters(cell))


def refuse_unread(told: Sequence[tuple[str, Cell]], amount: int, section: str) -> None:
    """Refuse an amount beside a word for the other way in a column that is not read.

    `told` are such columns of its row; `section` is where settings may name one.
    """
    contrary = _INTO if amount < 0 else _OUT
    words = (each for each in told if amount and _may_be_word(each[1]))
    for name, cell in words:
        if _NO_LETTER.sub("", letters(str(cell))) in contrary:
            sign = "below" if amount < 0 else "above"
            raise Refusal(
                f"says {shortened(str(cell))}, is not read, and the amount is {sign} "
                f"zero: name it, {DIRECTION} = {shortened(name)} in [{section}]",
                column=name,
            )


def _may_be_word(cell: Cell) -> bool:
    """Tell whether a cell is worth reading: most are numbers or whole sentences."""
    return (
        isinstance(cell, str)
        and len(cell) <= _LONGEST_WORD
        and not cell[:1].isdigit()
        and bool(cell)
    )
