"""In what unit amounts are: a column `currency` says it, or something else does.

The header of an amount may say it, a title above the header, or a column that nobody
reads. Amounts would be a tenth of what they are, or a thousandth, and nobody was told.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from recon import money
from recon.imports.formats.rows import (
    Cell,
    Refusal,
    Row,
    Sheet,
    ShownNumber,
    is_blank,
    plain_text,
    shortened,
)
from recon.imports.naming import Naming, letters, says_toman
from recon.imports.spelling import unmarked

RIAL = "rial"
TOMAN = "toman"
SCALED = "thousands or millions"
FOREIGN = "another currency"

_PLAIN = "plain rial or toman"
_CONVERT = f"convert the amounts to {_PLAIN}"
_SCALE = "هزار|میلیون|میلیارد|thousands?|millions?|billions?"
_RIAL = "ریال|rials?|irr"
_OF_TOMAN = "تومانی?|تومنی?|t[ou]mans?|irt|tmn"
_NAMES = re.compile(
    r"currency|ccy|^units?$|unit$|^واحد|واحد$|^ارز$|(?:نوع|کد)(?:ارز|پول)"
)
_TOMAN_CELL = re.compile(f"(?:{_OF_TOMAN})(?:ایران)?")
_RIAL_CELL = re.compile(f"(?:{_RIAL})(?:ایران)?")
_SCALED_CELL = re.compile(f"(?:{_SCALE}|1000|1000000)(?:of)?(?:{_RIAL}|{_OF_TOMAN})")
_FOREIGN_CELL = re.compile(
    "usd|(?:us)?dollars?|eur|euros?|aed|dirhams?|gbp|pounds?|try|liras?|cny|yuan|iqd|"
    "دلار|دلارامریکا|یورو|درهم|درهمامارات|پوند|لیر|یوان|دینار"
)
_FOREIGN_SIGNS = frozenset("$€£¥")
_WITHOUT_SIGNS = dict.fromkeys(map(ord, _FOREIGN_SIGNS))
_FOREIGN_HEADER = re.compile(
    r"(?<![a-z])(?:usd|dollars?|eur|euros?|aed|dirhams?|gbp)(?![a-z])"
    r"|(?<!\w)(?:(?:دلار|یورو|درهم|پوند|یوان)ی?|ارزی)(?!\w)"
)
_SCALED_HEADER = re.compile(
    f"هزار|میلیون|میلیارد|(?<![a-z])(?:{_SCALE})(?![a-z])"
    f"|(?<![0-9])(?:1,?)?000(?:,?000)?'?s? ?(?:{_RIAL}|{_OF_TOMAN})"
    f"|(?:{_RIAL}|{_OF_TOMAN}) ?'?000"
)
_SHOWN_IN_THOUSANDS = re.compile(r"[0#?],+(?![,0#?])")
# Of a title: "50 million rials" are an amount that it tells of, no unit.
_SCALED_TITLE = re.compile(
    f"(?<![0-9])(?<![0-9] )(?:{_SCALE}) ?(?:of )?(?:{_RIAL}|{_OF_TOMAN})(?![a-z])"
    f"|(?<![a-z])in (?:{_SCALE})(?![a-z])"
    r"|(?<!\w)به (?:هزار|میلیون|میلیارد)(?= (?:است|می)\b|\W*$)"
)


_RIAL_TITLE = re.compile(
    r"(?<!\w)به ریال(?!\w)|(?<!\w)واحد(?: پول)? ?:? ?ریال(?!\w)"
    r"|(?<![a-z])in (?:rials?|irr)(?![a-z])"
)


class Title(NamedTuple):
    """A line above the header that says in what unit amounts are: toman, or rial."""

    line: int
    text: str
    unit: str

    @property
    def told(self) -> str:
        """Return where it stands and what it says, for people."""
        return f"line {self.line} above the header says {shortened(self.text)}"


class Units:
    """In what unit the amounts of rows of one shape are, or why that is not known."""

    def __init__(
        self,
        monies: Iterable[str],
        places: Mapping[str, int],
        names: Sequence[str],
        naming: Naming,
        title: Title | None,
    ) -> None:
        """Take the columns of amounts, and where each is among a file's names.

        `title` is a line above the header that says a unit. Refusal where a header says
        thousands or millions.
        """
        self._naming, self._names = naming, names
        self._monies = {
            each: places[each]
            for each in monies
            if places.get(each, len(names)) < len(names)
        }
        self._unread = [
            at
            for at, name in enumerate(names)
            if at not in places.values() and may_name_units(name)
        ]
        headers = {column: names[at] for column, at in self._monies.items()}
        units = {column: of_header(header) for column, header in headers.items()}
        for column, unit in units.items():
            if unit == SCALED:
                reason = f"its header says {unit}: {_CONVERT}"
                raise naming.refusal(reason, column)
        self._in_toman = next((each for each in units if units[each] == TOMAN), "")
        self._foreign = next((each for each in units if units[each] == FOREIGN), "")
        in_rial = [each for each in headers if says_rial(headers[each])]
        self._in_rial = next((each for each in in_rial if not units[each]), "")
        is_told = bool(headers) and len(in_rial) == len(headers)
        self._title = None if is_told or self._in_toman else title  # that is nearer

    def rials(self, currency: Cell) -> int:
        """Return how many rials one is of what a row's currency says.

        Refusal where that is no unit, or is empty, and the file says toman, or another
        currency, elsewhere; and where it is toman, and a header says rial.
        """
        if is_blank(currency) and self._foreign:
            reason = f"its header says {FOREIGN}: amounts are {_PLAIN}"
            raise self._naming.refusal(reason, self._foreign)
        if is_blank(currency) and self._in_toman:
            reason = f"its header says toman, and {self._unsaid()}"
            raise self._naming.refusal(reason, self._in_toman)
        title = self._title
        if is_blank(currency) and title and title.unit == TOMAN:
            raise Refusal(f"{title.told}, and {self._unsaid()}")
        try:
            rials = money.to_rials(1, unmarked(str(currency)))
        except ValueError:
            reason = f"{shortened(str(currency))} is not allowed: rial, toman"
            reason += self._naming.of_words("currency")
            raise self._naming.refusal(reason, "currency") from None
        told = f"and the currency is {TOMAN}: one of them is wrong"
        if rials > 1 and self._in_rial:
            reason = f"its header says {RIAL}, {told}"
            raise self._naming.refusal(reason, self._in_rial)
        if rials > 1 and title and title.unit == RIAL:
            raise Refusal(f"{title.told}, {told}")
        return rials

    def refuse_unread(self, row: Row, currency: Cell) -> None:
        """Refuse a row whose unit is told in a column that is not read."""
        for at in self._unread:
            said, name = plain_text(row.cells[at]), self._names[at]
            unit = FOREIGN if said.strip() in _FOREIGN_SIGNS else of_cell(said)
            if unit == SCALED or (unit == FOREIGN and is_blank(currency)):
                reason = f"says {shortened(said)}: amounts are {_PLAIN}"
                raise Refusal(reason, column=name)
            named = (
                f"name it, currency = {shortened(name)} in "
                f"[{self._naming.table('columns')}]"
            )
            words = f"in [{self._naming.table('words')}.currency]"
            if unit == TOMAN and is_blank(currency):
                reason = f"says toman, and is not read: {named}"
                if said.strip().lower() != TOMAN:
                    reason += f', and {shortened(said)} = "toman" {words}'
                raise Refusal(f"{reason}, or {self._stating()}", column=name)
            if unmarked(str(currency)).lower() == TOMAN and is_rial(said):
                reason = (
                    f"says {shortened(said)}, and the currency is given as toman: "
                    f"{named}, and what {shortened(said)} is {words}"
                )
                raise Refusal(reason, column=name)

    def refuse_shown(self, cells: Sequence[Cell], currency: Cell) -> None:
        """Refuse an amount that its sheet shows in another unit than what it is in."""
        for column, at in self._monies.items():
            cell = cells[at]
            if not isinstance(cell, ShownNumber):
                continue
            unit = of_number_format(cell.shown)
            said = f"its number format says {unit}"
            if unit == SCALED:
                raise self._naming.refusal(f"{said}: {_CONVERT}", column)
            if unit == FOREIGN and is_blank(currency):
                raise self._naming.refusal(f"{said}: amounts are {_PLAIN}", column)
            if unit == TOMAN and is_blank(currency):
                raise self._naming.refusal(f"{said}, and {self._unsaid()}", column)

    def _unsaid(self) -> str:
        return (
            f"nothing says the currency (rial or toman): {self._stating()}, "
            "or in a column currency"
        )

    def _stating(self) -> str:
        return (
            'state it by --value currency=toman, by currency = "toman" in '
            f"[{self._naming.table('values')}]"
        )


def of_header(header: str) -> str | None:
    """Return what unit the header of an amount says, if it is not the rial."""
    words = _words(header)
    if _SCALED_HEADER.search(words):
        return SCALED
    if says_toman(header):
        return TOMAN
    has_sign = not _FOREIGN_SIGNS.isdisjoint(header)
    is_foreign = has_sign or _FOREIGN_HEADER.search(words)
    return FOREIGN if is_foreign and not says_rial(header) else None


def says_rial(header: str) -> bool:
    """Tell whether a header says that what stands under it is in rials."""
    return bool(re.search(f"(?<![a-z])(?:{_RIAL})(?![a-z])", _words(header)))


@lru_cache(maxsize=256)
def of_number_format(shown: str) -> str | None:
    """Return what unit a sheet's format of a number says, if it is not the rial.

    What only shows thousands (`#,##0, "هزار"`) leaves the number itself plain. A sign
    of a currency there is that of a program's language.
    """
    unit = of_header(shown.translate(_WITHOUT_SIGNS))
    if unit == SCALED and _SHOWN_IN_THOUSANDS.search(shown):
        return TOMAN if says_toman(shown) else None
    return unit


def of_title(title: str) -> str | None:
    """Return what unit a line above the header says, if it is not the rial."""
    if _SCALED_TITLE.search(_words(title)):
        return SCALED
    return TOMAN if says_toman(title) else None


def title_of(sheet: Sheet) -> Title | None:
    """Return the first line above a sheet's header that says toman, else rial.

    Refusal where one says thousands or millions.
    """
    found: dict[str, Title] = {}
    for line, cells in sheet.titles:
        title = " ".join(filter(None, (str(cell).strip() for cell in cells)))
        unit = of_title(title)
        if unit == SCALED:
            raise Refusal(f"says {shortened(title)}: {_CONVERT}", line=line)
        if unit is None and _RIAL_TITLE.search(_words(title)):
            unit = RIAL
        if unit:
            found.setdefault(unit, Title(line, title, unit))
    return found.get(TOMAN) or found.get(RIAL)


def of_cell(cell: str) -> str | None:
    """Return what unit a cell says that is a word of money and nothing else."""
    heard = _alone(cell)
    if _TOMAN_CELL.fullmatch(heard):
        return TOMAN
    if _SCALED_CELL.fullmatch(heard):
        return SCALED
    return FOREIGN if _FOREIGN_CELL.fullmatch(heard) else None


def is_rial(cell: str) -> bool:
    """Tell whether a cell names the rial and says nothing else."""
    return bool(_RIAL_CELL.fullmatch(_alone(cell)))


def may_name_units(header: str) -> bool:
    """Tell whether what stands under a header may be units of money."""
    return bool(_NAMES.search(_alone(header)))


def _alone(text: str) -> str:
    return re.sub(r"[\W_]", "", letters(text))


def _words(text: str) -> str:
    """Return a text by its letters as `letters` has them, its words still parted."""
    parted = re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", text)
    spaced = "".join(
        " " if unicodedata.category(sign) == "Cf" else sign for sign in parted
    )
    return " ".join(map(letters, spaced.split()))
