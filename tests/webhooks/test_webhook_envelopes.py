"""What is an envelope, what is none, and which two are one event."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recon.imports.delivered import (
    MOST_CHARACTERS,
    MOST_LEVELS,
    NotAnEnvelope,
    event_hash,
    read_delivery,
)
from recon.imports.importing import take
from recon.lake import Lake
from tests.webhooks.receiver_cases import CREATED, envelope, shop


def body(**changes: Any) -> bytes:
    whole = {"created": CREATED, "type": "agreement_created", "data": {}} | changes
    return json.dumps({k: v for k, v in whole.items() if v is not ...}).encode()


def nested(levels: int) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for _ in range(levels - 1):
        data = {"a": data}
    return data


@pytest.mark.parametrize(
    "wrong",
    [
        b"",
        b"{}",
        b"null",
        b"[]",
        b"7",
        b"not JSON",
        body(created=...),
        body(type=...),
        body(data=...),
        body(created="today"),
        body(created="2026-10-01T00:00:00Z"),
        body(created=1.5),
        body(created=True),
        body(created=None),
        body(created=-1),
        body(created=CREATED * 1000),
        body(created=9_999_999_999),
        body(type=7),
        body(type=""),
        body(type="  "),
        body(type="x" * (MOST_CHARACTERS + 1)),
        body(data=None),
        body(data="{}"),
        body(data=[]),
        body(data=nested(MOST_LEVELS + 1)),
        body()[:-1],
        body() + b"x",
        body() + body(),
        b"\xef\xbb\xbf" + body(),
        body().decode().encode("utf-16"),
        body().decode().encode("utf-32"),
        b'{"created":1790000000,"type":"a","data":{"x":"\xff"}}',
        b'{"created":1790000000,"type":"a","data":{"\xff":1}}',
        b'{"created":1790000000,"type":"a","data":{"x":"\\ud800"}}',
        b'{"created":1790000000,"type":"a","data":{"x":NaN}}',
        b'{"created":1790000000,"type":"a","data":{"x":1e999}}',
        b'{"created":1790000000,"type":"a","data":' + b'{"a":' * 100_000,
        b'{"created":' + b"9" * 5000 + b',"type":"a","data":{}}',
    ],
)
def test_what_is_no_envelope_is_refused(wrong: bytes) -> None:
    with pytest.raises(NotAnEnvelope):
        read_delivery(wrong)


@pytest.mark.parametrize(
    "right",
    [
        body(),
        body(created=str(CREATED)),
        body(created=0),
        body(type="some_new_slug"),
        body(type="x" * MOST_CHARACTERS),
        body(data=nested(MOST_LEVELS)),
        body(further="field"),
        b"\r\n " + body() + b"\n",
        json.dumps(json.loads(body()), indent=4).encode(),
        body(data={"x": "\x00 \u202e ' \" =1+1"}),
        body(data={"x": 10**30}),
    ],
)
def test_what_is_an_envelope_is_taken(right: bytes) -> None:
    assert read_delivery(right)["origin"] == "delivery"


def test_the_row_of_a_payment() -> None:
    data: dict[str, Any] = {
        "tracking_code": "T00001",
        "trace_id": "trade-1",
        "transaction_ref_id": "77",
        "payer_mobile": "09120000001",
        "amount": "7000000",
    }
    assert read_delivery(envelope("buyer_paid_agreement", **data)) == {
        "created": datetime.fromtimestamp(CREATED, UTC),
        "type": "buyer_paid_agreement",
        "data": json.dumps(dict(sorted(data.items())), separators=(",", ":")),
        "tracking_code": "T00001",
        "trace_id": "trade-1",
        "amount": 7_000_000,
        "state": None,
        "origin": "delivery",
    }


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("amount", "1.5"),
        ("amount", True),
        ("amount", {"rials": 1}),
        ("amount", "-5"),
        ("amount", "9" * 19),
        ("amount", "1e6"),
        ("tracking_code", ["T"]),
        ("tracking_code", "T" * (MOST_CHARACTERS + 1)),
        ("trace_id", 1.5),
        ("state", False),
    ],
)
def test_a_field_that_cannot_be_read_is_null_and_stays_in_the_data(
    name: str, value: Any
) -> None:
    data = {"tracking_code": "T1", "trace_id": "x", "amount": "5", "state": "draft"}
    row = read_delivery(envelope("x", **(data | {name: value})))
    expected = {**data, "amount": 5} | {name: None}
    assert {each: row[each] for each in data} == expected
    assert json.loads(row["data"])[name] == value


def test_equal_created_type_and_data_are_one_event() -> None:
    one = b'{"created":1790000000,"type":"a","data":{"x":"1","y":"\\u0627"}}'
    same = '{"data": {"y": "ا", "x": "1"},\n "created": 1790000000, "type": "a"}'
    assert event_hash(read_delivery(one)) == event_hash(read_delivery(same.encode()))


@pytest.mark.parametrize(
    "other",
    [
        envelope("a", x="1", created=CREATED + 1),
        envelope("b", x="1"),
        envelope("a", x="2"),
        envelope("a", x=1),
        envelope("a", x="1", y="1"),
    ],
)
def test_another_field_makes_another_event(other: bytes) -> None:
    one = event_hash(read_delivery(envelope("a", x="1")))
    assert event_hash(read_delivery(other)) != one


def test_a_delivery_makes_the_row_that_its_import_makes(tmp_path: Path) -> None:
    line = envelope("buyer_paid_agreement", tracking_code="T1", amount="1,000", x=[1])
    file = tmp_path / "events.jsonl"
    file.write_bytes(line + b"\n")
    lake = Lake(tmp_path / "lake")
    take("events", [file], shop(tmp_path), lake)
    (imported,) = lake.versions("events").to_pylist()
    row = read_delivery(line)
    assert {name: imported[name] for name in row} == row | {"origin": "import"}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["tracking_code", "amount", "state", "x", "type", "data"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)


@settings(max_examples=150)
@given(
    st.binary(max_size=60)
    | st.fixed_dictionaries(
        {"created": JSON | st.integers(0, 2**33), "type": JSON, "data": JSON}
    ).map(lambda value: json.dumps(value).encode(errors="surrogatepass"))
)
def test_any_bytes_are_read_or_refused_and_nothing_else(anything: bytes) -> None:
    try:
        row = read_delivery(anything)
    except NotAnEnvelope:
        return
    assert len(event_hash(row)) == 64
