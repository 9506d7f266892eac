"""Plain rules of deposits, the bank statement, the gateway and the hosted page."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import UTC, date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from recon.sandbox.exports import PROVIDER_NAME
from recon.sandbox.history import History
from recon.times import format_instant

Break = tuple[str, str, str]
Row = dict[str, Any]
ZONE = ZoneInfo("Asia/Tehran")
_WINDOW = 20 * 60
_THREE_DAYS = 3 * 86_400


def utc(at: int) -> datetime:
    return datetime.fromtimestamp(at, UTC)


def local_day(at: int) -> date:
    return datetime.fromtimestamp(at, ZONE).date()


def breaks(history: History, as_of: int) -> Iterator[Break]:
    yield from _deposits(history)
    yield from _bank(history)
    yield from _gateway(history, as_of)
    yield from _hosted(history, as_of)


def _repeated(values: list[Any]) -> list[str]:
    return [str(value) for value, count in Counter(values).items() if count > 1]


def _requests(history: History) -> dict[str, list[Row]]:
    requests: dict[str, list[Row]] = defaultdict(list)
    for row in history.deposits:
        if row.get("outcome") != "unknown":
            requests[row["track_id"]].append(row)
    return requests


def _deposits(history: History) -> Iterator[Break]:
    active = {each["IBAN"] for each in history.world.accounts}
    owners: dict[int, set[str]] = defaultdict(set)
    for row in history.deposits:
        if row.get("outcome") == "unknown":
            yield "deposit_outcome_unknown", "cash_in", row["track_id"]
            continue
        record = str(row["gateway_transaction_id"])
        owners[row["gateway_transaction_id"]].add(row["track_id"])
        amounts_agree = row["amount"] == 10 * row["amount_toman"]
        if not amounts_agree or row["wage"] != 10 * row["wage_toman"]:
            yield "deposit_toman_mismatch", "cash_in", record
        if row["amount"] > 1_000_000_000:
            yield "deposit_entry_over_limit", "cash_in", record
        if row["iban"] not in active:
            yield "deposit_iban_unknown", "cash_in", record
    for number, track_ids in owners.items():
        if len(track_ids) > 1:
            yield "deposit_duplicate", "cash_in", str(number)
    for track_id, rows in _requests(history).items():
        if sum(row["amount"] for row in rows) != rows[0]["requested_amount"]:
            yield "deposit_split_mismatch", "cash_in", track_id


def _bank(history: History) -> Iterator[Break]:
    debits = [row for row in history.bank_statement if row["amount"] < 0]
    debits.sort(key=lambda row: int(row["booked_at"]))
    covered = {row["iban"] for row in history.bank_statement}
    for track_id, rows in _requests(history).items():
        if rows[0]["iban"] not in covered:
            continue
        total = [sum(row["amount"] for row in rows)]
        if not (
            _serve(debits, rows[0], total)
            or _serve(debits, rows[0], [row["amount"] for row in rows])
        ):
            yield "bank_debit_missing", "cash_in", track_id
    for row in debits:
        if PROVIDER_NAME in row["description"]:
            at = format_instant(utc(row["booked_at"]))
            record = f"{row['iban']}:{at}:{row['amount']}:1"
            yield "bank_debit_unexplained", "cash_in", record


def _serve(debits: list[Row], request: Row, amounts: list[int]) -> bool:
    """Take debits of those amounts out of the statement, or none of them."""
    taken: list[Row] = []
    for amount in amounts:
        for row in debits:
            age = row["booked_at"] - request["requested_at"]
            if row["amount"] == -amount and 0 <= age <= _THREE_DAYS:
                if any(row is other for other in taken):
                    continue
                taken.append(row)
                break
        else:
            return False
    debits[:] = [row for row in debits if not any(row is each for each in taken)]
    return True


def _gateway(history: History, as_of: int) -> Iterator[Break]:
    transactions = history.world.gateway_transactions
    assert set(transactions) == {row["token"] for row in history.gateway_tokens}
    for sent in history.gateway_tokens:
        token, found = sent["token"], transactions[sent["token"]]
        record, amount = str(found["transId"]), int(found["amount"])
        verified = sent["verified_at"] is not None
        if verified and amount != sent["real_amount"] + sent["wage"]:
            yield "gateway_wallet_identity", "gateway", record
        if amount != sent["amount"]:
            yield "gateway_amount_mismatch", "gateway", record
        if found["code"] in {1, 3} and as_of - sent["sent_at"] > _WINDOW:
            yield "gateway_unverified", "gateway", token
        if found["code"] == 2 and not verified:
            yield "gateway_verify_missing", "gateway", token
    for number in _repeated([each["refnumber"] for each in transactions.values()]):
        yield "gateway_refnumber_duplicate", "gateway", number


def _hosted(history: History, as_of: int) -> Iterator[Break]:
    checkouts = history.world.hosted_checkouts
    assert set(checkouts) == {row["checkout_id"] for row in history.hosted_checkouts}
    for sent in history.hosted_checkouts:
        found = checkouts[sent["checkout_id"]]
        waits = as_of - found["created_at"]
        if found["status"] == "PENDING_VERIFY" and waits > _WINDOW:
            yield "hosted_unverified", "hosted", found["id"]
        if int(found["amount"]) != sent["amount"]:
            yield "hosted_amount_mismatch", "hosted", found["id"]
    numbers = [
        each["checkout_number"]
        for each in checkouts.values()
        if each["status"] == "SUCCEED"
    ]
    for number in _repeated(numbers):
        yield "hosted_number_paid_twice", "hosted", number
