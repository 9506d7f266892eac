"""Agreements in part: the open ones are read again, and those that events speak of."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from recon.imports.delivered import event_hash, read_delivery, take_deliveries
from recon.journal import journal_path
from recon.journal.deliveries import Arrival, Deliveries
from recon.lake import Lake
from recon.pull import runner
from recon.pull.forecast import forecast
from recon.pull.runner import SourceOutcome
from recon.reconcile.run import reconcile
from tests.pull.provider_stub import Stub, all_products
from tests.webhooks.receiver_cases import envelope

ROOT = "GET /escrow/api/v1/agreements"
NOW = datetime.now(UTC)
COUNT = 300  # twenty pages
AMOUNT = 5_000_000


def agreement(number: int) -> dict[str, Any]:
    """Return a finalized one; the higher its number, the newer, from 280 on of late."""
    made = NOW - timedelta(days=20 if number >= 280 else 50, seconds=-number)
    return {
        "tracking_code": f"T{number}",
        "trace_id": f"trade-{number}",
        "description": "a samovar",
        "parties": [],
        "items": [],
        "amount": AMOUNT,
        "state": "finalize",
        "created_at": made.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
    }


class Shop:
    """A business with a long list of agreements."""

    def __init__(self, folder: Path) -> None:
        self.settings = all_products(folder)
        self.lake = Lake(self.settings.lake_path)
        self.stub = Stub()
        self.agreements = [agreement(number) for number in range(COUNT, 0, -1)]
        self.stub.lists(ROOT, lambda: self.agreements)

    def becomes(self, number: int, **changes: Any) -> None:
        self.agreements[COUNT - number] |= changes

    def deliver(self, kind: str, **data: str) -> None:
        """Let an event arrive; the provider's clock is a minute ahead."""
        now = datetime.now(UTC)
        body = envelope(kind, int(now.timestamp()) + 60, **data)
        event = event_hash(read_delivery(body))
        with Deliveries(journal_path(self.settings)) as deliveries:
            deliveries.add([Arrival(event=event, received_at=now, body=body)])

    def pull(self) -> SourceOutcome:
        """Pull as a night does: what was delivered is taken first."""
        take_deliveries(self.settings, self.lake)
        self.stub.asked.clear()
        for row in self.agreements:
            path = f"{ROOT}/{row['tracking_code']}"
            self.stub.answers(path, {"message": "", "data": row})
        transport = self.stub.transport
        report = runner.pull(
            self.settings, self.lake, ["agreements"], transport=transport
        )
        return report.sources[0]

    @property
    def reread(self) -> list[str]:
        asked = (each for each in self.stub.asked if each.startswith(f"{ROOT}/"))
        return sorted(each.rpartition("/")[2] for each in asked)

    def breaks(self) -> dict[str, str]:
        with reconcile(self.lake, self.settings) as result:
            found = result.breaks.to_pylist()
        return {each["record_id"]: each["check"] for each in found}


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path)


def test_open_agreements_are_read_again_one_by_one(shop: Shop) -> None:
    for number, state in enumerate(("contract", "draft", "contract"), 279):
        shop.becomes(number, state=state)
    shop.becomes(282, state="investigation")
    assert shop.pull().certificate["order"] == "newest_first"
    shop.becomes(280, state="contract")
    found = shop.pull()
    assert (found.status, found.counts.changed) == ("partial", 1)
    assert shop.reread == ["T280", "T281", "T282"]


def test_a_state_that_nobody_knows_is_open(shop: Shop) -> None:
    """Else what the provider moves on from it is unseen until the next whole sweep."""
    for number, state in enumerate(("paid_by_buyer", "cancelled", "finalize"), 280):
        shop.becomes(number, state=state)
    shop.pull()
    shop.becomes(280, state="investigation")
    assert shop.pull().counts.changed == 1
    assert shop.reread == ["T280"]


def test_an_old_agreement_is_read_again_where_an_event_speaks_of_it(shop: Shop) -> None:
    for number in (10, 11, 12, 13):
        shop.becomes(number, state="draft")
    shop.pull()
    shop.deliver("buyer_paid_agreement", tracking_code=" T10 ", amount="1")
    shop.deliver("buyer_paid_agreement", trace_id="trade-11", amount="1")
    shop.deliver("agreement_cancelled", tracking_code="T14")  # is final
    shop.deliver("agreement_cancelled", tracking_code="T999", trace_id="trade-12")
    expected = forecast(shop.settings, shop.lake, ["agreements"])
    assert shop.pull().status == "partial"
    assert shop.reread == ["T10", "T11"]
    assert [each.lookups for each in expected] == [0]  # not taken yet
    (told,) = forecast(shop.settings, shop.lake, ["agreements"])
    assert told.lookups == 2


def test_a_payment_of_an_old_draft_is_corroborated_the_same_night(shop: Shop) -> None:
    for number in (10, 11):
        shop.becomes(number, state="draft")
    shop.pull()
    shop.becomes(10, state="contract")
    for code in ("T10", "T11"):  # the second is forged
        shop.deliver("buyer_paid_agreement", tracking_code=code, amount=str(AMOUNT))
    assert shop.pull().status == "partial"
    told = shop.breaks()
    assert "T10" not in told
    assert told["T11"] == "escrow_event_uncorroborated"
    with reconcile(shop.lake, shop.settings) as result:
        rows = result.table("int_escrow_positions").to_pylist()
    paid = {row["tracking_code"]: row["paid_rial"] for row in rows if row["is_paid"]}
    assert paid == {"T10": AMOUNT}


def test_an_event_that_a_partial_pull_did_not_know_waits_for_the_next(
    shop: Shop,
) -> None:
    shop.becomes(10, state="draft")
    shop.pull()
    shop.deliver("buyer_paid_agreement", tracking_code="T10", amount=str(AMOUNT))
    shop.becomes(10, state="contract")
    transport = shop.stub.transport
    runner.pull(shop.settings, shop.lake, ["agreements"], transport=transport)
    take_deliveries(shop.settings, shop.lake)
    assert "T10" not in shop.breaks()
    shop.pull()
    assert "T10" not in shop.breaks()
