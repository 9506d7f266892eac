"""A night on a large lake: `python -m tests.bench.scale_nights FOLDER [PAYMENTS …]`.

The lake is compacted and cleared; then 10,000 of its newest checkouts are met in a
newer version, and as many new ones come with their payments and orders. The suite by
the clearing stands beside the whole one, each as a process of its own.
"""

import argparse
from pathlib import Path

import duckdb
import pyarrow as pa

from recon.lake import Lake
from recon.lake.compaction import compact
from recon.lake.parts import CLEARING
from recon.lake.schema import COMPACTED, TABLES
from recon.reconcile.clearing.clearing import clear
from recon.reconcile.engines.duckdb import DuckEngine
from recon.reconcile.run import reconcile
from tests.bench import scale_lakes
from tests.bench.scale import measured

NEWEST = 10_000

_CHOSEN = f"""
create table chosen as
select * from read_parquet($checkouts) order by created_at desc, id limit {NEWEST}
"""

_BROUGHT = {
    "checkouts": """
select * replace (updated_at + interval 1 hour as updated_at) from chosen
union all
select * replace (
    anew(id) as id,
    anew(request_id) as request_id,
    anew(checkout_number) as checkout_number,
    list_transform(payment_ids, lambda each: anew(each)) as payment_ids,
    created_at + interval 14 day as created_at,
    updated_at + interval 14 day as updated_at
)
from chosen
""",
    "payments": """
select * replace (
    anew(id) as id,
    anew(checkout_id) as checkout_id,
    anew(ref_id) as ref_id,
    created_at + interval 14 day as created_at,
    updated_at + interval 14 day as updated_at,
    paid_at + interval 14 day as paid_at
)
from read_parquet($payments)
where checkout_id in (select id from chosen)
""",
    "books": """
select * replace (
    anew(reference) as reference, occurred_at + interval 14 day as occurred_at
)
from read_parquet($books)
where reference in (select checkout_number from chosen)
""",
}


def prepare(lake: Lake) -> None:
    """Compact and clear a lake, and bring it a night, unless that was done."""
    settings = scale_lakes.settings()
    if lake.commits(kind=CLEARING):
        return
    compact(lake, settings.engine, COMPACTED)
    with reconcile(lake, settings, dry_run=True) as whole:
        if not isinstance(whole.engine, DuckEngine):
            raise TypeError("it is DuckDB that clears")
        if not clear(lake, whole.engine, whole.findings):
            raise SystemExit("the outstanding rows alone give something else")
    _bring(lake)


def _bring(lake: Lake) -> None:
    commits = lake.commits()
    files = {
        name: [str(path) for path in lake.fetch(lake.parts(name, commits).compacted)]
        for name in _BROUGHT
    }
    with duckdb.connect() as connection:
        connection.execute("set TimeZone = 'UTC'")
        connection.execute("create macro anew(name) as md5(name || 'night')")
        connection.execute(_CHOSEN, {"checkouts": files["checkouts"]})
        tables = {}
        for name, sql in _BROUGHT.items():
            given = {name: files[name]} if name != "checkouts" else None
            tables[name] = connection.sql(sql, params=given).to_arrow_table()
    for kind, source, names in (
        ("pull", "checkouts", ("checkouts", "payments")),
        ("import", "books", ("books",)),
    ):
        with lake.begin(kind, source) as writing:
            for name in names:
                writing.table(name, _own(name, tables[name]))
            writing.commit(whole=False)


def _own(name: str, rows: pa.Table) -> pa.Table:
    return rows.select([*TABLES[name].columns.names, "seen_at", "page_no", "position"])


def compare(folder: Path, payments: int) -> None:
    """Print the night's suite beside the whole one on the same lake."""
    lake = folder / f"payments-{payments}"
    if not lake.exists():
        scale_lakes.make(lake, payments)
    prepare(Lake(lake))
    whole = measured("suite", lake, "--whole")
    night = measured("suite", lake)
    how = [used["found"].pop("is_whole") for used in (whole, night)]
    if how != [True, False]:
        raise SystemExit(f"read whole: {how}, instead of once whole and once not")
    if whole["found"] != night["found"]:
        raise SystemExit(f"whole {whole['found']}, by the clearing {night['found']}")
    print(f"\na night of {2 * NEWEST:,} checkouts on {payments:,} payments")
    for name, used in (("whole", whole), ("by the clearing", night)):
        share = used["cpu"] / whole["cpu"]
        print(
            f"  {name:18} {used['wall']:8.1f} s wall {used['cpu']:8.1f} s CPU "
            f"{used['peak']:6.2f} GiB  {share:.1%} of the whole"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench.scale_nights", description=__doc__
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("payments", type=int, nargs="*", default=[1_000_000])
    given = parser.parse_args()
    for size in given.payments:
        compare(given.folder, size)
