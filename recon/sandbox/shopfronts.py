"""The two products without a list: the card gateway and the hosted one-click page.

The business keeps what it sent (the rows of `gateway_tokens`, `hosted_checkouts`) and
the answers of `verify`. The fee is on the business. Source: document 2, parts B, C.
"""

from random import Random
from typing import Any

from recon.sandbox import people
from recon.sandbox.scene import Scene
from recon.sandbox.world import Record

CODE_WAITING, CODE_CONFIRMED, CODE_EXPIRED, CODE_FAILED = 1, 2, 3, 4
MESSAGES = {
    CODE_WAITING: "تراکنش در انتظار تایید است",
    CODE_CONFIRMED: "تراکنش تایید شده است",
    CODE_EXPIRED: "زمان تایید تراکنش گذشته است",
    CODE_FAILED: "تراکنش ناموفق بود",
}
SUCCEED, PENDING_VERIFY, FAILED, INIT = "SUCCEED", "PENDING_VERIFY", "FAILED", "INIT"
_FAILURE_RATE = 0.12


def draw_amount(rng: Random) -> int:
    """Return what is bought on a page, in rials."""
    return int(min(max(rng.lognormvariate(14.6, 0.9), 1e5), 4e8)) // 10_000 * 10_000


def gateway(
    scene: Scene, rng: Random, amount: int, at: int, code: int = CODE_CONFIRMED
) -> tuple[Record, Record]:
    """Send a transaction to the card gateway; with its code 2 it is paid and verified.

    Returns the provider's transaction and the business's row.
    """
    token = f"{rng.getrandbits(80):020x}"
    paid_at = at + rng.randrange(40, 400)
    card = people.card(rng)
    common: Record = {
        "status": 1,
        "amount": str(amount),
        "transId": int(scene.numbers.digits(10)),
        "factorNumber": f"G{scene.numbers.digits(8)}",
        "mobile": people.mobile(rng),
        "description": "خرید از فروشگاه",
        "cardNumber": card["card_number"],
        "paymentDate": _local(scene, paid_at),
    }
    transaction: Record = {
        **common,
        "refnumber": scene.numbers.digits(12),
        "trackingCode": scene.numbers.digits(10),
        "CID": card["cid"],
        "createdAt": _local(scene, at),
        "code": code,
        "message": MESSAGES[code],
        "_verify": None,
        "_sent_amount": amount,
        "_sent_at": at,
        "_verified_at": None,
    }
    sent: Record = {
        "token": token,
        "amount": amount,
        "factor_number": common["factorNumber"],
        "sent_at": at,
        "real_amount": None,
        "wage": None,
        "verified_at": None,
    }
    if code == CODE_CONFIRMED:
        wage = scene.tariff.wage("gateway", "", amount, at)
        answer = {**common, "cid": card["cid"], "message": "ok"}
        answer.update(realAmount=amount - wage, wage=str(wage))
        transaction["_verify"] = answer
        transaction["_verified_at"] = paid_at + rng.randrange(2, 60)
        keep_verify(transaction, sent)
    scene.world.gateway_transactions[token] = transaction
    scene.gateway_tokens.append(sent)
    return transaction, sent


def keep_verify(transaction: Record, sent: Record) -> None:
    """Let the business keep the answer of `verify` with what it sent."""
    answer = transaction["_verify"]
    sent.update(
        real_amount=answer["realAmount"],
        wage=int(answer["wage"]),
        verified_at=transaction["_verified_at"],
    )


def hosted(
    scene: Scene, rng: Random, amount: int, at: int, status: str = SUCCEED
) -> tuple[Record, Record]:
    """Send a checkout to the hosted page; returns it and the business's row.

    Unknown: that a checkout that did not succeed has wage 0.
    """
    paid = status == SUCCEED
    wage = scene.tariff.wage("hosted", "", amount, at) if paid else 0
    record: Record = {
        "id": people.new_uuid(rng),
        "amount": str(amount),
        "wage": str(wage),
        "status": status,
        "checkout_number": scene.numbers.digits(10),
        "description": "خرید با یک لمس",
        "created_at": at,
        "_sent_amount": amount,
        "_sent_at": at,
    }
    sent: Record = {
        "checkout_id": record["id"],
        "amount": amount,
        "checkout_number": record["checkout_number"],
        "sent_at": at,
    }
    scene.world.hosted_checkouts[record["id"]] = record
    scene.hosted_checkouts.append(sent)
    return record, sent


def populate(scene: Scene, rng: Random, gateway_daily: float, daily: float) -> None:
    """Make the transactions of both products on all days, with their orders."""
    for index in range(len(scene.days)):
        for _ in range(int(gateway_daily + rng.random())):
            at = scene.days.moment(index, rng.uniform(0.3, 1))
            code = CODE_FAILED if rng.random() < _FAILURE_RATE else CODE_CONFIRMED
            _, sent = gateway(scene, rng, draw_amount(rng), at, code)
            order_gateway(scene, sent, paid=code == CODE_CONFIRMED)
        for _ in range(int(daily + rng.random())):
            at = scene.days.moment(index, rng.uniform(0.3, 1))
            failed = FAILED if rng.random() < 0.7 else INIT
            status = failed if rng.random() < _FAILURE_RATE else SUCCEED
            _, sent = hosted(scene, rng, draw_amount(rng), at, status)
            order_hosted(scene, sent, paid=status == SUCCEED)


def order_gateway(scene: Scene, sent: Record, *, paid: bool) -> Record:
    """Write the order of a gateway transaction."""
    return _order(scene, "gateway", sent["factor_number"], sent, paid=paid)


def order_hosted(scene: Scene, sent: Record, *, paid: bool) -> Record:
    """Write the order of a hosted checkout."""
    return _order(scene, "hosted", sent["checkout_number"], sent, paid=paid)


def _order(
    scene: Scene, product: str, number: Any, sent: Record, *, paid: bool
) -> Record:
    status = "paid" if paid else "unpaid"
    return scene.order(product, str(number), sent["amount"], status, sent["sent_at"])


def _local(scene: Scene, at: int) -> str:
    return f"{scene.days.local(at):%Y-%m-%d %H:%M:%S}"
