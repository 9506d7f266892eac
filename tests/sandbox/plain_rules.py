"""The catalogue of checks once more, in slow and plain Python, over a history.

Written from the catalogue alone, as an oracle for the generator's tests: `violations`
says what a run must report on a history that is looked at some time after its end.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Any

from recon.sandbox.history import History
from recon.times import calendar_month, format_instant
from tests.sandbox import plain_rules_books, plain_rules_escrow, plain_rules_pages
from tests.sandbox.plain_rules_pages import local_day, utc

Break = tuple[str, str, str]  # check, product, record_id
Row = dict[str, Any]

HOUR = 3600


def violations(
    history: History, *, later: int = 60 * HOUR, calendar: str = "gregorian"
) -> Counter[Break]:
    """Return every break of a history, looked at `later` seconds after its end."""
    as_of = int(history.ends_at.timestamp()) + later
    return Counter(
        [
            *_payments(history, as_of),
            *_checkouts(history),
            *_mandates(history, calendar),
            *plain_rules_pages.breaks(history, as_of),
            *plain_rules_escrow.breaks(history, as_of),
            *_wages(history),
            *_wallet(history),
            *plain_rules_books.breaks(history),
        ]
    )


def payments(history: History) -> Iterator[tuple[Row, Row]]:
    for checkout in history.world.checkouts.values():
        for payment in checkout["payments"]:
            yield checkout, payment


def done(checkout: Row) -> list[Row]:
    return [each for each in checkout["payments"] if each["status"] == "done"]


def repeated(values: Iterable[str]) -> list[str]:
    return [value for value, count in Counter(values).items() if count > 1]


def timed_out(history: History) -> list[Row]:
    return [
        payment
        for checkout, payment in payments(history)
        if not done(checkout)
        and payment["error"]
        and payment["error"]["code"] == "WITHDRAWAL_TIMEOUT"
    ]


def _payments(history: History, as_of: int) -> Iterator[Break]:
    for _, each in payments(history):
        net = each["amount"] - each["wage_amount"]
        if each["status"] == "done":
            if each["affected_amount"] != net:
                yield "payment_wallet_identity", "unified", each["id"]
            if not each["ref_id"] or not each["paid_at"]:
                yield "payment_receipt_missing", "unified", each["id"]
        elif each["affected_amount"]:
            yield "payment_affected_not_done", "unified", each["id"]
        waits = as_of - each["created_at"]
        if each["status"] == "pending_redirect" and waits > HOUR:
            yield "payment_redirect_stale", "unified", each["id"]
    for each in timed_out(history):
        yield "payment_timeout_uncertain", "unified", each["id"]
    receipts = [
        each["ref_id"]
        for _, each in payments(history)
        if each["status"] == "done" and each["ref_id"]
    ]
    for ref_id in repeated(receipts):
        yield "payment_ref_id_duplicate", "unified", ref_id


def _checkouts(history: History) -> Iterator[Break]:
    checkouts = list(history.world.checkouts.values())
    for each in checkouts:
        happened, paid = done(each), each["status"] == "paid"
        if paid and len(happened) == 1 and happened[0]["amount"] != each["amount"]:
            yield "checkout_amount_mismatch", "unified", each["id"]
        if paid and not happened:
            yield "checkout_paid_without_payment", "unified", each["id"]
        if each["status"] == "not_paid" and happened:
            yield "checkout_unpaid_with_payment", "unified", each["id"]
        if len(happened) > 1:
            yield "checkout_paid_twice", "unified", each["id"]
    for request_id in repeated(each["request_id"] for each in checkouts):
        yield "checkout_request_duplicate", "unified", request_id
    numbers = [
        each["checkout_number"]
        for each in checkouts
        if each["status"] == "paid" and each["checkout_number"]
    ]
    for number in repeated(numbers):
        yield "checkout_number_paid_twice", "unified", number


def _mandates(history: History, calendar: str) -> Iterator[Break]:
    mandates = history.world.mandates
    drawn: Counter[tuple[str, str]] = Counter()
    for _, each in payments(history):
        if each["type"] != "debit":
            continue
        mandate = mandates.get(each["debit"]["mandate_id"])
        for check in _misuse(each, mandate):
            yield check, "unified", each["id"]
        if mandate and each["status"] == "done":
            month = calendar_month(local_day(each["paid_at"]), calendar)
            drawn[mandate["id"], month] += 1
    for (mandate_id, month), count in drawn.items():
        if count > mandates[mandate_id]["count"]:
            yield "mandate_count_exceeded", "unified", f"{mandate_id}:{month}"


def _misuse(payment: Row, mandate: Row | None) -> Iterator[str]:
    if mandate is None:
        yield "mandate_unknown"
        return
    if payment["payment_method"] != mandate["payment_method"]:
        yield "mandate_method_mismatch"
    if payment["status"] != "done":
        return
    if payment["amount"] > mandate["limit"]:
        yield "mandate_limit_exceeded"
    if payment["paid_at"] > mandate["expires_at"]:
        yield "mandate_used_after_expiry"
    revoked_at = mandate["revoked_at"]
    if revoked_at is not None and payment["paid_at"] > revoked_at:
        yield "mandate_used_after_revocation"


def _charged(history: History) -> Iterator[tuple[str, str, str, int, int, int]]:
    """Yield product, method, record id, amount, wage and time of certain records."""
    for _, each in payments(history):
        if each["status"] == "done":
            at = each["paid_at"] or each["created_at"]
            slug, wage = each["payment_method"], each["wage_amount"]
            yield "unified", slug, each["id"], each["amount"], wage, at
    transactions = history.world.gateway_transactions
    for each in history.gateway_tokens:
        if each["verified_at"] is not None:
            found = transactions[each["token"]]
            amount, at = int(found["amount"]), each["verified_at"]
            yield "gateway", "*", str(found["transId"]), amount, each["wage"], at
    for each in history.world.hosted_checkouts.values():
        if each["status"] == "SUCCEED":
            amount, wage = int(each["amount"]), int(each["wage"])
            yield "hosted", "*", each["id"], amount, wage, each["created_at"]
    for each in history.deposits:
        if each.get("status") == "SETTLED":
            record, wage = str(each["gateway_transaction_id"]), each["wage"]
            yield "cash_in", "*", record, each["amount"], wage, each["settled_at"]


def _wages(history: History) -> Iterator[Break]:
    for product, method, record, amount, wage, at in _charged(history):
        rows = [
            fee
            for fee in history.tariff.fees
            if fee.product == product
            and fee.payment_method in {method, "*"}
            and fee.valid_from <= at
        ]
        named = [fee for fee in rows if fee.payment_method == method] or rows
        fee = max(named, key=lambda each: each.valid_from)
        expected = amount * fee.rate_bps // 10_000 + fee.fixed
        expected = max(expected, fee.minimum or 0)
        if fee.maximum is not None:
            expected = min(expected, fee.maximum)
        if wage != expected:
            yield "wage_outside_tariff", product, record


def certain_moves(history: History) -> list[tuple[int, int]]:
    """Return (at, rials) of all that is certain to have moved the wallet."""
    return [
        *((row["at"], row["amount"]) for row in history.adjustments),
        *(
            (each["paid_at"], each["affected_amount"])
            for _, each in payments(history)
            if each["status"] == "done" and each["paid_at"]
        ),
        *(
            (each["verified_at"], each["real_amount"])
            for each in history.gateway_tokens
            if each["verified_at"] is not None
        ),
        *(
            (each["created_at"], int(each["amount"]) - int(each["wage"]))
            for each in history.world.hosted_checkouts.values()
            if each["status"] == "SUCCEED"
        ),
        *(
            (each["settled_at"], each["amount"] - each["wage"])
            for each in history.deposits
            if each.get("status") == "SETTLED"
        ),
    ]


def open_items(history: History) -> dict[str, tuple[int, int]]:
    """Return what may have landed without saying so: from when, and how many rials."""
    items = {
        each["id"]: (each["created_at"], each["amount"] - each["wage_amount"])
        for each in timed_out(history)
    }
    for _, each in payments(history):
        if each["status"] == "done" and not each["paid_at"]:
            items[each["id"]] = (each["created_at"], each["affected_amount"])
    for each in history.deposits:
        if each.get("status") == "INIT":
            record = str(each["gateway_transaction_id"])
            items[record] = (each["requested_at"], each["amount"] - each["wage"])
    return items


def explanations(history: History) -> tuple[dict[str, list[str]], list[str]]:
    """Return the items that explain each interval's rest, and what stays open."""
    items, moves = open_items(history), certain_moves(history)
    explained: dict[str, list[str]] = {}
    unexplained = []
    for opening, closing in zip(history.balances, history.balances[1:], strict=False):
        start, end = opening["at"], closing["at"]
        moved = sum(rials for at, rials in moves if start < at <= end)
        rest = closing["balance"] - opening["balance"] - moved
        if not rest:
            continue
        key = f"{closing['iban']}:{format_instant(utc(end))}"
        known = {name: rials for name, (at, rials) in items.items() if at <= end}
        sets = [
            list(names)
            for size in range(1, 4)
            for names in combinations(known, size)
            if sum(known[name] for name in names) == rest
        ]
        if sets:
            explained[key] = sets[0]
        else:
            unexplained.append(key)
    return explained, unexplained


def _wallet(history: History) -> Iterator[Break]:
    explained, unexplained = explanations(history)
    for key in unexplained:
        yield "wallet_rollforward", "wallet", key
    landed = {name for names in explained.values() for name in names}
    for each in history.deposits:
        record = str(each.get("gateway_transaction_id"))
        if each.get("status") == "INIT" and record not in landed:
            yield "deposit_queue_stale", "cash_in", record
    for each in history.balances:
        if each["available_balance"] > each["balance"]:
            key = f"{each['iban']}:{format_instant(utc(each['at']))}"
            yield "wallet_available_exceeds_balance", "wallet", key
