"""Journaled requests as rows of the lake: what moved, what is unknown, nothing else."""

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from recon.journal import (
    Journal,
    deposit_entries,
    gateway_requests,
    hosted_requests,
)
from recon.lake.schema import PROVENANCE, TABLES
from recon.records.requests import Operation, Outcome

SENT = {"iban": "IR1", "amount": 1_200_000_000, "track_id": "t-1"}
ENTRY = {
    "gateway_transaction_id": 71,
    "amount": 1_000_000_000,
    "amount_toman": 100_000_000,
    "wage": 5_000,
    "wage_toman": 500,
    "status": "INIT",
    "iban": "IR1",
    "receipt_url": "https://bank.example/r/71",
}
REST = ENTRY | {"gateway_transaction_id": 72, "amount": "200000000.00"}


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal(tmp_path / "journal.sqlite3") as opened:
        yield opened


def _deposit(
    journal: Journal, outcome: Outcome, answer: Any = None, *, again: bool = False
) -> int:
    number = journal.begin(Operation.DEPOSIT, "t-1", SENT, again=again)
    if outcome is not Outcome.OPEN:
        body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        journal.end(number, outcome, answer=body)
    return number


def _cash_in(*entries: Any) -> dict[str, Any]:
    return {"status": 1, "message": "ok", "data": {"cash_in": list(entries)}}


def test_every_entry_of_a_split_deposit_is_a_row(journal: Journal) -> None:
    _deposit(journal, Outcome.ANSWERED, _cash_in(ENTRY, REST))
    rows = list(deposit_entries(journal))
    (request,) = journal.requests()

    assert [row["amount"] for row in rows] == [1_000_000_000, 200_000_000]
    assert [row["gateway_transaction_id"] for row in rows] == ["71", "72"]
    for row in rows:
        assert row["track_id"] == "t-1"
        assert row["requested_amount"] == 1_200_000_000
        assert row["requested_at"] == request.began_at
        assert (row["origin"], row["outcome"]) == ("journal", "")
        assert row["seen_at"] == request.ended_at
        known = {*TABLES["deposits"].columns.names, *PROVENANCE.names}
        assert row.keys() <= known


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"<html>",
        b"[]",
        _cash_in(ENTRY, REST | {"amount": 12.5}),
        _cash_in(ENTRY | {"amount": True}),
        _cash_in(ENTRY | {"gateway_transaction_id": None}),
        _cash_in("text"),
        {"data": {"cash_in": []}},
        {"data": None},
    ],
    ids=str,
)
def test_an_answer_without_readable_entries_is_one_unknown_row(
    journal: Journal, answer: Any
) -> None:
    _deposit(journal, Outcome.ANSWERED, answer)
    (row,) = deposit_entries(journal)
    assert row["outcome"] == "unknown"
    assert "amount" not in row
    assert "gateway_transaction_id" not in row
    assert row["requested_amount"] == 1_200_000_000


def test_an_unknown_outcome_is_one_row_without_entry_fields(journal: Journal) -> None:
    _deposit(journal, Outcome.UNKNOWN)
    (row,) = deposit_entries(journal)
    assert (row["track_id"], row["outcome"]) == ("t-1", "unknown")


@pytest.mark.parametrize(
    "outcome",
    [Outcome.REFUSED, Outcome.NOT_SENT, Outcome.UNDONE, Outcome.OPEN],
    ids=str,
)
def test_what_moved_nothing_or_is_on_its_way_is_no_row(
    journal: Journal, outcome: Outcome
) -> None:
    _deposit(journal, outcome)
    assert list(deposit_entries(journal)) == []


@pytest.mark.parametrize("later", [timedelta(seconds=1), timedelta(days=1)])
def test_an_unknown_request_was_sent_when_it_began(
    journal: Journal, later: timedelta
) -> None:
    """However late it was found that it was cut, or that it is registered."""
    number = _deposit(journal, Outcome.OPEN)
    (request,) = journal.requests()
    for outcome in (Outcome.UNKNOWN, Outcome.DONE):
        journal.end(number, outcome, at=request.began_at + later)
        (row,) = deposit_entries(journal)
        assert row["requested_at"] == request.began_at
        assert row["seen_at"] == request.began_at + later


def test_an_answered_repetition_replaces_the_unknown_first(journal: Journal) -> None:
    _deposit(journal, Outcome.UNKNOWN)
    _deposit(journal, Outcome.ANSWERED, _cash_in(ENTRY), again=True)
    (row,) = deposit_entries(journal)
    assert (row["gateway_transaction_id"], row["outcome"]) == ("71", "")


def test_an_entry_that_a_later_answer_lacks_stays_a_row(journal: Journal) -> None:
    for entry in (ENTRY, REST):
        _deposit(journal, Outcome.ANSWERED, _cash_in(entry), again=True)
    rows = list(deposit_entries(journal))
    assert [row["gateway_transaction_id"] for row in rows] == ["71", "72"]


def test_what_was_sent_again_in_vain_was_requested_when_it_was_first_sent(
    journal: Journal,
) -> None:
    for _ in range(2):
        _deposit(journal, Outcome.UNKNOWN, again=True)
    (row,) = deposit_entries(journal)
    assert row["requested_at"] == next(journal.requests()).began_at


def test_a_registered_deposit_without_seen_entries_stays_unknown(
    journal: Journal,
) -> None:
    first = _deposit(journal, Outcome.UNKNOWN)
    _deposit(journal, Outcome.REFUSED, again=True)
    journal.end(first, Outcome.DONE, note="track_id is registered")
    (row,) = deposit_entries(journal)
    assert row["outcome"] == "unknown"


def _send(journal: Journal, answer: Any) -> None:
    body = {"amount": 90_000, "callback_url": "https://a.b", "factorNumber": "12"}
    number = journal.begin(Operation.GATEWAY_SEND, "", body)
    journal.end(number, Outcome.ANSWERED, answer=json.dumps(answer).encode())


def _verify(journal: Journal, token: str, answer: Any) -> None:
    number = journal.begin(Operation.GATEWAY_VERIFY, token, {"token": token})
    journal.end(number, Outcome.ANSWERED, answer=json.dumps(answer).encode())


def test_a_sent_token_is_a_row_before_and_after_its_verify(journal: Journal) -> None:
    _send(journal, {"status": 1, "token": "tok"})
    (row,) = gateway_requests(journal)
    (sent,) = journal.requests()
    assert row == {
        "token": "tok",
        "amount": 90_000,
        "factor_number": "12",
        "sent_at": sent.began_at,
        "real_amount": None,
        "wage": None,
        "verified_at": None,
        "seen_at": sent.ended_at,
    }

    _verify(journal, "tok", {"status": 1, "realAmount": 89_000, "wage": "1000"})
    (row,) = gateway_requests(journal)
    (_, verified) = journal.requests()
    assert (row["amount"], row["real_amount"], row["wage"]) == (90_000, 89_000, 1_000)
    assert row["verified_at"] == row["seen_at"] == verified.ended_at


def test_a_token_sent_elsewhere_and_verified_here_has_no_amount(
    journal: Journal,
) -> None:
    _verify(journal, "other", {"status": 1, "realAmount": "89000.0", "wage": 0})
    (row,) = gateway_requests(journal)
    assert (row["token"], row["amount"], row["sent_at"]) == ("other", None, None)
    assert (row["real_amount"], row["wage"]) == (89_000, 0)
    assert row.keys() - {"seen_at"} == set(TABLES["gateway_tokens"].columns.names)


def test_a_verify_without_a_readable_result_changes_no_row(journal: Journal) -> None:
    _send(journal, {"status": 1, "token": "tok"})
    _verify(journal, "tok", {"status": 1, "realAmount": 1.5, "wage": "1000"})
    (row,) = gateway_requests(journal)
    assert row["verified_at"] is None


def test_a_wage_that_cannot_be_read_does_not_lose_the_result(journal: Journal) -> None:
    _verify(journal, "tok", {"status": 1, "realAmount": 89_000, "wage": "1e3"})
    (row,) = gateway_requests(journal)
    assert (row["real_amount"], row["wage"]) == (89_000, None)


_VERIFIES = [
    (Outcome.UNKNOWN, 1),
    (Outcome.ANSWERED, 1),
    (Outcome.DONE, 1),
    (Outcome.UNDONE, 1),
    (Outcome.REFUSED, 0),
    (Outcome.NOT_SENT, 0),
]


@pytest.mark.parametrize(("outcome", "count"), _VERIFIES)
def test_what_was_sent_elsewhere_is_looked_up_whatever_became_of_its_verify(
    journal: Journal, outcome: Outcome, count: int
) -> None:
    for operation in (Operation.GATEWAY_VERIFY, Operation.HOSTED_VERIFY):
        journal.end(journal.begin(operation, "other", {}), outcome)
    tokens, checkouts = list(gateway_requests(journal)), list(hosted_requests(journal))
    assert [row["token"] for row in tokens] == ["other"] * count
    assert [row["checkout_id"] for row in checkouts] == ["other"] * count
    for row, table in [
        *((row, "gateway_tokens") for row in tokens),
        *((row, "hosted_requests") for row in checkouts),
    ]:
        assert row.keys() - {"seen_at"} == set(TABLES[table].columns.names)
        assert [value for value in row.values() if value is not None] == [
            "other",
            row["seen_at"],
        ]


def test_a_checkout_verified_here_keeps_what_was_sent(journal: Journal) -> None:
    body = {"amount": 50_000, "checkout_number": "17"}
    number = journal.begin(Operation.HOSTED_SEND, "", body)
    journal.end(number, Outcome.ANSWERED, answer=b'{"data":{"token":"c-1"}}')
    sent = list(hosted_requests(journal))
    number = journal.begin(Operation.HOSTED_VERIFY, "c-1", {})
    journal.end(number, Outcome.UNKNOWN)
    assert list(hosted_requests(journal)) == sent


def test_a_send_of_unknown_outcome_has_no_token_and_no_row(journal: Journal) -> None:
    number = journal.begin(Operation.GATEWAY_SEND, "", {"amount": 90_000})
    journal.end(number, Outcome.UNKNOWN)
    assert list(gateway_requests(journal)) == []


def test_a_sent_hosted_checkout_is_a_row(journal: Journal) -> None:
    for token in ("c-1", None):
        body = {"amount": 50_000, "checkout_number": "17"}
        number = journal.begin(Operation.HOSTED_SEND, "", body)
        answer = {"message": "ok", "data": {"token": token}}
        journal.end(number, Outcome.ANSWERED, answer=json.dumps(answer).encode())
    (row,) = hosted_requests(journal)
    (sent, _) = journal.requests()
    assert row == {
        "checkout_id": "c-1",
        "amount": 50_000,
        "checkout_number": "17",
        "sent_at": sent.began_at,
        "seen_at": sent.ended_at,
    }


def test_a_token_that_is_a_number_is_a_row_by_its_digits(journal: Journal) -> None:
    """The client hands it out so: a customer can pay with it."""
    _send(journal, {"status": 1, "token": 4_711})
    number = journal.begin(Operation.HOSTED_SEND, "", {"amount": 50_000})
    journal.end(number, Outcome.ANSWERED, answer=b'{"data":{"token":987}}')
    (gateway_row,) = gateway_requests(journal)
    (hosted_row,) = hosted_requests(journal)
    assert (gateway_row["token"], hosted_row["checkout_id"]) == ("4711", "987")


def test_a_hosted_answer_of_another_shape_is_no_row(journal: Journal) -> None:
    number = journal.begin(Operation.HOSTED_SEND, "", {"amount": 50_000})
    journal.end(number, Outcome.ANSWERED, answer=b'{"data":["c-1"]}')
    assert list(hosted_requests(journal)) == []


@pytest.mark.parametrize("amount", ["1e9", 5_000.5, 10**20, None, True])
def test_an_amount_that_is_none_hides_no_unknown_outcome(
    journal: Journal, amount: Any
) -> None:
    """Nor does it end the pull: somebody may have edited what was sent."""
    number = journal.begin(Operation.DEPOSIT, "t-1", SENT | {"amount": amount})
    journal.end(number, Outcome.UNKNOWN)
    (row,) = deposit_entries(journal)
    assert (row["requested_amount"], row["outcome"]) == (None, "unknown")
