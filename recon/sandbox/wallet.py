"""The wallet: every rial that moved it, withdrawals, and its nightly snapshots."""

from random import Random

from recon.sandbox import funding, people
from recon.sandbox.scene import Scene
from recon.sandbox.shopfronts import SUCCEED
from recon.sandbox.world import DEPOSIT_SETTLED, PAYMENT_DONE, Record

Move = tuple[int, int]  # at (Unix seconds), rials
_OPENING = 400_000_000
_STEP = 100_000
_SETTLED_PERCENT = 75  # of the wallet goes to the bank in a settlement
_HELD_PERCENT = 30  # of a day's receipts may not leave yet


def moves(scene: Scene) -> list[Move]:
    """Return what the provider's records and the business's adjustments tell.

    `affected_amount` of done payments, `realAmount` of verified transactions, hosted
    amounts less their wage, landed deposits less theirs, adjustments.
    """
    return [
        *_payments(scene),
        *_gateway(scene),
        *_hosted(scene),
        *_deposits(scene),
        *((row["at"], row["amount"]) for row in scene.adjustments),
    ]


def _payments(scene: Scene) -> list[Move]:
    return [
        (payment["paid_at"], payment["affected_amount"])
        for checkout in scene.world.checkouts.values()
        for payment in checkout["payments"]
        if payment["status"] == PAYMENT_DONE and payment["paid_at"] is not None
    ]


def _gateway(scene: Scene) -> list[Move]:
    return [
        (each["_verified_at"], each["_verify"]["realAmount"])
        for each in scene.world.gateway_transactions.values()
        if each["_verify"] is not None
    ]


def _hosted(scene: Scene) -> list[Move]:
    return [
        (each["created_at"], int(each["amount"]) - int(each["wage"]))
        for each in scene.world.hosted_checkouts.values()
        if each["status"] == SUCCEED
    ]


def _deposits(scene: Scene) -> list[Move]:
    return [
        (entry["settled_at"], entry["amount"] - entry["wage"])
        for entries in scene.world.deposits.values()
        for entry in entries
        if entry["status"] == DEPOSIT_SETTLED
    ]


def close(scene: Scene, rng: Random) -> None:
    """Withdraw through the days, take a snapshot each midnight, set the wallet."""
    pending = sorted([*moves(scene), *scene.silent_moves], reverse=True)
    balance = _OPENING + rng.randrange(10**8)
    _snapshot(scene, scene.days.starts_at, balance, 0)
    for index in range(len(scene.days)):
        midnight = scene.days.midnights[index + 1]
        received = 0
        for at in (scene.days.moment(index, rng.uniform(0.42, 0.5)), midnight):
            while pending and pending[-1][0] < at:
                amount = pending.pop()[1]
                balance += amount
                received += max(amount, 0)
            if at < midnight:
                balance -= _withdraw(scene, rng, index, at, balance)
        _snapshot(scene, midnight, balance, received)
    last = scene.balances[-1]
    scene.world.wallet_balance = last["balance"]
    scene.world.wallet_available = last["available_balance"]


def _withdraw(scene: Scene, rng: Random, index: int, at: int, balance: int) -> int:
    """Settle to the bank on working days, now and then pay or correct something.

    Returns by how many rials the wallet fell.
    """
    weekday = scene.days.all[index].weekday()
    if weekday in {0, 2, 5}:
        amount = balance * _SETTLED_PERCENT // 100 // _STEP * _STEP
        reference = people.digits(rng, 8)
        _adjust(scene, at, -amount, "settlement", f"settlement {reference}")
        booked_at = at + rng.randrange(3600, 4 * 3600)
        funding.book(scene, amount, booked_at, f"واریز تسویه {reference}")
    elif weekday == 1:
        amount = min(rng.randrange(20, 400), balance // 2 // _STEP) * _STEP
        _adjust(scene, at, -amount, "withdrawal", "پرداخت به تامین کننده")
    elif weekday == 6 and rng.random() < 0.25:
        amount = -rng.randrange(1_000, 90_000)
        _adjust(scene, at, -amount, "correction", "اصلاح کارمزد")
    else:
        return 0
    return amount


def _adjust(scene: Scene, at: int, amount: int, kind: str, description: str) -> None:
    scene.adjustments.append(
        {"at": at, "amount": amount, "kind": kind, "description": description}
    )


def _snapshot(scene: Scene, at: int, balance: int, received: int) -> None:
    held = min(max(balance, 0), received * _HELD_PERCENT // 100)
    excess = scene.excess_available.get(at)
    row: Record = {
        "at": at,
        "balance": balance,
        "available_balance": balance - held if excess is None else balance + excess,
        "iban": scene.world.wallet_iban,
    }
    scene.balances.append(row)
