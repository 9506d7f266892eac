"""The provider's awkwardness is absorbed once; what is new is counted, not refused."""

import json
from collections import Counter
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recon.records import cash_in, escrow, unified
from recon.records.decoding import instant

MOMENT = datetime(2026, 3, 1, 12, 30, 15, tzinfo=UTC)
SECONDS = int(MOMENT.timestamp())
META = {"current_page": 1, "last_page": 1, "per_page": 15, "total": 1}


def payment(**changes: Any) -> dict[str, Any]:
    return {
        "id": "p1",
        "payment_method": "card-alvand",
        "amount": 1000,
        "wage_amount": 10,
        "affected_amount": 990,
        "ref_id": "123456",
        "tracking_code": None,
        "status": "done",
        "error": None,
        "created_at": SECONDS,
        "updated_at": SECONDS,
        "paid_at": SECONDS,
        "type": "card",
        "card": {"card_number": "6037******1234", "cid": "AB"},
        **changes,
    }


def checkout(**changes: Any) -> dict[str, Any]:
    return {
        "id": "c1",
        "request_id": "r1",
        "checkout_number": "17",
        "amount": "1000",
        "status": "paid",
        "description": None,
        "created_at": SECONDS,
        "updated_at": SECONDS,
        "customer": {"id": "u1", "mobile": "09120000000"},
        "payments": [payment()],
        **changes,
    }


def read(row: Any) -> unified.Checkout:
    return unified.one_checkout(json.dumps(row).encode()).value


@pytest.mark.parametrize(
    ("written", "amount"),
    [
        (1000, 1000),
        ("1000", 1000),
        ("1000.00", 1000),
        ("0001000", 1000),
        (0, 0),
        (10**18 - 1, 10**18 - 1),
        (str(10**18 - 1), 10**18 - 1),
        (1 - 10**18, 1 - 10**18),
        (-5, -5),
    ],
)
def test_an_amount_is_an_integer_however_it_is_written(
    written: Any, amount: int
) -> None:
    found = read(checkout(amount=written)).amount
    assert found == amount
    assert type(found) is int


@pytest.mark.parametrize(
    "written",
    [
        1000.0,
        12.5,
        True,
        False,
        None,
        "",
        " 1000",
        "1,000",
        "1000.50",
        "1e3",
        "۱۰۰۰",
        "0x10",
        "+5",
        10**18,
        str(10**18),
        -(10**18),
        "9" * 30,
        [],
        {},
    ],
)
def test_what_is_no_amount_is_refused(written: Any) -> None:
    with pytest.raises(msgspec.DecodeError):
        read(checkout(amount=written))


def mandate_limit(written: Any) -> int | None:
    body = json.dumps({"id": "m1", "limit": written}).encode()
    return unified.one_mandate(body).value.limit


@pytest.mark.parametrize(
    ("written", "limit"),
    [(2**63 - 1, 2**63 - 1), (str(2**63 - 1), 2**63 - 1), (5, 5), (None, None)],
)
def test_a_limit_may_be_the_greatest_number_there_is(
    written: Any, limit: int | None
) -> None:
    assert mandate_limit(written) == limit


@pytest.mark.parametrize("written", [2**63, -(10**18), 5.0, "5.5", True])
def test_what_is_no_limit_is_refused(written: Any) -> None:
    with pytest.raises(msgspec.DecodeError):
        mandate_limit(written)


@given(st.integers(1 - 10**18, 10**18 - 1))
def test_every_amount_of_18_digits_comes_through_unchanged(amount: int) -> None:
    assert read(checkout(amount=amount)).amount == amount
    assert read(checkout(amount=str(amount))).amount == amount


@pytest.mark.parametrize(
    "written",
    [
        SECONDS,
        str(SECONDS),
        "2026-03-01T12:30:15Z",
        "2026-03-01T12:30:15.000000Z",
        "2026-03-01T16:00:15+03:30",
        "2026-03-01 12:30:15",
    ],
)
def test_a_time_is_utc_however_it_is_written(written: Any) -> None:
    assert read(checkout(created_at=written)).created_at == MOMENT


@pytest.mark.parametrize("written", ["", "yesterday", 10**18, 1.5, True, "2026-13-01"])
def test_what_is_no_time_is_refused(written: Any) -> None:
    with pytest.raises(msgspec.DecodeError):
        read(checkout(created_at=written))


def test_a_time_before_1970_is_a_time() -> None:
    assert instant(-1) == datetime(1969, 12, 31, 23, 59, 59, tzinfo=UTC)


@pytest.mark.parametrize("written", [0, "0", "1970-01-01T00:00:00Z", None])
def test_what_happened_at_no_time_has_not_happened(written: Any) -> None:
    (paid,) = read(checkout(payments=[payment(paid_at=written)])).payments
    assert paid.paid_at is None
    body = json.dumps({"id": "m1", "revoked_at": written}).encode()
    assert unified.one_mandate(body).value.revoked_at is None
    entry = {"gateway_transaction_id": 1, "amount": 5, "status": "INIT"}
    rows = [entry | {"settled_at": written}]
    listed = json.dumps({"data": rows, "meta": META}).encode()
    assert cash_in.deposit_list(listed).value.data[0].settled_at is None


def test_only_no_time_at_all_is_none() -> None:
    early = payment(paid_at=1, created_at=0)
    found = read(checkout(created_at=0, payments=[early]))
    assert found.created_at == found.payments[0].created_at == instant(0)
    assert found.payments[0].paid_at == instant(1)


@pytest.mark.parametrize("written", [0, 17, "17"])
def test_an_identifier_is_text_though_it_came_as_a_number(written: Any) -> None:
    row = checkout(checkout_number=written, payments=[payment(tracking_code=written)])
    found = read(row)
    assert found.checkout_number == found.payments[0].tracking_code == str(written)


def test_nulls_stay_nulls() -> None:
    empty = payment(
        wage_amount=None, affected_amount=None, ref_id=None, paid_at=None, card=None
    )
    (found,) = read(checkout(payments=[empty], customer=None)).payments
    assert (found.wage_amount, found.affected_amount, found.paid_at) == (None,) * 3
    assert (found.card, found.error, found.debit) == (None,) * 3


@pytest.mark.parametrize("missing", ["id", "amount", "status", "payments"])
def test_a_checkout_without_what_makes_it_one_is_refused(missing: str) -> None:
    row = checkout()
    del row[missing]
    with pytest.raises(msgspec.DecodeError, match=missing):
        read(row)


def test_unknown_fields_are_counted_and_left_out() -> None:
    row = checkout(refunds=[], payments=[payment(score=1), payment(score=2)])
    body = json.dumps({"data": [row, checkout()], "meta": META, "took": 3}).encode()
    found = unified.checkout_list(body)
    assert found.unknown == Counter({"Checkout.refunds": 1, "Payment.score": 2})
    assert [each.amount for each in found.value.data] == [1000, 1000]


def test_known_fields_alone_count_nothing() -> None:
    body = json.dumps({"data": [checkout()], "meta": META}).encode()
    assert not unified.checkout_list(body).unknown


def test_a_wrong_type_beside_an_unknown_field_is_still_refused() -> None:
    with pytest.raises(msgspec.DecodeError):
        read(checkout(refunds=[], amount=1.5))


def test_unknown_states_are_kept() -> None:
    assert read(checkout(status="frozen")).status == "frozen"


@pytest.mark.parametrize(
    "debit", [{"mandate_id": "m1"}, {"mandate": {"id": "m1", "status": "active"}}]
)
def test_a_mandate_is_known_by_its_id_in_list_and_detail(debit: Any) -> None:
    (found,) = read(checkout(payments=[payment(debit=debit)])).payments
    assert found.debit is not None
    assert found.debit.mandate_key == "m1"


def test_records_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        read(checkout()).amount = 5  # type: ignore[misc]


def test_an_agreement_has_its_parties_and_items() -> None:
    row = {
        "tracking_code": 2949247189,
        "trace_id": "t1",
        "description": "",
        "parties": [
            {"role": "seller", "state": "pending", "mobile": "0911"},
            {"role": "buyer", "state": "accepted", "mobile": "0912"},
        ],
        "items": [{"title": "tea", "quantity": 2, "color": "green"}],
        "amount": "5000",
        "state": "draft",
        "created_at": "2026-03-01T12:30:15.000000Z",
    }
    found = escrow.one_agreement(json.dumps(row).encode()).value
    assert found.tracking_code == "2949247189"
    buyer = found.party("buyer")
    assert buyer is not None
    assert buyer.mobile == "0912"
    assert found.party("broker") is None
    assert found.items == ({"title": "tea", "quantity": 2, "color": "green"},)
    assert found.created_at == MOMENT


@pytest.mark.parametrize(
    "events", [["a", "b"], [{"slug": "a", "title": "A"}, {"slug": "b", "title": "B"}]]
)
def test_the_events_of_a_webhook_are_slugs_in_both_shapes(events: Any) -> None:
    row = {"id": 3, "url": "https://x.test", "is_active": True, "events": events}
    assert escrow.one_webhook(json.dumps(row).encode()).value.slugs == ["a", "b"]


@pytest.mark.parametrize(
    "body",
    [
        {"balance": -5, "available_balance": "0"},
        {"status": 1, "balance": -5, "available_balance": "0"},
        {"message": "", "data": {"balance": -5, "available_balance": "0"}},
    ],
)
def test_a_balance_is_read_plain_and_wrapped(body: Any) -> None:
    found = cash_in.balance(json.dumps(body).encode())
    assert (found.balance, found.available_balance) == (-5, 0)


@pytest.mark.parametrize("body", [{}, {"data": {}}, {"balance": 1}, {"data": None}])
def test_a_balance_that_is_none_is_refused(body: Any) -> None:
    with pytest.raises(msgspec.DecodeError):
        cash_in.balance(json.dumps(body).encode())


def test_an_account_is_read_as_the_contract_spells_it() -> None:
    row = {
        "account_number": "1",
        "id": None,
        "IBAN": "IR1",
        "account_owner": [
            {"firstName": "Sara", "lastName": "Ahmadi"},
            {"firstName": None, "lastName": "Karimi"},
        ],
        "bank_name": "Alvand",
    }
    body = json.dumps({"data": [row]}).encode()
    (found,) = cash_in.account_list(body).value.data
    assert found.iban == "IR1"
    assert found.owners == "Sara Ahmadi, Karimi"


@pytest.mark.parametrize("count", [-1, "x", 1.5, None, True])
def test_counts_of_a_page_that_are_none_are_refused(count: Any) -> None:
    body = json.dumps({"data": [], "meta": {**META, "total": count}}).encode()
    with pytest.raises(msgspec.DecodeError):
        unified.checkout_list(body)
