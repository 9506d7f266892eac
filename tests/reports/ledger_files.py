"""Plain-text ledgers of models, made as a run's reports make them."""

from types import ModuleType

import pyarrow as pa

from recon.reconcile.engines import DuckEngine
from recon.reports import journal
from recon.reports.ledgers import Balances, Entries, opening
from recon.reports.periods import Period
from recon.reports.results import Results
from tests.reports.lake_rows import SETTINGS
from tests.reports.stand_in import ResultStandIn

WHOLE = Period()


class Answers(ResultStandIn):
    """A result whose models are those of an engine."""

    def __init__(self, engine: DuckEngine) -> None:
        super().__init__()
        self.table = engine.table  # type: ignore[method-assign]
        self.sql = engine.query  # type: ignore[method-assign]
        self.stream = engine.stream  # type: ignore[method-assign]


def intervals_of(engine: DuckEngine) -> pa.Table:
    """Return the roll-forward in the names of its report."""
    wallet = engine.table("int_wallet_rollforward").drop_columns(["detail"])
    return wallet.rename_columns(
        [name.removesuffix("_rial") for name in wallet.column_names]
    )


def ledger(
    writer: ModuleType,
    result: Results,
    intervals: pa.Table,
    period: Period = WHOLE,
    warning: str = "",
) -> bytes:
    """Return the content of a ledger of the period."""
    balances = Balances(intervals, period, SETTINGS.business.timezone)
    begun = opening(journal.days(result), period, balances)
    parts = [writer.head(begun, warning)]
    for legs in journal.entries(journal.stream(result, period).tables()):
        balances.take(legs)
        parts.append(writer.entries(Entries(legs)))
    return b"".join([*parts, writer.tail(balances)])
