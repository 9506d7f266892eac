"""MT940 bank statements: fields `:61:` with their `:86:`, framed by balances."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import BinaryIO

from recon.imports.formats.rows import Refusal, Row, Sheet
from recon.imports.formats.statement_pages import (
    PageBalance,
    StatementPage,
    StatementPages,
)
from recon.imports.formats.statements import (
    NAMES,
    Entry,
    Statement,
    account_of,
    decimal_of,
)
from recon.imports.formats.swift_fields import Field, fields

_ENTRY = re.compile(
    r"(?P<value>\d{6})(?P<entry>\d{4})?(?P<mark>R?[CD])[A-Z]?"
    r"(?P<amount>\d+(?:,\d*)?)(?P<rest>(?:\s*[A-Za-z].*)?)",
    re.DOTALL | re.ASCII,
)
_BALANCE = re.compile(
    r"(?P<mark>[CD])\d{6}(?P<currency>[A-Z]{3})(?P<amount>\d+(?:,\d*)?)(?![.,\d])",
    re.ASCII,
)
_ENTRY_ALLOWED = (
    "allowed: YYMMDD, MMDD or nothing, C, D, RC or RD, an amount without separators of "
    "thousands, as 1000,00, and a type, as NTRF"
)
_BALANCE_ALLOWED = (
    "allowed: C or D, YYMMDD, a currency, as IRR, and an amount without separators of "
    "thousands, as 1000,00"
)
_TYPE_LETTERS = 4
_NOT_LAST = "62M"
_BETWEEN = "M"  # ends the tag of a balance between two pages
_OPENING = ("60F", "60M")
_CLOSING = ("62F", _NOT_LAST)
_NO_REFERENCE = "NONREF"
_HALF_A_YEAR = 183  # days


@dataclass
class _Entry(Entry):
    """An entry whose own text is its description until a :86: comes."""

    is_detailed: bool = False

    def detail(self, found: Field) -> None:
        """Take a :86: of this entry; of several, earlier releases read the last."""
        before = f"{self.description} " if self.is_detailed else ""
        self.description = before + found.text()
        self.described = found.text_before()
        self.is_detailed = True


def read(file: BinaryIO) -> Sheet:
    """Read MT940; a row's line is that of its `:61:`.

    An entry is booked on its entry date, else on its value date. Debits and reversals
    of credits are negative. Balances that do not add up are a warning; entries or an
    opening balance that no closing one follows, and a file without any, are refused:
    it was cut, maybe within an amount, or its lines end in another way. What
    stands after an amount must be its type: a point would part thousands. A file that
    ends with an intermediate balance (`:62M:`) lacks a page, which is a warning, too,
    and so is one in which a page does not go on where the one before it ended, or that
    ends with the head of a message.
    """
    frame = _Frame()
    return Sheet(NAMES, _rows(file, frame), frame.warnings, unsound=frame.unsound)


def _rows(file: BinaryIO, frame: "_Frame") -> Iterator[Row]:
    pending: _Entry | None = None
    # lines that await a closing balance: of :20:, of :60F:, of an entry
    begun = opened = unclosed = 0
    closed = ""  # by which field the last statement was
    for found in fields(file):
        if found.tag == "86" and pending is not None:
            pending.detail(found)
            continue
        if pending is not None:
            yield frame.statement.row(pending)
            pending = None
        if found.tag in _CLOSING:
            begun, opened, unclosed, closed = 0, 0, 0, found.tag
        elif found.tag in ("20", *_OPENING):
            _refuse_unclosed(unclosed or opened)
        if found.tag == "20":
            begun = found.line
        elif found.tag in _OPENING:
            opened = found.line
        if found.tag == "61":
            if not frame.statement.account or not frame.statement.currency:
                raise Refusal("an entry before :25: and :60F:", line=found.line)
            pending = _entry(found)
            unclosed = unclosed or found.line
        else:
            frame.take(found)
    _refuse_unclosed(unclosed or opened or (0 if closed else 1))
    frame.end(begun)


def _refuse_unclosed(line: int) -> None:
    if line:
        raise Refusal("no closing balance (:62F:) follows: the file is cut", line=line)


@dataclass
class _Frame:
    """What stands around the entries: the statement at hand, and the pages so far."""

    warnings: list[str] = field(default_factory=list)
    unsound: list[int] = field(default_factory=list)
    statement: Statement = field(default_factory=Statement)
    _page: StatementPage = field(default_factory=StatementPage)
    _pages: StatementPages = field(default_factory=StatementPages)
    _opened: int = 0

    def take(self, found: Field) -> None:
        """Take a field outside the entries."""
        match found.tag:
            case "20":
                self.statement, self._page = Statement(), StatementPage()
            case "25" | "25P":
                if self.statement.closing is not None:
                    self.statement = Statement()
                self.statement.account = account_of(found.texts[0])
            case "28" | "28C":
                self._page = StatementPage.numbered(found.texts[0])
            case tag if tag in _OPENING:
                self._open(found)
            case tag if tag in _CLOSING:
                self._close(found)

    def _open(self, found: Field) -> None:
        value, currency = _balance(found)
        if not currency:
            told = f"is no opening balance (:{found.tag}:); {_BALANCE_ALLOWED}"
            raise Refusal(told, line=found.line)
        self._opened += 1
        account, number = self.statement.account, self._opened
        self.statement = Statement(account, currency, value, number=number)
        self._page.opening = _end(value, found)

    def _close(self, found: Field) -> None:
        value, _ = _balance(found)
        if value is None:
            told = f"is no closing balance (:{found.tag}:); {_BALANCE_ALLOWED}"
            raise Refusal(told, line=found.line)
        self.statement.closing = value
        self.warnings += self.statement.doubts()
        self.unsound += [] if self.statement.adds_up else [self.statement.number]
        self._page.closing = _end(value, found)
        statement = self.statement
        self.warnings += self._pages.gap(
            statement.account, statement.currency, self._page
        )
        self._page = StatementPage()

    def end(self, begun: int) -> None:
        """Tell of statements that go on after the end of the file.

        `begun` is the line of a message without a balance, if it ends with one.
        """
        if begun:
            self.warnings.append(
                f"its last message (:20:, line {begun:,}) has no balances: was it cut?"
            )
        for account, _ in self._pages.unfinished():
            self.warnings.append(
                f"it ends with :{_NOT_LAST}:, so a page of the statement is not in it "
                f"({account})"
            )


def _end(value: Decimal | None, found: Field) -> PageBalance:
    is_between = found.tag.endswith(_BETWEEN)
    return PageBalance(value, f":{found.tag}:", found.line, is_between)


def _entry(found: Field) -> _Entry:
    parts = _ENTRY.fullmatch(found.texts[0])
    if parts is None:
        told = f"is not an MT940 entry (:61:); {_ENTRY_ALLOWED}"
        raise Refusal(told, line=found.line)
    reference = [
        each.strip()
        for each in parts["rest"][_TYPE_LETTERS:].split("//")
        if each.strip() not in ("", _NO_REFERENCE)
    ]
    sign = "-" if parts["mark"] in ("D", "RC") else ""
    return _Entry(
        line=found.line,
        booked_at=_booked_at(parts["value"], parts["entry"], found.line),
        amount=sign + _amount(parts["amount"]),
        reference=" ".join(reference),
        description=found.text(1),
        described=found.text_before(1),
    )


def _amount(text: str) -> str:
    return text.replace(",", ".").removesuffix(".")


def _booked_at(value: str, entry: str | None, line: int) -> str:
    """Return the entry date, whose year is the one nearest to the value date."""
    try:
        year, month, day = 2000 + int(value[:2]), int(value[2:4]), int(value[4:])
        if not entry:
            return date(year, month, day).isoformat()
        valued = date(year, month, min(day, 28))  # some banks know a 30 February
        nearest = [
            date(valued.year + shift, int(entry[:2]), int(entry[2:]))
            for shift in (-1, 0, 1)
            if _is_near(valued, valued.year + shift, entry)
        ]
        return nearest[0].isoformat()
    except (ValueError, IndexError):
        raise Refusal(
            f"{value + (entry or '')} is not a date: YYMMDD, then MMDD or nothing",
            line=line,
            column="booked_at",
        ) from None


def _is_near(valued: date, year: int, entry: str) -> bool:
    try:
        booked = date(year, int(entry[:2]), int(entry[2:]))
    except ValueError:  # 29 February of the wrong year
        return False
    return abs((booked - valued).days) <= _HALF_A_YEAR


def _balance(found: Field) -> tuple[Decimal | None, str]:
    """Return a balance and its currency; nothing where it is not written as one."""
    parts = _BALANCE.match(found.texts[0])
    if parts is None:
        return None, ""
    sign = "-" if parts["mark"] == "D" else ""
    return decimal_of(sign + _amount(parts["amount"])), parts["currency"]
