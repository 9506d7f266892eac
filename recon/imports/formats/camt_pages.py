"""The pages of camt.053 statements: their numbers, and the balances at their ends.

A statement opens with OPBD, or with PRCD, at which the one before it closed, and closes
with CLBD. Between two of its pages stands an interim balance: ITBD, or OPBD and CLBD of
the subtype INTM. The statement numbers its pages (`StmtPgntn`), else the message that
it comes in (`MsgPgntn`), and says of each whether it is the last.
Source: ISO 20022 external code sets (types and subtypes of balances); CBPR+ for INTM,
the Finnish guide of account statements for OIBD and CIBD.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from recon.imports.formats.rows import shortened
from recon.imports.formats.statement_pages import PageBalance, StatementPage
from recon.imports.formats.statements import decimal_of

_OPENING, _BEFORE, _CLOSING, _INTERIM = "OPBD", "PRCD", "CLBD", "ITBD"
_BOOKED = (_OPENING, _BEFORE, _CLOSING, _INTERIM)
_WHOLE, _BETWEEN, _OPENS, _CLOSES = "", "INTM", "OIBD", "CIBD"  # subtypes
_SIGNS = {"CRDT": "", "": "", "DBIT": "-"}
_TRUTHS = {"true": True, "1": True, "false": False, "0": False}
_DAY_LETTERS = 10  # of a date; a time may follow
_MOST_DIGITS = 9  # of a page's number


@dataclass
class Pagination:
    """What a statement, or its message, says of a page: nothing, or both of these."""

    number: int | None = None
    is_last: bool | None = None
    is_of_statement: bool = False

    def take(self, name: str, text: str) -> None:
        """Take the text of an element."""
        is_number = text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS
        if name == "PgNb" and is_number:
            self.number = int(text)
        elif name == "LastPgInd":
            self.is_last = _TRUTHS.get(text)

    @property
    def page(self) -> int | None:
        """Return the page's number; some banks put another one where that stands."""
        return None if self.is_last is None else self.number

    @property
    def is_later(self) -> bool:
        """Tell whether another page of the message stands before this one."""
        return self.page is not None and self.page > 1


@dataclass(frozen=True)
class _Balance:
    code: str
    subtype: str
    day: str
    value: Decimal | None  # None where it cannot be read
    currency: str
    written: str
    line: int

    @property
    def name(self) -> str:
        return f"{self.code} {self.subtype}".strip()

    @property
    def is_between(self) -> bool:
        """Tell whether another page of the statement stands on its other side."""
        return self.code == _INTERIM or self.subtype == _BETWEEN

    def at_end(self, *, is_between: bool) -> PageBalance:
        return PageBalance(self.value, self.name, self.line, is_between)


@dataclass
class PageBalances:
    """The booked balances of one page, and which of them are at its ends."""

    says: Pagination = field(default_factory=Pagination)
    _all: list[_Balance] = field(default_factory=list)

    def take(self, texts: Mapping[str, str], currency: str, line: int) -> None:
        """Take a balance by the texts under its element.

        An amount has no sign: one that has cannot be read, for there are two then.
        """
        code = texts.get("Tp/CdOrPrtry/Cd", "")
        if code not in _BOOKED:
            return
        amount, side = texts.get("Amt", ""), texts.get("CdtDbtInd", "")
        is_plain = side in _SIGNS and not amount.startswith("-")
        self._all.append(
            _Balance(
                code=code,
                subtype=texts.get("Tp/SubTp/Cd") or texts.get("Tp/SubTp/Prtry", ""),
                day=(texts.get("Dt/Dt") or texts.get("Dt/DtTm", ""))[:_DAY_LETTERS],
                value=decimal_of(_SIGNS[side] + amount) if is_plain else None,
                currency=currency,
                written=f"{amount} {side}".strip(),
                line=line,
            )
        )

    @property
    def currency(self) -> str:
        """Return the currency of the balances, empty where there is none."""
        return self._all[0].currency if self._all else ""

    def page(self, statement: int) -> StatementPage:
        """Return the page with its ends; `statement` tells whose page it is."""
        says, (opening, closing) = self.says, self._ends()
        begins_between = says.is_later and (opening is None or says.is_of_statement)
        if opening is not None:
            begins_between = begins_between or opening.is_between
        goes_on = closing is not None and closing.subtype in (_BETWEEN, _CLOSES)
        if says.is_last is not None:
            is_closed = closing is not None and not closing.is_between
            goes_on = not says.is_last and (says.is_of_statement or not is_closed)
        return StatementPage(
            statement,
            says.page,
            _end(opening, is_between=begins_between),
            _end(closing, is_between=goes_on),
        )

    def doubts(self, account: str) -> list[str]:
        """Return which of the balances at the ends cannot be compared."""
        return [
            f"the statement of {account} has a balance that cannot be read "
            f"({each.name}, line {each.line:,}): {shortened(each.written)}"
            for each in self._ends()
            if each is not None and each.value is None
        ]

    def _ends(self) -> tuple[_Balance | None, _Balance | None]:
        """Return the balances that the page opens and closes with, if it has them."""
        is_later, is_inner = self.says.is_later, self.says.is_last is False
        opens = self._of(_OPENING, is_later) or self._marked(_OPENS)
        closes = self._of(_CLOSING, is_inner) or self._marked(_CLOSES)
        interim = self._of(_INTERIM, is_inner=False)
        lacks_opening, lacks_closing = is_later and not opens, not closes
        if len(interim) >= lacks_opening + lacks_closing:  # else it may be either
            opens = interim[:1] if lacks_opening else opens
            closes = closes or interim
        if not (opens or (is_later and interim)):
            opens = self._of(_BEFORE, is_inner=False)
        return (opens[0] if opens else None, closes[-1] if closes else None)

    def _of(self, code: str, is_inner: bool) -> Sequence[_Balance]:
        """Return the balances of a type, by their days, and of the subtype preferred.

        A statement of several days may have those of each.
        """
        found = [
            each
            for each in self._all
            if each.code == code and each.subtype not in (_OPENS, _CLOSES)
        ]
        if all(each.day for each in found):
            found.sort(key=lambda each: each.day)
        for subtype in (_BETWEEN, _WHOLE) if is_inner else (_WHOLE, _BETWEEN):
            preferred = [each for each in found if each.subtype == subtype]
            if preferred:
                return preferred
        return found

    def _marked(self, subtype: str) -> Sequence[_Balance]:
        return [
            each
            for each in self._all
            if each.code == _INTERIM and each.subtype == subtype
        ]


def _end(balance: _Balance | None, *, is_between: bool) -> PageBalance:
    if balance is None:
        return PageBalance(is_between=is_between)
    return balance.at_end(is_between=is_between)
