"""What stands behind a break: its rule, its rows, and the stored answer."""

import json

import pytest

from recon.lake import Page
from recon.reconcile.breaks import break_id
from recon.reconcile.evidence import evidence
from recon.reconcile.run import reconcile
from tests.reconcile.lake_history import History, at, unpaid

BODY = {"data": [{"id": "other", "n": 1}, {"id": "a", "name": "سارا"}]}


def page(body: bytes) -> Page:
    url = "https://provider.example/checkouts?page=1"
    return Page(url=url, received_at=at(1), body=body)


def test_a_break_leads_to_its_row_and_the_stored_answer(history: History) -> None:
    body = page(json.dumps(BODY).encode())
    commit = history.pull("checkouts", unpaid("a"), page=body)
    with reconcile(history.lake, history.settings) as result:
        identity = break_id("checkout_paid_without_payment", "unified", "a")
        found = evidence(result, identity)
    assert found is not None
    assert list(found) == ["break", "rule", "records", "pages", "query"]
    assert found["break"]["record_id"] == "a"
    assert found["rule"]["finds"]
    (record,) = found["records"]
    assert (record["table"], record["id"], record["pull_id"]) == (
        "checkouts",
        "a",
        commit.id,
    )
    (stored,) = found["pages"]
    assert stored["sha256"] == body.sha256
    assert stored["request"] == "GET https://provider.example/checkouts?page=1"
    assert stored["excerpt"] == '{"id": "a", "name": "سارا"}'
    assert found["query"]["file"] == "queries/checks/checkout_paid_without_payment.sql"
    assert json.dumps(found, ensure_ascii=False)


def test_every_version_of_the_record_is_shown(history: History) -> None:
    history.pull("checkouts", unpaid("a"))
    history.clock(at(2))
    later = unpaid("a")
    later["checkouts"][0]["amount"] = 6  # type: ignore[index]
    history.pull("checkouts", later)
    with reconcile(history.lake, history.settings) as result:
        found = evidence(result, break_id("record_restated", "unified", "a"))
    assert found is not None
    assert [row["amount"] for row in found["records"]] == [5, 6]
    assert found["pages"] == []


def test_each_of_several_related_records_is_shown(history: History) -> None:
    rows = unpaid("a", "b", paid=True)
    for payment, receipt in zip(rows["payments"], ("r", "r "), strict=True):
        payment["ref_id"] = receipt  # type: ignore[index]
    history.pull("checkouts", rows)
    with reconcile(history.lake, history.settings) as result:
        found = evidence(result, break_id("payment_ref_id_duplicate", "unified", "r"))
    assert found is not None
    assert [row["id"] for row in found["records"]] == ["payment-a", "payment-b"]


@pytest.mark.parametrize(
    ("named", "record_id"),
    [
        ({"trace_id": "trace-1"}, "trace-1"),
        ({"tracking_code": " code-1 "}, "code-1"),
        ({}, "seller_checked_out:082c26c8"),
    ],
)
def test_an_event_is_shown_however_its_break_names_it(
    history: History, named: dict[str, str], record_id: str
) -> None:
    """Anybody can send one: who judges it must see it, and no other one."""
    event = {"created": at(1), "type": "seller_checked_out"}
    events = [
        {**event, "data": '{"n":1}', **named},
        {**event, "data": '{"n":2}', "trace_id": "other"},
    ]
    history.pull("events", {"events": events})
    identity = break_id("escrow_event_uncorroborated", "escrow", record_id)
    with reconcile(history.lake, history.settings) as result:
        found = evidence(result, identity)
    assert found is not None
    assert [row["data"] for row in found["records"]] == ['{"n":1}']


def test_each_event_of_a_break_is_shown_by_whatever_it_names(history: History) -> None:
    """One names the draft's tracking code, another its trace_id alone."""
    draft = {"tracking_code": "code-1", "trace_id": "trace-1", "state": "draft"}
    events = [
        {"created": at(1), "data": '{"n":1}', "trace_id": "trace-1"},
        {"created": at(2), "data": '{"n":2}', "tracking_code": "code-1"},
        {"created": at(2), "data": '{"n":3}', "tracking_code": "code-2"},
    ]
    paid = [{"type": "seller_checked_out", **event} for event in events]
    history.pull("events", {"events": paid})
    history.pull("agreements", {"agreements": [draft]})
    identity = break_id("escrow_event_uncorroborated", "escrow", "code-1")
    with reconcile(history.lake, history.settings) as result:
        found = evidence(result, identity)
    assert found is not None
    assert "2 such events" in found["break"]["detail"]
    shown = [row["data"] for row in found["records"] if row["table"] == "events"]
    assert shown == ['{"n":1}', '{"n":2}']


def test_an_imported_line_is_shown_as_it_stood(history: History) -> None:
    file = page(b"reference,amount\nz,1\nmissing,7\n")
    book = {"reference": "missing", "amount": 7, "status": "paid", "occurred_at": at(1)}
    history.pull("books", {"books": [book]}, page=file, kind="import")
    with reconcile(history.lake, history.settings) as result:
        identity = break_id("book_missing_at_provider", "books", "missing")
        found = evidence(result, identity)
    assert found is not None
    assert found["pages"][0]["excerpt"] == "missing,7"


def test_an_interval_of_the_wallet_has_its_two_snapshots_and_words(
    history: History,
) -> None:
    snapshots = [{"at": at(day), "iban": "IR1", "balance": day} for day in (1, 2, 3)]
    history.pull("balances", {"balances": snapshots})
    history.clock(at(4))
    with reconcile(history.lake, history.settings) as result:
        identity = break_id("wallet_rollforward", "wallet", "IR1:2026-10-03T00:00:00Z")
        found = evidence(result, identity)
    assert found is not None
    assert [row["balance"] for row in found["records"]] == [2, 3]
    assert found["wallet"]["told"] == "1 is unexplained."


@pytest.mark.parametrize(
    "line",
    [
        "2026-10-{:02}T00:00:00Z,{:,},IR1",
        "1405/07/{:02} 03:30,{},IR1",
        '1405/07/{:02} 03:30,"{:,}",IR1',
    ],
)
def test_a_snapshot_is_shown_by_its_own_line(history: History, line: str) -> None:
    """All lines of the file have the wallet's IBAN; only two are of the interval."""
    balances = {day: 1_000_000 + day for day in range(1, 10)}
    snapshots = [
        {"at": at(day), "iban": "IR1", "balance": rials}
        for day, rials in balances.items()
    ]
    text = "\n".join(line.format(*each) for each in balances.items())
    file = page(f"at,balance,iban\n{text}\n".encode())
    history.pull("balances", {"balances": snapshots}, page=file, kind="import")
    history.clock(at(12))
    with reconcile(history.lake, history.settings) as result:
        identity = break_id("wallet_rollforward", "wallet", "IR1:2026-10-03T00:00:00Z")
        found = evidence(result, identity) or {}
    lines = [line.format(day, balances[day]) for day in (2, 3)]
    assert found["pages"][0]["excerpt"].splitlines() == lines


def test_a_snapshot_whose_line_is_not_found_is_shown_by_its_wallet(
    history: History,
) -> None:
    """The near miss: a file that writes times and figures in a way of its own."""
    snapshots = [{"at": at(day), "iban": "IR1", "balance": 70 + day} for day in (1, 2)]
    text = "at,balance,iban\n1,۷۱,IR1\n2,۷۲,IR1\n3,172,721,IR2"
    history.pull("balances", {"balances": snapshots}, page=page(text.encode()))
    history.clock(at(4))
    with reconcile(history.lake, history.settings) as result:
        identity = break_id("wallet_rollforward", "wallet", "IR1:2026-10-02T00:00:00Z")
        found = evidence(result, identity) or {}
    assert found["pages"][0]["excerpt"] == "1,۷۱,IR1\n2,۷۲,IR1"


def test_a_break_that_is_none_is_none(history: History) -> None:
    with reconcile(history.lake, history.settings) as result:
        assert evidence(result, "0123456789abcdef") is None


def test_a_body_that_is_no_text_does_not_stop_it(history: History) -> None:
    history.pull("checkouts", unpaid("a"), page=page(b"\xff\xfe\x00"))
    with reconcile(history.lake, history.settings) as result:
        (row,) = result.breaks.to_pylist()
        found = evidence(result, row["break_id"])
    assert found is not None
    assert found["pages"][0]["bytes"] == 3
