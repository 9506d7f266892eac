"""What every engine does alike: find a model by its name, and all that it reads."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import pyarrow as pa

from recon.errors import UsageError
from recon.reconcile.engine import Computed, RawTable
from recon.reconcile.engines.arrow_tables import conformed
from recon.reconcile.given import (
    PARTS,
    RAW_SCHEMAS,
    date_table,
    setting_tables,
    utc,
)
from recon.reconcile.models import Catalogue, Model, names_read
from recon.settings import Settings

_NOT_STANDING = ("compacted", "superseded")


class Resolver(ABC):
    """An engine but for its own SQL and storage; a context manager.

    A model is made ready when it is first asked for, with all it reads. Raises
    UsageError for a table that the lake does not have.
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
        unknown = sorted(set(tables) - set(RAW_SCHEMAS))
        if unknown:
            raise UsageError(f"{unknown[0]!r} is no table of the lake")
        self.settings = settings
        self.as_of = utc(as_of)
        self.catalogue = catalogue
        self._tables = dict(tables)
        self._computed = computed
        self._given = setting_tables(settings, self.as_of)
        self._aliases: dict[str, str] = {}
        self._extra: dict[str, pa.Table] = {}

    def known(self) -> set[str]:
        """Return the name of everything that can be read here."""
        return {*self._built_on, *self._aliases, *self._extra}

    def table(self, model: str) -> pa.Table:
        """Return a model's rows; UsageError if there is none of that name."""
        known = self.catalogue.models.get(model)
        if known is None or model in self.catalogue.kept:
            self._ensure(model)
            return self._fetch(f'select * from "{model}"', self._place(model))
        self._ensure_reads(known)  # read once: it needs no name of its own
        return self._rows_of(known)

    def query(self, sql: str, **parameters: Any) -> pa.Table:
        """Run a query over models; `$name` in it takes the parameter of that name."""
        asked = _asked(sql)
        if parameters or not self._builds_on(asked):
            self.ready(asked.reads)
            return self._fetch(sql, asked.place, parameters)
        self._ensure_reads(asked)
        return self._rows_of(asked)

    def ready(self, names: Iterable[str]) -> Self:
        """Make ready what a query reads, of the known names among these."""
        for name in sorted(self.known() & set(names)):
            self._ensure(name)
        return self

    def stream(self, sql: str, order: Sequence[str] = ()) -> Iterator[pa.Table]:
        """Yield a query's rows, sorted by these columns, some thousands at a time.

        Null is last. No other query may be run before the last row, or the iterator's
        end.
        """
        self.ready(_asked(sql).reads)
        by = ", ".join(f'"{name}" nulls last' for name in order)
        return self._flow(sql, by)

    def named(self, models: Mapping[str, str], tables: Mapping[str, pa.Table]) -> Self:
        """Give models further names, and add tables, for the queries that follow."""
        self._aliases.update(models)
        self._extra.update(tables)
        return self

    def add(self, tables: Mapping[str, pa.Table]) -> None:
        """Put tables in the place of models, or beside them, for what follows."""
        self._extra.update(tables)
        self._register(dict(tables))

    @abstractmethod
    def close(self) -> None:
        """End the engine, and with it all that it kept."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ensure(self, name: str) -> None:
        """Make a name ready for a query."""
        self._prepare(name)
        self._make_readable((name,))

    def _prepare(self, name: str) -> None:
        if self._has(name):
            return
        if name in self.catalogue.models:
            model = self.catalogue.models[name]
            self._ensure_reads(model)
            self._build(model)
        elif name in self._computed:
            self._register(dict(self._computed[name](self)))
        elif name in self._given:
            self._register({name: self._given[name]})
        elif name == "stg_dates":
            self._register({name: date_table(self.settings.business.calendar)})
        elif name.startswith("raw_") and name.removeprefix("raw_") in RAW_SCHEMAS:
            self._ensure_raw(name.removeprefix("raw_"))
        elif name in self._extra:
            self._register({name: self._extra[name]})
        elif name in self._aliases:
            self._ensure(self._aliases[name])
            self._view(name, f'select * from "{self._aliases[name]}"')
        else:
            raise UsageError(f"there is no table or model {name!r}")

    def _ensure_raw(self, table: str) -> None:
        """Open a table, or put it together from its parts."""
        parts = _composition(table, self._tables)
        source = self._tables.get(table, ())
        if parts is None and isinstance(source, pa.Table):
            rows = conformed(source, RAW_SCHEMAS[table], table)
            self._register({f"raw_{table}": rows})
        elif parts is None:
            self._open_raw(table, source)
        else:
            self._join(table, parts)

    def _join(self, table: str, parts: Sequence[str]) -> None:
        """Give the rows of parts together the name of a table."""
        names = [f"raw_{part}" for part in parts]
        for name in names:
            self._prepare(name)
        full = [name for name in names if not self._is_empty(name)]
        if not full:
            self._open_raw(table, ())
            return
        self._make_readable(full)
        each = [f'select * from "{name}"' for name in full]
        self._view(f"raw_{table}", " union all ".join(each))

    def _ensure_reads(self, model: Model) -> None:
        for read in self._reads_of(model):
            self._prepare(read)

    def _reads_of(self, model: Model) -> list[str]:
        return sorted(model.reads & self._built_on)

    def _is_empty(self, _name: str) -> bool:
        """Tell whether a table that is ready is known to have no row."""
        return False

    def _make_readable(self, _names: Iterable[str]) -> None:
        """Let queries read these, which are ready: mostly they can."""
        return

    def _builds_on(self, asked: Model) -> bool:
        """Tell whether a query of people reads nothing but what models may read."""
        return not asked.reads & {*self._aliases, *self._extra}

    @cached_property
    def _built_on(self) -> frozenset[str]:
        """What models may read: further names are for queries of people.

        A step of a model often has one of these, as `payments`.
        """
        return frozenset(
            {
                *self.catalogue.models,
                *self._computed,
                *self._given,
                *(f"raw_{name}" for name in RAW_SCHEMAS),
                "stg_dates",
            }
        )

    def _rows_of(self, model: Model) -> pa.Table:
        """Return the rows of a model whose reads are ready."""
        return self._fetch(model.sql, model.place)

    def _place(self, name: str) -> str:
        model = self.catalogue.models.get(name)
        return model.place if model else name

    @abstractmethod
    def _has(self, name: str) -> bool:
        """Tell whether a name can be read already."""

    @abstractmethod
    def _build(self, model: Model) -> None:
        """Make a model ready whose reads are."""

    @abstractmethod
    def _view(self, name: str, sql: str) -> None:
        """Give a query's rows a name."""

    @abstractmethod
    def _open_raw(self, table: str, source: RawTable) -> None:
        """Make `raw_<table>` ready, of files that have its versions."""

    @abstractmethod
    def _register(self, tables: Mapping[str, pa.Table]) -> None:
        """Make tables ready by their names."""

    @abstractmethod
    def _fetch(
        self, sql: str, place: str, parameters: Mapping[str, Any] | None = None
    ) -> pa.Table:
        """Run a query whose reads are ready; wide integers come back in 64 bits."""

    @abstractmethod
    def _flow(self, sql: str, order: str) -> Iterator[pa.Table]:
        """Yield a query's rows in parts, in this order, which may be none."""


def _asked(sql: str) -> Model:
    """Return a query as the model that nobody reads."""
    place = "the query"
    return Model(name=sql, path=Path(place), sql=sql, reads=names_read(sql, place))


def _composition(table: str, tables: Mapping[str, RawTable]) -> Sequence[str] | None:
    """Return the tables of which one is put together; None of one that stands alone.

    Without a compaction nothing is compacted or superseded: such a part is none.
    """
    whole, _, part = table.rpartition("_")
    if table in tables:
        return None
    if f"{table}_later" in tables:
        return [f"{table}_{part}" for part in PARTS[:3]]
    if f"{whole}_later" in tables:  # only what stands is no part itself
        return [f"{whole}_compacted", f"{whole}_later"]
    if part in PARTS:
        return [] if part in _NOT_STANDING else [whole]
    return None
