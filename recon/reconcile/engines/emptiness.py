"""Models that have no row because what they read has none: proven once in a process.

Most tables of a small shop are empty, and so is most of what is made of them; but to
plan a query takes as long as if there were rows. A night made good after others, a
year of reports made anew, or a campaign asks the same again and again.
"""

import json
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

import duckdb
import pyarrow as pa

from recon.database import parsed, without_rows
from recon.reconcile.engines.arrow_tables import narrowed
from recon.reconcile.given import T
from recon.reconcile.models import Catalogue, Model

Facts: TypeAlias = frozenset[tuple[str, str]]
"""What tables of the settings hold, by their names, as far as a proof rests on it."""

_READS_NOTHING = {"EMPTY_RESULT", "CTE_SCAN", "DELIM_SCAN"}
_WORTH_IT = 2  # a model that is met once in a process is planned once anyway
_MOST_KEPT = 20_000  # some 10 MB


@dataclass(frozen=True)
class Nothing:
    """What a model without rows gives: a query of its columns, and its table.

    It is so where `reads` have no row and the `facts` hold, whatever others have.
    """

    reads: frozenset[str]
    facts: Facts
    sql: str
    rows: pa.Table


@dataclass
class Proofs:
    """What is proven of one catalogue's models, and what was tried."""

    found: dict[str, list[Nothing]] = field(default_factory=dict)
    met: Counter[Hashable] = field(default_factory=Counter)
    tried: set[Hashable] = field(default_factory=set)

    def is_due(self, key: Hashable, of: Hashable) -> bool:
        """Tell once of a key that what it is `of` was met often enough to be proven."""
        if len(self.met) + len(self.tried) >= _MOST_KEPT:
            return False
        self.met[of] += 1
        if self.met[of] < _WORTH_IT or key in self.tried:
            return False
        self.tried.add(key)
        return True


_PROOFS: WeakKeyDictionary[Catalogue, Proofs] = WeakKeyDictionary()


def proofs_of(catalogue: Catalogue) -> Proofs:
    """Return what this process has proven of a catalogue's models."""
    return _PROOFS.setdefault(catalogue, Proofs())


class Emptiness:
    """What is known to have no row in one engine: `names`, and what follows of them.

    A proof is made of the plan of a query over tables that have no rows, of which the
    planner is told where that is so: a plan that reads no table at all gives the same
    always. A model that reads nothing but such tables and `given` ones gives the same
    as long as those hold the same.
    """

    def __init__(self, proofs: Proofs, given: Mapping[str, str]) -> None:
        """Begin with what is proven, and the tables of the settings in words."""
        self.names: set[str] = set()
        self._proofs = proofs
        self._given = dict(given)

    def replace(self, name: str) -> None:
        """Forget a table in whose place another one comes."""
        self.names.discard(name)
        self._given.pop(name, None)

    def of(self, model: Model) -> Nothing | None:
        """Return what a model gives that is known to have no row; None of another."""
        for nothing in self._proofs.found.get(model.name, ()):
            if nothing.reads <= self.names and nothing.facts <= self._given.items():
                return nothing
        return None

    def learn(
        self,
        model: Model,
        reads: Collection[str],
        connection: duckdb.DuckDBPyConnection,
    ) -> None:
        """Prove what can be of a model that was just planned, whose reads are ready."""
        empty = self.names.intersection(reads)
        if not empty:
            return
        with suppress(duckdb.Error):  # then it is planned each time
            facts = self._proven(model, reads, empty, connection)
            if facts is not None:
                self._keep(model, frozenset(empty), facts, connection)

    def _proven(
        self,
        model: Model,
        reads: Collection[str],
        empty: AbstractSet[str],
        connection: duckdb.DuckDBPyConnection,
    ) -> Facts | None:
        """Return the facts by which a model has no row; None where it may have one."""
        is_due, key = self._proofs.is_due, (model.name, frozenset(empty))
        facts = self._facts(model, reads)
        fixed = (key, facts)
        is_fixed = facts is not None and is_due(fixed, of=fixed)
        is_new = is_due(key, of=model.name)
        if not (is_new or is_fixed) or isinstance(parsed(model.sql, connection), str):
            return None  # a person's query may be several statements
        if is_new and _is_always_empty(model, reads, empty, connection):
            return frozenset()
        return facts if is_fixed and _count(model, connection) == 0 else None

    def _facts(self, model: Model, reads: Collection[str]) -> Facts | None:
        """Return what a model rests on but for empty tables; None if on rows."""
        others = {*reads} - self.names
        if not others <= self._given.keys():
            return None
        if T in model.sql.lower():  # no other table has it: it must be named
            others.add(T)
        return frozenset((name, self._given[name]) for name in others)

    def _keep(
        self,
        model: Model,
        reads: frozenset[str],
        facts: Facts,
        connection: duckdb.DuckDBPyConnection,
    ) -> None:
        sql = without_rows(f"({model.sql})", connection)
        rows = narrowed(connection.sql(sql).to_arrow_table(), model.place)
        nothing = Nothing(reads, facts, sql, rows)
        self._proofs.found.setdefault(model.name, []).append(nothing)
        self.names.add(model.name)


def _is_always_empty(
    model: Model,
    reads: Iterable[str],
    empty: AbstractSet[str],
    connection: duckdb.DuckDBPyConnection,
) -> bool:
    """Tell whether a model reads nothing and gives nothing where these are empty.

    Of the other tables the planner is not told how many rows they have.
    """
    columns = {name: without_rows(f'"{name}"', connection) for name in reads}
    with connection.cursor() as apart:
        for name, sql in columns.items():
            if name in empty:
                apart.execute(f'create temp view "{name}" as {sql}')
            else:
                apart.register(name, apart.sql(sql).to_arrow_table())
        ((_, plan),) = apart.execute(f"explain (format json) {model.sql}").fetchall()
        ends = _leaves(json.loads(plan))
        return _READS_NOTHING.issuperset(ends) and _count(model, apart) == 0


def _count(model: Model, connection: duckdb.DuckDBPyConnection) -> int:
    ((count,),) = connection.execute(f"select count(*) from ({model.sql})").fetchall()
    return int(count)


def _leaves(plan: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the operators at a plan's ends, where it reads."""
    for operator in plan:
        if below := operator["children"]:
            yield from _leaves(below)
        else:
            yield operator["name"]
