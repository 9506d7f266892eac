"""The engine on one machine: DuckDB in memory over the lake's Parquet files.

It never reaches a network, loads no extension, keeps within a bound of memory and
spills the rest to a folder that goes with it.
"""

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import duckdb
import pyarrow as pa

from recon.database import connected, parsed, rowless
from recon.errors import UsageError
from recon.reconcile.computed import COMPUTED
from recon.reconcile.engine import Computed, Part, RawTable
from recon.reconcile.engines.arrow_tables import narrowed
from recon.reconcile.engines.emptiness import Emptiness, Proofs, proofs_of
from recon.reconcile.engines.resolving import Resolver
from recon.reconcile.engines.telling import in_words
from recon.reconcile.given import RAW_SCHEMAS, settings_in_words
from recon.reconcile.models import Catalogue, Model, shipped_catalogue
from recon.settings import Engine, Settings

if TYPE_CHECKING:
    import pyarrow.dataset as ds

LIGHT_LAKE = 16 * 2**20
"""Up to so many bytes of files (some 25,000 payments) streamed models are stored, too,
and one thread reads them."""

_LEAST_SHARE, _MOST_SHARE = 70, 85  # of the limit, in a hundred
_BESIDE = 640 * 2**20  # bytes that Python, Arrow and reading files take of a large one
_ROWS_AT_ONCE = 50_000
_OF_JOINS = "join_order,build_side_probe_side"  # what the planner may choose of them


class DuckEngine(Resolver):
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
        super().__init__(
            tables, settings, as_of, computed=computed, catalogue=catalogue
        )
        self._is_light = _size(tables) <= LIGHT_LAKE
        self._ready: set[str] = set()
        self._put_off: dict[str, str] = {}
        proofs = proofs_of(catalogue) if computed is COMPUTED else Proofs()
        self._empty = Emptiness(
            proofs, settings_in_words(self._given, settings.business.calendar)
        )
        self._opened = ExitStack()
        self._connection = self._opened.enter_context(
            connected(
                _bounds(settings.engine, light=self._is_light), kept=self._is_light
            )
        )
        self._run("set parquet_metadata_cache = true", "the engine")  # read by many
        self._joins_as_written = any(map(_is_data_set, tables.values()))
        self._plan_joins(as_written=self._joins_as_written)

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
        return cls(
            tables,
            settings,
            as_of,
            computed=COMPUTED if computed is None else computed,
            catalogue=catalogue or shipped_catalogue(),
        )

    def over(self, tables: Mapping[str, RawTable]) -> "DuckEngine":
        """Open another engine over the same lake but for these tables."""
        return DuckEngine(
            {**self._tables, **tables},
            self.settings,
            self.as_of,
            computed=self._computed,
            catalogue=self.catalogue,
        )

    def add(self, tables: Mapping[str, pa.Table]) -> None:
        """Do what any engine does, by copies: of these the planner knows the size.

        It does not know that of an Arrow table, and may take millions of rows for few.
        """
        self._extra.update(tables)
        for name, rows in tables.items():
            self._put_off.pop(name, None)
            self._empty.replace(name)
            self._connection.register("added", rows)
            kind = "view" if name in self._views() else "table"
            self._run(f'drop {kind} if exists "{name}"', name)
            sql = f'create temp table "{name}" as select * from added'
            self._run(sql, name)
            self._connection.unregister("added")
            self._ready.add(name)

    def query_as_written(self, sql: str) -> pa.Table:
        """Do what `query` does, with joins as written: what is on the right is held.

        It is for a query over very many rows of which the planner expects few to be
        left: it would hold those.
        """
        self._plan_joins(as_written=True)
        try:
            return self.query(sql)
        finally:
            self._plan_joins(as_written=self._joins_as_written)

    def _plan_joins(self, *, as_written: bool) -> None:
        """Let the planner choose which side of a join is held, or not.

        Of a data set it takes one row for all, so that it would hold the very many.
        """
        sql = f"set disabled_optimizers = '{_OF_JOINS}'"
        self._run(sql if as_written else "reset disabled_optimizers", "the engine")

    def close(self) -> None:
        """Close the engine and remove what it spilled."""
        self._opened.close()

    def _has(self, name: str) -> bool:
        return name in self._ready

    def _is_empty(self, name: str) -> bool:
        return name in self._empty.names

    def _make_readable(self, names: Iterable[str]) -> None:
        for name in names:
            if sql := self._put_off.pop(name, None):
                self._view(name, sql)

    def _put_off_empty(self, name: str, sql: str) -> None:
        """Name a query without rows when it is read: mostly it is not."""
        self._put_off[name] = sql
        self._empty.names.add(name)
        self._ready.add(name)

    def _build(self, model: Model) -> None:
        if nothing := self._empty.of(model):
            self._put_off_empty(model.name, nothing.sql)
            return
        self._make_readable(model.reads)
        is_kept = self._keeps(model)
        kind = "table" if is_kept else "view"
        with self._in_any_order():
            self._run(f'create temp {kind} "{model.name}" as {model.sql}', model.place)
            is_empty = is_kept and self._connection.fetchall() == [(0,)]
        if is_empty:
            self._tell_empty(model.name)
        self._ready.add(model.name)
        self._empty.learn(model, self._reads_of(model), self._connection)

    def _rows_of(self, model: Model) -> pa.Table:
        if nothing := self._empty.of(model):
            return nothing.rows
        self._make_readable(model.reads)
        rows = super()._rows_of(model)
        self._empty.learn(model, self._reads_of(model), self._connection)
        return rows

    def _keeps(self, model: Model) -> bool:
        """Tell whether a model is stored; of a light lake a streamed one is, too.

        To plan it again for each reader would take longer than to read it.
        """
        return model.name in self.catalogue.kept or (
            self._is_light and model.is_streamed
        )

    def _tell_empty(self, name: str) -> None:
        """Let the planner know of a kept model that it has no rows.

        A join with it is then left out of the plan, and so is reading the columns that
        only the join needs.
        """
        self._run(f'alter table "{name}" rename to "{name}__empty"', name)
        self._view(name, f'select * from "{name}__empty" where false')
        self._empty.names.add(name)

    def _view(self, name: str, sql: str) -> None:
        self._run(f'create temp view "{name}" as {sql}', name)
        self._ready.add(name)

    def _open_raw(self, table: str, source: RawTable) -> None:
        if not isinstance(source, Sequence):
            self._register({f"raw_{table}": source})
            return
        schema = RAW_SCHEMAS[table]
        if not source:
            self._put_off_empty(f"raw_{table}", rowless(schema, self._connection))
            return
        columns = ", ".join(f'"{name}"' for name in schema.names)
        sources = [rowless(schema, self._connection), *_readings(source)]
        sql = " union all by name ".join(sources)
        self._run(
            f'create temp view "raw_{table}" as select {columns} from ({sql})',
            f"the table {table}",
        )
        self._ready.add(f"raw_{table}")

    def _register(self, tables: "Mapping[str, pa.Table | ds.Dataset]") -> None:
        for name, table in tables.items():
            if isinstance(table, pa.Table) and not table.num_rows:
                sql = rowless(table.schema, self._connection)
                self._put_off_empty(name, sql)
                continue
            self._connection.register(name, table)
            self._ready.add(name)

    def _fetch(
        self, sql: str, place: str, parameters: Mapping[str, Any] | None = None
    ) -> pa.Table:
        """Run it as a statement, which is planned once.

        A relation would be planned twice, which of most queries takes longer than to
        run them; it would spare a copy of the rows, which are few.
        """
        try:
            statement = parsed(sql, self._connection)
            found = self._connection.execute(statement, dict(parameters or {}) or None)
            if found is None:
                raise UsageError(f"{place} is empty")
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "Arrow output on a DB-API result")
                rows = found.to_arrow_table()
        except duckdb.Error as error:
            raise in_words(error, place, self.known) from None
        return narrowed(rows, place)

    def _flow(self, sql: str, order: str) -> Iterator[pa.Table]:
        """Yield rows; what is sorted is kept first, for want of memory for both."""
        place = "the query"
        if order:
            with self._in_any_order():
                self._run(f"create temp table flowing as {sql}", place)
            sql = f"select * from flowing order by {order}"
        any_order = nullcontext() if order else self._in_any_order()
        try:
            with (
                any_order,
                self._connection.sql(sql).to_arrow_reader(_ROWS_AT_ONCE) as reader,
            ):
                for batch in reader:
                    yield narrowed(pa.Table.from_batches([batch]), place)
        except duckdb.Error as error:
            raise in_words(error, place, self.known) from None
        finally:
            if order:
                self._run("drop table flowing", place)

    @contextmanager
    def _in_any_order(self) -> Iterator[None]:
        """Let rows lie as they come, for to keep their order takes much memory.

        For what is stored alone, or goes by unsorted: DuckDB 2.0 then gives what is
        fetched in another order than its `order by` says, from some 3,000 rows on.
        """
        if self._is_light:
            yield
            return
        self._run("set preserve_insertion_order = false", "the engine")
        try:
            yield
        finally:
            self._run("set preserve_insertion_order = true", "the engine")

    def _views(self) -> set[str]:
        """Return the names of what is read anew each time it is asked for."""
        found = self._connection.sql("select view_name from duckdb_views()")
        return {name for (name,) in found.fetchall()}

    def _run(self, sql: str, place: str) -> None:
        try:
            statement = parsed(sql, self._connection)
            self._connection.execute(statement)
        except duckdb.Error as error:
            raise in_words(error, place, self.known) from None


def _bounds(engine: Engine, *, light: bool) -> dict[str, str | int]:
    """Return the bounds of a DuckDB: one thread of a light lake, others would wait."""
    bounds: dict[str, str | int] = {
        "memory_limit": f"{_share_of(engine.memory_limit)}B",
    }
    if threads := engine.threads or int(light):
        bounds["threads"] = threads
    return bounds


def _share_of(limit: int) -> int:
    """Return how many of so many bytes the tables and joins may take."""
    least, most = (limit * share // 100 for share in (_LEAST_SHARE, _MOST_SHARE))
    return max(least, min(most, limit - _BESIDE))


def _is_data_set(source: RawTable) -> bool:
    """Tell whether a table is read in batches, and may be of any size."""
    return not isinstance(source, pa.Table | Sequence)


def _size(tables: Mapping[str, RawTable]) -> int:
    """Return how many bytes tables take, of files as they are stored."""
    size = 0
    for source in tables.values():
        if isinstance(source, pa.Table):
            size += source.nbytes
        elif isinstance(source, Sequence):
            paths = (each.path if isinstance(each, Part) else each for each in source)
            size += sum(path.stat().st_size for path in paths if path.exists())
        else:  # a data set
            size += LIGHT_LAKE + 1
    return size


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


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
