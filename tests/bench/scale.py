"""The suite on large lakes: `python -m tests.bench.scale FOLDER [PAYMENTS …]`.

A lake of each size is made in the folder where it is not there yet, and a copy of it
that is compacted, as nights leave it. Each figure is of a process of its own: its CPU
seconds, its wall time and the most memory it held. The measure is the limit: DuckDB
reading the columns that the rules need from the lake's Parquet files, on the same data
in the same run.
"""

import argparse
import dataclasses
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from tests.bench import scale_lakes, scale_world

_GIB = 2**30
LIMITS = (2, 4)  # GiB of memory


def suite(lake_folder: Path, arguments: argparse.Namespace) -> dict[str, Any]:
    """Run all checks and the roll-forward; say what was found."""
    from recon.lake import Lake  # noqa: PLC0415 - each way pays for its own imports
    from recon.reconcile import result as results  # noqa: PLC0415
    from recon.reconcile.run import reconcile  # noqa: PLC0415

    settings = scale_lakes.settings(arguments.memory, arguments.threads)
    if arguments.profile:
        _profile()
    if arguments.whole:
        vars(results)["find_narrowly"] = lambda *_: None
    with reconcile(Lake(lake_folder), settings, dry_run=True) as result:
        found = Counter(result.breaks["check"].to_pylist())
        ids = "".join(result.breaks["break_id"].to_pylist())
        intervals, is_whole = result.rollforward.num_rows, result.is_whole
    return {
        "breaks": dict(sorted(found.items())),
        "ids": sha256(ids.encode()).hexdigest(),
        "intervals": intervals,
        "is_whole": is_whole,
    }


def reports(lake_folder: Path, arguments: argparse.Namespace) -> dict[str, Any]:
    """Run all of it and write every report; say how many bytes they have."""
    from recon.lake import Lake  # noqa: PLC0415 - each way pays for its own imports
    from recon.reconcile.run import reconcile  # noqa: PLC0415
    from recon.reports.writing import write  # noqa: PLC0415

    settings = scale_lakes.settings(arguments.memory, arguments.threads)
    with tempfile.TemporaryDirectory() as folder:
        settings = dataclasses.replace(settings, folder=Path(folder))
        with reconcile(Lake(lake_folder), settings, dry_run=True) as result:
            files = write(result, settings)
        return {name: path.stat().st_size for name, path in files.items()}


def _profile() -> None:
    """Print what each model costs, itself and what it is the first to need."""
    from recon.reconcile.engines.duckdb import DuckEngine  # noqa: PLC0415

    ensure, table = DuckEngine._ensure, DuckEngine.table
    depth = [0]

    def timed(work: Callable[..., Any], tag: str) -> Callable[..., Any]:
        def run(self: DuckEngine, name: str) -> Any:
            if tag == "need" and name in self._ready:
                return work(self, name)
            started = (time.perf_counter(), time.process_time())
            depth[0] += 1
            try:
                return work(self, name)
            finally:
                depth[0] -= 1
                wall = time.perf_counter() - started[0]
                cpu = time.process_time() - started[1]
                if wall > 0.05:
                    indent = "  " * depth[0]
                    print(
                        f"{indent}{tag} {name}: {wall:.2f} s wall, {cpu:.2f} s CPU, "
                        f"peak {_peak() / _GIB:.2f} GiB",
                        file=sys.stderr,
                    )

        return run

    DuckEngine._ensure = timed(ensure, "need")  # type: ignore[method-assign]
    DuckEngine.table = timed(table, "ask")  # type: ignore[method-assign]


def _peak() -> int:
    """Return the most memory this process held, in bytes.

    What the system counts as used begins with that of the process which started it.
    """
    told = Path("/proc/self/status")
    if told.exists():
        (held,) = re.findall(r"VmHWM:\s+(\d+) kB", told.read_text(encoding="utf-8"))
        return int(held) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


SCANNED = {
    "checkouts": "id request_id checkout_number amount status created_at updated_at "
    "payment_ids pull_id page_no position",
    "payments": "id checkout_id payment_method amount wage_amount affected_amount "
    "ref_id status error_code created_at updated_at paid_at type mandate_id "
    "pull_id page_no position",
    "books": "reference product amount status occurred_at pull_id page_no position",
}
"""The columns that the rules need of the large tables."""


def scan(lake_folder: Path, arguments: argparse.Namespace) -> dict[str, Any]:
    """Read the columns that the rules need, and nothing else."""
    import duckdb  # noqa: PLC0415

    from recon.lake import Lake  # noqa: PLC0415

    lake = Lake(lake_folder)
    with duckdb.connect(config={"memory_limit": f"{arguments.memory}B"}) as connection:
        if arguments.threads:
            connection.execute(f"set threads = {arguments.threads}")
        counts = {}
        for table, columns in SCANNED.items():
            parts = ", ".join(f'max("{name}")' for name in columns.split())
            files = [str(path) for path in lake.files(table)]
            found = connection.sql(
                f"select count(*) as rows, {parts} from read_parquet(?)",
                params=[files],
            ).to_arrow_table()
            counts[table] = found["rows"][0].as_py()
    return counts


WAYS = {"suite": suite, "scan": scan, "reports": reports}


def measured(way: str, folder: Path, *options: str) -> dict[str, Any]:
    """Run one way as a process of its own; returns what it used and found."""
    command = [sys.executable, "-m", "tests.bench.scale", "--way", way, str(folder)]
    done = subprocess.run([*command, *options], check=True, stdout=subprocess.PIPE)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _one(arguments: argparse.Namespace) -> None:
    started = time.perf_counter()
    found = WAYS[arguments.way](arguments.folder, arguments)
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(
        json.dumps(
            {
                "cpu": round(used.ru_utime + used.ru_stime, 2),
                "wall": round(time.perf_counter() - started, 2),
                "peak": round(_peak() / _GIB, 2),
                "found": found,
            }
        )
    )


def compare(folder: Path, sizes: Sequence[int]) -> None:
    """Print the suite beside the scan, at two limits of memory, size after size."""
    before = 0.0
    for payments in sizes:
        lake = folder / f"payments-{payments}"
        if not lake.exists():
            scale_lakes.make(lake, payments)
        print(f"\nall checks on {payments:,} payments, three pulls of history")
        limit = measured("scan", lake)
        print(f"  {'scan, the limit':22} {_figures(limit)}")
        for way, place in (("", lake), (", compacted", _compacted(lake))):
            for gibibytes in LIMITS:
                used = measured("suite", place, "--memory", str(gibibytes * _GIB))
                _prove(used["found"]["breaks"], payments)
                ratio = used["cpu"] / limit["cpu"]
                told = f"suite, {gibibytes} GiB{way}"
                print(f"  {told:22} {_figures(used)}  x{ratio:.1f} of the scan")
        used_by_reports = measured("reports", _compacted(lake))
        print(f"  {'suite and reports':22} {_figures(used_by_reports)}")
        if before:
            print(f"  x{used['cpu'] / before:.1f} of the size before")
        before = used["cpu"]


def _compacted(lake: Path) -> Path:
    """Return the copy of a lake that is compacted; only what is new takes room."""
    from recon.lake import Lake  # noqa: PLC0415 - each way pays for its own imports
    from recon.lake.compaction import compact  # noqa: PLC0415
    from recon.lake.schema import COMPACTED  # noqa: PLC0415

    copy = lake.with_name(f"{lake.name}-compacted")
    if not copy.exists():
        shutil.copytree(lake, copy, copy_function=os.link)
        compact(Lake(copy), scale_lakes.settings().engine, COMPACTED)
    return copy


def _figures(used: Mapping[str, Any]) -> str:
    return (
        f"{used['wall']:8.1f} s wall {used['cpu']:8.1f} s CPU {used['peak']:6.2f} GiB"
    )


def _prove(found: Mapping[str, int], payments: int) -> None:
    """Stop where the suite did not find exactly what was planted."""
    count = scale_world.planted(payments)
    planted = dict.fromkeys(scale_world.PLANTED, count) | {"wallet_rollforward": 1}
    if found != planted:
        raise SystemExit(f"found {found}, planted {planted}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench.scale", description=__doc__
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("payments", type=int, nargs="*", default=[1_000_000])
    parser.add_argument("--memory", type=int, default=2 * _GIB, help="of one way")
    parser.add_argument("--threads", type=int, default=0, help="of one way")
    parser.add_argument("--whole", action="store_true", help="by no clearing")
    parser.add_argument("--profile", action="store_true", help="tell every model's")
    parser.add_argument("--way", choices=sorted(WAYS), help="run this one here")
    return parser.parse_args()


if __name__ == "__main__":
    given = _arguments()
    if given.way:
        _one(given)
    else:
        compare(given.folder, given.payments)
