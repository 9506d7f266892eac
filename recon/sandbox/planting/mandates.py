"""Faults in how mandates were used."""

from random import Random

from recon.sandbox import payments, people
from recon.sandbox.planting import sales
from recon.sandbox.scene import Scene
from recon.times import calendar_month

_PRODUCT = "unified"
_MILLION = 1_000_000


def mandate_unknown(scene: Scene, rng: Random) -> None:
    """Draw on a mandate that no list shows."""
    made = sales.sale(
        scene,
        rng,
        sales.some_time(scene, rng),
        method=sales.DEBIT,
        mandate_id=people.new_uuid(rng),
    )
    payment = sales.only_payment(made)
    note = f"the mandate {payment['debit']['mandate_id']} does not exist"
    scene.plant("mandate_unknown", _PRODUCT, payment["id"], note)


def mandate_limit_exceeded(scene: Scene, rng: Random) -> None:
    """Draw more at once than the mandate allows."""
    at = sales.some_time(scene, rng)
    permission = sales.mandate(scene, rng, at)
    amount = scene.numbers.amount(3 * _MILLION, 9 * _MILLION, 10_000)
    made = sales.sale(
        scene,
        rng,
        at,
        method=sales.DEBIT,
        mandate_id=permission.mandate["id"],
        customer=permission.customer,
        amount=amount,
    )
    permission.mandate["limit"] = (amount - 1) // _MILLION * _MILLION
    payment = sales.only_payment(made)
    note = f"above the limit of {permission.mandate['limit']} rials"
    scene.plant("mandate_limit_exceeded", _PRODUCT, payment["id"], note)


def mandate_count_exceeded(scene: Scene, rng: Random) -> None:
    """Draw three times in a month on a mandate that allows two."""
    at = sales.some_time(scene, rng)
    permission = sales.mandate(scene, rng, at)
    permission.mandate["count"] = 2
    for later in (0, 900, 1800):
        sales.debit_sale(scene, rng, at + later, permission)
    month = calendar_month(scene.days.local(at).date(), scene.calendar)
    record = f"{permission.mandate['id']}:{month}"
    note = "three withdrawals in a month that allows two"
    scene.plant("mandate_count_exceeded", _PRODUCT, record, note)


def mandate_used_after_expiry(scene: Scene, rng: Random) -> None:
    """Draw on a mandate whose time was over."""
    at = sales.some_time(scene, rng)
    permission = sales.mandate(scene, rng, at)
    payment = sales.only_payment(sales.debit_sale(scene, rng, at, permission))
    permission.mandate["expires_at"] = at - 1800
    note = "half an hour after the mandate expired"
    scene.plant("mandate_used_after_expiry", _PRODUCT, payment["id"], note)


def mandate_used_after_revocation(scene: Scene, rng: Random) -> None:
    """Draw on a mandate that the customer had revoked."""
    at = sales.some_time(scene, rng)
    permission = sales.mandate(scene, rng, at)
    payment = sales.only_payment(sales.debit_sale(scene, rng, at, permission))
    payments.revoke(permission.mandate, at - 2400)
    note = "forty minutes after the mandate was revoked"
    scene.plant("mandate_used_after_revocation", _PRODUCT, payment["id"], note)


def mandate_method_mismatch(scene: Scene, rng: Random) -> None:
    """Draw through another payment method than the mandate's."""
    at = sales.some_time(scene, rng)
    permission = sales.mandate(scene, rng, at, sales.OTHER_DEBIT)
    payment = sales.only_payment(sales.debit_sale(scene, rng, at, permission))
    note = f"its mandate is for {sales.OTHER_DEBIT.slug}"
    scene.plant("mandate_method_mismatch", _PRODUCT, payment["id"], note)
