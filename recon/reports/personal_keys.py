"""Under which keys and columns a person's values stand, in English and in Persian."""

import csv
import io
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice

_NAME = (
    r"\w*(?:first|last|full)_?name|\w*account_?owner|\w*birth_?date"
    r"|(?:customer|buyer|seller|payer|recipient)_?name"
    r"|(?:(?:customer|shipping|billing|delivery|postal)_)?address|آدرس|نشانی"
    r"|نام(?:_و_نام)?(?:_خانوادگی)?(?:_(?:مشتری|خریدار|فروشنده|گیرنده|پرداخت_?کننده))?"
)
_MOBILE = (
    r"\w*mobile(?:_?number)?|phone(?:_?number)?"
    r"|(?:شماره_)?(?:موبایل|تلفن|همراه|تماس|تلفن_همراه)"
)
_CODE = r"\w*national_?(?:code|id)|کد_?ملی|شماره_ملی"
_EMAIL = r"\w*email|ایمیل|پست_الکترونیک|رایانامه"
_CARD = r"\w*card_?number|valid_card_numbers?|شماره_کارت"
_HASH = r"(?:\w+_)?cid"
"""Of a card's number, whose first and last digits stand beside it: soon guessed."""
_KEY = re.compile(
    rf"(?P<name>{_NAME})|(?P<mobile>{_MOBILE})|(?P<code>{_CODE})"
    rf"|(?P<email>{_EMAIL})|(?P<card>{_CARD})|(?P<hash>{_HASH})",
    re.IGNORECASE,
)
_GAPS = re.compile(r"[\s\u200c_-]+")
_PLAIN = str.maketrans("\u064a\u0643", "\u06cc\u06a9")  # Arabic ye and kaf
_SEPARATORS = ",;\t"
_HEADER_WITHIN = 50  # lines: banks write titles above
_CELL = re.compile(rf'"(?:[^"]|"")*"|[^{_SEPARATORS}\n\r"]+')
_TELLING = re.compile(r"[^\W\d_]{2}|\d{7}")


def kind_of(key: str) -> str | None:
    """Return what kind of a person's values a key has: name, mobile, …; else None."""
    found = _KEY.fullmatch(_GAPS.sub("_", key.strip().translate(_PLAIN)))
    return found.lastgroup if found else None


def cells_of_people(text: str) -> Iterator[tuple[str, str]]:
    """Yield the cells of a delimited file that stand under a person's header.

    With the kind of each. One of two signs, or of a few digits, tells of nobody.
    """
    csv.field_size_limit(sys.maxsize)  # else a long cell hides all that follows it
    lines = io.StringIO(text.removeprefix("\ufeff"), newline="")
    with suppress(csv.Error):  # then it was imported as a file of another kind
        for line in islice(lines, _HEADER_WITHIN):
            separator = max(_SEPARATORS, key=line.count)
            (header,) = csv.reader([line], delimiter=separator)
            kinds = [kind_of(cell) for cell in header]
            if len(kinds) > 1 and any(kinds):
                yield from _under(kinds, csv.reader(lines, delimiter=separator))


def _under(
    kinds: list[str | None], rows: Iterable[list[str]]
) -> Iterator[tuple[str, str]]:
    for row in rows:
        for kind, cell in zip(kinds, row, strict=False):
            if kind and _TELLING.search(cell):
                yield cell.strip(), kind


def without_cells(
    text: str, people: Mapping[str, str], hide: Callable[[str, str], str]
) -> str:
    """Return delimited lines in which the cells of people are hidden.

    `people` has the kind of each cell, `hide` gets a cell and its kind.
    """
    parts, done = [], 0
    for found in _CELL.finditer(text) if people else ():
        cell = found[0].strip(' "').replace('""', '"')
        if kind := people.get(cell):
            shown = found[0].replace(found[0].strip(' "'), hide(cell, kind))
            parts += [text[done : found.start()], shown]
            done = found.end()
    return "".join([*parts, text[done:]])
