"""What has no rows because what it needs rows of has none: told without a query.

A shop uses two or three of the five products, so most tables of its lake are empty, and
often nothing is wrong. To plan what comes of nothing takes longer than to run the rest.
So the columns of a model that had no rows for want of others are remembered, for the
next engine over the same models: of it there is no more to know.
"""

from collections.abc import Collection, Mapping
from weakref import WeakKeyDictionary

import pyarrow as pa

from recon.reconcile.engine import RawTable
from recon.reconcile.engines.raw_tables import is_empty
from recon.reconcile.given import RAW_SCHEMAS
from recon.reconcile.models import Catalogue

_RAW = "raw_"
_COLUMNS: "WeakKeyDictionary[Catalogue, dict[str, pa.Schema]]" = WeakKeyDictionary()


class Emptiness:
    """The names of one engine that are known to have no rows.

    Of what Python computes, and of what every engine is given, as the settings are,
    that is known once it is counted.
    """

    def __init__(self, catalogue: Catalogue, tables: Mapping[str, RawTable]) -> None:
        self._models = catalogue.models
        self._tables = tables
        self._columns = _COLUMNS.setdefault(catalogue, {})
        self._counted: set[str] = set()
        self._replaced: set[str] = set()
        self._told: dict[str, bool] = {}

    def comes_of_nothing(self, name: str) -> bool:
        """Tell whether what a name needs rows of is known to be empty."""
        if name not in self._told:
            self._told[name] = self._tell(name)
        return self._told[name]

    def columns(self, name: str) -> pa.Schema | None:
        """Return the columns of what has no rows; None of what may have some."""
        if not self.comes_of_nothing(name):
            return None
        if name.startswith(_RAW):
            return RAW_SCHEMAS[name.removeprefix(_RAW)]
        return self._columns.get(name)

    def keep(self, name: str, rows: pa.Table) -> None:
        """Remember the columns of a name that has no rows for want of others."""
        if not rows.num_rows and self.comes_of_nothing(name):
            self._columns[name] = rows.schema
            self._told.clear()

    def count_none(self, name: str) -> None:
        """Learn that a name turned out to have no rows, whatever it reads."""
        self._counted.add(name)
        self._told.clear()

    def replace(self, names: Collection[str]) -> None:
        """Learn that names have other rows than their models or tables give."""
        self._replaced.update(names)
        self._counted.difference_update(names)
        self._told.clear()

    def _tell(self, name: str) -> bool:
        if name in self._replaced:
            return False
        if name.startswith(_RAW):
            table = name.removeprefix(_RAW)
            return table in RAW_SCHEMAS and is_empty(table, self._tables)
        model = self._models.get(name)
        needs = model.needs if model else ()
        return any(all(map(self._is_empty, group)) for group in needs)

    def _is_empty(self, name: str) -> bool:
        return name in self._counted or self.comes_of_nothing(name)
