"""Ordinary sales that a fault then spoils: each stands alone, with its own order."""

from random import Random

from recon.sandbox import payments, people, shopfronts
from recon.sandbox.payments import Permission
from recon.sandbox.scene import Scene
from recon.sandbox.tariffs import METHODS, Method
from recon.sandbox.world import Record

_BY_SLUG = {method.slug: method for method in METHODS}
CARD = _BY_SLUG["card-damavand"]
DEBIT = _BY_SLUG["debit-alvand"]
OTHER_DEBIT = _BY_SLUG["debit-zagros"]
_TWO_DAYS = 2 * 86_400


def some_time(scene: Scene, rng: Random) -> int:
    """Return an instant in working hours, away from both ends of the history."""
    return scene.days.place(rng.uniform(0.15, 0.85), rng)


def some_amount(scene: Scene) -> int:
    """Return an amount in rials that no other planted record has."""
    return scene.numbers.amount(800_000, 4_900_000, 10_000)


def sale(
    scene: Scene,
    rng: Random,
    at: int,
    *,
    method: Method = CARD,
    mandate_id: str = "",
    customer: Record | None = None,
    amount: int | None = None,
) -> Record:
    """Return a paid checkout with one payment, with its order in the books."""
    value = some_amount(scene) if amount is None else amount
    payment = payments.payment(scene, rng, method, value, at, mandate_id)
    payments.succeed(scene, rng, payment)
    return payments.checkout(scene, rng, customer or people.customer(rng), [payment])


def failed_sale(scene: Scene, rng: Random, at: int, code: str) -> Record:
    """Return a checkout that is not paid, its one payment failed with that code."""
    payment = payments.payment(scene, rng, CARD, some_amount(scene), at, "")
    payments.fail(payment, code)
    return payments.checkout(scene, rng, people.customer(rng), [payment])


def mandate(scene: Scene, rng: Random, at: int, method: Method = DEBIT) -> Permission:
    """Return a mandate granted two days before an instant, wide enough for a sale."""
    customer = people.customer(rng)
    granted_at = at - _TWO_DAYS
    return payments.new_mandate(scene, rng, method, customer, 5_000_000, granted_at)


def debit_sale(scene: Scene, rng: Random, at: int, permission: Permission) -> Record:
    """Return a paid checkout that drew on a mandate."""
    return sale(
        scene,
        rng,
        at,
        method=DEBIT,
        mandate_id=permission.mandate["id"],
        customer=permission.customer,
    )


def page_sale(scene: Scene, rng: Random) -> Record:
    """Return a succeeded hosted checkout with its order."""
    at = some_time(scene, rng)
    record, sent = shopfronts.hosted(scene, rng, some_amount(scene), at)
    shopfronts.order_hosted(scene, sent, paid=True)
    return record


def order_of(scene: Scene, checkout: Record) -> Record:
    """Return the order of a checkout that was made just now."""
    number = checkout["checkout_number"]
    return next(row for row in reversed(scene.books) if row["reference"] == number)


def drop_order(scene: Scene, checkout: Record) -> None:
    """Take the order of a checkout out of the books."""
    scene.books.remove(order_of(scene, checkout))


def only_payment(checkout: Record) -> Record:
    """Return the one payment of a checkout."""
    payment: Record
    (payment,) = checkout["payments"]
    return payment
