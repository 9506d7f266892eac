"""The queries of `queries/`, written for DuckDB, in the SQL of Spark Connect engines.

sqlglot translates the words. What it leaves to each engine's own rules is spelled out
here, once for all queries, so that both engines compute the same: sums that are wider
than 64 bits, seconds counted by boundary, which spaces `trim` takes away, hashes of 64
bits (each engine has its own: they are only compared), and `qualify`, which not every
engine has.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, TypeAlias

import sqlglot
from sqlglot import exp
from sqlglot.errors import ErrorLevel, SqlglotError

from recon.errors import UsageError

Columns: TypeAlias = Callable[[str], Sequence[str]]
"""Tells the columns of a table or model that a query reads, in their order."""

_KEPT = "is_kept_by_qualify"
_WIDE = "DECIMAL(38, 0)"  # a HUGEINT: any sum of 64-bit integers fits
_MIXING = (exp.Alias, exp.Binary, exp.Case, exp.Coalesce, exp.If, exp.Neg, exp.Tuple)
"""Where a number stands beside others: all are of 64 bits, not of its own length."""

_SPACES = (
    "\x20\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009"
    "\u200a\u202f\u205f\u3000"
)
"""What DuckDB's `trim` takes away; Spark's takes the first one only."""


def to_spark(
    sql: str,
    place: str,
    columns: Columns,
    *,
    parameters: Mapping[str, Any] | None = None,
    checked: bool = False,
) -> str:
    """Return a query of DuckDB in Spark's SQL.

    `$name` takes the value of that name in `parameters`. With `checked` the text makes
    every sum, difference and product of integers fail beyond 64 bits, for engines that
    would wrap. Raises UsageError naming `place` where the query cannot be read, or has
    a construct that Spark lacks.
    """
    query = parsed(sql, place)
    try:
        query = query.transform(_filled, dict(parameters or {}), place)
        query = _without_qualify(query, columns)
        _spell_out(query)
        if checked:
            _check_arithmetic(query)
        return query.sql(
            dialect="spark",
            identify=True,
            comments=False,
            unsupported_level=ErrorLevel.RAISE,
            copy=False,  # `transform` made one
        )
    except SqlglotError as error:
        line = str(error).strip().partition("\n")[0]
        raise UsageError(f"{place}: {line}") from None


def parsed(sql: str, place: str) -> exp.Expr:
    """Return a query as a tree to be read, not to be changed.

    UsageError naming `place` where it cannot be read.
    """
    try:
        return _tree(sql)
    except SqlglotError as error:
        line = str(error).strip().partition("\n")[0]
        raise UsageError(f"{place}: {line}") from None


@lru_cache(maxsize=256)
def _tree(sql: str) -> exp.Expr:
    """Parse a query: each model is asked for its columns, then translated."""
    return sqlglot.parse_one(sql, read="duckdb")


def output_columns(query: exp.Expr, columns: Columns) -> list[str]:
    """Return the names of a query's columns, its stars written out."""
    scope = _scope_of(query)
    while isinstance(query, exp.SetOperation | exp.Subquery):
        query = query.this
    return [name for name, _ in _projections(query, scope, columns)]


def _scope_of(query: exp.Expr) -> dict[str, exp.Expr]:
    """Return the queries that a query may read by name: its CTEs and those around."""
    found: dict[str, exp.Expr] = {}
    node: exp.Expr | None = query
    while node is not None:
        part = node.args.get("with_")
        for each in part.expressions if part else ():
            found.setdefault(each.alias.lower(), each.this)
        node = node.parent
    return found


def _projections(
    select: exp.Expr, scope: Mapping[str, exp.Expr], columns: Columns
) -> list[tuple[str, exp.Expr]]:
    """Return each column of a select with the expression that gives it."""
    found: list[tuple[str, exp.Expr]] = []
    for each in select.expressions:
        if not each.is_star or isinstance(each, exp.Count):
            found.append((each.alias_or_name, each))
            continue
        wanted = each.table if isinstance(each, exp.Column) else ""
        for name, source in _sources(select):
            if wanted in ("", name):
                found += [
                    (column, exp.column(column, table=name))
                    for column in _columns_of(source, scope, columns)
                ]
    return found


def _sources(select: exp.Expr) -> list[tuple[str, exp.Expr]]:
    """Return what a select reads whose columns it can name, by their names there."""
    joins = select.args.get("joins") or []
    taken = [select.args["from_"].this] + [
        join.this for join in joins if join.kind not in ("SEMI", "ANTI")
    ]
    return [(source.alias_or_name, source) for source in taken]


def _columns_of(
    source: exp.Expr, scope: Mapping[str, exp.Expr], columns: Columns
) -> Sequence[str]:
    if source.alias_column_names:
        return source.alias_column_names
    if isinstance(source, exp.Subquery):
        return output_columns(source.this, columns)
    named = scope.get(source.name.lower())
    return output_columns(named, columns) if named else columns(source.name)


def _without_qualify(query: exp.Expr, columns: Columns) -> exp.Expr:
    """Filter in a query around each select what its `qualify` would have kept."""
    for select in list(query.find_all(exp.Select)):
        qualify = select.args.get("qualify")
        if qualify is None:
            continue
        found = _projections(select, _scope_of(select), columns)
        select.set("qualify", None)
        inner = select.copy()
        for name in ("order", "limit", "with_"):
            inner.set(name, None)
        kept = exp.alias_(qualify.this.copy(), _KEPT)
        inner.set(
            "expressions",
            [*(exp.alias_(each.unalias().copy(), name) for name, each in found), kept],
        )
        outer = exp.select(*(exp.column(name) for name, _ in found))
        outer = outer.from_(inner.subquery("qualified")).where(exp.column(_KEPT))
        for name in ("order", "limit", "with_"):
            outer.set(name, select.args.get(name))
        if select is query:
            query = outer
        else:
            select.replace(outer)
    return query


def _filled(node: exp.Expr, parameters: Mapping[str, Any], place: str) -> exp.Expr:
    """Put the values of parameters in their places."""
    if not isinstance(node, exp.Parameter | exp.Placeholder):
        return node
    if node.name not in parameters:
        raise UsageError(f"{place}: the parameter ${node.name} has no value")
    return _literal(parameters[node.name])


def _literal(value: Any) -> exp.Expr:
    if isinstance(value, datetime):
        return exp.cast(exp.Literal.string(value.isoformat()), "timestamptz")
    return exp.convert(value)


def _spell_out(query: exp.Expr) -> None:
    """Spell out what the engines would understand differently."""
    kinds = (exp.Sum, exp.DateDiff, exp.Trim, exp.Literal, exp.Anonymous, exp.CTE)
    for node in _from_within(query, *kinds):
        match node:
            case exp.Literal() if node.is_int and isinstance(node.parent, _MIXING):
                node.replace(_cast(node.copy(), "BIGINT"))
            case exp.Anonymous() if node.name.lower() == "hash":
                node.set("this", "xxhash64")
            case exp.Sum():
                node.set("this", _cast(node.this, _WIDE))
            case exp.DateDiff() if _unit(node) == "SECOND":
                node.replace(_seconds_between(node))
            case exp.CTE():
                node.set("materialized", None)  # no word of Spark's SQL
            case exp.Trim() if node.expression is None:
                node.set("expression", exp.Literal.string(_SPACES))
                node.set("position", node.args.get("position") or "BOTH")


def _seconds_between(node: exp.DateDiff) -> exp.Expr:
    """Count the seconds' boundaries, as DuckDB does, not whole seconds."""
    until, since = (
        exp.func("unix_seconds", each.copy()) for each in (node.this, node.expression)
    )
    return exp.paren(exp.Sub(this=until, expression=since))


def _check_arithmetic(query: exp.Expr) -> None:
    """Compute in wide integers and come back to 64 bits, which refuses what is more."""
    for node in _from_within(query, exp.Add, exp.Sub, exp.Mul, exp.Neg, exp.Abs):
        if node.find(exp.Interval):
            continue
        wide = node.copy()
        for name in ("this", "expression"):
            if wide.args.get(name) is not None:
                wide.set(name, _cast(wide.args[name], _WIDE))
        node.replace(_cast(wide, "BIGINT"))


def _from_within(query: exp.Expr, *kinds: type[exp.Expr]) -> list[exp.Expr]:
    """Return the parts of these kinds, inner ones before those around them."""
    return list(query.find_all(*kinds))[::-1]


def _unit(node: exp.Expr) -> str:
    unit = node.args.get("unit")
    return unit.name.upper() if unit else ""


def _cast(node: exp.Expr, kind: str) -> exp.Cast:
    return exp.cast(node, kind, dialect="spark")
