"""Whether a query has rows of its own: some where all that it reads is empty.

It is read from the query's form, so what it says holds for any settings and instant.
"""

from collections.abc import Callable, Mapping
from functools import cache

from sqlglot import exp, parse_one

IsEmpty = Callable[[str], bool]


def has_own_rows(sql: str, is_empty: IsEmpty) -> bool:
    """Tell whether a query may have rows where the tables named so are empty."""
    return _has(parsed(sql), {}, is_empty)


@cache
def parsed(sql: str) -> exp.Expr:
    """Return a query as a tree, read once."""
    return parse_one(sql, read="duckdb")


def _has(query: exp.Expr, steps: Mapping[str, bool], is_empty: IsEmpty) -> bool:
    known = dict(steps)
    for step in query.ctes if isinstance(query, exp.Query) else ():
        known[step.alias] = _has(step.this, known, is_empty)
    match query:
        case exp.Subquery():
            return _has(query.this, known, is_empty)
        case exp.Union():
            sides = (query.left, query.right)
            return any(_has(side, known, is_empty) for side in sides)
        case exp.Select():
            return _selects(query, known, is_empty)
    raise TypeError(f"a {type(query).__name__}: nothing is known of its rows")


def _selects(query: exp.Select, steps: Mapping[str, bool], is_empty: IsEmpty) -> bool:
    begun = query.args.get("from_")
    if begun is None or (not query.args.get("group") and _sums_up(query)):
        return True
    has = _source(begun.this, steps, is_empty)
    for join in query.args.get("joins") or ():
        joined = _source(join.this, steps, is_empty)
        if join.side == "FULL":
            has = has or joined
        elif join.side == "RIGHT":
            has = joined
        elif join.side != "LEFT" and join.kind != "ANTI":
            has = has and joined
    return has


def _source(source: exp.Expr, steps: Mapping[str, bool], is_empty: IsEmpty) -> bool:
    if isinstance(source, exp.Table):
        return steps.get(source.name, not is_empty(source.name))
    if isinstance(source, exp.Query):
        return _has(source, steps, is_empty)
    return True  # a list of values, or one that is unfolded


def _sums_up(query: exp.Select) -> bool:
    """Tell whether it makes one row of all, as `select count(*)` does of none."""
    return any(
        found.find_ancestor(exp.Select) is query
        and not isinstance(found.parent, exp.Window)
        and not (
            isinstance(found.parent, exp.Filter | exp.WithinGroup)
            and isinstance(found.parent.parent, exp.Window)
        )
        for expression in query.expressions
        for found in expression.find_all(exp.AggFunc)
    )
