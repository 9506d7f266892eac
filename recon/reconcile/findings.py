"""What a run finds: the breaks of every check, and the wallet's roll-forward."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import pyarrow as pa

from recon.reconcile.checks import run_checks, shipped_checks
from recon.reconcile.engine import Engine

_CARRIED = {
    "stg_unified__uneven_checkouts": "select * from stg_unified__uneven_checkouts",
    "int_unsound_payments": "select * from int_unsound_payments",
    "int_unjudged_payments": "select * from int_unjudged_payments",
    "int_book_open_references": """
select open_references.reference
from int_book_open_references as open_references
semi join stg_books__orders as orders
    on open_references.reference is not distinct from orders.reference
""",
    "int_book_open_matches": "select * from int_book_open_matches",
    "int_book_wide_matches": "select * from int_book_wide_matches",
    "int_duplicate_payments": "select * from int_duplicate_payments",
}
"""What is not plain, by the models' names: of these a run over what is outstanding has
all rows that reports read. Of a reference without an order no report says anything."""


@dataclass(frozen=True)
class Findings:
    """Tables of models: `breaks` as `FOUND`, the others as their models name them.

    `carried` are those that reports read besides, where everything was not read.
    """

    breaks: pa.Table
    rollforward: pa.Table
    explanations: pa.Table
    carried: Mapping[str, pa.Table] = field(default_factory=dict)

    def models(self) -> dict[str, pa.Table]:
        """Return what stands under a model's name, for engines to read it."""
        return {
            "int_wallet_rollforward": self.rollforward,
            "int_wallet_explanations": self.explanations,
            **self.carried,
        }

    def same_as(self, other: "Findings") -> bool:
        """Tell whether two runs found the same, in whatever order."""
        mine, its = ({"breaks": each.breaks, **each.models()} for each in (self, other))
        return mine.keys() == its.keys() and all(
            _sorted(table).equals(_sorted(its[name])) for name, table in mine.items()
        )


def find(engine: Engine, *, carrying: bool = False) -> Findings:
    """Run every check that is not disabled, and the roll-forward.

    With `carrying` it is told besides what is not plain.
    """
    return Findings(
        breaks=run_checks(engine, shipped_checks(), engine.settings),
        rollforward=engine.table("int_wallet_rollforward"),
        explanations=engine.table("int_wallet_explanations"),
        carried=carried(engine) if carrying else {},
    )


def carried(engine: Engine) -> dict[str, pa.Table]:
    """Return what is not plain, by its models' names."""
    return {name: engine.query(sql) for name, sql in _CARRIED.items()}


def _sorted(table: pa.Table) -> pa.Table:
    rows = table.combine_chunks()
    plain = [each.name for each in rows.schema if not pa.types.is_list(each.type)]
    return rows.sort_by([(name, "ascending") for name in plain])
