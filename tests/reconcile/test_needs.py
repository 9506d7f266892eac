"""What a query needs rows of, by its form: as another reader tells, and DuckDB."""

from functools import cache

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot import exp

from recon.reconcile.models import Model, shipped_catalogue
from recon.reconcile.needs import SUMS
from tests.reconcile.own_rows import has_own_rows, parsed

MODELS = sorted(shipped_catalogue().models)
X, Y, Z = "x", "y", "z"

FORMS = [
    ("select a from x", [{X}]),
    ('select a from "x"', [{X}]),
    ("select 1 as a", []),
    ("select x.a from x, y", [{X}, {Y}]),
    ("select a from x join y using (a) -- , z", [{X}, {Y}]),
    ("select a from x inner join y using (a) cross join z", [{X}, {Y}, {Z}]),
    ("select a from x semi join y using (a)", [{X}, {Y}]),
    ("select a from x left join y using (a)", [{X}]),
    ("select a from x left outer join y using (a)", [{X}]),
    ("select a from x anti join y using (a)", [{X}]),
    ("select a from x right join y using (a)", [{Y}]),
    ("select a from x full join y using (a)", [{X, Y}]),
    ("select a from x full outer join y using (a) join z using (a)", [{X, Y}, {Z}]),
    ("select x.a from x join z on true full join y on true", [{X, Y}, {Y, Z}]),
    ('select x.a from x join y on x.a = y."left" join z on true', [{X}, {Y}, {Z}]),
    ("select a from x positional join y", []),
    ("select a from x union select a from y", [{X, Y}]),
    ("select a from x union all select a from y join x using (a)", [{X}]),
    ("select a from x union distinct select 1 as a", []),
    ("select a from x except select a from y", []),
    ("select a from x union all by name select a from y", []),
    ("(select a from x)", []),
    ("from x select a", []),
    ("select a from x where a is not distinct from b", [{X}]),
    ("select a is distinct from b as c from x", [{X}]),
    ("select extract(year from now()) as b from x", [{X}]),
    ("select a from x where exists (select 1 from y)", [{X}]),
    ("select (select count(*) from y) as n from x", [{X}]),
    ("select count(*) as n from x", []),
    ("select 1 + coalesce(max(a), 0) as n from x", []),
    ('select "max"(a) as n from x', []),
    ('select sum(a) as n from x where "group" = b', []),
    ("select count(*) over () as n from x", [{X}]),
    ("select sum(a) filter (where a > 1) over (order by a) as n from x", [{X}]),
    ("select sum(a) filter (where a > 1) as n from x", []),
    ("select max(a) over () + max(a) as n from x group by a", [{X}]),
    ("select a, count(*) as n from x group by a", [{X}]),
    ("select a, count(*) as n from x group by a having count(*) > 1", [{X}]),
    ("select 1 as a from x having count(*) = 0", []),
    ("select count(*) as n from x group by ()", []),
    ("select a, count(*) as n from x group by rollup (a)", []),
    ("select count(*) as n from x group by all", []),
    ("select a from (select a from x join y using (a)) as s", [{X}, {Y}]),
    ("select a from (values (1)) as v (a)", []),
    ("select a from (values (1)) as v (a) join x using (a)", [{X}]),
    ("select u.a from unnest([1]) as u (a), x", [{X}]),
    ("select a from x, lateral (select 1 as b) as s", [{X}]),
    ("select unnest([1]) as a from x", [{X}]),
    ("select 1 as a from main.x", []),
    ("with s as (select a from x), t as (select * from s) select * from t", [{X}]),
    ("with x as (select 1 as a) select a from x", []),
    ("with s as (select count(*) as a from x) select s.a from s join y on true", [{Y}]),
    ("with s as materialized (select 1 as a) select a from x", []),
    ("with recursive s as (select 1 as a) select a from x", []),
]


def needs(sql: str) -> set[frozenset[str]]:
    read = Model("m", shipped_catalogue().models[MODELS[0]].path, sql, frozenset())
    return set(read.needs)


@pytest.mark.parametrize(("sql", "groups"), FORMS)
def test_a_query_needs_what_its_form_says(sql: str, groups: list[set[str]]) -> None:
    assert needs(sql) == {frozenset(group) for group in groups}


@pytest.mark.parametrize("sql", [sql for sql, groups in FORMS if groups])
def test_without_what_it_needs_a_query_has_no_row(sql: str) -> None:
    columns = '(a integer, b integer, "left" integer, "group" integer)'
    for group in needs(sql):
        with duckdb.connect() as connection:
            for name in (X, Y, Z):
                connection.execute(f"create table {name} {columns}")
                if name not in group:
                    connection.execute(f"insert into {name} values (1, 1, 1, 1)")
            assert connection.execute(sql).fetchall() == []


@cache
def tables_of(sql: str) -> list[str]:
    return sorted({table.name for table in parsed(sql).find_all(exp.Table)})


@given(st.data())
@settings(max_examples=600, deadline=None)
def test_another_reader_tells_the_same_of_every_model(data: st.DataObject) -> None:
    model = shipped_catalogue().models[data.draw(st.sampled_from(MODELS))]
    names = tables_of(model.sql)
    empty = data.draw(st.sets(st.sampled_from(names)) if names else st.just(set()))
    has_none = any(group <= empty for group in model.needs)
    assert has_none is not has_own_rows(model.sql, empty.__contains__)


def test_whatever_makes_one_row_of_all_is_known() -> None:
    asked = "select function_name from duckdb_functions() where function_type = $kind"
    with duckdb.connect() as connection:
        found = connection.execute(asked, {"kind": "aggregate"}).fetchall()
    aggregates = {name for (name,) in found}
    called = {
        word
        for model in shipped_catalogue().models.values()
        for word in model.sql.lower().replace("(", " ( ").split()
    }
    assert {"sum", "count", "min"} <= called & aggregates
    assert called & aggregates <= SUMS
