"""The engines by their names on the command line."""

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal, TypeAlias

from recon.errors import UsageError
from recon.reconcile.engines.duckdb import DuckEngine

if TYPE_CHECKING:
    from recon.reconcile.engines.spark import SparkEngine

EngineName: TypeAlias = Literal["duckdb", "spark"]
AnyEngine: TypeAlias = "DuckEngine | SparkEngine"


def spark_engine() -> "type[SparkEngine]":
    """Return the engine for Spark; UsageError where its client is not installed."""
    with warnings.catch_warnings(), _main_module_with_a_file():  # of newer libraries
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


@contextmanager
def _main_module_with_a_file() -> Iterator[None]:
    """Give a `python -c` a file while Spark's client is imported.

    Without one the client takes the process for a run of its own doctests, and ends
    it where no Spark is installed.
    """
    main = sys.modules["__main__"]
    if hasattr(main, "__file__"):
        yield
        return
    main.__file__ = "-c"
    try:
        yield
    finally:
        del main.__file__
