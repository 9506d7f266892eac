"""JSON lines: one object a line, UTF-8; its keys are the columns."""

import json
from collections.abc import Iterator
from typing import Any, BinaryIO

from recon.imports.formats.rows import (
    Cell,
    NoText,
    Refusal,
    Row,
    Sheet,
    header_names,
    typed_number,
)
from recon.imports.formats.text_lines import lines


def read(file: BinaryIO) -> Sheet:
    """Read JSON lines; an absent key and null are an empty cell."""
    return Sheet(None, _rows(file))


def _rows(file: BinaryIO) -> Iterator[Row]:
    names: tuple[str, ...] = ()
    for number, text in lines(file):
        pairs = _pairs(text, number)
        here = tuple(name for name, _ in pairs)
        if here != names:  # most files have one shape: its names are checked once
            names = header_names(here, number)
            if names != here:
                raise Refusal("a key is empty or has spaces around it", line=number)
        cells = [_cell(value) for _, value in pairs]
        if "\\u" in text:
            _refuse_lone_surrogates([*names, *cells], number)
        yield Row(number, names, cells)


class _Pairs(list[tuple[str, Any]]):
    """An object's members in their order, repeated keys included."""


def _not_a_number(name: str) -> str:
    raise ValueError(f"{name} is not a JSON number")


def _number(digits: str) -> str:
    return NoText(digits) if "e" in digits.lower() else typed_number(digits)


# Numbers stay texts: no amount passes through a float, and none is too long to read.
_DECODER = json.JSONDecoder(
    object_pairs_hook=_Pairs,
    parse_int=str,
    parse_float=_number,
    parse_constant=_not_a_number,
)


def _pairs(text: str, number: int) -> _Pairs:
    try:
        value = _DECODER.decode(text)
    except RecursionError:
        raise Refusal("is nested too deeply", line=number) from None
    except ValueError as error:
        raise Refusal(f"is not JSON: {error}", line=number) from None
    if not isinstance(value, _Pairs):
        raise Refusal("is not a JSON object; each line must be one", line=number)
    return value


def _cell(value: Any) -> Cell:
    match value:
        case str():
            return value
        case None:
            return ""
        case bool():
            return NoText("true" if value else "false")
        case _:
            return NoText(json.dumps(_plain(value), ensure_ascii=False))


def _plain(value: Any) -> Any:
    if isinstance(value, _Pairs):
        return {name: _plain(member) for name, member in value}
    if isinstance(value, list):
        return [_plain(member) for member in value]
    return value


def _refuse_lone_surrogates(cells: list[Cell], number: int) -> None:
    try:
        for cell in cells:
            str(cell).encode()
    except UnicodeEncodeError:
        raise Refusal("holds half a character (a lone surrogate)", line=number) from (
            None
        )
