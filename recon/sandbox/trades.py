"""Escrow as it happens: customers, agreements, the path of each, and its events.

Unknown: the states `cancelled` and `rejected`, that an agreement all parties approved
is in `contract` and stays there once paid, which operation triggers which event, and
the zone of an event's `created_at` (the business's here). Source: document 1.
"""

from random import Random

from recon.sandbox import people
from recon.sandbox.scene import Scene
from recon.sandbox.world import Record

DRAFT, CONTRACT, INVESTIGATION = "draft", "contract", "investigation"
FINALIZE, CANCELLED, REJECTED = "finalize", "cancelled", "rejected"
EVENT_TITLES = {
    "agreement_created": "ایجاد معامله",
    "seller_agreed_agreement": "تایید فروشنده",
    "seller_rejected_agreement": "رد فروشنده",
    "buyer_agreed_agreement": "تایید خریدار",
    "buyer_rejected_agreement": "رد خریدار",
    "agreement_change_state_from_investigation": "خروج از وضعیت بررسی",
    "agreement_finalized": "پایان معامله",
    "agreement_cancelled": "لغو معامله",
    "buyer_paid_agreement": "پرداخت خریدار",
    "payment_refunded_to_buyer": "بازگشت وجه به خریدار",
    "seller_checked_out": "تسویه با فروشنده",
    "buyer_submitted_ticket": "ثبت مشکل از سوی خریدار",
    "seller_submitted_ticket": "ثبت مشکل از سوی فروشنده",
}
_HOUR, _DAY = 3600, 86_400
_THINGS = (
    ("دوچرخه", "general"), ("گوشی", "general"), ("فرش دستباف", "general"),
    ("دوربین", "general"), ("ساز", "general"), ("طراحی نشانه", "digital"),
    ("حساب بازی", "digital"), ("قالب سایت", "digital"),
)  # fmt: skip
# How far a trade goes, and how often.
_PATHS = {
    "finalized": 52, "refunded": 10, "disputed_finalized": 6, "disputed_refunded": 4,
    "paid": 5, "approved": 8, "drafted": 7, "rejected": 5, "cancelled_unpaid": 5,
}  # fmt: skip


class Trade:
    """One agreement and the operations that move it; each emits its events."""

    def __init__(self, scene: Scene, rng: Random, amount: int, at: int) -> None:
        """Draft an agreement of that many rials between two of the customers."""
        self.scene, self.rng, self.at = scene, rng, at
        buyer, seller = rng.sample([*scene.world.escrow_customers.values()], 2)
        creator = rng.choice(("buyer", "seller"))
        title, category = rng.choice(_THINGS)
        self.record: Record = {
            "tracking_code": scene.numbers.digits(10),
            "trace_id": f"trade-{scene.numbers.digits(8)}",
            "description": f"خرید {title}",
            "parties": [
                party("buyer", buyer, accepted=creator == "buyer"),
                party("seller", seller, accepted=creator == "seller"),
            ],
            "items": [
                {
                    "title": title,
                    "description": "",
                    "quantity": 1,
                    "link": "https://shop.example/items",
                    "category": category,
                }
            ],
            "amount": amount,
            "state": DRAFT,
            "creator": creator,
            "created_at": _iso(scene, at, rng.randrange(1_000_000)),
            "_paid_at": None,
            "_created": at,
        }
        self.code: str = self.record["tracking_code"]
        self.order: Record | None = None
        scene.world.agreements[self.code] = self.record

    def emit(self, slug: str, at: int, **data: str) -> None:
        """Emit an event of this agreement; all its data are strings."""
        self.scene.world.emit(slug, {"tracking_code": self.code, **data}, at)

    def announce(self) -> None:
        """Emit that the agreement was created."""
        local = self.scene.days.local(self.at)
        self.emit(
            "agreement_created",
            self.at,
            creator_role=self.record["creator"],
            created_at=f"{local:%Y-%m-%d %H:%M:%S}",
            creator_mobile=self.mobile(self.record["creator"]),
        )

    def write_order(self, status: str) -> None:
        """Write the business's order of this trade, or change its status."""
        if self.order is None:
            self.order = self.scene.order(
                "escrow",
                self.record["trace_id"],
                self.record["amount"],
                status,
                self.at,
            )
        self.order["status"] = status

    def mobile(self, role: str) -> str:
        """Return the mobile of the buyer or the seller."""
        party = self.record["parties"][0 if role == "buyer" else 1]
        return str(party["mobile"])

    def approve(self, at: int) -> None:
        """Let the other party approve: all parties have, the buyer may pay."""
        role = self._other()
        for party in self.record["parties"]:
            party["state"] = "accepted"
        self.record["state"] = CONTRACT
        self.emit(f"{role}_agreed_agreement", at, applicant_mobile=self.mobile(role))

    def reject(self, at: int) -> None:
        """Let the other party reject the draft."""
        self.record["state"] = REJECTED
        self.emit(f"{self._other()}_rejected_agreement", at)

    def pay(self, at: int, amount: int | None = None) -> None:
        """Let the buyer pay the amount into escrow."""
        self.record["_paid_at"] = at
        self.write_order("paid")
        self.emit(
            "buyer_paid_agreement",
            at,
            trace_id=self.record["trace_id"],
            transaction_ref_id=self.scene.numbers.digits(12),
            payer_mobile=self.mobile("buyer"),
            amount=str(self.record["amount"] if amount is None else amount),
        )

    def dispute(self, at: int) -> None:
        """Let the buyer or the seller register a problem."""
        role = self.rng.choice(("buyer", "seller"))
        ticket_uid = 4000 + len(self.scene.world.tickets)
        self.scene.world.tickets[ticket_uid] = {
            "ticket_uid": ticket_uid,
            "agreement_tracking_code": self.code,
            "reporter_mobile": self.mobile(role),
            "ticket_type_slug": "dispute_with_" + ("seller", "buyer")[role == "seller"],
            "description": "کالا با توضیح آن یکی نیست",
            "created_at": at,
        }
        self.record["state"] = INVESTIGATION
        self.emit(
            f"{role}_submitted_ticket",
            at,
            trace_id=self.record["trace_id"],
            reporter_mobile=self.mobile(role),
        )

    def decide(self, state: str, at: int) -> None:
        """Let the service end its investigation with another state."""
        self.record["state"] = state
        self.emit(
            "agreement_change_state_from_investigation",
            at,
            trace_id=self.record["trace_id"],
            state=state,
        )

    def finalize(self, at: int) -> None:
        """Let the buyer confirm the delivery."""
        self.record["state"] = FINALIZE
        self.emit("agreement_finalized", at)

    def cancel(self, at: int) -> None:
        """Let a party cancel."""
        self.record["state"] = CANCELLED
        self.emit("agreement_cancelled", at)

    def pay_out(self, at: int, amount: int | None = None) -> None:
        """Pay the amount to the seller."""
        out = self.record["amount"] if amount is None else amount
        self.emit("seller_checked_out", at, amount=str(out))

    def refund(self, at: int) -> None:
        """Return the amount to the buyer."""
        self.write_order("refunded")
        self.emit("payment_refunded_to_buyer", at, amount=str(self.record["amount"]))

    def _other(self) -> str:
        return "seller" if self.record["creator"] == "buyer" else "buyer"


def draw_amount(rng: Random) -> int:
    """Return what people trade in escrow for, in rials."""
    return int(min(max(rng.lognormvariate(16.5, 0.9), 2e6), 9e8)) // 100_000 * 100_000


def go(trade: Trade, path: str) -> None:
    """Take a trade as far as its path leads and as the history's end allows.

    Steps that owe the next one (a payout, a refund, a decision) are taken together
    or not at all: no history ends with a claim that would become late afterwards.
    """
    rng, ends_at = trade.rng, trade.scene.days.ends_at
    trade.announce()
    if path == "drafted" or not _room(trade, at := _after(trade.at, rng, 0.1, 20)):
        return
    if path == "rejected":
        trade.reject(at)
        return
    trade.approve(at)
    if path in {"approved", "cancelled_unpaid"} or rng.random() < 0.3:
        trade.write_order("unpaid")
    if path == "approved" or not _room(trade, at := _after(at, rng, 0.1, 30)):
        return
    if path == "cancelled_unpaid":
        trade.cancel(at)
        return
    trade.pay(at)
    asked = _after(at, rng, 20, 120)
    decided = _after(asked, rng, 10, 90) if path.startswith("disputed") else asked
    closed = decided + 60
    settled = _after(closed, rng, 2, 40)
    if path == "paid" or settled >= ends_at:
        return
    _close(trade, path, (asked, decided, closed, settled))


def _close(trade: Trade, path: str, times: tuple[int, int, int, int]) -> None:
    asked, decided, closed, settled = times
    finalized = path.endswith("finalized")
    if path.startswith("disputed"):
        trade.dispute(asked)
        trade.decide(FINALIZE if finalized else CANCELLED, decided)
    if finalized:
        trade.finalize(closed)
        trade.pay_out(settled)
    else:
        trade.cancel(closed)
        trade.refund(settled)


def populate(scene: Scene, rng: Random, per_day: float) -> None:
    """Make the escrow customers, a webhook, old drafts and the agreements of all days.

    The drafts are older than the webhook, so no event tells of them.
    """
    for uid in range(1001, 1001 + max(20, int(per_day * 20))):
        scene.world.escrow_customers[uid] = _customer(rng, uid)
    scene.world.webhooks[1] = {
        "id": 1,
        "url": "https://hooks.example/escrow",
        "is_active": False,  # its host is invented: nothing is to be sent there
        "events": [
            {"slug": slug, "title": text} for slug, text in EVENT_TITLES.items()
        ],
    }
    for _ in range(3):
        at = scene.days.starts_at - rng.randrange(10 * _DAY, 60 * _DAY)
        Trade(scene, rng, draw_amount(rng), at)
    for index in range(len(scene.days)):
        for _ in range(int(per_day + rng.random())):
            at = scene.days.moment(index, rng.uniform(0.3, 1))
            path = rng.choices([*_PATHS], [*_PATHS.values()])[0]
            go(Trade(scene, rng, draw_amount(rng), at), path)


def _customer(rng: Random, uid: int) -> Record:
    first_name, last_name = people.full_name(rng)
    return {
        "uid": uid,
        "first_name": first_name,
        "last_name": last_name,
        "national_code": people.national_code(rng),
        "mobile": people.mobile(rng),
        "birth_date": f"{rng.randrange(1330, 1385)}{rng.randrange(1, 13):02d}15",
    }


def party(role: str, customer: Record, *, accepted: bool) -> Record:
    """Return a customer as a party of an agreement, in a role."""
    return {
        "role": role,
        "state": "accepted" if accepted else "pending",
        "national_code": customer["national_code"],
        "mobile": customer["mobile"],
    }


def _iso(scene: Scene, at: int, microseconds: int) -> str:
    utc = scene.days.utc(at)
    return f"{utc:%Y-%m-%dT%H:%M:%S}.{microseconds:06d}Z"


def _after(at: int, rng: Random, low_hours: float, high_hours: float) -> int:
    return at + int(rng.uniform(low_hours, high_hours) * _HOUR)


def _room(trade: Trade, at: int) -> bool:
    return at < trade.scene.days.ends_at
