"""What an agreement's record says about an event: each case and its near miss."""

from typing import Any

import msgspec
import pytest

from recon.imports.delivered import read_delivery
from recon.journal.deliveries import Verdict
from recon.records.escrow import Agreement, Party
from recon.webhooks.verdicts import judge
from tests.webhooks.receiver_cases import envelope

TRADE = Agreement(
    tracking_code="T1",
    trace_id="trade-1",
    state="contract",
    amount=7_000_000,
    creator="buyer",
    parties=(
        Party(role="buyer", state="accepted", mobile="09120000001"),
        Party(role="seller", state="pending", mobile="09120000002"),
    ),
)
OPEN, YES, NO = Verdict.UNCONFIRMED, Verdict.CONFIRMED, Verdict.CONTRADICTED


def verdict(kind: str, data: dict[str, Any], **changes: Any) -> Verdict:
    event = read_delivery(envelope(kind, **({"tracking_code": "T1"} | data)))
    return judge(event, msgspec.structs.replace(TRADE, **changes)).verdict


@pytest.mark.parametrize(
    ("kind", "data", "changes", "expected"),
    [
        ("agreement_created", {}, {}, YES),
        ("agreement_created", {"creator_role": "buyer"}, {}, YES),
        ("agreement_created", {"creator_role": "seller"}, {}, NO),
        ("agreement_created", {"creator_role": "seller"}, {"creator": None}, YES),
        ("buyer_agreed_agreement", {}, {}, YES),
        ("seller_agreed_agreement", {}, {}, NO),
        ("seller_agreed_agreement", {}, {"parties": ()}, OPEN),
        ("buyer_agreed_agreement", {"applicant_mobile": "+989120000001"}, {}, YES),
        ("buyer_agreed_agreement", {"applicant_mobile": "09120000002"}, {}, NO),
        ("buyer_agreed_agreement", {"applicant_mobile": ""}, {}, YES),
        ("seller_rejected_agreement", {}, {}, OPEN),
        ("buyer_paid_agreement", {}, {"state": "draft"}, NO),
        ("buyer_paid_agreement", {}, {}, OPEN),
        ("buyer_paid_agreement", {}, {"state": "finalize"}, YES),
        ("buyer_paid_agreement", {}, {"state": "a new one"}, OPEN),
        ("buyer_paid_agreement", {"amount": "7000000"}, {"state": "finalize"}, YES),
        ("buyer_paid_agreement", {"amount": "7000001"}, {"state": "finalize"}, NO),
        ("buyer_paid_agreement", {"amount": "1"}, {"amount": None}, OPEN),
        ("buyer_paid_agreement", {"payer_mobile": "09990000000"}, {}, OPEN),
        ("agreement_finalized", {}, {"state": "draft"}, NO),
        ("agreement_finalized", {}, {"state": "finalize"}, YES),
        ("agreement_finalized", {}, {}, OPEN),
        ("seller_checked_out", {}, {"state": "draft"}, NO),
        ("seller_checked_out", {"amount": "7000000"}, {"state": "finalize"}, OPEN),
        ("seller_checked_out", {"amount": "7000001"}, {"state": "finalize"}, NO),
        ("payment_refunded_to_buyer", {"amount": "6900000"}, {}, OPEN),
        ("payment_refunded_to_buyer", {"amount": "7000001"}, {}, NO),
        ("payment_refunded_to_buyer", {"amount": "6900000"}, {"state": "draft"}, NO),
        ("agreement_cancelled", {}, {"state": "cancelled"}, YES),
        ("agreement_cancelled", {}, {"state": "draft"}, OPEN),
        ("buyer_submitted_ticket", {}, {"state": "investigation"}, YES),
        ("buyer_submitted_ticket", {}, {}, OPEN),
        ("seller_submitted_ticket", {"reporter_mobile": "09120000001"}, {}, NO),
        (
            "agreement_change_state_from_investigation",
            {"state": "finalize"},
            {"state": "finalize"},
            YES,
        ),
        (
            "agreement_change_state_from_investigation",
            {"state": "finalize"},
            {"state": "investigation"},
            OPEN,
        ),
        (
            "agreement_change_state_from_investigation",
            {"state": "finalize"},
            {"state": "draft"},
            NO,
        ),
        (
            "agreement_change_state_from_investigation",
            {"state": "draft"},
            {"state": "draft"},
            YES,
        ),
        ("agreement_change_state_from_investigation", {}, {"state": "draft"}, OPEN),
        ("agreement_change_state_from_investigation", {}, {}, OPEN),
        ("a_new_slug", {}, {"state": "draft"}, OPEN),
        ("a_new_slug", {"trace_id": "trade-1"}, {}, OPEN),
        ("a_new_slug", {"trace_id": "trade-2"}, {}, NO),
        ("a_new_slug", {"trace_id": "trade-2"}, {"trace_id": None}, OPEN),
    ],
)
def test_a_record_and_an_event(
    kind: str, data: dict[str, Any], changes: dict[str, Any], expected: Verdict
) -> None:
    assert verdict(kind, data, **changes) is expected


def test_an_agreement_that_nobody_knows_contradicts() -> None:
    event = read_delivery(envelope("agreement_created", tracking_code="T9"))
    assert judge(event, None).verdict is NO


def test_reasons_hold_no_personal_data() -> None:
    data: dict[str, Any] = {"tracking_code": "T1", "applicant_mobile": "09999999999"}
    event = read_delivery(envelope("buyer_agreed_agreement", **data))
    reason = judge(event, TRADE).reason
    assert "0999" not in reason
    assert "0912" not in reason
