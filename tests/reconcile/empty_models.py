"""An engine over a few rows, which plans no model of what a case leaves empty.

Most of what a case by hand would cost is to plan some eighty models over tables without
a row. What has no rows over an empty lake is found out once, from the shipped models;
a case has the very same ones but for those of which every table is empty.
"""

from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from datetime import datetime
from functools import cache

import pyarrow as pa

from recon.reconcile.computed import COMPUTED
from recon.reconcile.engines import DuckEngine
from recon.reconcile.given import PARTS, RAW_SCHEMAS
from recon.reconcile.models import Catalogue, shipped_catalogue
from recon.settings import Business, Settings
from tests.builders import AS_OF

COMPUTED_IN_PYTHON = "*"
"""Stands for all tables: of such a model nothing is taken to be empty."""

_COLUMNS = """
select
    table_name as model,
    'cast(null as ' || data_type || ') as "' || column_name || '"' as as_null
from duckdb_columns()
order by table_name, column_index
"""


def open_over(
    tables: Mapping[str, pa.Table], settings: Settings, as_of: datetime
) -> DuckEngine:
    """Open an engine over the rows of a case."""
    given = frozenset(name for name, table in tables.items() if table.num_rows)
    return DuckEngine.open(tables, settings, as_of, catalogue=catalogue_over(given))


@cache
def catalogue_over(given: frozenset[str]) -> Catalogue:
    """Return the shipped models, where these tables alone have rows."""
    shipped = shipped_catalogue()
    empty = {
        name: sql for name, sql in _empty_models().items() if not _tables(name) & given
    }
    found = copy(shipped)  # which are kept, and which not, is as ever
    found.models = {
        name: replace(model, sql=empty[name], reads=frozenset())
        if name in empty
        else model
        for name, model in shipped.models.items()
    }
    return found


@cache
def _tables(name: str) -> frozenset[str]:
    """Return the tables of the lake that a model, or what it builds on, reads."""
    if name in COMPUTED:
        return frozenset({COMPUTED_IN_PYTHON})
    table = name.removeprefix("raw_")
    if name != table and table in RAW_SCHEMAS:
        whole, _, part = table.rpartition("_")
        return frozenset({whole if part in PARTS else table})
    model = shipped_catalogue().models.get(name)
    return frozenset().union(*map(_tables, model.reads)) if model else frozenset()


@cache
def _empty_models(settings: Settings | None = None) -> dict[str, str]:
    """Return a query without rows for each model that has none over an empty lake."""
    used = settings or Settings(business=Business(name="shop"))
    names = [
        name
        for name in shipped_catalogue().models
        if name.startswith(("stg_", "int_")) and COMPUTED_IN_PYTHON not in _tables(name)
    ]
    with DuckEngine.open({}, used, AS_OF) as engine:
        engine.ready(names)
        columns = engine.query(_COLUMNS).to_pylist()
        found = {
            name
            for name in names
            if engine.query(f'select 1 as n from "{name}" limit 1').num_rows
        }
    of_models: dict[str, list[str]] = {name: [] for name in names if name not in found}
    for column in columns:
        if column["model"] in of_models:
            of_models[column["model"]].append(column["as_null"])
    return {
        name: f"select {', '.join(columns)} where false"
        for name, columns in of_models.items()
    }
