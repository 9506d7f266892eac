"""What a run costs in a process in which others came before, as after a rebuild.

Runs of a small shop in turn (A B A B …): of a process that proves which models have no
row, and of one that plans each model anew. CPU seconds, and the median of the ratios.
"""

import argparse
import statistics
import time
from collections.abc import Mapping, Sequence
from datetime import timedelta

from recon.reconcile.computed import COMPUTED
from recon.reconcile.engine import Computed, RawTable
from recon.reconcile.engines import DuckEngine
from recon.sandbox import history
from recon.settings import Business, Settings
from tests.checks.history_tables import tables_of

SETTINGS = Settings(business=Business(name="shop"))
PRODUCTS: Mapping[str, Sequence[str]] = {
    "no product": (),
    "checkouts and books": ("checkouts", "payments", "books"),
    "deposits and the bank": ("deposits", "accounts", "bank", "balances"),
    "every product": ("",),
}


def cpu(
    tables: Mapping[str, RawTable], made: history.History, *, proves: bool
) -> float:
    """Run every check and report once; return what it took, in CPU seconds.

    Of models that are computed otherwise than the package does, nothing is proven.
    """
    computed: Mapping[str, Computed] = COMPUTED if proves else dict(COMPUTED)
    started = time.process_time()
    with DuckEngine.open(tables, SETTINGS, made.ends_at, computed=computed) as engine:
        for name in engine.catalogue.models:
            if name.startswith(("check_", "report_")):
                engine.table(name)
    return time.process_time() - started


def main(arguments: Sequence[str] | None = None) -> None:
    """Print what a run costs of a shop with some of the products."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    chosen = parser.parse_args(arguments)
    made = history.generate(1, days=10, daily=10)
    whole = tables_of(made, pulled_at=made.ends_at + timedelta(hours=1))
    print("\na run of a process that ran before: proving, planning anew, the ratio")
    for title, starts in PRODUCTS.items():
        tables = {
            name: rows for name, rows in whole.items() if name.startswith((*starts,))
        }
        for _ in range(3):  # until all is proven
            cpu(tables, made, proves=True)
        pairs = [
            (cpu(tables, made, proves=True), cpu(tables, made, proves=False))
            for _ in range(chosen.rounds)
        ]
        proving, planning = (
            statistics.median(each) for each in zip(*pairs, strict=True)
        )
        ratio = statistics.median(one / other for one, other in pairs)
        print(f"  {title:24} {proving:6.3f} s {planning:6.3f} s  x{ratio:.2f}")


if __name__ == "__main__":
    main()
