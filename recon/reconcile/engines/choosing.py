"""The engines by their names on the command line."""

import warnings
from typing import TYPE_CHECKING, Literal, TypeAlias

from recon.errors import UsageError
from recon.reconcile.engines.duckdb import DuckEngine

if TYPE_CHECKING:
    from recon.reconcile.engines.spark import SparkEngine

EngineName: TypeAlias = Literal["duckdb", "spark"]
ENGINES: tuple[EngineName, ...] = ("duckdb", "spark")


def engine_class(name: EngineName) -> "type[DuckEngine | SparkEngine]":
    """Return the engine of a name; UsageError where its client is not installed."""
    if name == "duckdb":
        return DuckEngine
    with warnings.catch_warnings():  # of newer libraries
        warnings.filterwarnings("ignore", category=FutureWarning, module="pyspark")
        try:
            from recon.reconcile.engines.spark import (  # noqa: PLC0415 - an extra
                SparkEngine,
            )
        except ImportError:
            raise UsageError(
                "--engine spark needs Spark's client: pip install 'recon[spark]'"
            ) from None
    return SparkEngine
