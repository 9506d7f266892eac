"""Unified payment as it happens: customers, mandates, checkouts and their payments.

Unknown: that a payment is tried again within its checkout, and all error codes but
`WITHDRAWAL_TIMEOUT`, are the sandbox's assumptions.
Source: document 3.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from recon.sandbox import people
from recon.sandbox.scene import Scene
from recon.sandbox.tariffs import METHODS, Method
from recon.sandbox.world import (
    CHECKOUT_NOT_PAID,
    CHECKOUT_PAID,
    MANDATE_ACTIVE,
    MANDATE_EXPIRED,
    MANDATE_REVOKED,
    PAYMENT_DONE,
    PAYMENT_FAILED,
    Record,
)

TIMEOUT = "WITHDRAWAL_TIMEOUT"
ERRORS = {
    TIMEOUT: "زمان برداشت به پایان رسید",
    "INSUFFICIENT_FUNDS": "موجودی کافی نیست",
    "CANCELLED_BY_USER": "کاربر از پرداخت منصرف شد",
    "BANK_UNAVAILABLE": "بانک در دسترس نیست",
}
_PLAIN_ERRORS = ("INSUFFICIENT_FUNDS", "CANCELLED_BY_USER", "BANK_UNAVAILABLE")
_DESCRIPTIONS = ("چای بهاره", "قهوه", "ظرف سفالی", "هدیه", "سفارش آنلاین", "")
_DAY = 86_400
_TRIES = 3
_TRY_AGAIN = 0.6
_ORDER_OF_UNPAID = 0.7  # the share of unpaid checkouts that the books know at all
_LIMITS = (5_000_000, 10_000_000, 20_000_000, 50_000_000, 100_000_000, 300_000_000)
_COUNTS = (3, 5, 10, 20, 30)
_TERMS = (30, 60, 90, 180, 365)  # days


@dataclass
class Permission:
    """A mandate with what was drawn on it, by month of either calendar."""

    mandate: Record
    customer: Record
    ends_at: int
    used: Counter[str] = field(default_factory=Counter)

    def allows(self, amount: int, at: int, months: Sequence[str]) -> bool:
        """Tell whether one more withdrawal of that many rials is within bounds."""
        count = self.mandate["count"]
        return (
            at < self.ends_at
            and amount <= self.mandate["limit"]
            and all(self.used[month] < count for month in months)
        )


def new_mandate(
    scene: Scene, rng: Random, method: Method, customer: Record, amount: int, at: int
) -> Permission:
    """Grant a mandate at an instant for withdrawals of at least `amount` rials."""
    enough = [limit for limit in _LIMITS if limit >= amount] or [method.limit]
    mandate: Record = {
        "id": people.new_uuid(rng),
        "payment_method": method.slug,
        "count": rng.choice(_COUNTS),
        "limit": rng.choice(enough[:3]),
        "expires_at": at + rng.choice(_TERMS) * _DAY,
        "customer_id": customer["id"],
        "status": MANDATE_ACTIVE,
        "created_at": at,
        "updated_at": at,
        "revoked_at": None,
    }
    scene.world.mandates[mandate["id"]] = mandate
    # An hour's distance, so that no attempt that began in time ends too late.
    return Permission(mandate, customer, mandate["expires_at"] - 3600)


def revoke(mandate: Record, at: int) -> None:
    """Revoke a mandate at an instant."""
    mandate.update(status=MANDATE_REVOKED, revoked_at=at, updated_at=at)


def draw_amount(rng: Random, ceiling: int) -> int:
    """Return what a customer buys for, in rials: log-normal, in tomans people say."""
    rials = min(max(rng.lognormvariate(14.4, 1.0), 100_000.0), float(ceiling))
    shape = rng.random()
    if shape < 0.02:
        return int(rials)  # a discount in per cent left odd rials
    step = 10_000 if shape < 0.6 else 5_000 if shape < 0.75 else 10
    return int(rials) // step * step


def payment(
    scene: Scene, rng: Random, method: Method, amount: int, at: int, mandate_id: str
) -> Record:
    """Return a payment that was started and has not happened, without an error."""
    own: Record = {"credit": None} if method.type == "credit" else {"card": None}
    if method.type == "debit":
        own = {"debit": {"mandate_id": mandate_id}}
    return {
        "id": people.new_uuid(rng),
        "payment_method": method.slug,
        "amount": amount,
        "wage_amount": 0,
        "affected_amount": 0,
        "ref_id": None,
        "tracking_code": scene.numbers.digits(11),
        "status": PAYMENT_FAILED,
        "error": None,
        "created_at": at,
        "updated_at": at,
        "paid_at": None,
        "type": method.type,
        **own,
    }


def fail(record: Record, code: str, seconds: int = 40) -> Record:
    """Let a payment fail with an error code; no money moves."""
    record.update(
        status=PAYMENT_FAILED,
        error={"code": code, "message": ERRORS[code]},
        updated_at=record["created_at"] + seconds,
    )
    return record


def succeed(scene: Scene, rng: Random, record: Record) -> Record:
    """Let a payment happen: the wallet gets its amount less its wage."""
    paid_at = record["created_at"] + rng.randrange(5, 150)
    record.update(
        status=PAYMENT_DONE, ref_id=scene.numbers.digits(12), paid_at=paid_at,
        updated_at=paid_at,
    )  # fmt: skip
    if record["type"] == "card":
        record["card"] = people.card(rng)
    price(scene, record)
    return record


def price(scene: Scene, record: Record) -> None:
    """Set wage and effect of a done payment by the tariff, from its amount."""
    wage = scene.tariff.wage(
        "unified", record["payment_method"], record["amount"], record["created_at"]
    )
    record.update(wage_amount=wage, affected_amount=record["amount"] - wage)


def checkout(
    scene: Scene, rng: Random, customer: Record, payments: list[Record]
) -> Record:
    """Open a checkout for payments of one amount, and write its order."""
    first, last = payments[0], payments[-1]
    paid = last["status"] == PAYMENT_DONE
    record: Record = {
        "id": people.new_uuid(rng),
        "request_id": people.new_uuid(rng),
        "checkout_number": scene.numbers.digits(9),
        "amount": first["amount"],
        "status": CHECKOUT_PAID if paid else CHECKOUT_NOT_PAID,
        "description": rng.choice(_DESCRIPTIONS),
        "created_at": first["created_at"],
        "updated_at": last["updated_at"],
        "customer": customer,
        "payments": payments,
    }
    scene.world.checkouts[record["id"]] = record
    if paid or rng.random() < _ORDER_OF_UNPAID:
        number = record["checkout_number"]
        status = "paid" if paid else "unpaid"
        scene.order("unified", number, record["amount"], status, record["created_at"])
    return record


def attempts(
    scene: Scene, rng: Random, method: Method, amount: int, at: int, mandate_id: str
) -> list[Record]:
    """Return the tries of one checkout in order: failures, then perhaps a success.

    A time-out is only ever followed by a success here: one that nobody cleared up is
    a fault, and planted as such.
    """
    tries: list[Record] = []
    moment = at
    for _ in range(_TRIES):
        record = payment(scene, rng, method, amount, moment, mandate_id)
        tries.append(record)
        if rng.random() >= method.failure_rate:
            succeed(scene, rng, record)
            break
        if rng.random() >= _TRY_AGAIN:
            break
        moment += rng.randrange(60, 240)
    saved = tries[-1]["status"] == PAYMENT_DONE
    for record in tries[: -1 if saved else None]:
        timed_out = saved and rng.random() < 0.35
        fail(record, TIMEOUT if timed_out else rng.choice(_PLAIN_ERRORS))
    return tries


@dataclass
class Shop:
    """The customers of the business and the mandates they gave it."""

    scene: Scene
    rng: Random
    customers: list[Record]
    permissions: dict[str, dict[str, Permission]] = field(default_factory=dict)

    def buy(self, at: int, index: int) -> None:
        """Let some customer pay at an instant of that day."""
        rng = self.rng
        # The square draws a few customers again and again, most of them rarely.
        customer = self.customers[int(len(self.customers) * rng.random() ** 2)]
        method = rng.choices(METHODS, [each.popularity for each in METHODS])[0]
        amount = draw_amount(rng, min(method.limit, 300_000_000))
        mandate_id = ""
        if method.type == "debit":
            permission = self._permission(customer, method, amount, at, index)
            for month in self.scene.days.months[index]:
                permission.used[month] += 1
            mandate_id = permission.mandate["id"]
        tries = attempts(self.scene, rng, method, amount, at, mandate_id)
        checkout(self.scene, rng, customer, tries)

    def revoke_some(self, index: int) -> None:
        """Let one customer on some days revoke a mandate, which is then not used."""
        held = [*self.permissions]
        if len(held) < 10 or self.rng.random() > 0.3:
            return
        owner = self.rng.choice(held)
        slug = self.rng.choice([*self.permissions[owner]])
        permission = self.permissions[owner].pop(slug)
        if not self.permissions[owner]:
            del self.permissions[owner]
        revoke(permission.mandate, self.scene.days.moment(index, self.rng.random()))

    def _permission(
        self, customer: Record, method: Method, amount: int, at: int, index: int
    ) -> Permission:
        mine = self.permissions.setdefault(customer["id"], {})
        known = mine.get(method.slug)
        months = self.scene.days.months[index]
        if known is None or not known.allows(amount, at, months):
            granted_at = at - self.rng.randrange(90, 500)
            known = new_mandate(
                self.scene, self.rng, method, customer, amount, granted_at
            )
            mine[method.slug] = known
        return known


def open_shop(scene: Scene, rng: Random, expected: int) -> Shop:
    """Return a shop whose customers granted some mandates before the history."""
    customers = [people.customer(rng) for _ in range(max(12, expected // 6))]
    shop = Shop(scene, rng, customers)
    debit = [method for method in METHODS if method.type == "debit"]
    for place, customer in enumerate(customers[:: max(1, len(customers) // 60)]):
        method = rng.choice(debit)
        at = scene.days.starts_at - rng.randrange(1, 120 * _DAY)
        permission = new_mandate(scene, rng, method, customer, 1, at)
        if place and rng.random() < 0.75:  # the others are never drawn on
            shop.permissions[customer["id"]] = {method.slug: permission}
    return shop


def expire_mandates(scene: Scene) -> None:
    """Give mandates past their time at the end of the history their status."""
    for mandate in scene.world.mandates.values():
        ended: Any = mandate["expires_at"] <= scene.days.ends_at
        if ended and mandate["status"] == MANDATE_ACTIVE:
            mandate["status"] = MANDATE_EXPIRED
