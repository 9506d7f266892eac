"""In what unit amounts are, where no column `currency` says it.

The header of an amount may say it, a title above the header, or a column that nobody
reads. Amounts would be a tenth of what they are, or a thousandth, and nobody was told.
"""

import re
import unicodedata
from functools import lru_cache

from recon.imports.formats.rows import Refusal, Sheet, shortened
from recon.imports.naming import letters, says_toman

TOMAN = "toman"
SCALED = "thousands or millions"
FOREIGN = "another currency"

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


def of_header(header: str) -> str | None:
    """Return what unit the header of an amount says, if it is not the rial."""
    if _SCALED_HEADER.search(_words(header)):
        return SCALED
    return TOMAN if says_toman(header) else None


def says_rial(header: str) -> bool:
    """Tell whether a header says that what stands under it is in rials."""
    return bool(re.search(f"(?<![a-z])(?:{_RIAL})(?![a-z])", _words(header)))


@lru_cache(maxsize=256)
def of_number_format(shown: str) -> str | None:
    """Return what unit a sheet's format of a number says, if it is not the rial.

    What only shows thousands (`#,##0, "هزار"`) leaves the number itself plain.
    """
    unit = of_header(shown)
    if unit == SCALED and _SHOWN_IN_THOUSANDS.search(shown):
        return TOMAN if says_toman(shown) else None
    return unit


def of_title(title: str) -> str | None:
    """Return what unit a line above the header says, if it is not the rial."""
    if _SCALED_TITLE.search(_words(title)):
        return SCALED
    return TOMAN if says_toman(title) else None


def title_in_toman(sheet: Sheet) -> tuple[int, str] | None:
    """Return the first line above a sheet's header that says toman, with its text.

    Refusal where one says thousands or millions.
    """
    found = None
    for line, cells in sheet.titles:
        title = " ".join(filter(None, (str(cell).strip() for cell in cells)))
        unit = of_title(title)
        if unit == SCALED:
            told = (
                f"says {shortened(title)}: convert the amounts to plain rial or toman"
            )
            raise Refusal(told, line=line)
        found = found or ((line, title) if unit == TOMAN else None)
    return found


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
