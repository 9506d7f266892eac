"""The engine on one machine: DuckDB in memory over the lake's Parquet files.

It never reaches a network, loads no extension, keeps within a bound of memory and
spills the rest to a folder that goes with it.
"""

import re
import tempfile
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import duckdb
import pyarrow as pa
import pyarrow.dataset as ds

from recon.errors import CorruptLake, ReconError, UsageError
from recon.reconcile.computed import COMPUTED
from recon.reconcile.engine import Computed, Part, RawTable
from recon.reconcile.given import RAW_SCHEMAS, date_table, setting_tables, utc
from recon.reconcile.models import Catalogue, Model, known_reads, shipped_catalogue
from recon.settings import Engine, Settings

_OF_THE_LIMIT = 70  # in a hundred; the rest is for Python, Arrow and reading files
_WIDE_INTEGER = pa.decimal128(38, 0)  # how a HUGEINT leaves DuckDB
_LOCATION = re.compile(r"^LINE (\d+):", re.MULTILINE)


class DuckEngine:
    """Runs models over tables; a context manager.

    A model is computed when it is first asked for, with all it reads: kept as a table
    where several models read it, else as a view, and so where its header says that it
    is streamed. Instants are UTC, sums 64-bit.
    """

    def __init__(
        self,
        tables: Mapping[str, RawTable],
        settings: Settings,
        as_of: datetime,
        *,
        computed: Mapping[str, Computed],
        catalogue: Catalogue,
    ) -> None:
        self.settings = settings
        self.as_of = utc(as_of)
        self.catalogue = catalogue
        self._tables = dict(tables)
        self._computed = computed
        self._given = setting_tables(settings, self.as_of)
        self._aliases: dict[str, str] = {}
        self._extra: dict[str, pa.Table] = {}
        self._ready: set[str] = set()
        self._spill = tempfile.TemporaryDirectory(prefix="recon-")
        self._connection = _connect(self._spill.name, settings.engine)

    @classmethod
    def open(
        cls,
        tables: Mapping[str, RawTable],
        settings: Settings,
        as_of: datetime,
        *,
        computed: Mapping[str, Computed] | None = None,
        catalogue: Catalogue | None = None,
    ) -> Self:
        """Open the engine over Arrow tables or lists of Parquet files.

        `tables` is keyed by the names of `recon.lake.schema.TABLES`, and `commits` and
        `seen_ids`; one that is missing is empty, a missing column null. `computed` are
        the models that Python computes, by default the package's own. Raises UsageError
        for a name that is no table.
        """
        unknown = sorted(set(tables) - set(RAW_SCHEMAS))
        if unknown:
            raise UsageError(f"{unknown[0]!r} is no table of the lake")
        return cls(
            tables,
            settings,
            as_of,
            computed=COMPUTED if computed is None else computed,
            catalogue=catalogue or shipped_catalogue(),
        )

    def known(self) -> set[str]:
        """Return the name of everything that can be read here."""
        return {
            *self.catalogue.models,
            *self._computed,
            *self._given,
            *(f"raw_{name}" for name in RAW_SCHEMAS),
            "stg_dates",
            *self._aliases,
            *self._extra,
        }

    def table(self, model: str) -> pa.Table:
        """Return a model's rows; UsageError if there is none of that name."""
        known = self.catalogue.models.get(model)
        if known is None or model in self.catalogue.kept:
            self._ensure(model)
            return self._fetch(f'select * from "{model}"', self._place(model))
        self._ensure_reads(known)  # read once: it needs no name of its own
        return self._fetch(known.sql, known.place)

    def query(self, sql: str, **parameters: Any) -> pa.Table:
        """Run a query over models; `$name` in it takes the parameter of that name."""
        for model in known_reads(sql, "the query", self.known()):
            self._ensure(model)
        return self._fetch(sql, "the query", parameters)

    def named(self, models: Mapping[str, str], tables: Mapping[str, pa.Table]) -> Self:
        """Give models further names, and add tables, for the queries that follow."""
        self._aliases.update(models)
        self._extra.update(tables)
        return self

    def close(self) -> None:
        """Close the engine and remove what it spilled."""
        self._connection.close()
        self._spill.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _ensure(self, name: str) -> None:
        if name in self._ready:
            return
        if name in self.catalogue.models:
            self._build(name)
        elif name in self._computed:
            self._register(dict(self._computed[name](self)))
        elif name in self._given:
            self._register({name: self._given[name]})
        elif name == "stg_dates":
            self._register({name: date_table(self.settings.business.calendar)})
        elif name.startswith("raw_") and name.removeprefix("raw_") in RAW_SCHEMAS:
            self._open_raw(name.removeprefix("raw_"))
        elif name in self._extra:
            self._register({name: self._extra[name]})
        elif name in self._aliases:
            self._ensure(self._aliases[name])
            self._run(
                f'create temp view "{name}" as select * from "{self._aliases[name]}"',
                name,
            )
        else:
            raise UsageError(f"there is no table or model {name!r}")
        self._ready.add(name)

    def _ensure_reads(self, model: Model) -> None:
        for read in sorted(model.reads & self.known()):
            self._ensure(read)

    def _build(self, name: str) -> None:
        model = self.catalogue.models[name]
        self._ensure_reads(model)
        kind = "table" if name in self.catalogue.kept else "view"
        self._run(f'create temp {kind} "{name}" as {model.sql}', model.place)

    def _open_raw(self, table: str) -> None:
        source = self._tables.get(table, ())
        schema = RAW_SCHEMAS[table]
        if isinstance(source, pa.Table):
            self._register({f"raw_{table}": _conformed(source, schema, table)})
            return
        if isinstance(source, ds.Dataset):
            self._register({f"raw_{table}": source})
            return
        empty = f"empty_{table}"
        self._register({empty: schema.empty_table()})
        columns = ", ".join(f'"{name}"' for name in schema.names)
        sources = [f'select * from "{empty}"', *_readings(source)]
        sql = " union all by name ".join(sources)
        self._run(
            f'create temp view "raw_{table}" as select {columns} from ({sql})',
            f"the table {table}",
        )

    def _register(self, tables: Mapping[str, pa.Table | ds.Dataset]) -> None:
        for name, table in tables.items():
            self._connection.register(name, table)
            self._ready.add(name)

    def _fetch(
        self, sql: str, place: str, parameters: Mapping[str, Any] | None = None
    ) -> pa.Table:
        try:
            found = self._connection.sql(sql, params=dict(parameters or {}) or None)
            rows = found.to_arrow_table()
        except duckdb.Error as error:
            raise _explained(error, place) from None
        return _narrowed(rows, place)

    def _run(self, sql: str, place: str) -> None:
        try:
            self._connection.execute(sql)
        except duckdb.Error as error:
            raise _explained(error, place) from None

    def _place(self, name: str) -> str:
        model = self.catalogue.models.get(name)
        return model.place if model else name


def _connect(spill: str, bounds: Engine) -> duckdb.DuckDBPyConnection:
    config: dict[str, str | bool | int | float | list[str]] = {
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "memory_limit": f"{bounds.memory_limit * _OF_THE_LIMIT // 100}B",
        "temp_directory": spill,
        "preserve_insertion_order": "false",
    }
    if bounds.threads:
        config["threads"] = bounds.threads
    connection = duckdb.connect(":memory:", config=config)
    connection.execute("set TimeZone = 'UTC'")
    return connection


def _readings(source: Sequence[Path | Part]) -> list[str]:
    """Return the queries that read a table's files; plain ones are read as one."""
    plain = [each for each in source if not isinstance(each, Part)]
    readings = []
    if plain:
        files = ", ".join(_quoted(str(path)) for path in plain)
        readings.append(f"select * from read_parquet([{files}], union_by_name = true)")
    for part in source:
        if isinstance(part, Part):
            fixed = [f"{_quoted(v)} as {name}" for name, v in part.fixed.items()]
            columns = ", ".join(["*", *fixed])
            path = _quoted(str(part.path))
            readings.append(f"select {columns} from read_parquet({path})")
    return readings


def _conformed(table: pa.Table, schema: pa.Schema, name: str) -> pa.Table:
    """Give an Arrow table the schema's columns; absent ones are null."""
    extra = sorted(set(table.column_names) - set(schema.names))
    if extra:
        raise UsageError(f"the table {name} has no column {extra[0]!r}")
    columns = [
        table[field.name].cast(field.type)
        if field.name in table.column_names
        else pa.nulls(table.num_rows, field.type)
        for field in schema
    ]
    return pa.table(columns, names=schema.names)


def _narrowed(table: pa.Table, place: str) -> pa.Table:
    """Turn wide integers into 64-bit ones, never rounding."""
    for index, field in enumerate(table.schema):
        if field.type == _WIDE_INTEGER:
            try:
                column = table.column(index).cast(pa.int64())
            except pa.ArrowInvalid:
                raise UsageError(
                    f"{place}: the column {field.name} is beyond 64 bits"
                ) from None
            table = table.set_column(index, field.name, column)
    return table


def _explained(error: duckdb.Error, place: str) -> ReconError:
    """Return the one clear line of an engine's error."""
    text = str(error)
    message = text.partition("\n")[0]
    if isinstance(error, duckdb.IOException) or ".parquet'" in message:
        return CorruptLake(f"{place}: {message}")
    line = _LOCATION.search(text)
    where = f"{place}:{line[1]}" if line else place
    return UsageError(f"{where}: {message}")


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
