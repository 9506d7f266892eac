"""Every query is written in words that both engines understand, and is translated.

A construct that is not listed here was not proven to mean the same on both. Whoever
needs one proves it in `test_spark_engine.py` first, and then lists it.
"""

import re

import pytest
import sqlglot
from sqlglot import exp

from recon.errors import UsageError
from recon.reconcile import matching, rollforward
from recon.reconcile.engines.transpiling import output_columns, parsed, to_spark
from recon.reconcile.fees import audit
from recon.reconcile.given import RAW_SCHEMAS, setting_tables
from recon.reconcile.models import Model, shipped_catalogue
from recon.settings import Business, Settings
from tests.raw_rows import AT

MODELS = shipped_catalogue().models
FUNCTIONS = {
    *("Abs", "And", "Array", "ArrayAgg", "ArrayContains", "ArrayDistinct", "ArraySort"),
    *("ArrayToString", "AtTimeZone", "Case", "Cast", "Coalesce", "Contains", "Count"),
    *("Date", "DateDiff", "DenseRank", "Explode", "Extract", "Greatest", "If"),
    *("JSONExtractScalar", "Lag", "Lead", "Least", "Length", "MD5", "Max", "Min"),
    *("Nullif", "Or", "RegexpExtract", "RegexpLike", "Replace", "Right", "RowNumber"),
    *("SortArray", "Substring", "Sum", "TimeToStr", "Translate", "Trim"),
    *("ArgMin", "BitLength", "Chr", "Lower", "RegexpReplace", "Upper"),
}
"""Functions that were proven to give the same on both engines."""

LACKING = (
    exp.Lateral,
    exp.Pivot,
    exp.Lambda,
    exp.Struct,
    exp.Div,
    exp.TryCast,
    exp.Distinct,
)
TYPES = {"BIGINT", "VARCHAR", "TEXT", "DATE", "TIMESTAMPTZ"}
PLAIN_FORMAT = re.compile(r"(%[YmdHMSf]|[^%A-Za-z])*")
"""A letter of a format would be read as a part of the time by one engine."""


def columns_of(name: str) -> list[str]:
    """The columns of any table or model, found from the queries alone."""
    if name not in KNOWN:
        KNOWN[name] = output_columns(parsed(MODELS[name].sql, name), columns_of)
    return KNOWN[name]


KNOWN: dict[str, list[str]] = {
    **{f"raw_{name}": schema.names for name, schema in RAW_SCHEMAS.items()},
    **{
        name: table.column_names
        for name, table in setting_tables(
            Settings(business=Business(name="shop")), AT
        ).items()
    },
    "stg_dates": ["business_date", "month", "jalali"],
    "int_book_wide_matches": matching.WIDE_MATCHES.names,
    "int_fee_schedules": audit.SCHEDULES.names,
    "int_fee_off_schedule": audit.OFF_SCHEDULE.names,
    "int_wallet_rollforward": rollforward.ROLLFORWARD.names,
    "int_wallet_explanations": rollforward.EXPLANATIONS.names,
}


def unproven(sql: str) -> set[str]:
    """Return what a query uses that was never proven on both engines."""
    query = parsed(sql, "the query")
    found = {
        type(node).__name__
        for node in query.find_all(exp.Func)
        if type(node).__name__ not in {*FUNCTIONS, "Anonymous"}
    }
    found |= {
        node.name for node in query.find_all(exp.Anonymous) if not is_proven_hash(node)
    }
    found |= {
        type(node).__name__
        for node in query.find_all(*LACKING)
        if not (isinstance(node, exp.Distinct) and is_proven_distinct(node))
    }
    found |= {
        f"a cast to {node.to.sql()}"
        for node in query.find_all(exp.Cast)
        if node.to.sql() not in TYPES
    }
    found |= {
        f"the format {node.text('format')}"
        for node in query.find_all(exp.TimeToStr)
        if not PLAIN_FORMAT.fullmatch(node.text("format"))
    }
    found |= {
        f"boundaries of {node.text('unit')}"
        for node in query.find_all(exp.DateDiff)
        if not is_proven_difference(node)
    }
    found |= {
        "a filtered window"
        for node in query.find_all(exp.Window)
        if isinstance(node.this, exp.Filter)
    }
    found |= {
        "a star without some columns"
        for node in query.find_all(exp.Star)
        if any(node.args.values())
    }
    found |= {
        f"an {kind} join"
        for node in query.find_all(exp.Join)
        for kind in (node.method,)
        if kind
    }
    return found


def is_proven_hash(node: exp.Anonymous) -> bool:
    """Each engine has its own: that of one column, named as what is only compared."""
    alias = node.find_ancestor(exp.Alias)
    return (
        node.name == "hash"
        and len(node.expressions) == 1
        and isinstance(node.expressions[0], exp.Column)
        and alias is not None
        and alias.alias.endswith("_hash")
    )


def is_proven_distinct(node: exp.Expr) -> bool:
    """`select distinct` and `count(distinct x)`, but not `distinct on`."""
    return isinstance(node.parent, exp.Select | exp.Count) and not node.args.get("on")


def is_proven_difference(node: exp.Expr) -> bool:
    """Seconds are counted alike everywhere, days only between dates."""
    if node.text("unit").upper() == "SECOND":
        return True
    dates = (node.this, node.expression)
    return node.text("unit").upper() == "DAY" and all(
        isinstance(each, exp.Cast) and each.to.sql() == "DATE" for each in dates
    )


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_a_query_uses_only_what_is_proven_on_both_engines(model: Model) -> None:
    assert unproven(model.sql) == set()


@pytest.mark.parametrize(
    "sql",
    [
        "select a / b from t",
        "select hash(a) from t",
        "select hash(a) as b from t",
        "select hash(a, b) as a_hash from t",
        "select hash(a || b) as a_hash from t",
        "select cast(a as hugeint) from t",
        "select cast(a as double) from t",
        "select date_diff('hour', a, b) from t",
        "select date_diff('day', a, b) from t",
        "select strftime(a, '%Y-%m-%dT%H') from t",
        "select * exclude (a) from t",
        "select * from t asof join u using (k)",
        "select time_bucket(interval 1 day, a) from t",
        "select count(*) filter (where a) over () from t",
        "select distinct on (a) a from t",
        "select first(a) from t",
        "select avg(a) from t",
        "select unnest(generate_series(1, 3))",
        "select list_transform(a, x -> x + 1) from t",
    ],
)
def test_what_is_not_proven_is_seen(sql: str) -> None:
    assert unproven(sql)


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_a_query_is_translated_whole(model: Model) -> None:
    text = to_spark(model.sql, model.place, columns_of, checked=True)
    again = sqlglot.parse_one(text, read="spark")
    assert not list(again.find_all(exp.Qualify))
    assert output_columns(again, columns_of) == columns_of(model.name)


@pytest.mark.parametrize("hint", ["materialized", "not materialized"])
def test_how_duckdb_holds_a_step_is_not_told_to_spark(hint: str) -> None:
    sql = f"with a as {hint} (select * from raw_payments) select * from a"
    plain = "with a as (select * from raw_payments) select * from a"
    assert to_spark(sql, "here", columns_of) == to_spark(plain, "here", columns_of)


def test_a_query_that_keeps_some_rows_keeps_its_columns_order_and_limit() -> None:
    sql = (
        "with a as (select * from raw_payments) select *, amount as n from a "
        "qualify row_number() over (partition by id order by amount) = 1 "
        "order by n limit 3"
    )
    text = to_spark(sql, "here", columns_of)
    query = sqlglot.parse_one(text, read="spark")
    assert output_columns(query, columns_of) == [*columns_of("raw_payments"), "n"]
    assert text.endswith("ORDER BY `n` NULLS LAST LIMIT 3")


def test_what_cannot_be_read_is_one_line_with_its_place() -> None:
    with pytest.raises(UsageError, match=r"^queries/x\.sql: "):
        to_spark("select from from", "queries/x.sql", columns_of)
