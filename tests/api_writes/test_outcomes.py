"""Looking up unknown outcomes: only what the answer proves is settled."""

import asyncio
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from recon.api.outcomes import LANDING, LookedUp, look_up
from recon.records.requests import Operation, Outcome
from tests.api_writes.stand_in_provider import Cut, Desk, desk

MPG = "/mpg/v1/business/shop"
ESCROW = "/escrow/api/v1"
BUYER = "09120000001"
MANDATE = {"id": "m-1", "status": "active"}
PAYMENT = {"id": "p-1", "amount": 5, "status": "done"}
CHECKOUT = {"id": "c-1", "amount": 5, "status": "paid", "request_id": "r-1"}
PAYMENTS = {"payments": [PAYMENT]}
META = {"current_page": 1, "last_page": 1, "per_page": 15, "total": 1}


def _unknown(d: Desk, operation: Operation, subject: str, **body: Any) -> None:
    number = d.journal.begin(operation, subject, body)
    d.journal.end(number, Outcome.UNKNOWN)


def _transaction(code: int) -> tuple[int, Any]:
    return 200, {"status": 1, "amount": "5000", "code": code}


def _hosted(status: str) -> tuple[int, Any]:
    checkout = {"id": "h-1", "amount": "5", "wage": "0", "status": status}
    return 200, {"message": "", "data": {"checkout": checkout}}


def _agreement(state: str, buyer: str = "accepted") -> tuple[int, Any]:
    parties = [{"role": "buyer", "state": buyer, "mobile": BUYER}]
    data = {"tracking_code": "T", "state": state, "parties": parties}
    return 200, {"message": "", "data": data | {"trace_id": "tr-1"}}


TRANSACTION = "POST /api/v3/transaction"
INQUIRY = "GET /pay-with/v1/checkouts/h-1"
SHOW_MANDATE = f"GET {MPG}/mandates/m-1"
SHOW_AGREEMENT = f"GET {ESCROW}/agreements/T"
VERIFY = (Operation.GATEWAY_VERIFY, "tok")
HOSTED = (Operation.HOSTED_VERIFY, "h-1")
CONFIRM = (Operation.MANDATE_CONFIRM, "m-1")
APPROVE = (Operation.AGREEMENT_APPROVE, f"T {BUYER}")
FINALIZE = (Operation.AGREEMENT_FINALIZE, f"T {BUYER}")
CANCEL = (Operation.AGREEMENT_CANCEL, f"T {BUYER}")


async def _look(d: Desk, *, age: timedelta = LANDING) -> LookedUp:
    (finding,) = await look_up(d.provider, now=datetime.now(UTC) + age)
    return finding


@pytest.mark.parametrize(
    ("sent", "line", "answer", "outcome"),
    [
        (VERIFY, TRANSACTION, _transaction(2), Outcome.DONE),
        (VERIFY, TRANSACTION, _transaction(1), Outcome.UNDONE),
        (VERIFY, TRANSACTION, _transaction(3), Outcome.UNDONE),
        (VERIFY, TRANSACTION, _transaction(4), Outcome.UNDONE),
        (VERIFY, TRANSACTION, _transaction(0), Outcome.UNKNOWN),
        (VERIFY, TRANSACTION, _transaction(9), Outcome.UNKNOWN),
        (VERIFY, TRANSACTION, (422, {"status": 0, "errors": ["x"]}), Outcome.UNKNOWN),
        (VERIFY, TRANSACTION, (500, b""), Outcome.UNKNOWN),
        (VERIFY, TRANSACTION, Cut(), Outcome.UNKNOWN),
        (HOSTED, INQUIRY, _hosted("SUCCEED"), Outcome.DONE),
        (HOSTED, INQUIRY, _hosted("PENDING_VERIFY"), Outcome.UNDONE),
        (HOSTED, INQUIRY, _hosted("FAILED"), Outcome.UNDONE),
        (HOSTED, INQUIRY, _hosted("INIT"), Outcome.UNDONE),
        (HOSTED, INQUIRY, _hosted("REVERSED"), Outcome.UNKNOWN),
        (
            CONFIRM,
            SHOW_MANDATE,
            (200, {"data": {"mandate": MANDATE}}),
            Outcome.DONE,
        ),
        (
            CONFIRM,
            SHOW_MANDATE,
            (200, {"data": {"mandate": MANDATE | {"status": "waiting"}}}),
            Outcome.UNKNOWN,
        ),
        (APPROVE, SHOW_AGREEMENT, _agreement("contract"), Outcome.DONE),
        (APPROVE, SHOW_AGREEMENT, _agreement("draft", "pending"), Outcome.UNDONE),
        (APPROVE, SHOW_AGREEMENT, _agreement("draft", "asked"), Outcome.UNKNOWN),
        (FINALIZE, SHOW_AGREEMENT, _agreement("finalize"), Outcome.DONE),
        (FINALIZE, SHOW_AGREEMENT, _agreement("contract"), Outcome.UNKNOWN),
        (CANCEL, SHOW_AGREEMENT, _agreement("cancelled"), Outcome.UNKNOWN),
        (CANCEL, SHOW_AGREEMENT, (404, {"message": "no"}), Outcome.UNKNOWN),
    ],
    ids=str,
)
def test_a_look_up_settles_what_it_proves(
    tmp_path: Path,
    sent: tuple[Operation, str],
    line: str,
    answer: Any,
    outcome: Outcome,
) -> None:
    async def case() -> None:
        async with desk(tmp_path) as d:
            d.app.put(line, answer)
            _unknown(d, *sent, tracking_code="T", applicant_mobile=BUYER)
            finding = await _look(d)
            assert finding.outcome is outcome
            assert finding.told
            (kept,) = d.journal.requests()
            assert kept.outcome is outcome
            assert bool(d.journal.unknown()) is (outcome is Outcome.UNKNOWN)

    asyncio.run(case())


def test_a_young_request_that_does_not_show_may_still_land(tmp_path: Path) -> None:
    async def case() -> None:
        async with desk(tmp_path) as d:
            d.app.put(TRANSACTION, _transaction(1))
            _unknown(d, *VERIFY)
            young = await _look(d, age=LANDING - timedelta(seconds=5))
            assert young.outcome is Outcome.UNKNOWN
            assert "under way" in young.told
            d.app.put(TRANSACTION, _transaction(2))
            landed = await _look(d, age=timedelta())
            assert landed.outcome is Outcome.DONE

    asyncio.run(case())


def test_a_request_that_does_not_show_once_it_must_have_landed_is_undone(
    tmp_path: Path,
) -> None:
    a_moment = timedelta(microseconds=1)

    async def case() -> None:
        async with desk(tmp_path) as d:
            d.app.put(TRANSACTION, _transaction(1))
            _unknown(d, *VERIFY)
            (sent,) = d.journal.requests()
            landed = sent.began_at + LANDING
            (before,) = await look_up(d.provider, now=landed - a_moment)
            assert before.outcome is Outcome.UNKNOWN
            (then,) = await look_up(d.provider, now=landed)
            assert then.outcome is Outcome.UNDONE

    asyncio.run(case())


@pytest.mark.parametrize("age", [-LANDING / 2, timedelta(days=-365)], ids=str)
def test_a_request_of_the_future_is_under_way_from_its_first_look_up_on(
    tmp_path: Path, age: timedelta
) -> None:
    """This machine's clock was ahead when it was sent, and was set back since: how long
    ago that was nobody knows."""
    a_second = timedelta(seconds=1)

    async def case() -> None:
        async with desk(tmp_path) as d:
            d.app.put(TRANSACTION, _transaction(1))
            _unknown(d, *VERIFY)
            for at in (age, age + LANDING / 3, age + LANDING - a_second):
                early = await _look(d, age=at)
                assert early.outcome is Outcome.UNKNOWN
                assert "under way" in early.told
            is_past = age + LANDING > timedelta()  # then its own date counts
            late = await _look(d, age=LANDING if is_past else age + LANDING)
            assert late.outcome is Outcome.UNDONE

    asyncio.run(case())


@pytest.mark.parametrize("operation", [Operation.GATEWAY_SEND, Operation.HOSTED_SEND])
def test_a_token_that_never_came_can_be_paid_by_nobody(
    tmp_path: Path, operation: Operation
) -> None:
    async def case() -> None:
        async with desk(tmp_path) as d:
            _unknown(d, operation, "")
            assert (await _look(d)).outcome is Outcome.UNDONE
            assert d.app.seen == []

    asyncio.run(case())


def test_a_deposit_is_never_sent_to_find_out(tmp_path: Path) -> None:
    async def case() -> None:
        async with desk(tmp_path) as d:
            _unknown(d, Operation.DEPOSIT, "t-1", amount=5_000)
            finding = await _look(d)
            assert finding.outcome is Outcome.UNKNOWN
            assert "no way" in finding.told
            assert d.app.seen == []

    asyncio.run(case())


@pytest.mark.parametrize(
    ("status", "outcome"),
    [("done", Outcome.DONE), ("pending_redirect", Outcome.UNKNOWN)],
)
def test_a_payment_is_found_in_the_checkout_that_was_made_here(
    tmp_path: Path, status: str, outcome: Outcome
) -> None:
    async def case() -> None:
        async with desk(tmp_path) as d:
            pending = PAYMENT | {"status": "pending_redirect"}
            made = {"data": {"checkout": CHECKOUT | {"payments": [pending]}}}
            number = d.journal.begin(Operation.CHECKOUT_CREATE, "r-1", {})
            d.journal.end(
                number, Outcome.ANSWERED, status=200, answer=json.dumps(made).encode()
            )
            shown = CHECKOUT | {"payments": [PAYMENT | {"status": status}]}
            d.app.put(f"GET {MPG}/checkouts/c-1", (200, {"data": {"checkout": shown}}))
            _unknown(d, Operation.PAYMENT_VERIFY, "p-1")
            assert (await _look(d)).outcome is outcome

    asyncio.run(case())


def test_a_checkout_whose_answer_cannot_be_read_stops_no_look_up(
    tmp_path: Path,
) -> None:
    """Its customer paid all the same, and came back with the payment's id."""

    async def case() -> None:
        async with desk(tmp_path) as d:
            answer = {"data": {"checkout": CHECKOUT | {"amount": 5.5} | PAYMENTS}}
            number = d.journal.begin(Operation.CHECKOUT_CREATE, "r-1", {})
            body = json.dumps(answer).encode()
            d.journal.end(number, Outcome.UNKNOWN, status=200, answer=body)
            _unknown(d, Operation.PAYMENT_VERIFY, "p-1")
            _unknown(d, Operation.GATEWAY_VERIFY, "tok")
            d.app.put(TRANSACTION, _transaction(2))
            later = datetime.now(UTC) + LANDING
            findings = await look_up(d.provider, now=later)
            told = [each.outcome for each in findings]
            assert told == [Outcome.UNKNOWN, Outcome.UNKNOWN, Outcome.DONE]

    asyncio.run(case())


def test_a_payment_of_a_checkout_made_elsewhere_stays_unknown(tmp_path: Path) -> None:
    async def case() -> None:
        async with desk(tmp_path) as d:
            _unknown(d, Operation.PAYMENT_VERIFY, "p-1")
            assert (await _look(d)).outcome is Outcome.UNKNOWN
            assert d.app.seen == []

    asyncio.run(case())


@pytest.mark.parametrize(
    ("page", "outcome"),
    [(1, Outcome.DONE), (40, Outcome.DONE), (31, Outcome.DONE), (20, Outcome.UNKNOWN)],
)
def test_a_lost_checkout_is_looked_for_at_both_ends_of_the_list(
    tmp_path: Path, page: int, outcome: Outcome
) -> None:
    async def case() -> None:
        async with desk(tmp_path) as d:

            def listed(request: Any) -> Any:
                number = int(request["query"]["page"])
                here = "r-1" if number == page else "other"
                row = CHECKOUT | {"request_id": here, "payments": []}
                meta = META | {"current_page": number, "last_page": 40, "total": 40}
                return 200, {"message": "", "data": [row], "meta": meta}

            d.app.put(f"GET {MPG}/checkouts", listed)
            _unknown(d, Operation.CHECKOUT_CREATE, "r-1")
            assert (await _look(d)).outcome is outcome
            asked = [int(each["query"]["page"]) for each in d.app.seen]
            order = [n for k in range(10) for n in (1 + k, 40 - k)]
            assert asked == order[: len(asked)]

    asyncio.run(case())


def test_a_lost_agreement_is_found_by_its_trace_id(tmp_path: Path) -> None:
    async def case() -> None:
        async with desk(tmp_path) as d:
            row = {"tracking_code": "T", "state": "draft", "trace_id": "tr-1"}
            d.app.put(f"GET {ESCROW}/agreements", (200, {"data": [row], "meta": META}))
            _unknown(d, Operation.AGREEMENT_CREATE, "tr-1")
            assert (await _look(d)).outcome is Outcome.DONE
            _unknown(d, Operation.AGREEMENT_CREATE, "tr-2")
            assert (await _look(d)).outcome is Outcome.UNKNOWN
            assert len(d.app.bodies(f"GET {ESCROW}/agreements")) == 2

    asyncio.run(case())


def test_a_look_up_that_found_nothing_out_adds_no_row(tmp_path: Path) -> None:
    async def case() -> None:
        async with desk(tmp_path) as d:
            _unknown(d, Operation.DEPOSIT, "t-1")
            for _ in range(3):
                await _look(d)
            count = d.journal._connection.execute("select count(*) from answers")
            assert count.fetchone() == (1,)

    asyncio.run(case())
