"""Makes a lake of 1, 10 or 50 million payments with three pulls of history.

`python -m tests.bench.scale_lakes FOLDER PAYMENTS`. Rows are drawn by DuckDB and go
through the lake's own door, so everything reads it as a real lake.
"""

import argparse
import time
from pathlib import Path

import duckdb
import pyarrow as pa

from recon.lake import Lake, Writing
from recon.lake.schema import TABLES
from recon.settings import Business, CashIn, Engine, Settings, Unified
from tests.bench import scale_more, scale_world
from tests.bench.scale_world import WALLET

LAST_PULL = 3
_BATCH = 100_000


def settings(memory: int = 2 * 2**30, threads: int = 0) -> Settings:
    """Return the settings of the shop."""
    return Settings(
        business=Business(name="shop"),
        unified=Unified(),
        cash_in=CashIn(wallet_iban=WALLET, settled_statuses=("DONE",)),
        engine=Engine(memory_limit=memory, threads=threads),
    )


def make(folder: Path, payments: int) -> Lake:
    """Make the lake, which must not be there yet."""
    if folder.exists():
        raise SystemExit(f"{folder} is there already")
    lake = Lake(folder)
    with duckdb.connect(config={"memory_limit": "3GB"}) as connection:
        connection.execute("set TimeZone = 'UTC'")
        connection.execute(scale_world.shop(payments))
        maker = _Maker(lake, connection, payments)
        maker.imports()
        maker.lists()
        for pull in range(1, LAST_PULL + 1):
            maker.pull(pull)
    return lake


class _Maker:
    def __init__(
        self, lake: Lake, connection: duckdb.DuckDBPyConnection, payments: int
    ) -> None:
        self._lake = lake
        self._connection = connection
        self._payments = payments
        self._few = max(1, payments // 100)
        self._fewest = max(1, payments // 1000)

    def imports(self) -> None:
        more, few = scale_more, self._few
        tables = {
            "books": [scale_world.books(), more.card_orders(few)],
            "gateway_tokens": [more.tokens(few)],
            "hosted_requests": [more.hosted_requests(few)],
            "deposits": [more.deposits(self._fewest)],
            "tariff": [more.tariff()],
            "balances": [more.balances(self._moved())],
        }
        for table, queries in tables.items():
            with self._lake.begin("import", table) as writing:
                for query in queries:
                    self._write(writing, table, query)
                writing.commit()

    def lists(self) -> None:
        more = scale_more
        tables = {
            "mandates": scale_world.mandates(self._payments),
            "agreements": more.agreements(self._fewest),
            "accounts": more.accounts(),
            "gateway_transactions": more.transactions(self._few),
            "hosted_checkouts": more.hosted(self._few),
        }
        for table, query in tables.items():
            with self._lake.begin("pull", table) as writing:
                self._write(writing, table, query)
                if table in ("mandates", "agreements"):
                    key = TABLES[table].key[0]
                    self._see(writing, table, f"select {key} as id from ({query})")
                writing.commit(whole=table in ("mandates", "agreements"))

    def pull(self, number: int) -> None:
        """Pull checkouts: the first and the last time as whole sweeps."""
        payments = scale_world.payments(number, self._payments)
        with self._lake.begin("pull", "checkouts") as writing:
            self._write(writing, "checkouts", scale_world.checkouts(number))
            self._write(writing, "payments", payments)
            if number == LAST_PULL:
                self._see(writing, "checkouts", scale_world.seen())
            writing.commit(whole=number == LAST_PULL)

    def _moved(self) -> str:
        """Return what moved the wallet: the newest version of each record."""
        few = self._few
        unified = " union all ".join(
            scale_world.payments(pull, self._payments, newest=True)
            for pull in range(1, LAST_PULL + 1)
        )
        return f"""
select paid_at as at, affected_amount as effect from ({unified})
union all
select verified_at, real_amount from ({scale_more.tokens(few)})
union all
select created_at, amount - wage from ({scale_more.hosted(few)})
where status = 'SUCCEED'
union all
select settled_at, amount from ({scale_more.deposits(self._fewest)})
"""

    def _write(self, writing: Writing, table: str, query: str) -> None:
        schema = TABLES[table].columns
        own = ", ".join(
            f'cast("{field.name}" as {_type(field.type)}) as "{field.name}"'
            for field in schema
        )
        hashed = ", ".join(f'"{name}"' for name in schema.names)
        rows = self._connection.sql(
            f"select *, md5(cast(row({hashed}) as varchar)) as record_hash from ("
            f"select {own}, cast(page as integer) as page_no, "
            f"cast(place as integer) as position, now() as seen_at from ({query}))"
        )
        for batch in rows.to_arrow_reader(_BATCH):
            writing.table(table, pa.Table.from_batches([batch]))

    def _see(self, writing: Writing, table: str, query: str) -> None:
        for batch in self._connection.sql(query).to_arrow_reader(_BATCH):
            writing.seen(table, batch["id"])


def _type(kind: pa.DataType) -> str:
    names = {
        pa.string(): "varchar",
        pa.int64(): "bigint",
        pa.bool_(): "boolean",
        pa.list_(pa.string()): "varchar[]",
    }
    return names.get(kind, "timestamptz")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("payments", type=int)
    given = parser.parse_args()
    started = time.perf_counter()
    make(given.folder, given.payments)
    print(f"{time.perf_counter() - started:.1f} s")
