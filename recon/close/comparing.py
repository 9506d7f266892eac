"""The figures of a pack beside those made again: which are the same, and which not.

By the rules that made the pack each file has to be the same to the byte. Another
version may say more (a file, a column, a key) and words things differently: by its
rules a file is the same where all that the pack has comes out alike.
"""

import csv
import io
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Row = tuple[str, ...]
Lines = list[bytes] | list[str] | list[Row]

_OF_THE_RUN = {"run_id"}
"""Keys of summary.json that name the run and are no figure."""


_NOT_WELL_FORMED = (ValueError, IndexError, RecursionError, csv.Error)


@dataclass
class Comparison:
    """What came of it: how many files came again, and what is told of the others."""

    recomputed: int = 0
    differences: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def compare(
    listed: frozenset[str],
    read: Callable[[str], bytes],
    made: Mapping[str, bytes],
    *,
    same_rules: bool,
) -> Comparison:
    """Compare the files that a pack lists, read by `read`, with those made again."""
    found = Comparison()
    for name in sorted(listed | made.keys()):
        if name not in listed and not same_rules:
            found.notes.append(f"{name}: it was no part of a pack then")
        elif name not in listed:
            found.differences.append(f"{name}: it is not in the pack")
        elif name not in made:
            found.differences.append(f"{name}: it is not in the figures made again")
        elif told := _difference(name, read(name), made[name], same_rules=same_rules):
            found.differences.append(f"{name}: {told}")
        else:
            found.recomputed += 1
    return found


def _difference(
    name: str, packed: bytes, made: bytes, *, same_rules: bool
) -> str | None:
    """Say how two texts differ; None where they do not."""
    if packed == made:
        return None
    if same_rules:
        return _first_difference(packed.splitlines(), made.splitlines())
    try:
        before, after = _shared(name, packed.decode(), made.decode())
    except _NOT_WELL_FORMED:
        before, after = packed.splitlines(), made.splitlines()
    if before == after:
        return None
    alone, new = Counter(before) - Counter(after), Counter(after) - Counter(before)
    return (
        f"{_first_difference(before, after)} "
        f"({alone.total():,} in the pack alone, {new.total():,} made again alone)"
    )


def _first_difference(before: Sequence[Any], after: Sequence[Any]) -> str:
    for number, (one, other) in enumerate(zip(before, after, strict=False), start=1):
        if one != other:
            cells = _cells(before[0], one, other) if isinstance(one, tuple) else ""
            return f"line {number}{cells} comes out as another one"
    return f"it has {len(before):,} lines, made again {len(after):,}"


def _cells(names: Row, one: Row, other: Row) -> str:
    """Name the columns in which two rows differ; not of rows that are others."""
    if not len(names) == len(one) == len(other):
        return ""
    found = [
        name for name, x, y in zip(names, one, other, strict=True) if x != y and name
    ]
    return f" ({', '.join(found)})" if 2 * len(found) <= len(names) else ""


def _shared(name: str, packed: str, made: str) -> tuple[Lines, Lines]:
    """Return the lines of two texts, the second with what the first knows alone."""
    if name.endswith(".json"):
        known = json.loads(packed)
        return _json_lines(known), _json_lines(_only(json.loads(made), known))
    if name.endswith(".csv"):
        before, after = _rows(packed), _rows(made)
        return before, list(_columns(after, before[0])) if before else after
    return packed.splitlines(), made.splitlines()


def _rows(text: str) -> list[Row]:
    csv.field_size_limit(sys.maxsize)  # a break may name very many records
    return [tuple(row) for row in csv.reader(io.StringIO(text.removeprefix("\ufeff")))]


def _columns(rows: Sequence[Row], names: Row) -> Iterator[Row]:
    """Yield rows with the columns of those names alone; whole where one is missing."""
    header = rows[0] if rows else ()
    if not set(names) <= set(header):
        yield from rows
        return
    places = [header.index(name) for name in names]
    for row in rows:
        yield tuple(row[place] for place in places)


def _json_lines(value: Any) -> list[str]:
    if isinstance(value, dict):
        value = {key: value[key] for key in value.keys() - _OF_THE_RUN}
    return json.dumps(value, indent=1, sort_keys=True).splitlines()


def _only(value: Any, known: Any) -> Any:
    """Return a document without the keys that another one does not know."""
    if isinstance(value, dict) and isinstance(known, dict):
        return {k: _only(each, known[k]) for k, each in value.items() if k in known}
    if isinstance(value, list) and isinstance(known, list) and len(value) == len(known):
        return [_only(*each) for each in zip(value, known, strict=True)]
    return value
