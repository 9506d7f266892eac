"""The truth of the sandbox's world, held against what the lake says of it.

Read from the world itself and not through any answer. Amounts in rials. A record is
compared by its id and by what money hangs on: amount, wage, effect, status.
"""

from collections.abc import Callable, Iterator
from typing import Any

from recon.lake import Lake
from recon.lake.schema import TABLES
from recon.sandbox.world import World

Facts = dict[Any, tuple[Any, ...]]


def _checkouts(world: World) -> Facts:
    return {
        key: (row["amount"], row["status"], row["request_id"], row["checkout_number"])
        for key, row in world.checkouts.items()
    }


def _payments(world: World) -> Facts:
    return {
        pay["id"]: (
            row["id"],
            pay["amount"],
            pay["wage_amount"],
            pay["affected_amount"],
            pay["status"],
            pay["ref_id"],
        )
        for row in world.checkouts.values()
        for pay in row["payments"]
    }


def _mandates(world: World) -> Facts:
    return {
        key: (row["limit"], row["count"], row["status"], row["payment_method"])
        for key, row in world.mandates.items()
    }


def _agreements(world: World) -> Facts:
    return {
        key: (row["amount"], row["state"], row["trace_id"])
        for key, row in world.agreements.items()
    }


def _customers(world: World) -> Facts:
    return {
        str(key): (row["mobile"], row["national_code"])
        for key, row in world.escrow_customers.items()
    }


def _deposits(world: World) -> Facts:
    """By request, too: two may have one id, which is a fault that is planted."""
    return {
        (track_id, str(entry["gateway_transaction_id"])): (
            entry["amount"], entry["wage"], entry["status"], entry["iban"]
        )
        for track_id, entries in world.deposits.items()
        for entry in entries
    }  # fmt: skip


def _hosted(world: World) -> Facts:
    return {
        key: (int(row["amount"]), int(row["wage"]), row["status"])
        for key, row in world.hosted_checkouts.items()
    }


def _gateway(world: World) -> Facts:
    return {
        key: (int(row["amount"]), row["code"], row["refnumber"])
        for key, row in world.gateway_transactions.items()
    }


def _accounts(world: World) -> Facts:
    return {row["IBAN"]: (row["account_number"],) for row in world.accounts}


SOURCES: dict[str, list[tuple[str, Callable[[World], Facts], tuple[str, ...]]]] = {
    "checkouts": [
        (
            "checkouts",
            _checkouts,
            ("id", "amount", "status", "request_id", "checkout_number"),
        ),
        (
            "payments",
            _payments,
            (
                "id",
                "checkout_id",
                "amount",
                "wage_amount",
                "affected_amount",
                "status",
                "ref_id",
            ),
        ),
    ],
    "mandates": [
        ("mandates", _mandates, ("id", "limit", "count", "status", "payment_method"))
    ],
    "agreements": [
        ("agreements", _agreements, ("tracking_code", "amount", "state", "trace_id"))
    ],
    "customers": [("customers", _customers, ("uid", "mobile", "national_code"))],
    "deposits": [
        (
            "deposits",
            _deposits,
            (*TABLES["deposits"].key, "amount", "wage", "status", "iban"),
        )
    ],
    "hosted_checkouts": [
        ("hosted_checkouts", _hosted, ("id", "amount", "wage", "status"))
    ],
    "gateway_transactions": [
        (
            "gateway_transactions",
            _gateway,
            ("token", "amount", "code", "refnumber"),
        )
    ],
    "accounts": [("accounts", _accounts, ("iban", "account_number"))],
}
"""What each source must have brought: table, facts by key, columns of the lake."""


def snapshot(world: World) -> dict[str, Facts]:
    """Return the facts of every table at this moment."""
    return {
        table: facts(world) for each in SOURCES.values() for table, facts, _ in each
    }


def held(lake: Lake, table: str, columns: tuple[str, ...]) -> Facts:
    """Return the newest version of each record that the lake has, by its key."""
    width = len(TABLES[table].key)
    rows = (
        [row[name] for name in columns]
        for row in lake.current(table, columns).to_pylist()
    )
    return {
        row[0] if width == 1 else tuple(row[:width]): tuple(row[width:]) for row in rows
    }


def contradictions(
    lake: Lake,
    source: str,
    before: dict[str, Facts],
    after: dict[str, Facts],
    *,
    whole: bool,
) -> Iterator[str]:
    """Say where a source that calls itself complete differs from the truth.

    `before` and `after` are the world when the pull began and ended: what stood the
    whole time must be there as it is; what changed meanwhile may be either.
    """
    for table, _, columns in SOURCES.get(source, ()):
        found = held(lake, table, columns)
        for key, fact in before[table].items():
            if after[table].get(key) == fact and found.get(key) != fact:
                yield f"{table} {key}: {found.get(key)} where {fact} is true"
        for key, fact in found.items():
            known = [each[table].get(key) for each in (before, after)]
            if known == [None, None]:
                if whole and table != "payments" and _stands(lake, table, key):
                    yield f"{table} {key} is held for standing and does not exist"
            elif fact not in known and key in before[table]:
                yield f"{table} {key}: {fact} was never true ({known})"


def _stands(lake: Lake, table: str, key: Any) -> bool:
    """Tell whether the newest whole sweep met a record."""
    last = lake.last_whole_sweep(table)
    if last is None:
        return False
    import pyarrow.parquet as pq  # noqa: PLC0415 - rarely needed

    return key in pq.read_table(last[1])["id"].to_pylist()
