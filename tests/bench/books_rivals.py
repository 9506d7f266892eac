"""Other ways to compare two files, run by an interpreter that has them.

`INTERPRETER books_rivals.py WAY FOLDER`; it imports nothing of this project.
"""

import json
import resource
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

KEY = "reference"
NAMES = {"checkout_number": KEY}


def pandas(folder: Path) -> list[int]:
    """Merge both with pandas."""
    import pandas as pd  # noqa: PLC0415 - each way pays for its own imports

    books = pd.read_parquet(folder / "books.parquet", columns=[KEY, "amount", "status"])
    other = _columns(pd.read_parquet, folder).rename(columns=NAMES)
    both = books.merge(other, on=KEY, how="outer", indicator=True)
    differ = (both["_merge"] == "both") & (both["amount_x"] != both["amount_y"])
    sides = both["_merge"]
    return [
        int(differ.sum()),
        int((sides == "left_only").sum()),
        int((sides == "right_only").sum()),
    ]


def polars(folder: Path) -> list[int]:
    """Join both with polars."""
    import polars as pl  # noqa: PLC0415

    books = pl.scan_parquet(folder / "books.parquet").select(KEY, "amount", "status")
    other = pl.scan_parquet(folder / "checkouts.parquet").select(
        pl.col("checkout_number").alias(KEY), "amount", "status"
    )
    counts = (
        books.join(other, on=KEY, how="full")
        .select(
            (pl.col("amount") != pl.col("amount_right")).sum().alias("differ"),
            pl.col(f"{KEY}_right").is_null().sum().alias("left"),
            pl.col(KEY).is_null().sum().alias("right"),
        )
        .collect()
    )
    return [int(value) for value in counts.row(0)]


def datacompy_pandas(folder: Path) -> list[int]:
    """Compare with datacompy over pandas."""
    import datacompy  # noqa: PLC0415
    import pandas as pd  # noqa: PLC0415

    books = pd.read_parquet(folder / "books.parquet", columns=[KEY, "amount", "status"])
    other = _columns(pd.read_parquet, folder).rename(columns=NAMES)
    kind = getattr(datacompy, "PandasCompare", None) or datacompy.Compare
    return _found(kind(books, other, join_columns=KEY))


def datacompy_polars(folder: Path) -> list[int]:
    """Compare with datacompy over polars."""
    import datacompy  # noqa: PLC0415
    import polars as pl  # noqa: PLC0415

    books = pl.read_parquet(folder / "books.parquet", columns=[KEY, "amount", "status"])
    other = _columns(pl.read_parquet, folder).rename(NAMES)
    return _found(datacompy.PolarsCompare(books, other, join_columns=KEY))


def _columns(read: Any, folder: Path) -> Any:
    return read(
        folder / "checkouts.parquet", columns=["checkout_number", "amount", "status"]
    )


def _found(compared: Any) -> list[int]:
    return [
        len(compared.all_mismatch()),
        len(compared.df1_unq_rows),
        len(compared.df2_unq_rows),
    ]


WAYS = {
    "pandas": pandas,
    "polars": polars,
    "datacompy_pandas": datacompy_pandas,
    "datacompy_polars": datacompy_polars,
}

IMPORTS = {"pandas": ["pandas"], "polars": ["polars"]} | {
    f"datacompy_{backend}": ["datacompy", backend] for backend in ("pandas", "polars")
}

if __name__ == "__main__":
    way, place = sys.argv[1:]
    started = time.perf_counter()
    for name in IMPORTS[way]:
        import_module(name)
    ready = time.perf_counter(), time.process_time()
    found = WAYS[way](Path(place))
    ended = time.perf_counter(), time.process_time()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        json.dumps(
            {
                "found": found,
                "whole": [ended[0] - started, ended[1]],
                "work": [ended[0] - ready[0], ended[1] - ready[1]],
                "peak": peak,
            }
        )
    )
