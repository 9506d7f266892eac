"""A sandbox history as raw tables of the lake, as one whole pull and imports of it."""

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa

from recon.lake.schema import TABLES
from recon.sandbox.history import History
from recon.times import parse_instant
from tests.own_builders import commit
from tests.raw_rows import PULL, Row, raw_row, raw_table

LISTS = ("checkouts", "mandates", "agreements", "accounts")
_ZONE = UTC  # the sandbox's gateway says its times in the zone that it is made with


def tables_of(history: History, *, pulled_at: datetime) -> dict[str, pa.Table]:
    """Return the raw tables that pulls and imports of this history would fill."""
    world = history.world
    rows: dict[str, Iterable[Row]] = {
        "checkouts": map(_checkout, world.checkouts.values()),
        "payments": _payments(history),
        "mandates": map(_mandate, world.mandates.values()),
        "agreements": map(_agreement, world.agreements.values()),
        "events": map(_event, world.events),
        "accounts": ({"iban": each["IBAN"]} for each in world.accounts),
        "gateway_transactions": _transactions(history),
        "hosted_checkouts": map(_hosted, world.hosted_checkouts.values()),
        "balances": map(_times, history.balances),
        "adjustments": map(_times, history.adjustments),
        "books": map(_times, history.books),
        "bank_statement": (_entry(line) for line in history.bank_statement),
        "bank_balances": map(_balance, history.bank_statement),
        "deposits": map(_times, history.deposits),
        "gateway_tokens": map(_times, history.gateway_tokens),
        "hosted_requests": map(_times, history.hosted_checkouts),
        "tariff": (_times(vars(fee)) for fee in history.tariff.fees),
    }
    seen = [
        {"source_table": table, "id": key, "pull_id": PULL}
        for table, ids in (
            ("checkouts", world.checkouts),
            ("mandates", world.mandates),
            ("agreements", world.agreements),
            ("accounts", [each["IBAN"] for each in world.accounts]),
        )
        for key in ids
    ]
    commits = [
        commit(source=source, pull_id=PULL, started_at=pulled_at) for source in LISTS
    ]
    where = {"seen_at": pulled_at}
    return {
        "commits": raw_table("commits", commits),
        "seen_ids": raw_table("seen_ids", seen),
        **{
            table: raw_table(
                table,
                [
                    raw_row(table, where | {"position": position}, **row)
                    for position, row in enumerate(found, 1)
                ],
            )
            for table, found in rows.items()
        },
    }


def _instant(at: int | None) -> datetime | None:
    return None if at is None else datetime.fromtimestamp(at, UTC)


def _entry(line: Mapping[str, Any]) -> Row:
    return _times({name: line[name] for name in line if name != "balance"})


def _balance(line: Mapping[str, Any]) -> Row:
    told = ("iban", "booked_at", "amount", "balance")
    return _times({"statement": 1, **{name: line[name] for name in told}})


def _times(row: Mapping[str, Any]) -> Row:
    """Return a row of an import with its Unix seconds as instants, ids as text."""
    changed = dict(row)
    for name, value in row.items():
        if name in {"at", "valid_from"} or name.endswith("_at"):
            changed[name] = _instant(value)
        elif name == "gateway_transaction_id" and value is not None:
            changed[name] = str(value)
    return changed


def _own(table: str, row: Mapping[str, Any], **changed: Any) -> Row:
    """Keep what the table has of a record, its times as instants."""
    names = TABLES[table].columns.names
    own = {name: value for name, value in row.items() if name in names}
    return _times(own | changed)


def _checkout(row: Mapping[str, Any]) -> Row:
    payment_ids = [each["id"] for each in row["payments"]]
    return _own("checkouts", row, amount=int(row["amount"]), payment_ids=payment_ids)


def _payments(history: History) -> Iterator[Row]:
    for checkout in history.world.checkouts.values():
        for payment in checkout["payments"]:
            yield _own(
                "payments",
                payment,
                checkout_id=checkout["id"],
                error_code=(payment["error"] or {}).get("code"),
                mandate_id=(payment.get("debit") or {}).get("mandate_id"),
            )


def _mandate(row: Mapping[str, Any]) -> Row:
    return _own("mandates", row)


def _agreement(row: Mapping[str, Any]) -> Row:
    own = {
        name: value
        for name, value in row.items()
        if name in {"tracking_code", "trace_id", "amount", "state"}
    }
    parties = {
        f"{party['role']}_{name}": party[name]
        for party in row["parties"]
        for name in ("mobile", "national_code", "state")
    }
    return own | parties | {"created_at": datetime.fromisoformat(row["created_at"])}


def _event(envelope: Mapping[str, Any]) -> Row:
    data = envelope["data"]
    amount = data.get("amount")
    return {
        "created": _instant(envelope["created"]),
        "type": envelope["type"],
        "data": json.dumps(data, sort_keys=True),
        "tracking_code": data.get("tracking_code"),
        "trace_id": data.get("trace_id"),
        "amount": None if amount is None else int(amount),
        "state": data.get("state"),
        "origin": "import",
    }


def _transactions(history: History) -> Iterator[Row]:
    for token, row in history.world.gateway_transactions.items():
        yield {
            "token": token,
            "amount": int(row["amount"]),
            "trans_id": str(row["transId"]),
            "refnumber": row["refnumber"],
            "factor_number": row["factorNumber"],
            "code": row["code"],
            "created_at": parse_instant(row["createdAt"], _ZONE),
            "payment_date": row["paymentDate"]
            and parse_instant(row["paymentDate"], _ZONE) + timedelta(0),
        }


def _hosted(row: Mapping[str, Any]) -> Row:
    amounts = {"amount": int(row["amount"]), "wage": int(row["wage"])}
    return _own("hosted_checkouts", row, **amounts)
