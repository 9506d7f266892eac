"""What joins hold in memory: of very many rows nothing, but where two lists are paired.

A join holds its right side. Which side that is, the planner decides by how many rows it
expects, and where it expects too few, ten million do not fit any more. So every model
that is stored, and every check, is run over many rows, and what its joins held is read
from the engine's own account.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from recon.lake.encryption import data_set
from recon.reconcile.engine import RawTable
from recon.reconcile.engines import DuckEngine
from recon.reconcile.engines import duckdb as engines
from recon.reconcile.given import RAW_SCHEMAS
from tests.reconcile.wallet_world import at, settings

MANY, MANDATES = 40_000, 1_000
FEW = MANY // 8
PAIRED = {"int_book_pairs", "stg_unified__doubtful_checkouts"}
"""They pair two long lists, by their hashes or a number: one of them is held."""

TABLES = {
    "checkouts": f"""
select 'c' || n as id, 'F' || n as checkout_number, md5(cast(n as text)) as request_id,
    10 + n // {MANY - 100} as amount, 'paid' as status, begun_at as created_at,
    begun_at as updated_at, ['p' || n] as payment_ids
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
    "books": """
select 'F' || n as reference, 10 as amount, 'paid' as status, begun_at as occurred_at
from each
""",
}


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Path]]:
    """Many payments, each at its own second, of a few mandates, and their orders."""
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


def rows_of(node: dict[str, Any]) -> int:
    if node["type"] == "UNION":  # it has no account of its own
        return sum(rows_of(child) for child in node["children"])
    return int(node["intermediate_rows"])


def held(node: dict[str, Any]) -> Iterator[int]:
    """Yield how many rows each join of a plan held."""
    children = node.get("children", [])
    if len(children) > 1 and ("JOIN" in node["type"] or "CROSS" in node["type"]):
        yield rows_of(children[1])
    for child in children:
        yield from held(child)


def as_files(lake: dict[str, list[Path]]) -> dict[str, RawTable]:
    return dict(lake)


def as_data_sets(lake: dict[str, list[Path]]) -> dict[str, RawTable]:
    """As an encrypted lake is read: the planner takes one row for all."""
    return {name: data_set(lake[name], RAW_SCHEMAS[name], None) for name in lake}


@pytest.mark.parametrize("read", [as_files, as_data_sets])
def test_no_join_holds_many_rows(
    read: Callable[[dict[str, list[Path]]], dict[str, RawTable]],
    lake: dict[str, list[Path]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engines, "LIGHT_LAKE", -1)
    found = {}
    with DuckEngine.open(read(lake), settings(), at(31)) as engine:
        models = engine.catalogue.models
        names = engine.catalogue.kept | {n for n in models if n.startswith("check_")}
        for name in sorted(names):
            told = engine.query(f"explain (analyze, format json) {models[name].sql}")
            (plan,) = json.loads(told["explain_value"][0].as_py())["operator"]
            found[name] = max(held(plan), default=0)
    assert {name for name, most in found.items() if most > FEW} == PAIRED
    assert {found[name] for name in PAIRED} == {MANY}
