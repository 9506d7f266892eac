"""What a run finds: the breaks of every check, and the wallet's roll-forward."""

from dataclasses import dataclass

import pyarrow as pa

from recon.reconcile.checks import run_checks, shipped_checks
from recon.reconcile.engine import Engine


@dataclass(frozen=True)
class Findings:
    """Tables of models: `breaks` as `FOUND`, the others as their models name them."""

    breaks: pa.Table
    rollforward: pa.Table
    explanations: pa.Table

    def models(self) -> dict[str, pa.Table]:
        """Return what stands under a model's name, for engines to read it."""
        return {
            "int_wallet_rollforward": self.rollforward,
            "int_wallet_explanations": self.explanations,
        }

    def same_as(self, other: "Findings") -> bool:
        """Tell whether two runs found the same, in whatever order."""
        return all(
            _sorted(mine).equals(_sorted(its))
            for mine, its in (
                (self.breaks, other.breaks),
                (self.rollforward, other.rollforward),
                (self.explanations, other.explanations),
            )
        )


def find(engine: Engine) -> Findings:
    """Run every check that is not disabled, and the roll-forward."""
    return Findings(
        breaks=run_checks(engine, shipped_checks(), engine.settings),
        rollforward=engine.table("int_wallet_rollforward"),
        explanations=engine.table("int_wallet_explanations"),
    )


def _sorted(table: pa.Table) -> pa.Table:
    rows = table.combine_chunks()
    return rows.sort_by([(name, "ascending") for name in rows.column_names])
