"""Columns of imports: how each kind of cell is read, and what it may hold.

A reader takes a filled cell and the row's terms and returns the stored value; a
ValueError says what is wrong with the cell and becomes the refusal of its file.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta, tzinfo
from typing import Any

from recon import money, times
from recon.imports.checksums import iban_holds, looks_like_iban
from recon.imports.formats.rows import (
    Cell,
    LongNumber,
    NoText,
    UnclearTime,
    plain_text,
    shortened,
)
from recon.imports.number_formats import (
    as_shown,
    refuse_shown_amount,
    refuse_shown_identifier,
)
from recon.imports.spelling import in_ascii, unmarked, whole_number, without_text_mark

_MAX_WRITTEN_AMOUNT = 100  # characters; longer ones are no amounts
_QUICK_DIGITS = 17  # so many, times ten, are at most 18
_MAX_RIALS = 10**money.MAX_AMOUNT_DIGITS - 1
_FIRST_YEAR, _LAST_YEAR = 1970, 2200
_LONG_AGO = timedelta(days=15 * 365)
_DAY = timedelta(days=1)
_DURATION = str(_DAY)  # as a sheet may have the end of a day
_ENDS_OF_DAY = ("24:00", "24:00:00", "2400", "240000", _DURATION)
_COMPACT_CLOCK = re.compile(r"(\d\d)(\d\d)(\d\d)?")
_SHORTENED = re.compile(r"\d(?:[.,\u066b]\d{1,14})?[eE]\+\d{2,3}")
_NUL = "\0"
_QUOTED = re.compile(r'"[^"]*"')
_JALALI_YEAR = re.compile(r"1[2-5]\d\d[-/]")
_DECIMAL = re.compile(r"\d+\.0+")
_TYPED_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?)?")
_SPACES = str.maketrans("", "", " \t\u00a0\u202f-")


@dataclass(frozen=True)
class Terms:
    """How a row's cells are meant: rials a unit, the calendar, and the zone."""

    rials: int
    jalali: bool
    zone: tzinfo


Reader = Callable[[Cell, Terms], Any]


@dataclass(frozen=True)
class Column:
    """One column of a kind.

    `needed`: the header must have it. `filled`: its cells may not be empty; an empty
    one is stored as `default`. `doubt` is told of each value and says what looks wrong
    with it (a warning), if anything. `among` are the words it may hold, if few. `clock`
    is the column that has the time of a day's cell, `of_day` what to tell of one that
    is a day without a time. `is_money`: it is in the row's currency. `even` spells an
    identifier without what spreadsheets put around it, and `named_in` are the columns
    of the lake, by table, where the provider may have it, in whatever digits
    (`recon.imports.identifiers`).
    """

    name: str
    read: Reader
    needed: bool = True
    filled: bool = True
    default: Any = None
    doubt: Callable[[Any], str | None] | None = None
    among: tuple[str, ...] = ()
    clock: str = ""
    of_day: str = ""
    is_money: bool = False
    even: Callable[[str], str] | None = None
    named_in: tuple[tuple[str, str], ...] = ()


def amount(
    name: str, *, signed: bool = False, needed: bool = True, filled: bool = True
) -> Column:
    """Declare an amount: digits of any script, separators; stored in rials."""

    def read(cell: Cell, terms: Terms) -> int:
        refuse_shown_amount(cell)
        text = str(cell)
        if text.isascii() and text.isdigit() and len(text) <= _QUICK_DIGITS:
            return int(text) * terms.rials
        rials = _whole(text, signed=signed) * terms.rials
        if abs(rials) > _MAX_RIALS:
            raise ValueError(f"{text!r} has more than 18 digits in rials")
        return rials

    return Column(name, read, needed=needed, filled=filled, is_money=True)


def whole(name: str, *, filled: bool = True) -> Column:
    """Declare a whole number that is not in the row's currency."""

    def read(cell: Cell, _: Terms) -> int:
        refuse_shown_amount(cell)
        return _whole(str(cell), signed=False)

    return Column(name, read, filled=filled)


def _whole(text: str, *, signed: bool) -> int:
    if len(text) > _MAX_WRITTEN_AMOUNT:
        raise ValueError(f"{shortened(text)} is not an amount")
    try:
        return money.parse_amount(unmarked(text), signed=signed)
    except ValueError as error:
        sign = "a minus, " if signed else ""
        allowed = f"allowed: {sign}up to 18 digits, thousands separators, no fraction"
        raise ValueError(f"{error} ({allowed})") from None


def instant(
    name: str,
    *,
    needed: bool = True,
    filled: bool = True,
    may_be_far: bool = False,
    of_day: str = "",
) -> Column:
    """Declare a time: ISO 8601, Unix seconds, or Jalali where the row says so.

    Its time of day may stand in a column of its own, `<name>_time`. Unless it
    `may_be_far`, one of long ago is doubted (two digits of a Jalali year are 21 years
    too few), and one that is still to come: what it tells of has happened.
    """
    return Column(
        name,
        read_instant,
        needed=needed,
        filled=filled,
        doubt=None if may_be_far else _far,
        clock=f"{name}_time",
        of_day=of_day,
    )


def _far(moment: datetime) -> str | None:
    now = _now()
    if moment < now - _LONG_AGO:
        return "fails the test of years (over 15 years ago; is it a Jalali date?)"
    return "lies in the future" if moment > now + _DAY else None


def _now() -> datetime:
    return datetime.now(UTC)


def read_instant(cell: Cell, terms: Terms) -> datetime:
    """Return a cell's time in UTC; a typed date is Gregorian whatever the row says."""
    try:
        moment = _moment(cell, terms)
    except OverflowError:
        raise ValueError(f"{shortened(str(cell))} is out of range") from None
    if not _FIRST_YEAR <= moment.year < _LAST_YEAR:
        read, hint = "", ", and a column calendar = jalali for Jalali dates"
        if terms.jalali:
            read, hint = ", since its row says calendar = jalali", ""
        year = times.local_time(moment, terms.zone).year
        if _FIRST_YEAR <= year < _LAST_YEAR:  # but not everywhere
            year = moment.year
        raise ValueError(
            f"{str(cell)!r} is in the year {year}{read}; allowed: {_FIRST_YEAR} "
            f"to {_LAST_YEAR - 1}{hint}"
        )
    return moment


def is_day(cell: Cell) -> bool:
    """Tell whether a cell that is a time says no more than its day."""
    if isinstance(cell, datetime):
        return cell.time() == time() and cell.tzinfo is None
    return not times.has_clock(unmarked(plain_text(as_shown(cell))))


def read_day_at(cell: Cell, clock: Cell, terms: Terms) -> datetime:
    """Return a day's cell at the time of another cell, in UTC; 24:00 ends the day."""
    told = _shown_clock(clock)
    if isinstance(cell, datetime):
        _refuse_unclear(cell)
        cell, terms = cell.date().isoformat(), replace(terms, jalali=False)
    if told not in _ENDS_OF_DAY:
        day_alone = times.spelled(unmarked(plain_text(as_shown(cell))))
        return read_instant(f"{day_alone} {told}", terms)
    day = times.business_date(read_instant(cell, terms), terms.zone)
    return times.midnight(day + _DAY, terms.zone)


def refuse_other_clock(moment: datetime, clock: Cell, terms: Terms) -> None:
    """Raise ValueError where a time of its own is another than that of its clock."""
    own = f"{times.local_time(moment, terms.zone):%H:%M:%S}"
    told = _shown_clock(clock)
    compact = _COMPACT_CLOCK.fullmatch(told)
    same = ":".join(filter(None, compact.groups())) if compact else told
    if not own.startswith(same if same[1:2] != ":" else f"0{same}"):
        raise ValueError(f"is at {own}, and its column of times says {shortened(told)}")


def _shown_clock(clock: Cell) -> str:
    return times.plain_digits(unmarked(plain_text(as_shown(clock))))


def _refuse_unclear(moment: datetime) -> None:
    why = moment.why if isinstance(moment, UnclearTime) else ""
    if why:
        raise ValueError(why)


def _moment(cell: Cell, terms: Terms) -> datetime:
    cell = as_shown(cell)
    if isinstance(cell, datetime):
        _refuse_unclear(cell)
        local = cell if cell.tzinfo else cell.replace(tzinfo=terms.zone)
        return local.astimezone(UTC)
    if len(cell) > _MAX_WRITTEN_AMOUNT:
        raise ValueError(f"{shortened(cell)} is not a time")
    try:
        told = unmarked(cell)
        return times.parse_instant(told, terms.zone, jalali=terms.jalali)
    except ValueError as error:
        if terms.jalali or not _JALALI_YEAR.match(times.plain_digits(told)):
            raise
        hint = "Jalali dates need a column calendar = jalali"
        raise ValueError(f"{error}; {hint}") from None


def text(name: str, *, filled: bool = True, default: str | None = None) -> Column:
    """Declare an identifier or a name: kept as it is, without spaces around it."""
    return Column(name, _stripped, filled=filled, default=default)


def _stripped(cell: Cell, _: Terms) -> str:
    return _identifier(cell)


def reference(name: str, *named_in: tuple[str, str], filled: bool = True) -> Column:
    """Declare an identifier that is looked for elsewhere: a text, doubted where odd."""
    return replace(
        text(name, filled=filled),
        doubt=_odd_reference,
        even=without_text_mark,
        named_in=named_in,
    )


def _odd_reference(found: str) -> str | None:
    if _DECIMAL.fullmatch(found):
        return "is a number with .0 (did a sheet make a number of a text?)"
    is_date = found[4:5] == "-" and _TYPED_DATE.fullmatch(found)
    return "is a date (did a sheet make it of a text?)" if is_date else None


def _identifier(cell: Cell) -> str:
    """Return an identifier; ValueError where a spreadsheet has lost digits of it."""
    refuse_shown_identifier(cell)
    found = plain_text(cell).strip()
    if fault := _fault_of(found, cell):
        raise ValueError(fault)
    return found


def _fault_of(found: str, cell: Cell) -> str:
    """Return why a cell's text is no identifier; "" where it may be one."""
    if isinstance(cell, NoText):
        return f"{shortened(found)} is neither a text nor a whole number"
    if isinstance(cell, LongNumber) and cell.is_beyond:
        return (
            f"{found!r} is a number of more than 15 digits, and Excel keeps no more: "
            "format the column as text there and fill it again"
        )
    if _SHORTENED.fullmatch(found):  # others look the same then
        return (
            f"{found!r} is a number that a spreadsheet shortened: make the column a "
            "text there and fill it again"
        )
    if _NUL in found:  # as programs fill what is shorter than its field
        return f"{shortened(found)} holds a NUL, which nobody sees: leave it out"
    if _QUOTED.fullmatch(found):
        return (
            f"{shortened(found)} is in quotes that are part of the cell: leave them out"
        )
    return ""


def prose(name: str, *, needed: bool = True) -> Column:
    """Declare a text for people: kept to the letter; it may be empty."""
    return Column(name, lambda cell, _: plain_text(cell), needed=needed, filled=False)


def choice(
    name: str, *allowed: str, needed: bool = True, filled: bool = True
) -> Column:
    """Declare an enumeration."""
    listed = ", ".join(allowed)

    def read(cell: Cell, _: Terms) -> str:
        value = unmarked(str(cell))
        if value not in allowed:
            empty = "" if filled else ", or empty"
            raise ValueError(f"{shortened(value)} is not allowed: {listed}{empty}")
        return value

    return Column(name, read, needed=needed, filled=filled, among=allowed)


def whole_id(name: str, *, filled: bool = True) -> Column:
    """Declare an identifier that the contract sends as an integer; stored as text.

    Exports write such numbers as "123.0" or in Persian digits; both are 123. What is
    no integer even without marks around it is refused; the marks are left out later.
    """

    def read(cell: Cell, _: Terms) -> str:
        found = _identifier(cell)
        number = whole_number(found)
        if number is None and whole_number(without_text_mark(found)) is None:
            raise ValueError(f"{shortened(found)} is no plain integer")
        return found if number is None else number

    return Column(name, read, filled=filled, even=_even_whole)


def _even_whole(found: str) -> str:
    return whole_number(without_text_mark(found)) or found


def iban(name: str = "iban", *, filled: bool = True) -> Column:
    """Declare an IBAN: spaces inside, small letters and Persian digits are evened."""

    def read(cell: Cell, _: Terms) -> str:
        found = str(cell).strip()
        even = in_ascii(found).translate(_SPACES).upper()
        return even if looks_like_iban(even) else found

    return Column(
        name,
        read,
        filled=filled,
        doubt=lambda value: (
            None if iban_holds(value) else "fails the checksum of an IBAN"
        ),
    )
