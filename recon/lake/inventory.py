"""What a lake holds: how many versions of each table, and when it was last written."""

from datetime import datetime

import pyarrow as pa

from recon.lake.lake import Lake
from recon.lake.parts import DERIVED
from recon.lake.schema import INSTANT, TABLES
from recon.lake.voids import standing

COLUMNS = pa.schema(
    {"table": pa.string(), "versions": pa.int64(), "last_written": INSTANT}
)


def inventory(lake: Lake, as_of: datetime) -> pa.Table:
    """Return one row a table, as of an instant; neither copies nor voided rows count.

    `versions` counts its records as often as each was stored. Raises CorruptLake where
    the commits cannot be read.
    """
    files = [
        (file, commit.committed_at)
        for commit in standing(lake.commits(as_of))
        if commit.kind not in DERIVED
        for file in commit.files
    ]
    rows = [
        {
            "table": name,
            "versions": sum(
                file.rows
                for file, _ in files
                if (file.folder, file.table) == ("records", name)
            ),
            "last_written": max(
                (at for file, at in files if file.table == name), default=None
            ),
        }
        for name in TABLES
    ]
    return pa.Table.from_pylist(rows, COLUMNS)
