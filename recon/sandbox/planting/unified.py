"""Faults in payments and checkouts; those of mandates have their own module."""

from random import Random

from recon.sandbox import payments
from recon.sandbox.planting import sales
from recon.sandbox.scene import Planted, Scene
from recon.sandbox.world import CHECKOUT_NOT_PAID, PAYMENT_PENDING

_PRODUCT = "unified"
_REFUSED = "INSUFFICIENT_FUNDS"


def payment_wallet_identity(scene: Scene, rng: Random) -> None:
    """Move the wallet by another amount than the payment's less its wage."""
    made = sales.sale(scene, rng, sales.some_time(scene, rng))
    payment = sales.only_payment(made)
    payment["affected_amount"] -= 25_000
    note = "the wallet rose by 25,000 rials less than amount - wage"
    scene.plant("payment_wallet_identity", _PRODUCT, payment["id"], note)


def payment_affected_not_done(scene: Scene, rng: Random) -> None:
    """Let a failed payment say that it moved the wallet, which it did not."""
    at = sales.some_time(scene, rng)
    payment = sales.only_payment(sales.failed_sale(scene, rng, at, _REFUSED))
    payment["affected_amount"] = payment["amount"]
    note = "failed, and yet with an affected_amount"
    scene.plant("payment_affected_not_done", _PRODUCT, payment["id"], note)


def payment_receipt_missing(scene: Scene, rng: Random) -> None:
    """Leave out the receipt of one done payment and the time of another."""
    name = "payment_receipt_missing"
    made = sales.sale(scene, rng, sales.some_time(scene, rng))
    payment = sales.only_payment(made)
    payment["ref_id"] = None
    scene.plant(name, _PRODUCT, payment["id"], "done without a ref_id")

    payment = sales.only_payment(sales.sale(scene, rng, scene.days.place(0.45, rng)))
    scene.silent_moves.append((payment["paid_at"], payment["affected_amount"]))
    payment["paid_at"] = None
    note = "done without paid_at; the roll-forward explains its money"
    scene.plant(name, _PRODUCT, payment["id"], note)


def payment_ref_id_duplicate(scene: Scene, rng: Random) -> None:
    """Give two payments of two customers the same receipt."""
    made = [sales.sale(scene, rng, sales.some_time(scene, rng)) for _ in range(2)]
    first, second = map(sales.only_payment, made)
    second["ref_id"] = first["ref_id"]
    note = f"on the payments {first['id']} and {second['id']}"
    scene.plant("payment_ref_id_duplicate", _PRODUCT, first["ref_id"], note)


def payment_timeout_uncertain(scene: Scene, rng: Random) -> None:
    """Let a payment time out that nobody cleared up; its money did not move."""
    at = sales.some_time(scene, rng)
    made = sales.failed_sale(scene, rng, at, payments.TIMEOUT)
    note = "timed out and never tried again; no money moved"
    payment = sales.only_payment(made)
    scene.plant("payment_timeout_uncertain", _PRODUCT, payment["id"], note)


def timeout_moved_money(scene: Scene, rng: Random) -> None:
    """Let a payment time out whose money did reach the wallet, less its wage."""
    at = scene.days.place(0.35, rng)
    made = sales.failed_sale(scene, rng, at, payments.TIMEOUT)
    payment = sales.only_payment(made)
    slug, amount = payment["payment_method"], payment["amount"]
    payment["wage_amount"] = scene.tariff.wage(_PRODUCT, slug, amount, at)
    moved = amount - payment["wage_amount"]
    scene.silent_moves.append((at + 300, moved))
    note = f"timed out, yet {moved} rials reached the wallet, which it explains"
    scene.planted.append(
        Planted(
            "timeout_moved_money",
            "payment_timeout_uncertain",
            _PRODUCT,
            payment["id"],
            note,
        )
    )


def payment_redirect_stale(scene: Scene, rng: Random) -> None:
    """Let a customer leave for the payment page and never come back."""
    at = sales.some_time(scene, rng)
    payment = sales.only_payment(sales.failed_sale(scene, rng, at, _REFUSED))
    payment.update(status=PAYMENT_PENDING, error=None, updated_at=at)
    note = "the customer never came back"
    scene.plant("payment_redirect_stale", _PRODUCT, payment["id"], note)


def checkout_amount_mismatch(scene: Scene, rng: Random) -> None:
    """Pay another amount than the checkout's."""
    made = sales.sale(scene, rng, sales.some_time(scene, rng))
    payment = sales.only_payment(made)
    payment["amount"] -= 100_000
    payments.price(scene, payment)
    note = "paid 100,000 rials less than the checkout asks"
    scene.plant("checkout_amount_mismatch", _PRODUCT, made["id"], note)


def checkout_paid_without_payment(scene: Scene, rng: Random) -> None:
    """Call a checkout paid although its only payment failed."""
    made = sales.sale(scene, rng, sales.some_time(scene, rng))
    payment = payments.fail(sales.only_payment(made), _REFUSED)
    payment.update(
        ref_id=None, paid_at=None, wage_amount=0, affected_amount=0, card=None
    )
    note = "its only payment failed"
    scene.plant("checkout_paid_without_payment", _PRODUCT, made["id"], note)


def checkout_unpaid_with_payment(scene: Scene, rng: Random) -> None:
    """Call a checkout unpaid although it was paid; the books believed it."""
    made = sales.sale(scene, rng, sales.some_time(scene, rng))
    made["status"] = CHECKOUT_NOT_PAID
    sales.order_of(scene, made)["status"] = "unpaid"
    note = "it has a done payment"
    scene.plant("checkout_unpaid_with_payment", _PRODUCT, made["id"], note)


def checkout_paid_twice(scene: Scene, rng: Random) -> None:
    """Take the money of one checkout twice."""
    made = sales.sale(scene, rng, sales.some_time(scene, rng))
    first = sales.only_payment(made)
    again = payments.payment(
        scene, rng, sales.CARD, made["amount"], first["paid_at"] + 45, ""
    )
    made["payments"].append(payments.succeed(scene, rng, again))
    made["updated_at"] = again["updated_at"]
    note = "two done payments; the wallet rose twice"
    scene.plant("checkout_paid_twice", _PRODUCT, made["id"], note)


def checkout_request_duplicate(scene: Scene, rng: Random) -> None:
    """Send two checkouts with one request_id."""
    at = sales.some_time(scene, rng)
    first = sales.sale(scene, rng, at)
    second = sales.sale(scene, rng, at + 75, customer=first["customer"])
    second["request_id"] = first["request_id"]
    note = f"on the checkouts {first['id']} and {second['id']}"
    scene.plant("checkout_request_duplicate", _PRODUCT, first["request_id"], note)


def checkout_number_paid_twice(scene: Scene, rng: Random) -> None:
    """Take the money of one order twice, through two checkouts."""
    at = sales.some_time(scene, rng)
    first = sales.sale(scene, rng, at)
    second = sales.sale(
        scene, rng, at + 90, customer=first["customer"], amount=first["amount"]
    )
    sales.drop_order(scene, second)
    number = second["checkout_number"] = first["checkout_number"]
    note = f"on the paid checkouts {first['id']} and {second['id']}"
    scene.plant("checkout_number_paid_twice", _PRODUCT, number, note)


def wage_outside_tariff(scene: Scene, rng: Random) -> None:
    """Charge a payment and a hosted checkout more than the tariff says."""
    name = "wage_outside_tariff"
    payment = sales.only_payment(sales.sale(scene, rng, sales.some_time(scene, rng)))
    payment["wage_amount"] += 3_300
    payment["affected_amount"] -= 3_300
    note = "3,300 rials above the tariff"
    scene.plant(name, _PRODUCT, payment["id"], note)

    record = sales.page_sale(scene, rng)
    record["wage"] = str(int(record["wage"]) + 2_100)
    scene.plant(name, "hosted", record["id"], "2,100 rials above the tariff")
