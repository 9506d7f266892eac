"""What a query needs rows of to have any itself, told by its form.

A join needs rows on both sides, a left join on its left, a union on any. So the needs
of a query are groups of names: where all names of one group are empty, it has no row,
whatever is in the others. A query whose form is not known here needs nothing: it may
have rows whatever it reads.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from itertools import pairwise
from typing import TypeAlias

Needs: TypeAlias = frozenset[frozenset[str]]
Word: TypeAlias = "str | tuple[Word, ...]"
"""A word, quoted as it is written, or the words that stand in parentheses."""

NOTHING: Needs = frozenset()

SUMS = {
    *("any_value", "arg_max", "arg_min", "array_agg", "avg", "bool_and", "bool_or"),
    *("count", "count_if", "first", "last", "list", "max", "max_by", "median", "min"),
    *("min_by", "mode", "product", "string_agg", "sum"),
}
"""The functions that make one row of all; any other works on each row."""

_AFTER_SOURCES = {"where", "group", "having", "qualify", "order", "limit"}
_TOTALS = {"all", "rollup", "cube", "grouping"}
"""After `group by` they make a row of none, or may do."""


class _UnknownForm(Exception):  # noqa: N818 - never leaves this module
    """A query of which nothing is told."""


def needs_of(words: Sequence[str]) -> Needs:
    """Return the needs of a query that is given by its words, without comments."""
    try:
        return _query(_nested(iter(words)), {})
    except _UnknownForm:
        return NOTHING


def _nested(words: Iterator[str]) -> tuple[Word, ...]:
    found: list[Word] = []
    for word in words:
        if word == ")":
            break
        found.append(_nested(words) if word == "(" else word.lower())
    return tuple(found)


def _query(words: tuple[Word, ...], known: Mapping[str, Needs]) -> Needs:
    """Return the needs of what is selected, be it of steps, or a union."""
    steps = dict(known)
    rest = words
    if rest[:1] == ("with",):
        while rest[:1] in (("with",), (",",)):
            match rest[1:]:
                case (str(name), "as", tuple(step), *after):
                    steps[unquoted(name)] = _query(step, steps)
                    rest = tuple(after)
                case _:
                    raise _UnknownForm
    return reduce(_any, [_select(part, steps) for part in _parted(rest)])


def _parted(words: tuple[Word, ...]) -> Iterator[tuple[Word, ...]]:
    """Yield the sides of a union."""
    start = 0
    for at, word in enumerate(words):
        if word == "union":
            yield words[start:at]
            start = at + 1 + (words[at + 1 : at + 2] in (("all",), ("distinct",)))
        elif word in ("except", "intersect"):
            raise _UnknownForm
    yield words[start:]


def _select(words: tuple[Word, ...], steps: Mapping[str, Needs]) -> Needs:
    if words[:1] != ("select",):
        raise _UnknownForm
    begin = next(
        (
            at
            for at, word in enumerate(words)
            if word == "from" and words[at - 1] != "distinct"  # `is distinct from`
        ),
        None,
    )
    if begin is None:
        return NOTHING
    told, sources = words[1:begin], words[begin + 1 :]
    end = next(
        (at for at, word in enumerate(sources) if word in _AFTER_SOURCES), len(sources)
    )
    if _is_of_all(told, sources[end:]):
        return NOTHING
    return _joined(sources[:end], steps)


def _is_of_all(told: tuple[Word, ...], rest: tuple[Word, ...]) -> bool:
    """Tell whether one row is made of all, as `select count(*)` does even of none."""
    for at, (word, following) in enumerate(pairwise(rest)):
        if word == "group" and following == "by":
            by = rest[at + 2] if at + 2 < len(rest) else ()
            return isinstance(by, tuple) or by in _TOTALS
    return "having" in rest or _sums_up(told)


def _sums_up(words: tuple[Word, ...]) -> bool:
    for at, (word, following) in enumerate(pairwise((*words, ""))):
        if isinstance(word, tuple):
            if word[:1] not in (("select",), ("with",)) and _sums_up(word):
                return True
        elif unquoted(word) in SUMS and isinstance(following, tuple):
            after = words[at + 2 :]
            if after[:1] == ("filter",):
                after = after[2:]
            if after[:1] != ("over",):
                return True
    return False


def _joined(words: tuple[Word, ...], steps: Mapping[str, Needs]) -> Needs:
    """Return the needs of sources and their joins, from the left to the right."""
    needs = _source(words, steps)
    for at, word in enumerate(words):
        if word == ",":
            needs |= _source(words[at + 1 :], steps)
        elif word == "join":
            joined = _source(words[at + 1 :], steps)
            match words[at - 2] if words[at - 1] == "outer" else words[at - 1]:
                case "full":
                    needs = _any(needs, joined)
                case "right":
                    needs = joined
                case "positional":
                    raise _UnknownForm
                case side if side not in ("left", "anti"):
                    needs |= joined
    return needs


def _source(words: tuple[Word, ...], steps: Mapping[str, Needs]) -> Needs:
    """Return the needs of the table, or the query, that words begin with."""
    match words:
        case (("select" | "with", *_) as query, *_):
            return _query(tuple(query), steps)
        case (str(name), *after) if name != "lateral":
            if after and (isinstance(after[0], tuple) or after[0] == "."):
                return NOTHING  # a function, or no model
            bare = unquoted(name)
            return steps.get(bare, frozenset([frozenset([bare])]))
    return NOTHING


def _any(one: Needs, other: Needs) -> Needs:
    """Return the needs of what has rows where one of two has."""
    groups = {group | further for group in one for further in other}
    return frozenset(
        group for group in groups if not any(less < group for less in groups)
    )


def unquoted(word: str) -> str:
    """Return a name without the quotation marks that it may be written in."""
    return word[1:-1].replace('""', '"') if word.startswith('"') else word
