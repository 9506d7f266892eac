"""Faults in the wallet and in the business's own books."""

from random import Random

from recon.sandbox.planting import sales
from recon.sandbox.scene import Scene
from recon.times import format_instant

_BOOKS, _WALLET = "books", "wallet"


def wallet_rollforward(scene: Scene, rng: Random) -> None:
    """Take money out of the wallet that nothing tells of.

    Open items can only have raised the wallet, so no set of them explains a fall.
    """
    at = scene.days.place(0.55, rng)
    amount = rng.randrange(150_000, 990_000) * 10 + 7
    scene.silent_moves.append((at, -amount))
    closing = scene.days.midnights[scene.days.index_of(at) + 1]
    note = f"{amount} rials left the wallet and no record says why"
    scene.plant("wallet_rollforward", _WALLET, _snapshot(scene, closing), note)


def wallet_available_exceeds_balance(scene: Scene, rng: Random) -> None:
    """Say that more may leave the wallet than it holds."""
    index = min(int(rng.uniform(0.3, 0.8) * len(scene.days)), len(scene.days) - 2)
    midnight = scene.days.midnights[max(index, 0)]
    scene.excess_available[midnight] = 640_000
    record = _snapshot(scene, midnight)
    note = "640,000 rials more available than there are"
    scene.plant("wallet_available_exceeds_balance", _WALLET, record, note)


def book_missing_at_provider(scene: Scene, rng: Random) -> None:
    """Write an order as paid that no product knows."""
    number = scene.numbers.digits(9)
    amount = sales.some_amount(scene) + 3
    scene.order("unified", number, amount, "paid", sales.some_time(scene, rng))
    note = "paid in the books, unknown to the provider"
    scene.plant("book_missing_at_provider", _BOOKS, number, note)


def provider_missing_in_books(scene: Scene, rng: Random) -> None:
    """Leave one paid checkout out of the books and give another no number."""
    name = "provider_missing_in_books"
    made = sales.sale(scene, rng, sales.some_time(scene, rng))
    sales.drop_order(scene, made)
    scene.plant(name, _BOOKS, made["id"], "paid, and the books lack its number")

    made = sales.sale(scene, rng, sales.some_time(scene, rng))
    sales.drop_order(scene, made)
    made["checkout_number"] = None
    scene.plant(name, _BOOKS, made["id"], "paid, without a number")


def book_amount_mismatch(scene: Scene, rng: Random) -> None:
    """Write an order in tomans, ten times too small."""
    made = sales.sale(scene, rng, sales.some_time(scene, rng))
    order = sales.order_of(scene, made)
    order["amount"] //= 10
    note = "the books have tomans where rials belong"
    scene.plant("book_amount_mismatch", _BOOKS, order["reference"], note)


def book_status_mismatch(scene: Scene, rng: Random) -> None:
    """Call a paid order unpaid, and an unpaid one paid."""
    name = "book_status_mismatch"
    order = sales.order_of(scene, sales.sale(scene, rng, sales.some_time(scene, rng)))
    order["status"] = "unpaid"
    scene.plant(name, _BOOKS, order["reference"], "the provider has it as paid")

    at = sales.some_time(scene, rng)
    made = sales.failed_sale(scene, rng, at, "CANCELLED_BY_USER")
    number = made["checkout_number"]
    scene.books[:] = [row for row in scene.books if row["reference"] != number]
    scene.order("unified", number, made["amount"], "paid", at)
    scene.plant(name, _BOOKS, number, "the provider has it as not paid")


def book_duplicate(scene: Scene, rng: Random) -> None:
    """Write one order twice."""
    order = sales.order_of(scene, sales.sale(scene, rng, sales.some_time(scene, rng)))
    scene.books.append(dict(order))
    scene.plant("book_duplicate", _BOOKS, order["reference"], "twice in one file")


def _snapshot(scene: Scene, at: int) -> str:
    return f"{scene.world.wallet_iban}:{format_instant(scene.days.utc(at))}"
