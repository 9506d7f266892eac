"""From what people do in the sandbox to the reconciled sub-ledger, over real HTTP."""

import asyncio
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from recon.imports.delivered import take_deliveries
from recon.journal import journal_path
from recon.journal.deliveries import Deliveries
from recon.lake import Lake
from recon.pull.runner import pull
from recon.reconcile.run import reconcile
from recon.sandbox.deliveries import sign
from recon.webhooks.registering import register
from tests.api_writes.sandbox_shop import (
    BUYER,
    CALLBACK,
    SELLER,
    Shop,
    draft_agreement,
    open_shop,
)
from tests.webhooks.receiver_cases import BUSINESS, Sender, envelope, receiver

AMOUNT = 7_000_000


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    with open_shop(tmp_path) as opened:
        opened.world.agreements.clear()
        yield replace(opened, settings=replace(opened.settings, folder=tmp_path))


def trade(shop: Shop, name: str) -> str:
    """Draft, approve and pay; returns the tracking code."""
    code = draft_agreement(shop, name)
    link = shop.provider.agreements.approve(code, BUYER)
    assert shop.visit(link)["tracking_code"] == code
    return code


def ticket(shop: Shop, code: str) -> None:
    shop.provider.tickets.create(
        agreement_tracking_code=code,
        reporter_mobile=BUYER,
        ticket_type_slug="dispute_with_seller",
        redirect_url=CALLBACK,
        description="it is not blue",
        callback=CALLBACK,
    )


def everything(shop: Shop) -> dict[str, str]:
    """Take one trade along each path."""
    agreements = shop.provider.agreements
    finalized, cancelled = trade(shop, "finalized"), trade(shop, "cancelled")
    agreements.finalize(finalized, BUYER)
    agreements.cancel(cancelled, SELLER)
    disputed, open_one = trade(shop, "disputed"), trade(shop, "open")
    ticket(shop, disputed)
    close = f"{shop.base}/sandbox/agreements/{disputed}/close"
    assert httpx.post(close, json={"state": "finalize"}).status_code == 200
    ticket(shop, open_one)
    return {
        "finalized": finalized,
        "cancelled": cancelled,
        "disputed": disputed,
        "open": open_one,
        "held": trade(shop, "held"),
        "draft": draft_agreement(shop, "draft"),
    }


def wait_until_delivered(shop: Shop) -> None:
    until = time.monotonic() + 20
    while time.monotonic() < until:
        sent = httpx.get(f"{shop.base}/sandbox/deliveries").json()["deliveries"]
        if sent and all(each["status"] == 200 for each in sent):
            return
        time.sleep(0.02)
    raise AssertionError(sent)


def wait_for_verdicts(shop: Shop, count: int) -> list[str]:
    with Deliveries(journal_path(shop.settings)) as deliveries:
        for _ in range(2_000):
            found = [deliveries.verdict(number) for number in range(1, count + 1)]
            if all(found):
                return [each.verdict.value for each in found if each]
            time.sleep(0.01)
    raise AssertionError(found)


def post(sender: Sender, body: bytes) -> int:
    signature = sign(body, BUSINESS)
    return sender.post(body, signature).status_code


def positions(result: Any) -> dict[str, dict[str, Any]]:
    rows = result.table("int_escrow_positions").to_pylist()
    return {row["tracking_code"]: row for row in rows}


def test_from_a_trade_to_the_sub_ledger(shop: Shop) -> None:
    lake = Lake(shop.settings.lake_path)
    with receiver(shop.settings) as sender:
        address = sender.address.replace("http:", "https:") + "/"
        asyncio.run(register(shop.settings, address))
        codes = everything(shop)
        wait_until_delivered(shop)
        count = len(shop.world.events)
        forged = envelope("buyer_paid_agreement", tracking_code="T-none", amount="1")
        early = envelope("agreement_finalized", tracking_code=codes["draft"])
        assert [post(sender, body) for body in (forged, early, early)] == [200] * 3
        assert len(sender.stored()) == count + 2
        verdicts = wait_for_verdicts(shop, count + 2)
    assert verdicts[-2:] == ["contradicted", "contradicted"]
    assert "contradicted" not in verdicts[:-2]
    assert verdicts.count("confirmed") > count // 2

    assert take_deliveries(shop.settings, lake) == count + 2
    assert pull(shop.settings, lake, ["agreements", "webhooks"]).complete
    with reconcile(lake, shop.settings) as result:
        rows = positions(result)
        told = {
            (each["check"], each["record_id"])
            for each in result.breaks.to_pylist()
            if each["check"].startswith("escrow")
        }
    assert told == {
        ("escrow_event_uncorroborated", "T-none"),
        ("escrow_event_uncorroborated", codes["draft"]),
    }
    ledger = {
        name: (
            rows[code]["paid_rial"] or 0,
            rows[code]["paid_out_rial"],
            rows[code]["refunded_rial"],
        )
        for name, code in codes.items()
    }
    assert ledger == {
        "finalized": (AMOUNT, AMOUNT, 0),
        "cancelled": (AMOUNT, 0, AMOUNT),
        "disputed": (AMOUNT, AMOUNT, 0),
        "open": (AMOUNT, 0, 0),
        "held": (AMOUNT, 0, 0),
        "draft": (0, 0, 0),
    }
