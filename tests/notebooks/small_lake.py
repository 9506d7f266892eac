"""A small lake that has something of everything: for notebooks and whole reports."""

import json
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from recon import setting_files
from recon.lake import Lake, Page
from recon.reconcile.run import reconcile
from recon.settings import Settings

WALLET = "IR062960000000100324200001"
BANK = "IR890170000000100324200002"
FIRST = datetime(2026, 3, 1, 8, 30, tzinfo=UTC)
DAYS = 12
METHODS = {"debit-north": 100, "card-south": 150, "credit-lender": 200}  # bps

CONFIG = f"""
[business]
name = "shop"

[lake]
path = "lake"

[reports]
path = "reports"

[unified]
base_url = "https://provider.example"
api_key = "not-a-key"

[cash_in]
base_url = "https://provider.example"
api_key = "not-a-key"
wallet_iban = "{WALLET}"
settled_statuses = ["SETTLED"]
"""


def write_config(folder: Path, more: str = "") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "recon.toml"
    file.write_text(CONFIG + more, encoding="utf-8")
    return file


def empty_lake(folder: Path, more: str = "") -> tuple[Settings, Lake]:
    settings = setting_files.load(write_config(folder, more), {})
    return settings, Lake(settings.lake_path)


def small_lake(folder: Path, more: str = "") -> tuple[Settings, Lake]:
    """Twelve days of payments, with one break of the wallet, reconciled once."""
    settings, lake = empty_lake(folder, more)
    checkouts, payments = _unified()
    _pull(lake, "checkouts", checkouts=checkouts, payments=payments)
    _pull(lake, "mandates", mandates=_mandates())
    _pull(lake, "agreements", agreements=_agreements())
    _pull(lake, "deposits", deposits=_deposits())
    _import(lake, "events", events=_events())
    _import(lake, "balances", balances=_balances(payments))
    _import(lake, "books", books=_books(checkouts))
    _import(lake, "tariff", tariff=_tariff())
    _import(lake, "adjustments", adjustments=_adjustments())
    with reconcile(lake, settings):
        pass
    return settings, lake


def _pull(lake: Lake, source: str, **tables: list[dict[str, Any]]) -> None:
    _commit(lake, "pull", source, tables)


def _import(lake: Lake, source: str, **tables: list[dict[str, Any]]) -> None:
    _commit(lake, "import", source, tables)


def _commit(
    lake: Lake, kind: str, source: str, tables: dict[str, list[dict[str, Any]]]
) -> None:
    with lake.begin(kind, source) as writing:
        body = json.dumps(
            {"data": [row for rows in tables.values() for row in rows]}, default=str
        )
        writing.page(
            Page(
                url=f"https://provider.example/{source}",
                received_at=FIRST + timedelta(days=DAYS),
                body=body.encode(),
            )
        )
        count = sum(
            writing.rows(
                table,
                [
                    row | {"page_no": 1, "position": place}
                    for place, row in enumerate(rows, start=1)
                ],
            )
            for table, rows in tables.items()
        )
        writing.commit(
            counts={
                "records": count,
                "pages": 1,
                "new": count,
                "changed": 0,
                "vanished": 0,
            }
        )


def _unified() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Per day and method: three done payments, one failed, one timed out a while."""
    checkouts: list[dict[str, Any]] = []
    payments: list[dict[str, Any]] = []
    for day in range(DAYS):
        for number, (method, bps) in enumerate(METHODS.items()):
            for turn in range(4):
                at = FIRST + timedelta(days=day, hours=turn, minutes=number)
                made = _payment(f"{day:02}-{number}-{turn}", method, bps, at)
                if turn == 3:
                    code = ("NO_FUNDS", "WITHDRAWAL_TIMEOUT", "LIMIT")[day % 3]
                    made |= {
                        "status": "failed",
                        "affected_amount": 0,
                        "paid_at": None,
                        "ref_id": None,
                        "error_code": code,
                        "error_message": "did not happen",
                    }
                payments.append(made)
                checkouts.append(_checkout(made))
    return checkouts, payments


def _payment(key: str, method: str, bps: int, at: datetime) -> dict[str, Any]:
    amount = 1_000_000 + 10_000 * int(key[:2]) + 1_000 * int(key[-1])
    wage = amount * bps // 10_000
    return {
        "id": f"payment-{key}",
        "checkout_id": f"checkout-{key}",
        "payment_method": method,
        "amount": amount,
        "wage_amount": wage,
        "affected_amount": amount - wage,
        "ref_id": f"ref-{key}",
        "status": "done",
        "created_at": at,
        "updated_at": at,
        "paid_at": at + timedelta(seconds=30),
        "type": method.partition("-")[0],
        "mandate_id": "mandate-1" if method.startswith("debit") else None,
    }


def _checkout(payment: dict[str, Any]) -> dict[str, Any]:
    key = payment["id"].removeprefix("payment-")
    return {
        "id": payment["checkout_id"],
        "request_id": f"request-{key}",
        "checkout_number": f"order-{key}",
        "amount": payment["amount"],
        "status": "paid" if payment["status"] == "done" else "not_paid",
        "description": "=1+1",
        "created_at": payment["created_at"],
        "updated_at": payment["updated_at"],
        "customer_mobile": "09121112233",
        "customer_first_name": "Sara",
        "customer_last_name": "Rezaei",
        "payment_ids": [payment["id"]],
    }


def _mandates() -> list[dict[str, Any]]:
    return [
        {
            "id": f"mandate-{number}",
            "payment_method": "debit-north",
            "count": 40 * number,
            "limit": 5_000_000,
            "expires_at": FIRST + timedelta(days=20 * number),
            "customer_id": f"customer-{number}",
            "status": "active",
            "created_at": FIRST - timedelta(days=60),
            "updated_at": FIRST - timedelta(days=60),
        }
        for number in (1, 2)
    ]


def _agreements() -> list[dict[str, Any]]:
    states = ("contract", "finalize", "investigation", "draft")
    return [
        {
            "tracking_code": f"trade-{number}",
            "trace_id": f"trace-{number}",
            "description": "a bicycle",
            "amount": 4_000_000 * (number + 1),
            "state": state,
            "creator": "buyer",
            "created_at": FIRST + timedelta(days=number),
            "buyer_state": "accepted",
            "buyer_national_code": f"00000000{number}1",
            "buyer_mobile": f"0912000000{number}",
            "seller_state": "accepted",
            "seller_national_code": f"00000000{number}2",
            "seller_mobile": f"0935000000{number}",
        }
        for number, state in enumerate(states)
    ]


def _events() -> list[dict[str, Any]]:
    told = [("agreement_created", number) for number in range(4)]
    told += [("buyer_paid_agreement", number) for number in range(3)]
    told += [("agreement_finalized", 1), ("buyer_submitted_ticket", 2)]
    told += [("seller_checked_out", 1)]
    return [
        {
            "created": FIRST + timedelta(days=number, hours=place),
            "type": slug,
            "data": f'{{"tracking_code": "trade-{number}"}}',
            "tracking_code": f"trade-{number}",
            "trace_id": f"trace-{number}",
            "amount": 4_000_000 * (number + 1)
            if slug in ("buyer_paid_agreement", "seller_checked_out")
            else None,
            "origin": "import",
        }
        for place, (slug, number) in enumerate(told)
    ]


def _deposits() -> list[dict[str, Any]]:
    return [
        {
            "track_id": f"track-{number}",
            "gateway_transaction_id": str(9000 + number),
            "amount": 2_000_000,
            "amount_toman": 200_000,
            "wage": 500,
            "wage_toman": 50,
            "status": status,
            "iban": BANK,
            "requested_at": FIRST + timedelta(days=2 * number),
            "settled_at": FIRST + timedelta(days=2 * number, hours=3)
            if status == "SETTLED"
            else None,
            "requested_amount": 2_000_000,
            "outcome": "",
            "origin": "list",
        }
        for number, status in enumerate(("SETTLED", "SETTLED", "INIT"))
    ]


def _adjustments() -> list[dict[str, Any]]:
    return [
        {
            "at": FIRST + timedelta(days=6),
            "amount": -3_000_000,
            "kind": "settlement",
            "description": "to Sara Rezaei, 09121112233",
        }
    ]


def _balances(payments: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A snapshot each midnight; on the ninth day 12,345 rials more than is known.

    The deposit that is still queued landed on the fifth day.
    """
    found = []
    for day in range(DAYS + 1):
        at = datetime(2026, 2, 28, 20, 30, tzinfo=UTC) + timedelta(days=day)
        balance = 50_000_000 + sum(
            payment["affected_amount"]
            for payment in payments
            if payment["paid_at"] and payment["paid_at"] <= at
        )
        balance += sum(
            1_999_500
            for number in range(3)
            if FIRST + timedelta(days=2 * number, hours=3) <= at
        )
        balance -= 3_000_000 if FIRST + timedelta(days=6) <= at else 0
        balance += 12_345 if day > 8 else 0
        found.append(
            {
                "at": at,
                "iban": WALLET,
                "balance": balance,
                "available_balance": balance,
                "origin": "import",
            }
        )
    return found


def _books(checkouts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Every paid order, one of them 1,000 rials too much and one missing."""
    paid = [checkout for checkout in checkouts if checkout["status"] == "paid"]
    return [
        {
            "reference": checkout["checkout_number"],
            "amount": checkout["amount"] + (1_000 if place == 3 else 0),
            "status": "paid",
            "occurred_at": checkout["created_at"],
            "product": "unified",
        }
        for place, checkout in enumerate(paid)
        if place != 5
    ]


def _tariff() -> list[dict[str, Any]]:
    return [
        {
            "product": "unified",
            "payment_method": method,
            "rate_bps": bps,
            "fixed": 0,
            "valid_from": datetime.combine(date(2026, 1, 1), datetime.min.time(), UTC),
        }
        for method, bps in list(METHODS.items())[:2]
    ]
