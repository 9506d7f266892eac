"""Agreements in part: the open ones are read again, and those that events speak of."""

from pathlib import Path

import pytest

from recon.imports.delivered import take_deliveries
from recon.pull.forecast import forecast
from recon.reconcile.run import reconcile
from tests.pull.agreements_shop import AMOUNT, COUNT, ROOT, AgreementsShop


@pytest.fixture
def shop(tmp_path: Path) -> AgreementsShop:
    return AgreementsShop(tmp_path)


def test_open_agreements_are_read_again_one_by_one(shop: AgreementsShop) -> None:
    for number, state in enumerate(("contract", "draft", "contract"), 279):
        shop.becomes(number, state=state)
    shop.becomes(282, state="investigation")
    assert shop.pull().certificate["order"] == "newest_first"
    shop.becomes(280, state="contract")
    found = shop.pull()
    assert (found.status, found.counts.changed) == ("partial", 1)
    assert shop.reread == ["T280", "T281", "T282"]


def test_a_list_takes_no_creator_back(shop: AgreementsShop) -> None:
    """Only what shows one agreement names who made it."""

    def creators() -> set[str | None]:
        return set(shop.lake.current("agreements")["creator"].to_pylist())

    unnamed = {"creator": None}
    shop.stub.lists(ROOT, lambda: [row | unnamed for row in shop.agreements])
    shop.becomes(285, state="draft", creator="seller")
    assert (shop.pull().status, creators()) == ("complete", {None})
    assert (shop.pull().status, creators()) == ("partial", {None, "seller"})
    del shop.agreements[150]
    found = shop.pull()
    assert (found.status, found.counts.changed) == ("complete", 0)
    assert creators() == {None, "seller"}


def test_an_agreement_shown_without_its_time_is_read_again_all_the_same(
    shop: AgreementsShop,
) -> None:
    at = shop.agreements[COUNT - 285]["created_at"]
    shop.stub.lists(
        ROOT,
        lambda: [
            row | {"created_at": row["created_at"] or at} for row in shop.agreements
        ],
    )
    shop.becomes(285, state="draft", created_at=None)
    shop.pull()
    for _ in range(2):
        assert (shop.pull().status, shop.reread) == ("partial", ["T285"])


def test_a_state_that_nobody_knows_is_open(shop: AgreementsShop) -> None:
    """Else what the provider moves on from it is unseen until the next whole sweep."""
    for number, state in enumerate(("paid_by_buyer", "cancelled", "finalize"), 280):
        shop.becomes(number, state=state)
    shop.pull()
    shop.becomes(280, state="investigation")
    assert shop.pull().counts.changed == 1
    assert shop.reread == ["T280"]


def test_an_old_agreement_is_read_again_where_an_event_speaks_of_it(
    shop: AgreementsShop,
) -> None:
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


def test_a_payment_of_an_old_draft_is_corroborated_the_same_night(
    shop: AgreementsShop,
) -> None:
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
    shop: AgreementsShop,
) -> None:
    shop.becomes(10, state="draft")
    shop.pull()
    shop.deliver("buyer_paid_agreement", tracking_code="T10", amount=str(AMOUNT))
    shop.becomes(10, state="contract")
    shop.read()
    take_deliveries(shop.settings, shop.lake)
    assert "T10" not in shop.breaks()
    shop.pull()
    assert "T10" not in shop.breaks()


def test_a_vanished_agreement_is_not_asked_for_again_each_night(
    shop: AgreementsShop,
) -> None:
    for number in (281, 282):
        shop.becomes(number, state="draft")
    shop.pull()
    gone = shop.agreements.pop(COUNT - 281)
    del shop.stub.endpoints[f"{ROOT}/T281"]
    found = shop.pull()
    assert (found.status, found.counts.vanished) == ("complete", 1)
    shop.deliver("buyer_paid_agreement", tracking_code="T281", amount="1")
    assert shop.pull().status == "partial"
    assert shop.breaks()["T281"] in {"record_vanished", "escrow_event_uncorroborated"}
    shop.agreements.insert(COUNT - 281, gone)  # it is back, and counted
    assert shop.pull().status == "complete"
    assert shop.pull().status == "partial"
