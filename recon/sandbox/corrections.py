"""The second night: what the provider changes after everybody had seen it."""

from recon.errors import UsageError
from recon.sandbox.scene import Planted
from recon.sandbox.trades import DRAFT
from recon.sandbox.world import CHECKOUT_NOT_PAID, CHECKOUT_PAID, Record, World

_ROUND = 10_000  # of such amounts, every rate gives whole rials
_ABOVE_MINIMUM = 1_000_000  # rials; below, the tariff's minimum may hold
_HOURS_LATER = 9 * 3600


def change_the_past(
    world: World, planted: list[Planted], books: list[Record]
) -> list[Planted]:
    """Restate and remove records of a world; returns the breaks that must follow."""
    spoiled = {each.record_id for each in planted}
    return [*_restate(world, spoiled), *_vanish(world, spoiled, books)]


def _restate(world: World, spoiled: set[str]) -> list[Planted]:
    """Take one rial off a payment's amount and wage, and off its checkout.

    The wage of one rial less is one rial less, since the amount is round: identity,
    tariff and wallet still agree. Only the order keeps what was sent.
    """
    checkout, payment = next(
        (found for found in _single_sales(world) if not _ids(*found) & spoiled),
        (None, None),
    )
    if checkout is None or payment is None:
        raise UsageError("the history is too small for a second night: no round sale")
    payment["amount"] -= 1
    payment["wage_amount"] -= 1
    checkout["amount"] -= 1
    later = max(each["updated_at"] for each in world.checkouts.values()) + _HOURS_LATER
    payment["updated_at"] = checkout["updated_at"] = later
    note = "one rial less than the night before"
    number = checkout["checkout_number"]
    fault = "record_restated"
    return [
        Planted(fault, fault, "unified", payment["id"], note),
        Planted(fault, fault, "unified", checkout["id"], note),
        Planted(fault, "book_amount_mismatch", "books", number, note),
    ]


def _single_sales(world: World) -> list[tuple[Record, Record]]:
    """Return paid checkouts of one payment whose wage is a plain rate of its amount."""
    found = []
    for checkout in world.checkouts.values():
        if checkout["status"] != CHECKOUT_PAID or len(checkout["payments"]) != 1:
            continue
        (payment,) = checkout["payments"]
        amount, wage = payment["amount"], payment["wage_amount"]
        round_rate = amount % _ROUND == 0 and wage * 100 == amount > _ABOVE_MINIMUM
        if payment["payment_method"] == "card-damavand" and round_rate:
            found.append((checkout, payment))
    return found


def _ids(checkout: Record, payment: Record) -> set[str]:
    return {
        checkout["id"], checkout["request_id"], checkout["checkout_number"],
        payment["id"], payment["ref_id"],
    }  # fmt: skip


def _vanish(world: World, spoiled: set[str], books: list[Record]) -> list[Planted]:
    """Remove an unpaid checkout, an unused mandate and a draft that no event names."""
    checkout_id = _unpaid(world, spoiled, {row["reference"] for row in books})
    used = {
        payment["debit"]["mandate_id"]
        for checkout in world.checkouts.values()
        for payment in checkout["payments"]
        if payment["type"] == "debit"
    }
    mandate_id = next((each for each in world.mandates if each not in used), None)
    told = {event["data"]["tracking_code"] for event in world.events}
    code = next(
        (
            each["tracking_code"]
            for each in world.agreements.values()
            if each["state"] == DRAFT and each["tracking_code"] not in told
        ),
        None,
    )
    if checkout_id is None or mandate_id is None or code is None:
        raise UsageError("the history is too small for a second night: nothing to lose")
    del world.checkouts[checkout_id], world.mandates[mandate_id], world.agreements[code]
    fault, note = "record_vanished", "no longer in its list"
    return [
        Planted(fault, fault, "unified", checkout_id, note),
        Planted(fault, fault, "unified", mandate_id, note),
        Planted(fault, fault, "escrow", code, note),
    ]


def _unpaid(world: World, spoiled: set[str], known: set[str]) -> str | None:
    """Return an unpaid checkout, rather one whose number the books do not know."""
    found = [
        checkout
        for checkout in world.checkouts.values()
        if checkout["status"] == CHECKOUT_NOT_PAID
        and checkout["checkout_number"] not in spoiled
        and not _all_ids(checkout) & spoiled
    ]
    found.sort(key=lambda checkout: checkout["checkout_number"] in known)
    return str(found[0]["id"]) if found else None


def _all_ids(checkout: Record) -> set[str]:
    return {checkout["id"], *(payment["id"] for payment in checkout["payments"])}
