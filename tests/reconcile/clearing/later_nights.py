"""Nights after a clearing that do to cleared records whatever a provider, or a book
keeper, may: the rows of each night, drawn from a seed.

Nothing here is likely; all of it is possible. Each act takes what stands and returns
the rows, by table, that a pull or an import would bring next.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from recon.lake.schema import PASSED_OVER
from tests.engines.history_lakes import _bare

Row = dict[str, Any]
Rows = dict[str, list[Row]]
Act = Callable[["Business"], Rows]

QUARTER = timedelta(days=90)
IMPORTED = (
    *("books", "balances", "deposits", "tariff", "adjustments", "bank_statement"),
    *("gateway_tokens", "hosted_requests", "events"),
)


class Business:
    """What stands in the lake, row by row, and what is held back for later nights."""

    def __init__(self, tables: Mapping[str, list[Row]], seed: int) -> None:
        self.chance = Random(seed)
        self.rows: Rows = {}
        self.held: Rows = {}
        self._number = 0
        until = max(row["at"] for row in tables["balances"]) - timedelta(days=3)
        late = {row["id"] for row in tables["checkouts"] if row["created_at"] > until}
        time = {"books": "occurred_at", "balances": "at", "gateway_tokens": "sent_at"}
        for name, rows in tables.items():
            key = {"checkouts": "id", "payments": "checkout_id"}.get(name, "")
            for row in map(_bare, rows):
                waits = row[key] in late if key else False
                if name in time:
                    waits = row[time[name]] > until
                place = self.held if waits else self.rows
                place.setdefault(name, []).append(row)

    def any(self, table: str) -> Row:
        """Return a copy of some row that stands."""
        return dict(self.chance.choice(self.rows[table]))

    def new_id(self, kind: str) -> str:
        self._number += 1
        return f"new-{kind}-{self._number}"

    def night(self) -> Rows:
        """Return the rows of a night of a few acts; they stand from then on."""
        brought: Rows = {}
        acts = self.chance.sample(ACTS, self.chance.randint(2, 7))
        acts += [act for act in ENDS if self.chance.random() < 0.03]
        for act in acts:
            for name, rows in act(self).items():
                brought.setdefault(name, []).extend(rows)
        for name, rows in brought.items():
            self.rows.setdefault(name, []).extend(rows)
        return brought

    def other_amount(self, amount: int | None) -> int | None:
        return self.chance.choice([amount, None, 0, (amount or 0) + 10, 10**9])


def newcomers(it: Business) -> Rows:
    """Some of those held back come, each with its payments and its order."""
    found: Rows = {}
    for name, rows in it.held.items():
        count = it.chance.randint(0, max(1, len(rows) // 3))
        found[name], it.held[name] = rows[:count], rows[count:]
    return found


def changed_checkout(it: Business) -> Rows:
    row = it.any("checkouts")
    field = it.chance.choice(["status", "amount", "updated_at", "created_at"])
    row[field] = {
        "status": it.chance.choice(["paid", "not_paid", "expired", None]),
        "amount": it.other_amount(row["amount"]),
    }.get(field, it.any("checkouts")[field])
    return {"checkouts": [row]}


def changed_payment(it: Business) -> Rows:
    row = it.any("payments")
    field = it.chance.choice(["amount", "wage_amount"])
    row[field] = it.other_amount(row[field])
    return {"payments": [row]}


def other_effect(it: Business) -> Rows:
    row = it.any("payments")
    row["affected_amount"] = it.other_amount(row["affected_amount"])
    if it.chance.random() < 0.4:
        row["status"] = it.chance.choice(["done", "pending_redirect", "failed", None])
    if it.chance.random() < 0.2:
        row["error_code"] = "WITHDRAWAL_TIMEOUT"
    return {"payments": [row]}


def borrowed_receipt(it: Business) -> Rows:
    row = it.any("payments") | {"ref_id": it.any("payments")["ref_id"]}
    if row["ref_id"] and it.chance.random() < 0.5:
        row["ref_id"] = f" {row['ref_id']} "
    return {"payments": [row]}


def moved_payment(it: Business) -> Rows:
    return {
        "payments": [it.any("payments") | {"checkout_id": it.any("checkouts")["id"]}]
    }


def orphan_payment(it: Business) -> Rows:
    home = it.chance.choice([None, "nowhere", it.any("checkouts")["id"]])
    row = it.any("payments") | {"id": it.new_id("payment"), "checkout_id": home}
    return {"payments": [row]}


def other_time(it: Business) -> Rows:
    row = it.any("payments")
    shift = timedelta(minutes=it.chance.choice([-4320, -6, 1, 4, 1440]))
    for field in ("paid_at", "created_at"):
        row[field] = row[field] and row[field] + shift
    if it.chance.random() < 0.2:
        row["paid_at"] = None
    return {"payments": [row]}


def other_list(it: Business) -> Rows:
    row = it.any("checkouts")
    theirs = it.any("checkouts")["payment_ids"] or []
    row["payment_ids"] = it.chance.choice(
        [[], theirs, (row["payment_ids"] or []) + theirs]
    )
    return {"checkouts": [row]}


def borrowed_number(it: Business) -> Rows:
    row, other = it.any("checkouts"), it.any("checkouts")
    if it.chance.random() < 0.5:
        row["id"] = it.new_id("checkout")
        row["payment_ids"] = []
    field, theirs = it.chance.choices(["request_id", "checkout_number"], k=2)
    row[field] = other[theirs]
    return {"checkouts": [row]}


def changed_order(it: Business) -> Rows:
    row = it.any("books")
    field = it.chance.choice(["amount", "status", "occurred_at", "product"])
    row[field] = {
        "amount": it.other_amount(row["amount"]) or 7,
        "status": it.chance.choice(["paid", "unpaid", "refunded", PASSED_OVER]),
        "occurred_at": row["occurred_at"]
        + timedelta(days=it.chance.choice([-90, 1, 90])),
        "product": it.chance.choice([None, "unified", "gateway", "books"]),
    }[field]
    return {"books": [row] * it.chance.choice([1, 1, 2])}


def borrowed_reference(it: Business) -> Rows:
    """An order, or a record of another product, has a number of a checkout."""
    number = it.any("checkouts")[it.chance.choice(["request_id", "checkout_number"])]
    number = number or "none"
    return it.chance.choice(
        [
            {"books": [it.any("books") | {"reference": number}]},
            {"books": [it.any("books") | {"reference": f"{number}-2"}]},
            {
                "gateway_tokens": [
                    it.any("gateway_tokens")
                    | {"token": it.new_id("token"), "factor_number": number}
                ]
            },
            {
                "hosted_requests": [
                    it.any("hosted_requests")
                    | {"checkout_id": it.new_id("hosted"), "checkout_number": number}
                ]
            },
            {
                "agreements": [
                    it.any("agreements")
                    | {"tracking_code": it.new_id("agreement"), "trace_id": number}
                ]
            },
        ]
    )


def respelled(it: Business) -> Rows:
    """An order or a checkout has a number of a checkout in other digits, or marked."""
    number = it.any("checkouts")[it.chance.choice(["request_id", "checkout_number"])]
    number = (number or "none").strip()
    in_persian = number.translate(str.maketrans("0123456789", "۰۱۲۳۴۵۶۷۸۹"))
    spelled = it.chance.choice(
        [in_persian, f"\u200f{number}", f"{number}\t", "'" + number]
    )
    field = it.chance.choice(["request_id", "checkout_number"])
    return it.chance.choice(
        [
            {"books": [it.any("books") | {"reference": spelled}]},
            {"checkouts": [it.any("checkouts") | {field: spelled}]},
        ]
    )


def other_terms(it: Business) -> Rows:
    row = it.any("mandates")
    field = it.chance.choice(
        ["limit", "count", "expires_at", "revoked_at", "payment_method"]
    )
    row[field] = {
        "limit": it.chance.choice([1, None, 10**12]),
        "count": it.chance.choice([0, 1, None, 999]),
        "payment_method": "another",
    }.get(field, datetime(2020, 1, 1, tzinfo=UTC))
    return {"mandates": [row]}


def more_uses(it: Business) -> Rows:
    """A mandate is used again and again in a month in which it was used before."""
    used = [row for row in it.rows["payments"] if row["mandate_id"]]
    if not used:
        return {}
    one = it.chance.choice(used)
    payments, checkouts = [], []
    for _ in range(it.chance.randint(1, 12)):
        checkout, payment = it.new_id("checkout"), it.new_id("payment")
        payments.append(
            one
            | {"id": payment, "checkout_id": checkout, "ref_id": payment}
            | {"affected_amount": 0}
        )
        checkouts.append(
            it.any("checkouts")
            | {
                "id": checkout,
                "request_id": checkout,
                "checkout_number": checkout,
                "payment_ids": [payment],
                "amount": one["amount"],
                "status": "paid",
            }
        )
    return {"payments": payments, "checkouts": checkouts}


def new_snapshot(it: Business) -> Rows:
    row = it.any("balances")
    row["at"] = max(each["at"] for each in it.rows["balances"]) + timedelta(hours=7)
    row["balance"] += it.chance.choice([0, 1, 5_000])
    return {"balances": [row]}


def old_snapshot(it: Business) -> Rows:
    row = it.any("balances")
    row["at"] += timedelta(seconds=it.chance.choice([0, 1]))
    row["balance"] += it.chance.choice([0, 1])
    return {"balances": [row]}


def line_of_tariff(it: Business) -> Rows:
    row = it.any("tariff")
    return {"tariff": [row | {"rate_bps": it.chance.choice([row["rate_bps"], 77])}]}


def new_deposit(it: Business) -> Rows:
    row = it.any("deposits") | {"gateway_transaction_id": it.new_id("deposit")}
    return {"deposits": [row]}


def nothing(_: Business) -> Rows:
    return {}


ACTS: list[Act] = [
    *(newcomers, changed_checkout, changed_payment, borrowed_receipt, orphan_payment),
    *(borrowed_number, changed_order, borrowed_reference, other_terms, more_uses),
    *(new_snapshot, new_deposit, nothing),
]

ENDS: list[Act] = [
    *(other_effect, other_time, moved_payment, other_list, old_snapshot),
    line_of_tariff,
]
"""What most often changes an interval that agreed, or what a clearing rests on."""
