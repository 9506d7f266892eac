"""What the engine holds in memory while it joins: of very many payments none.

A join holds its right side. Which side that is, the planner decides by how many rows it
expects: of an inner join by a range it expects so few that it held all payments, and
ten million of them did not fit.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from recon.reconcile.engines import DuckEngine
from recon.reconcile.engines import duckdb as engines
from tests.reconcile.wallet_world import at, settings

MANY, MANDATES = 50_000, 1_000

TABLES = {
    "checkouts": f"""
select 'c' || n as id, 'F' || n as checkout_number, 10 + n // {MANY - 100} as amount,
    'paid' as status, begun_at as created_at, begun_at as updated_at,
    ['p' || n] as payment_ids
from each
""",
    "payments": f"""
select 'p' || n as id, 'c' || n as checkout_id, 'debit' as type,
    'direct_debit' as payment_method, 'm' || n % {MANDATES} as mandate_id, 10 as amount,
    0 as wage_amount, 10 as affected_amount, 'r' || greatest(n, 20) as ref_id,
    case when n % 500 = 0 then 'failed' else 'done' end as status,
    begun_at as created_at, begun_at as updated_at, begun_at as paid_at
from each
""",
    "mandates": f"""
select 'm' || n as id, 'direct_debit' as payment_method, 100 as "limit",
    5 as monthly_count, begun_at + interval 1 year as expires_at
from each where n < {MANDATES}
""",
}


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Path]]:
    """Many payments, each at its own second, of a few mandates."""
    folder = tmp_path_factory.mktemp("many")
    with duckdb.connect() as connection:
        connection.execute(f"""
create table each as
select n, timestamptz '2026-10-01 00:00:00+00' + to_seconds(n) as begun_at
from range({MANY}) as numbers(n)
""")
        for name, rows in TABLES.items():
            connection.execute(f"""
copy (
    select rows.*, '1' as pull_id, 1 as page_no, 1 as position from ({rows}) as rows
) to '{folder / name}.parquet'
""")
    return {name: [folder / f"{name}.parquet"] for name in TABLES}


def held(node: dict[str, Any], *, is_held: bool = False) -> Iterator[int]:
    """Yield how many rows each file has that is read to be held for a join."""
    if is_held and "READ_PARQUET" in node["name"]:
        yield int(node["extra_info"]["Estimated Cardinality"])
    is_join = "JOIN" in node["name"]
    for number, child in enumerate(node["children"]):
        yield from held(child, is_held=is_held or (is_join and number > 0))


@pytest.mark.parametrize(
    "model", ["int_sought_payments", "int_wallet_payments", "int_wallet_amounts"]
)
def test_no_join_by_a_span_of_time_holds_the_payments(
    model: str, lake: dict[str, list[Path]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "LIGHT_LAKE", -1)
    with DuckEngine.open(lake, settings(), at(31)) as engine:
        rows = engine.query(
            f"explain (format json) {engine.catalogue.models[model].sql}"
        )
        (plan,) = json.loads(rows["explain_value"][0].as_py())
        assert engine.table(model).num_rows
    assert [rows for rows in held(plan) if rows == MANY] == []
