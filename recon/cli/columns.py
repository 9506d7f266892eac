"""Columns on a terminal too narrow for them: a row goes on in further lines.

No figure and no id is cut off, and every column stands below its name.
"""

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence

from rich.cells import cell_len

_BETWEEN = "  "
_INDENT = "    "
_MOST_RULE = 79


def widths(lines: Sequence[Sequence[str]]) -> list[int]:
    """Return how many places of a terminal the widest cell of each column takes."""
    return [max(map(cell_len, column)) for column in zip(*lines, strict=True)]


def stacked(
    names: Sequence[str],
    rows: Iterable[Sequence[str]],
    wide: Sequence[int],
    is_right: Sequence[bool],
    width: int,
    rule: str,
) -> Iterator[str]:
    """Yield the lines of a table, none of them wider than `width`.

    `wide` are the widths of the columns, `is_right` tells whose cells end flush, and
    `rule` is what the line below the names is made of. What is wider than a whole line
    is wrapped in lines of its own.
    """
    groups = _groups(wide, width)
    for lines in ([names], rows):
        for row in lines:
            for group in groups:
                yield from _lines(group, row, wide, is_right, width)
        if lines is not rows:
            yield rule * min(width, _MOST_RULE)


def _groups(wide: Sequence[int], width: int) -> list[range]:
    """Return which columns share a line, in their order; all but the first indented."""
    groups: list[range] = []
    used = 0
    for place, needed in enumerate(wide):
        used += len(_BETWEEN) + needed
        if groups and used <= width:
            groups[-1] = range(groups[-1].start, place + 1)
            continue
        used = needed + (len(_INDENT) if groups else 0)
        groups.append(range(place, place + 1))
    return groups


def _lines(
    group: range,
    row: Sequence[str],
    wide: Sequence[int],
    is_right: Sequence[bool],
    width: int,
) -> Iterator[str]:
    indent = _INDENT if group.start else ""
    room = max(1, width - len(indent))
    if len(group) == 1 and wide[group.start] > room:
        lines = list(_broken(row[group.start], room))
    else:
        cells = (padded(row[place], wide[place], is_right[place]) for place in group)
        lines = [_BETWEEN.join(cells).rstrip()]
    for line in lines:
        if line or not group.start:  # no row goes without a line
            yield f"{indent}{line}"


def _broken(text: str, room: int) -> Iterator[str]:
    """Yield a text in lines: between words, and where it must be, after a colon.

    So no amount within an id, as `iban:time:amount:n`, is torn that fits a line.
    """
    for line in textwrap.wrap(
        text, room, break_long_words=False, break_on_hyphens=False
    ):
        begun = ""
        for part in re.findall(rf"[^:]{{0,{room - 1}}}:|[^:]{{1,{room}}}", line):
            if begun and len(begun) + len(part) > room:
                yield begun
                begun = ""
            begun += part
        yield begun


def padded(cell: str, wide: int, is_right: bool = False) -> str:
    """Return a cell of so many places; a sign takes none of them, or up to two."""
    gap = " " * (wide - cell_len(cell))
    return f"{gap}{cell}" if is_right else f"{cell}{gap}"
