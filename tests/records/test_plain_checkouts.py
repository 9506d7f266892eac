"""A plain page gives the rows that the patient reader gives; others go to it."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recon.lake.schema import INSTANT, TABLES
from recon.pull.checkouts import checkout_row, payment_rows
from recon.records import plain_checkouts, unified
from recon.records.plain_checkouts import (
    Columns,
    checkout_columns,
    checkout_list,
    payment_columns,
)
from tests.pull.provider_stub import checkout, payment

META = {"current_page": 1, "last_page": 1, "per_page": 15, "total": 1}
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

text = st.none() | st.text(max_size=5)
seconds = st.none() | st.just(0) | st.integers(-62_135_596_800, 253_402_300_799)
rials = st.integers(1 - 10**18, 10**18 - 1)
payments = st.fixed_dictionaries(
    {
        "id": st.text(max_size=5),
        "amount": rials,
        "status": st.text(max_size=5),
        "wage_amount": st.none() | rials,
        "error": st.none() | st.fixed_dictionaries({"code": text, "message": text}),
        "paid_at": seconds,
    },
    optional={
        "debit": st.none() | st.fixed_dictionaries({"mandate_id": text}),
        "credit": st.none(),
        "card": st.none() | st.fixed_dictionaries({"card_number": text, "cid": text}),
        "ref_id": text,
    },
)
checkouts = st.fixed_dictionaries(
    {
        "id": st.text(max_size=5),
        "amount": rials | st.integers(0, 10**18 - 1).map(str),
        "status": st.text(max_size=5),
        "created_at": seconds,
        "payments": st.lists(payments, max_size=3),
    },
    optional={"customer": st.none() | st.fixed_dictionaries({"mobile": text})},
)


def body(*rows: dict[str, Any]) -> bytes:
    return json.dumps({"data": rows, "meta": META}).encode()


def as_rows(table: str, given: Columns) -> list[dict[str, Any]]:
    """Return rows by their columns' names, their instants as instants."""
    fields = list(TABLES[table].columns)
    rows = []
    for values in zip(*given, strict=True):
        row = dict(zip((field.name for field in fields), values, strict=True))
        for field in fields:
            if field.type == INSTANT and row[field.name] is not None:
                row[field.name] = EPOCH + timedelta(microseconds=row[field.name])
        rows.append(row)
    return rows


@given(rows=st.lists(checkouts, max_size=3))
def test_both_readers_give_the_same_rows(rows: list[dict[str, Any]]) -> None:
    plain = checkout_list(body(*rows)).value.data
    patient = unified.checkout_list(body(*rows)).value.data
    assert all(isinstance(row, plain_checkouts.Checkout) for row in plain)
    assert as_rows("checkouts", checkout_columns(plain)) == list(
        map(checkout_row, patient)
    )
    assert as_rows("payments", payment_columns(plain)) == list(payment_rows(patient))


@pytest.mark.parametrize(
    "row",
    [
        checkout(1, amount="1000.00"),
        checkout(1, amount="-5"),
        checkout(1, amount="0" + "9" * 18),
        checkout(1, id=7),
        checkout(1, created_at="2026-01-02T03:04:05.678+03:30"),
        checkout(1, payments=[payment(1, amount="1001")]),
        checkout(1, payments=[payment(1, ref_id=12)]),
        checkout(1, payments=[payment(1, debit={"mandate": {"id": "m"}})]),
    ],
)
def test_what_is_not_plain_is_read_patiently(row: dict[str, Any]) -> None:
    content = body(checkout(2), row)
    assert checkout_list(content) == unified.checkout_list(content)


@pytest.mark.parametrize(
    "row",
    [
        checkout(1, amount="1_000"),
        checkout(1, amount=" 5"),
        checkout(1, amount=""),
        checkout(1, amount="٥"),
        checkout(1, amount=1.5),
        checkout(1, amount=True),
        checkout(1, amount=10**18),
        checkout(1, payments=[payment(1, amount=-(10**18))]),
        checkout(1, created_at=True),
        checkout(1, created_at=10**15),
        checkout(1, payments=None),
        checkout(1, status=None),
    ],
)
def test_what_neither_can_mean_is_refused(row: dict[str, Any]) -> None:
    with pytest.raises(msgspec.DecodeError):
        checkout_list(body(checkout(2), row))


def test_a_payment_paid_at_0_is_not_paid_yet_for_both_readers() -> None:
    content = body(checkout(1, payments=[payment(1, paid_at=0, created_at=0)]))
    plain = checkout_list(content).value.data
    patient = unified.checkout_list(content).value.data
    assert isinstance(plain[0], plain_checkouts.Checkout)
    for (row,) in (as_rows("payments", payment_columns(plain)), payment_rows(patient)):
        assert (row["paid_at"], row["created_at"]) == (None, EPOCH)


def test_unknown_fields_of_a_plain_page_are_counted_by_record() -> None:
    strange = payment(1, colour="red", debit={"mandate_id": "m1", "bank": "b"})
    row = checkout(1, payments=[strange], mood="good")
    found = checkout_list(body(row, checkout(2)))
    named = {"Checkout.mood": 1, "Payment.colour": 1, "Debit.bank": 1}
    assert found.unknown == named
    assert found.unknown == unified.checkout_list(body(row, checkout(2))).unknown
    assert isinstance(found.value.data[0], plain_checkouts.Checkout)
