"""What every engine offers to the rooms above it, and to models of Python."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import pyarrow as pa

from recon.settings import Settings

if TYPE_CHECKING:
    import pyarrow.dataset as ds


@dataclass(frozen=True)
class Part:
    """A Parquet file of a table; `fixed` are columns of one value for all rows."""

    path: Path
    fixed: Mapping[str, str] = field(default_factory=dict)


RawTable: TypeAlias = "pa.Table | ds.Dataset | Sequence[Path | Part]"
"""A table of the lake: its rows, or the Parquet files that hold its versions.

Files that are encrypted come as a data set, which reads them in batches.
"""


class Engine(Protocol):
    """Models over the lake as it was known at `as_of`."""

    settings: Settings
    as_of: datetime

    def table(self, model: str) -> pa.Table:
        """Return a model's rows; UsageError if there is none of that name."""

    def query(self, sql: str, **parameters: Any) -> pa.Table:
        """Run a query over models; `$name` takes the parameter of that name."""


Ask: TypeAlias = Callable[..., pa.Table]
"""Answers a query over the models; `$name` in it takes the parameter `name`."""

Computed: TypeAlias = Callable[[Engine], Mapping[str, pa.Table]]
"""Computes a model in Python; may return other models that come with it."""
