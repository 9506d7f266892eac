"""The engine past one machine: any Spark Connect endpoint, over the same files.

The queries are those of DuckDB, translated (`transpiling`); the files are read where
they are: in the lake's bucket, or in its folder, which every worker must then see
under the same path. What the endpoint keeps goes with the session.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Self, TypeAlias

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.connect import functions

from recon.errors import CorruptLake, UsageError
from recon.reconcile.computed import COMPUTED
from recon.reconcile.engine import Computed, Part, RawTable
from recon.reconcile.engines.arrow_tables import narrowed
from recon.reconcile.engines.connecting import Session, connect, told
from recon.reconcile.engines.resolving import Resolver
from recon.reconcile.engines.transpiling import output_columns, parsed, to_spark
from recon.reconcile.given import RAW_SCHEMAS
from recon.reconcile.models import Catalogue, Model, shipped_catalogue
from recon.settings import Settings

_TYPES = {
    pa.string(): "string",
    pa.int32(): "int",
    pa.int64(): "bigint",
    pa.bool_(): "boolean",
    pa.date32(): "date",
    pa.timestamp("us", "UTC"): "timestamp",
    pa.list_(pa.string()): "array<string>",
}
Address: TypeAlias = Callable[[Path], str]
_Fixed: TypeAlias = tuple[tuple[str, str], ...]
_PATTERN = frozenset("*?[]{}")
_ROWS_AT_ONCE = 50_000


class SparkEngine(Resolver):
    """Runs models on a Spark Connect endpoint; a context manager.

    A model that several others read is computed once and kept by the endpoint, where
    it can keep anything; else it is computed for each. Instants are UTC, sums 64-bit.
    """

    def __init__(
        self,
        tables: Mapping[str, RawTable],
        settings: Settings,
        as_of: datetime,
        *,
        computed: Mapping[str, Computed],
        catalogue: Catalogue,
        address: Address,
        stored: Mapping[str, int],
    ) -> None:
        super().__init__(
            tables, settings, as_of, computed=computed, catalogue=catalogue
        )
        self._session = connect(settings)
        self._address = address
        self._stored = stored
        self._columns: dict[str, Sequence[str]] = {}

    @classmethod
    def open(
        cls,
        tables: Mapping[str, RawTable],
        settings: Settings,
        as_of: datetime,
        *,
        computed: Mapping[str, Computed] | None = None,
        catalogue: Catalogue | None = None,
        address: Address | None = None,
        stored: Mapping[str, int] | None = None,
    ) -> Self:
        """Open the engine over Arrow tables or lists of Parquet files.

        The arguments are those of `DuckEngine.open`; `address` tells where the
        endpoint finds a file, by default under the same path as here, and `stored` how
        many rows the files of a table have. Raises UsageError where `spark.remote` is
        empty or nobody answers there.
        """
        return cls(
            tables,
            settings,
            as_of,
            computed=COMPUTED if computed is None else computed,
            catalogue=catalogue or shipped_catalogue(),
            address=address or _address,
            stored=stored or {},
        )

    def close(self) -> None:
        """End the session, and with it all that the endpoint kept for it."""
        self._session.close()

    def _has(self, name: str) -> bool:
        return name in self._columns

    def _build(self, model: Model) -> None:
        shared = model.name in self.catalogue.kept
        self._keep(model.name, model.sql, model.place, shared=shared)

    def _view(self, name: str, sql: str) -> None:
        self._keep(name, sql, name)

    def _keep(self, name: str, sql: str, place: str, *, shared: bool = False) -> None:
        """Give the rows of a query a name; computed once where they are shared."""
        columns = output_columns(parsed(sql, place), self._known_columns)
        with told(place):
            frame = self._frame(sql, place)
            if shared and self._session.keeps:
                frame = frame.localCheckpoint()
            frame.createOrReplaceTempView(name)
        self._columns[name] = columns

    def _open_raw(self, table: str, source: RawTable) -> None:
        schema = RAW_SCHEMAS[table]
        with told(f"the table {table}"):
            frame = _empty(self._session, schema)
            for fixed, paths in _grouped(source).items():
                places = [self._address(path) for path in paths]
                frame = frame.unionByName(_read(self._session, schema, fixed, places))
            frame.createOrReplaceTempView(f"raw_{table}")
        self._columns[f"raw_{table}"] = schema.names
        if table in self._stored:
            self._count(table)

    def _count(self, table: str) -> None:
        """Raise CorruptLake unless every row is there: some pass over a lost file."""
        (found,) = self.query(f"select count(*) as n from raw_{table}")["n"].to_pylist()
        if found != self._stored[table]:
            raise CorruptLake(
                f"the table {table}: the Spark engine finds {found} rows of "
                f"{self._stored[table]}; a file of the lake is missing there"
            )

    def _register(self, tables: Mapping[str, pa.Table]) -> None:
        for name, table in tables.items():
            with told(name):
                frame = (
                    self._session.spark.createDataFrame(table)
                    if table.num_rows
                    else _empty(self._session, table.schema)
                )
                frame.createOrReplaceTempView(name)
            self._columns[name] = table.column_names

    def _frame(
        self, sql: str, place: str, parameters: Mapping[str, Any] | None = None
    ) -> DataFrame:
        text = to_spark(
            sql,
            place,
            self._known_columns,
            parameters=parameters,
            checked=self._session.wraps,
        )
        return self._session.spark.sql(text)

    def _fetch(
        self, sql: str, place: str, parameters: Mapping[str, Any] | None = None
    ) -> pa.Table:
        with told(place):
            rows = self._frame(sql, place, parameters).toArrow()
        return narrowed(rows, place)

    def _flow(self, sql: str, order: str) -> Iterator[pa.Table]:
        ordered = f"select * from ({sql}) as flowing order by {order}" if order else sql
        for batch in self._fetch(ordered, "the query").to_batches(_ROWS_AT_ONCE):
            yield pa.Table.from_batches([batch])

    def _known_columns(self, name: str) -> Sequence[str]:
        try:
            return self._columns[name]
        except KeyError:
            raise UsageError(f"there is no table or model {name!r}") from None


def _grouped(
    source: Sequence[Path | Part],
) -> dict[tuple[tuple[str, str], ...], list[Path]]:
    """Return a table's files, together by the columns that their place fixes."""
    groups: dict[_Fixed, list[Path]] = defaultdict(list)
    for each in source:
        part = each if isinstance(each, Part) else Part(each)
        groups[tuple(sorted(part.fixed.items()))].append(part.path)
    return groups


def _read(
    session: Session,
    schema: pa.Schema,
    fixed: _Fixed,
    places: Sequence[str],
) -> DataFrame:
    """Read files with the schema's columns; those that a file lacks are null."""
    stored = [field for field in schema if field.name not in dict(fixed)]
    columns = ", ".join(f"`{each.name}` {_TYPES[each.type]}" for each in stored)
    frame: DataFrame = session.spark.read.schema(columns).parquet(*places)
    for name, value in fixed:
        frame = frame.withColumn(name, functions.lit(value))
    return frame


def _address(path: Path) -> str:
    """Return a file's address; UsageError for a name that would be a pattern there."""
    if _PATTERN & set(str(path)):
        raise UsageError(
            f"{path}: --engine spark reads no folder with one of * ? [ ] {{ }} "
            "in its name"
        )
    return path.absolute().as_uri()


def _empty(session: Session, schema: pa.Schema) -> DataFrame:
    nulls = ", ".join(
        f"cast(null as {_TYPES[field.type]}) as `{field.name}`" for field in schema
    )
    return session.spark.sql(f"select {nulls} where 1 = 0")
