"""The books against the provider's records: recon beside other ways to compare them.

`python -m tests.bench.books [ROWS]`. Two Parquet files of as many rows agree but for
known differences in amounts and missing rows on both sides; every way has to find
them. BENCH_RIVALS names an interpreter that has datacompy, pandas and polars;
without it these ways are skipped, and the bench says so.

Seconds, and seconds of CPU: of the whole process; without its imports; and of the
compare alone. That reads the two files and compares them, for every way. What recon
does before, and no other way does, is to read its rules and to find which records and
orders stand in several versions.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import duckdb

RIVALS = os.environ.get("BENCH_RIVALS", "")
ROUNDS = 3
FAULTS = 100  # of each kind: another amount, not at the provider, not in the books

_OURS = ("recon", "duckdb")
_WAYS = (*_OURS, "polars", "pandas", "datacompy_polars", "datacompy_pandas")
_VERSIONS = ("stg_books__repeated_orders", "stg_unified__repeated_checkouts")
_RIVAL_WAYS = Path(__file__).with_name("books_rivals.py")


def make(folder: Path, rows: int) -> None:
    """Write `books.parquet` and `checkouts.parquet`; columns are those of the lake."""
    step = rows // (3 * FAULTS)
    base = f"""
select number, number % {step} = 7 and number // {step} < {3 * FAULTS} as is_chosen,
    number // {step} % 3 as fault, 10000 * (1 + number % 1999) as amount,
    make_timestamptz(1727740800000000 + number * 6000000) as met_at
from range({rows}) as each(number)
"""
    with duckdb.connect() as connection:
        connection.execute("set TimeZone = 'UTC'")
        connection.execute(f"""
copy (
    select 'F' || number as reference,
        amount + case when is_chosen and fault = 0 then 1 else 0 end as amount,
        'paid' as status, met_at as occurred_at, cast(null as varchar) as product,
        '1' as pull_id, 1::integer as page_no, number::integer as position
    from ({base}) where not (is_chosen and fault = 2)
) to '{folder / "books.parquet"}' (format parquet, compression zstd)
""")
        connection.execute(f"""
copy (
    select cast(cast(md5(cast(number as varchar)) as uuid) as varchar) as id,
        'F' || number as checkout_number, amount, 'paid' as status,
        met_at as created_at, '1' as pull_id, 1::integer as page_no,
        number::integer as position
    from ({base}) where not (is_chosen and fault = 1)
) to '{folder / "checkouts.parquet"}' (format parquet, compression zstd)
""")


def recon(folder: Path, begin: Callable[[], None]) -> list[int]:
    """Run the product's own checks of the books, with all that they consider."""
    from datetime import UTC, datetime  # noqa: PLC0415 - each way pays for its own

    from recon.reconcile.engines.duckdb import DuckEngine  # noqa: PLC0415
    from recon.settings import Business, Settings  # noqa: PLC0415

    tables = {name: [folder / f"{name}.parquet"] for name in ("books", "checkouts")}
    settings = Settings(business=Business(name="shop"))
    checks = (
        "book_amount_mismatch",
        "book_missing_at_provider",
        "provider_missing_in_books",
        "book_status_mismatch",
        "book_duplicate",
    )
    with DuckEngine.open(tables, settings, datetime.now(UTC)) as engine:
        for name in _VERSIONS:
            engine.table(name)
        begin()
        *found, statuses, duplicates = (
            engine.table(f"check_{name}").num_rows for name in checks
        )
    if statuses or duplicates:
        raise SystemExit(f"found {statuses} statuses and {duplicates} duplicates")
    return found


def one_join(folder: Path, begin: Callable[[], None]) -> list[int]:
    """Compare with one full join: how fast the same engine can be."""
    begin()
    with duckdb.connect() as connection:
        found = connection.execute(f"""
select count(*) filter (where b.amount <> c.amount),
    count(*) filter (where c.checkout_number is null),
    count(*) filter (where b.reference is null)
from '{folder / "books.parquet"}' as b
full join '{folder / "checkouts.parquet"}' as c on b.reference = c.checkout_number
""").fetchone()
    return list(found or ())


IMPORTS = {
    "recon": ["duckdb", "recon.reconcile.engines.duckdb"],
    "one_join": ["duckdb"],
}


def _run(way: str, folder: Path) -> dict[str, Any]:
    if way in _OURS:
        command = [sys.executable, "-m", "tests.bench.books", "--way", way, str(folder)]
    else:
        command = [RIVALS, str(_RIVAL_WAYS), way, str(folder)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    used: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    if used["found"] != [FAULTS] * 3:
        raise SystemExit(f"{way} found {used['found']}, not {FAULTS} of each kind")
    return used


def main(rows: int) -> None:
    """Print each way's median time, its CPU seconds and its memory."""
    ways = [way for way in _WAYS if way in _OURS or RIVALS]
    print(f"\nbooks against {rows:,} records, beside recon's checks")
    if not RIVALS:
        print("  datacompy, pandas and polars: skipped, BENCH_RIVALS is not set")
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        # A process's memory is told from that of its parent on, which stays small.
        command = [sys.executable, "-m", "tests.bench.books", str(rows)]
        subprocess.run([*command, "--make", made], check=True)
        taken: dict[str, list[dict[str, Any]]] = {way: [] for way in ways}
        for _ in range(ROUNDS):
            for way in ways:
                taken[way].append(_run(way, folder))
    print(f"  {'s (s of CPU)':18} {'whole':>15} {'no imports':>15} {'compare':>15}")
    ours = _median(taken["recon"], "compare")[0]
    for way, runs in taken.items():
        figures = [_median(runs, part) for part in ("whole", "work", "compare")]
        shown = " ".join(f"{wall:7.2f} ({cpu:5.2f})" for wall, cpu in figures)
        peak = max(run["peak"] for run in runs)
        print(f"  {way:18} {shown} {peak:8.0f} MB  x{figures[-1][0] / ours:.2f}")


def _median(runs: list[dict[str, Any]], part: str) -> tuple[float, float]:
    """Return the median seconds of a part, and of CPU; all work is a compare."""
    parts = [run.get(part, run["work"]) for run in runs]
    wall, cpu = (statistics.median(each[i] for each in parts) for i in range(2))
    return wall, cpu


def measured(
    work: Callable[[Path, Callable[[], None]], list[int]], folder: Path
) -> None:
    """Run a way in this process and print what it used, imports included."""
    import resource  # noqa: PLC0415 - not on every system

    def now() -> tuple[float, float]:
        used = resource.getrusage(resource.RUSAGE_SELF)
        return time.perf_counter(), used.ru_utime + used.ru_stime

    def since(then: tuple[float, float]) -> tuple[float, float]:
        wall, cpu = now()
        return wall - then[0], cpu - then[1]

    started = time.perf_counter(), 0.0
    for name in IMPORTS[work.__name__]:
        import_module(name)
    ready = now()
    begun: list[tuple[float, float]] = []
    found = work(folder, lambda: begun.append(now()))
    figures = {
        "found": found,
        "whole": since(started),
        "work": since(ready),
        "compare": since(begun[0]),
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", type=int, nargs="?", default=1_000_000)
    parser.add_argument("--make", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--way", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.way:
        chosen, place = given.way
        measured({"recon": recon, "duckdb": one_join}[chosen], Path(place))
    elif given.make:
        make(given.make, given.rows)
    else:
        main(given.rows)
