"""The engines by their names on the command line."""

import warnings
from typing import TYPE_CHECKING, Literal, TypeAlias

from recon.errors import UsageError
from recon.reconcile.engines.duckdb import DuckEngine

if TYPE_CHECKING:
    from recon.reconcile.engines.spark import SparkEngine

EngineName: TypeAlias = Literal["duckdb", "spark"]
AnyEngine: TypeAlias = "DuckEngine | SparkEngine"


def spark_engine() -> "type[SparkEngine]":
    """Return the engine for Spark; UsageError where its client is not installed."""
    with warnings.catch_warnings():  # of newer libraries
        warnings.filterwarnings("ignore", module="pyspark")
        try:
            from recon.reconcile.engines.spark import (  # noqa: PLC0415 - an extra
                SparkEngine,
            )
        except ImportError:
            raise UsageError(
                "--engine spark needs Spark's client: pip install 'recon[spark]'"
            ) from None
    return SparkEngine
