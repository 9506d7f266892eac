"""Faults in escrow: trades whose events, states and amounts do not agree."""

from random import Random

from recon.sandbox import trades
from recon.sandbox.scene import Scene
from recon.sandbox.trades import Trade

_PRODUCT = "escrow"
_HOUR = 3600


def escrow_amount_mismatch(scene: Scene, rng: Random) -> None:
    """Let the buyer pay more than the agreement's amount."""
    trade = _approved(scene, rng)
    trade.pay(trade.at + 2 * _HOUR, trade.record["amount"] + 500_000)
    note = "the buyer paid 500,000 rials more"
    scene.plant("escrow_amount_mismatch", _PRODUCT, trade.code, note)


def escrow_overpaid_out(scene: Scene, rng: Random) -> None:
    """Pay the seller more than the buyer paid."""
    trade = _finalized(scene, rng)
    trade.pay_out(trade.at + 6 * _HOUR, trade.record["amount"] + 750_000)
    note = "750,000 rials more went out than came in"
    scene.plant("escrow_overpaid_out", _PRODUCT, trade.code, note)


def escrow_payout_missing(scene: Scene, rng: Random) -> None:
    """Finalize a trade and never pay the seller."""
    trade = _finalized(scene, rng)
    note = "finalized, and the seller got nothing"
    scene.plant("escrow_payout_missing", _PRODUCT, trade.code, note)


def escrow_refund_missing(scene: Scene, rng: Random) -> None:
    """Cancel a paid trade and never return the money."""
    trade = _approved(scene, rng)
    trade.pay(trade.at + 2 * _HOUR)
    trade.cancel(trade.at + 4 * _HOUR)
    note = "cancelled, and the buyer got nothing back"
    scene.plant("escrow_refund_missing", _PRODUCT, trade.code, note)


def escrow_event_uncorroborated(scene: Scene, rng: Random) -> None:
    """Forge the payment of a draft, and that of a trade that does not exist."""
    name = "escrow_event_uncorroborated"
    trade = _drafted(scene, rng)
    forged = {
        "trace_id": trade.record["trace_id"],
        "transaction_ref_id": scene.numbers.digits(12),
        "payer_mobile": trade.mobile("buyer"),
        "amount": str(trade.record["amount"]),
    }
    trade.emit("buyer_paid_agreement", trade.at + 2 * _HOUR, **forged)
    scene.plant(name, _PRODUCT, trade.code, "paid by event, still a draft")

    code = scene.numbers.digits(10)
    forged["trace_id"] = f"trade-{scene.numbers.digits(8)}"
    data = {"tracking_code": code, **forged}
    scene.world.emit("buyer_paid_agreement", data, trade.at + 3 * _HOUR)
    scene.plant(name, _PRODUCT, code, "no such agreement")


def escrow_dispute_open(scene: Scene, rng: Random) -> None:
    """Leave a dispute without a decision."""
    trade = _approved(scene, rng)
    trade.pay(trade.at + 2 * _HOUR)
    trade.dispute(trade.at + 5 * _HOUR)
    note = "in investigation and nobody decided"
    scene.plant("escrow_dispute_open", _PRODUCT, trade.code, note)


def escrow_event_missing(scene: Scene, rng: Random) -> None:
    """Lose the delivery that an agreement was created.

    An older one came: before the first event that is known, none can be missed.
    """
    trade = _new(scene, rng)
    older = Trade(scene, rng, trades.draw_amount(rng), trade.at - _HOUR)
    older.announce()
    trade.approve(trade.at + _HOUR)
    note = "agreement_created was never delivered"
    scene.plant("escrow_event_missing", _PRODUCT, trade.code, note)


def escrow_trace_duplicate(scene: Scene, rng: Random) -> None:
    """Send one trace_id with two agreements."""
    first, second = _drafted(scene, rng), _drafted(scene, rng)
    trace_id = second.record["trace_id"] = first.record["trace_id"]
    note = f"on the agreements {first.code} and {second.code}"
    scene.plant("escrow_trace_duplicate", _PRODUCT, trace_id, note)


def escrow_parties_conflict(scene: Scene, rng: Random) -> None:
    """Let somebody trade with himself under two mobiles."""
    trade = _drafted(scene, rng)
    buyer, seller = trade.record["parties"]
    seller["national_code"] = buyer["national_code"]
    note = "buyer and seller have one national code"
    scene.plant("escrow_parties_conflict", _PRODUCT, trade.code, note)


def _new(scene: Scene, rng: Random) -> Trade:
    # Early in the history: what is overdue must be so by its end.
    at = scene.days.place(rng.uniform(0.2, 0.4), rng)
    return Trade(scene, rng, trades.draw_amount(rng), at)


def _drafted(scene: Scene, rng: Random) -> Trade:
    trade = _new(scene, rng)
    trade.announce()
    return trade


def _approved(scene: Scene, rng: Random) -> Trade:
    trade = _drafted(scene, rng)
    trade.approve(trade.at + _HOUR)
    return trade


def _finalized(scene: Scene, rng: Random) -> Trade:
    trade = _approved(scene, rng)
    trade.pay(trade.at + 2 * _HOUR)
    trade.finalize(trade.at + 5 * _HOUR)
    return trade
