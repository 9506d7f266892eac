"""Faults at the card gateway and the hosted page."""

from random import Random

from recon.sandbox import shopfronts
from recon.sandbox.planting import sales
from recon.sandbox.scene import Scene
from recon.sandbox.world import Record

_GATEWAY, _HOSTED = "gateway", "hosted"


def gateway_wallet_identity(scene: Scene, rng: Random) -> None:
    """Raise the wallet by less than the amount without its wage."""
    transaction, sent = _card_sale(scene, rng)
    transaction["_verify"]["realAmount"] -= 15_000
    shopfronts.keep_verify(transaction, sent)
    note = "realAmount is 15,000 rials short"
    scene.plant("gateway_wallet_identity", _GATEWAY, transaction["transId"], note)


def gateway_amount_mismatch(scene: Scene, rng: Random) -> None:
    """Charge more than was sent."""
    transaction, sent = _card_sale(scene, rng)
    charged = sent["amount"] + 50_000
    wage = scene.tariff.wage(_GATEWAY, "", charged, sent["sent_at"])
    transaction["amount"] = transaction["_verify"]["amount"] = str(charged)
    transaction["_verify"].update(realAmount=charged - wage, wage=str(wage))
    shopfronts.keep_verify(transaction, sent)
    note = "50,000 rials more than was sent"
    scene.plant("gateway_amount_mismatch", _GATEWAY, transaction["transId"], note)


def gateway_unverified(scene: Scene, rng: Random) -> None:
    """Leave a transaction unconfirmed: one still waits, one expired."""
    for code in (shopfronts.CODE_WAITING, shopfronts.CODE_EXPIRED):
        _, sent = _card_sale(scene, rng, code)
        note = f"code {code}: {shopfronts.MESSAGES[code]}"
        scene.plant("gateway_unverified", _GATEWAY, sent["token"], note)


def gateway_verify_missing(scene: Scene, rng: Random) -> None:
    """Lose the answer of a verification; the wallet did not rise either."""
    transaction, sent = _card_sale(scene, rng)
    transaction.update(_verify=None, _verified_at=None)
    sent.update(real_amount=None, wage=None, verified_at=None)
    note = "confirmed, and nobody kept the answer"
    scene.plant("gateway_verify_missing", _GATEWAY, sent["token"], note)


def gateway_refnumber_duplicate(scene: Scene, rng: Random) -> None:
    """Give two transactions one receipt."""
    (first, _), (second, _) = _card_sale(scene, rng), _card_sale(scene, rng)
    number = second["refnumber"] = first["refnumber"]
    note = f"on the transactions {first['transId']} and {second['transId']}"
    scene.plant("gateway_refnumber_duplicate", _GATEWAY, number, note)


def hosted_unverified(scene: Scene, rng: Random) -> None:
    """Leave a hosted checkout without verification."""
    at, amount = sales.some_time(scene, rng), sales.some_amount(scene)
    record, sent = shopfronts.hosted(scene, rng, amount, at, shopfronts.PENDING_VERIFY)
    shopfronts.order_hosted(scene, sent, paid=False)
    note = "waits for a verification that never came"
    scene.plant("hosted_unverified", _HOSTED, record["id"], note)


def hosted_amount_mismatch(scene: Scene, rng: Random) -> None:
    """Charge less than was sent."""
    record = sales.page_sale(scene, rng)
    charged = int(record["amount"]) - 60_000
    wage = scene.tariff.wage(_HOSTED, "", charged, record["created_at"])
    record.update(amount=str(charged), wage=str(wage))
    note = "60,000 rials less than was sent"
    scene.plant("hosted_amount_mismatch", _HOSTED, record["id"], note)


def hosted_number_paid_twice(scene: Scene, rng: Random) -> None:
    """Take the money of one order twice."""
    first = sales.page_sale(scene, rng)
    second, sent = shopfronts.hosted(
        scene, rng, int(first["amount"]), first["created_at"] + 120
    )
    number = first["checkout_number"]
    second["checkout_number"] = sent["checkout_number"] = number
    note = f"on the checkouts {first['id']} and {second['id']}"
    scene.plant("hosted_number_paid_twice", _HOSTED, number, note)


def _card_sale(
    scene: Scene, rng: Random, code: int = shopfronts.CODE_CONFIRMED
) -> tuple[Record, Record]:
    at, amount = sales.some_time(scene, rng), sales.some_amount(scene)
    transaction, sent = shopfronts.gateway(scene, rng, amount, at, code)
    paid = code == shopfronts.CODE_CONFIRMED
    shopfronts.order_gateway(scene, sent, paid=paid)
    return transaction, sent
