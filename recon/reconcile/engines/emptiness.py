"""Models that have no row because what they read has none: proven once in a process.

Most tables of a small shop are empty, and so is most of what is made of them; but to
plan a query takes as long as if there were rows. A night made good after others, a
year of reports made anew, or a campaign asks the same again and again.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

import duckdb
import pyarrow as pa

from recon.database import parsed, without_rows
from recon.reconcile.engines.arrow_tables import narrowed
from recon.reconcile.models import Catalogue, Model

_READS_NOTHING = {"EMPTY_RESULT", "CTE_SCAN", "DELIM_SCAN"}
_WORTH_IT = 2  # a model that is met once in a process is planned once anyway
_MOST_MET = 10_000  # some 10 MB


@dataclass(frozen=True)
class Nothing:
    """What a model without rows gives: a query of its columns, and its table."""

    sql: str
    rows: pa.Table


@dataclass
class Proofs:
    """What is proven of a catalogue's models: no row where some reads have none.

    A proof holds whatever the other reads have. It is made of the plan of a query over
    tables that have no rows, of which the planner is told where that is so: a plan
    that reads no table at all gives the same always.
    """

    _found: dict[str, dict[frozenset[str], Nothing]] = field(default_factory=dict)
    _met: Counter[tuple[str, frozenset[str]]] = field(default_factory=Counter)

    def find(self, model: Model, empty: AbstractSet[str]) -> Nothing | None:
        """Return what a model gives if no more than these is known to have no row."""
        for reads, nothing in self._found.get(model.name, {}).items():
            if reads <= empty:
                return nothing
        return None

    def seek(
        self,
        model: Model,
        reads: Iterable[str],
        empty: AbstractSet[str],
        connection: duckdb.DuckDBPyConnection,
    ) -> None:
        """Prove what can be, of a model that was just planned; its reads are ready."""
        names = frozenset(reads)
        known = names & empty
        key = (model.name, known)
        if not known or len(self._met) >= _MOST_MET:
            return
        self._met[key] += 1
        if self._met[key] != _WORTH_IT:
            return
        with suppress(duckdb.Error):  # then it is planned each time
            if isinstance(parsed(model.sql, connection), str):
                return  # a person's query, of several statements
            columns = {name: without_rows(f'"{name}"', connection) for name in names}
            if _gives_nothing(model, columns, known, connection):
                sql = without_rows(f"({model.sql})", connection)
                rows = narrowed(connection.sql(sql).to_arrow_table(), model.place)
                self._found.setdefault(model.name, {})[known] = Nothing(sql, rows)


_PROOFS: WeakKeyDictionary[Catalogue, Proofs] = WeakKeyDictionary()


def proofs_of(catalogue: Catalogue) -> Proofs:
    """Return what this process has proven of a catalogue's models."""
    return _PROOFS.setdefault(catalogue, Proofs())


def _gives_nothing(
    model: Model,
    columns: Mapping[str, str],
    empty: AbstractSet[str],
    connection: duckdb.DuckDBPyConnection,
) -> bool:
    """Tell whether a model reads nothing and gives nothing where these are empty.

    Of the other tables the planner is not told how many rows they have.
    """
    with connection.cursor() as apart:
        for name, sql in columns.items():
            if name in empty:
                apart.execute(f'create temp view "{name}" as {sql}')
            else:
                apart.register(name, apart.sql(sql).to_arrow_table())
        ((_, plan),) = apart.execute(f"explain (format json) {model.sql}").fetchall()
        if not _READS_NOTHING.issuperset(_leaves(json.loads(plan))):
            return False
        found = apart.execute(f"select count(*) from ({model.sql})").fetchall()
    return found == [(0,)]


def _leaves(plan: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the operators at a plan's ends, where it reads."""
    for operator in plan:
        if below := operator["children"]:
            yield from _leaves(below)
        else:
            yield operator["name"]
