"""Rules of the catalogue in slow, plain Python: a second reading, for tests alone.

Each rule is a function of a small world of raw rows that yields the record ids of its
breaks. It is written from the catalogue's words and from what the case files say of
nulls, not from the queries: one record at a time, no joins, no windows.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from tests.raw_rows import Row

TEHRAN = ZoneInfo("Asia/Tehran")
TOMAN = 10
MOST_OF_AN_ENTRY = 1_000_000_000


@dataclass(frozen=True)
class World:
    """Raw rows by table, the instant T, and the settings that rules read.

    `changes` are the instants from which the fee is on the other side.
    """

    rows: Mapping[str, list[Row]]
    as_of: datetime
    bearer: str = "business"
    tolerance: int = 0
    changes: tuple[datetime, ...] = ()
    stale_redirect: timedelta = timedelta(minutes=60)
    verify_window: timedelta = timedelta(minutes=20)

    def __getattr__(self, table: str) -> list[Row]:
        """Return the rows of a table; none where it is not given."""
        return list(self.rows.get(table, []))

    def bearer_of(self, created_at: datetime | None) -> str:
        """Return who bore the fee of what was created then; today, where unknown."""
        gone = [
            each for each in self.changes if created_at is None or each <= created_at
        ]
        other = {"business": "customer", "customer": "business"}[self.bearer]
        return other if len(gone) % 2 else self.bearer

    def off(self, one: int | None, other: int | None) -> bool:
        """Tell whether two amounts differ; one that is unknown proves nothing."""
        if one is None or other is None:
            return True
        return abs(one - other) > self.tolerance

    def longer(self, since: datetime, window: timedelta) -> bool:
        """Tell whether more than a window has passed at T."""
        return self.as_of - since > window


Rule = Callable[[World], Iterator[str]]


def _done(world: World, checkout: Row | None = None) -> list[Row]:
    return [
        row
        for row in world.payments
        if row["status"] == "done"
        and (checkout is None or row["checkout_id"] == checkout["id"])
    ]


def _twice(values: list[str | None]) -> list[str]:
    counted = Counter(each for each in values if each and each.strip())
    return [each for each, count in counted.items() if count > 1]


def payment_wallet_identity(world: World) -> Iterator[str]:
    for row in _done(world):
        amount, wage = row["amount"], row["wage_amount"]
        if world.bearer_of(row["created_at"]) == "customer":
            wanted = amount
        else:
            wanted = None if None in (amount, wage) else amount - wage
        if world.off(row["affected_amount"], wanted):
            yield row["id"]


def payment_affected_not_done(world: World) -> Iterator[str]:
    for row in world.payments:
        if row["status"] != "done" and row["affected_amount"]:
            yield row["id"]


def payment_receipt_missing(world: World) -> Iterator[str]:
    for row in _done(world):
        if not (row["ref_id"] or "").strip() or row["paid_at"] is None:
            yield row["id"]


def payment_ref_id_duplicate(world: World) -> Iterator[str]:
    yield from _twice([row["ref_id"] for row in _done(world)])


def payment_timeout_uncertain(world: World) -> Iterator[str]:
    settled = {row["checkout_id"] for row in _done(world)}
    for row in world.payments:
        late = row["error_code"] == "WITHDRAWAL_TIMEOUT"
        if late and row["checkout_id"] not in settled:
            yield row["id"]


def payment_redirect_stale(world: World) -> Iterator[str]:
    for row in world.payments:
        since = row["created_at"] or row["updated_at"] or row["seen_at"]
        since = min(since, row["seen_at"])
        waits = row["status"] == "pending_redirect"
        if waits and world.longer(since, world.stale_redirect):
            yield row["id"]


def checkout_amount_mismatch(world: World) -> Iterator[str]:
    for checkout in world.checkouts:
        done = _done(world, checkout)
        if checkout["status"] != "paid" or len(done) != 1:
            continue
        if world.off(done[0]["amount"], checkout["amount"]):
            yield checkout["id"]


def checkout_paid_without_payment(world: World) -> Iterator[str]:
    for checkout in world.checkouts:
        if checkout["status"] == "paid" and not _done(world, checkout):
            yield checkout["id"]


def checkout_unpaid_with_payment(world: World) -> Iterator[str]:
    for checkout in world.checkouts:
        unpaid = checkout["status"] in ("not_paid", None)
        if unpaid and _done(world, checkout):
            yield checkout["id"]


def checkout_paid_twice(world: World) -> Iterator[str]:
    for checkout in world.checkouts:
        if len(_done(world, checkout)) > 1:
            yield checkout["id"]


def checkout_request_duplicate(world: World) -> Iterator[str]:
    yield from _twice([row["request_id"] for row in world.checkouts])


def checkout_number_paid_twice(world: World) -> Iterator[str]:
    paid = [row for row in world.checkouts if row["status"] == "paid"]
    yield from _twice([(row["checkout_number"] or "").strip(" ") for row in paid])


def _debits(world: World) -> Iterator[tuple[Row, Row | None]]:
    """Yield debit payments, each with its mandate if that was ever seen."""
    known = {row["id"]: row for row in world.mandates}
    for row in world.payments:
        untyped = row["type"] is None and row["mandate_id"] is not None
        if row["type"] == "debit" or untyped:
            yield row, known.get(row["mandate_id"] or "")


def _used(world: World) -> Iterator[tuple[Row, Row, datetime | None]]:
    """Yield done debit payments of known mandates, and when each used its own."""
    for row, mandate in _debits(world):
        if row["status"] == "done" and mandate:
            yield row, mandate, row["paid_at"] or row["created_at"]


def mandate_unknown(world: World) -> Iterator[str]:
    for row, mandate in _debits(world):
        if mandate is None:
            yield row["id"]


def mandate_limit_exceeded(world: World) -> Iterator[str]:
    for row, mandate, _ in _used(world):
        known = None not in (row["amount"], mandate["limit"])
        if known and row["amount"] > mandate["limit"]:
            yield row["id"]


def mandate_count_exceeded(world: World) -> Iterator[str]:
    used: Counter[tuple[str, str]] = Counter()
    allowed = {}
    for _, mandate, when in _used(world):
        if when is not None and mandate["count"] is not None:
            month = f"{when.astimezone(TEHRAN):%Y-%m}"
            used[mandate["id"], month] += 1
            allowed[mandate["id"]] = mandate["count"]
    for (mandate_id, month), count in used.items():
        if count > allowed[mandate_id]:
            yield f"{mandate_id}:{month}"


def mandate_used_after_expiry(world: World) -> Iterator[str]:
    yield from _used_after(world, "expires_at")


def mandate_used_after_revocation(world: World) -> Iterator[str]:
    yield from _used_after(world, "revoked_at")


def _used_after(world: World, end: str) -> Iterator[str]:
    for row, mandate, when in _used(world):
        if when is not None and mandate[end] is not None and when > mandate[end]:
            yield row["id"]


def mandate_method_mismatch(world: World) -> Iterator[str]:
    for row, mandate in _debits(world):
        if mandate and row["payment_method"] != mandate["payment_method"]:
            yield row["id"]


def _entries(world: World) -> list[Row]:
    return [row for row in world.deposits if row["outcome"] != "unknown"]


def deposit_toman_mismatch(world: World) -> Iterator[str]:
    for row in _entries(world):
        for rials, toman in (("amount", "amount_toman"), ("wage", "wage_toman")):
            ten = None if row[toman] is None else TOMAN * row[toman]
            if row[rials] != ten:
                yield row["gateway_transaction_id"]
                break


def deposit_entry_over_limit(world: World) -> Iterator[str]:
    for row in _entries(world):
        if row["amount"] is not None and row["amount"] > MOST_OF_AN_ENTRY:
            yield row["gateway_transaction_id"]


def deposit_split_mismatch(world: World) -> Iterator[str]:
    for track_id in {row["track_id"] for row in _entries(world)}:
        own = [row for row in _entries(world) if row["track_id"] == track_id]
        asked = [row["requested_amount"] for row in own if row["requested_amount"]]
        if asked and world.off(sum(row["amount"] or 0 for row in own), max(asked)):
            yield track_id


def gateway_refnumber_duplicate(world: World) -> Iterator[str]:
    yield from _twice([row["refnumber"] for row in world.gateway_transactions])


def _kept(world: World, token: str) -> Row:
    """Return what the business sent and kept of a token; empty where nothing."""
    found = [row for row in world.gateway_tokens if row["token"] == token]
    return found[0] if found else {}


def _is_kept(kept: Row) -> bool:
    names = ("real_amount", "wage", "verified_at")
    return any(kept.get(name) is not None for name in names)


def gateway_verify_missing(world: World) -> Iterator[str]:
    for row in world.gateway_transactions:
        if row["code"] == 2 and not _is_kept(_kept(world, row["token"])):
            yield row["token"]


def gateway_unverified(world: World) -> Iterator[str]:
    for row in world.gateway_transactions:
        times = (row["created_at"], row["payment_date"], row["seen_at"])
        kept = _kept(world, row["token"])
        since = min(kept.get("sent_at") or next(filter(None, times)), row["seen_at"])
        verified_at = kept.get("verified_at")
        waits = row["code"] == 1 and (not verified_at or verified_at <= row["seen_at"])
        stands = waits or row["code"] == 3
        if stands and world.longer(since, world.verify_window):
            yield row["token"]


def gateway_wallet_identity(world: World) -> Iterator[str]:
    for row in world.gateway_transactions:
        kept = _kept(world, row["token"])
        if _is_kept(kept):
            parts = (kept["real_amount"], kept["wage"])
            whole = None if None in parts else sum(parts)
            if world.off(row["amount"], whole):
                yield row["trans_id"]


def hosted_unverified(world: World) -> Iterator[str]:
    sent = {row["checkout_id"]: row["sent_at"] for row in world.hosted_requests}
    for row in world.hosted_checkouts:
        since = row["created_at"] or sent.get(row["id"]) or row["seen_at"]
        since = min(since, row["seen_at"])
        waits = row["status"] == "PENDING_VERIFY"
        if waits and world.longer(since, world.verify_window):
            yield row["id"]


def hosted_number_paid_twice(world: World) -> Iterator[str]:
    paid = [row for row in world.hosted_checkouts if row["status"] == "SUCCEED"]
    yield from _twice([row["checkout_number"] for row in paid])


def wallet_available_exceeds_balance(world: World) -> Iterator[str]:
    for row in world.balances:
        known = None not in (row["balance"], row["available_balance"])
        if known and row["available_balance"] - row["balance"] > world.tolerance:
            yield f"{row['iban']}:{row['at']:%Y-%m-%dT%H:%M:%SZ}"


UNIFIED: dict[str, Rule] = {
    rule.__name__: rule
    for rule in (
        payment_wallet_identity,
        payment_affected_not_done,
        payment_receipt_missing,
        payment_ref_id_duplicate,
        payment_timeout_uncertain,
        payment_redirect_stale,
        checkout_amount_mismatch,
        checkout_paid_without_payment,
        checkout_unpaid_with_payment,
        checkout_paid_twice,
        checkout_request_duplicate,
        checkout_number_paid_twice,
        mandate_unknown,
        mandate_limit_exceeded,
        mandate_count_exceeded,
        mandate_used_after_expiry,
        mandate_used_after_revocation,
        mandate_method_mismatch,
    )
}
OTHERS: dict[str, Rule] = {
    rule.__name__: rule
    for rule in (
        deposit_toman_mismatch,
        deposit_entry_over_limit,
        deposit_split_mismatch,
        gateway_refnumber_duplicate,
        gateway_verify_missing,
        gateway_unverified,
        gateway_wallet_identity,
        hosted_unverified,
        hosted_number_paid_twice,
        wallet_available_exceeds_balance,
    )
}
