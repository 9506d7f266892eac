"""Faults by name: each adds records of its own and spoils just them.

A fault's record stands apart from the ordinary history, with its own order, deposit
debit and wallet move, so that it breaks one rule and no other. The names are those of
the checks, and two situations: `deposit_in_transit` and `timeout_moved_money`.
"""

from collections.abc import Callable, Sequence
from random import Random

from recon.errors import UsageError
from recon.sandbox.planting import cash_in, escrow, ledgers, mandates, shops, unified
from recon.sandbox.scene import Scene

Fault = Callable[[Scene, Random], None]
ALL = "all"

_FAULTS: tuple[Fault, ...] = (
    unified.payment_wallet_identity,
    unified.payment_affected_not_done,
    unified.payment_receipt_missing,
    unified.payment_ref_id_duplicate,
    unified.payment_timeout_uncertain,
    unified.timeout_moved_money,
    unified.payment_redirect_stale,
    unified.checkout_amount_mismatch,
    unified.checkout_paid_without_payment,
    unified.checkout_unpaid_with_payment,
    unified.checkout_paid_twice,
    unified.checkout_request_duplicate,
    unified.checkout_number_paid_twice,
    mandates.mandate_unknown,
    mandates.mandate_limit_exceeded,
    mandates.mandate_count_exceeded,
    mandates.mandate_used_after_expiry,
    mandates.mandate_used_after_revocation,
    mandates.mandate_method_mismatch,
    cash_in.deposit_toman_mismatch,
    cash_in.deposit_entry_over_limit,
    cash_in.deposit_split_mismatch,
    cash_in.deposit_duplicate,
    cash_in.deposit_queue_stale,
    cash_in.deposit_in_transit,
    cash_in.deposit_outcome_unknown,
    cash_in.deposit_iban_unknown,
    cash_in.bank_debit_missing,
    cash_in.bank_debit_unexplained,
    shops.gateway_wallet_identity,
    shops.gateway_amount_mismatch,
    shops.gateway_unverified,
    shops.gateway_verify_missing,
    shops.gateway_refnumber_duplicate,
    shops.hosted_unverified,
    shops.hosted_amount_mismatch,
    shops.hosted_number_paid_twice,
    escrow.escrow_amount_mismatch,
    escrow.escrow_overpaid_out,
    escrow.escrow_payout_missing,
    escrow.escrow_refund_missing,
    escrow.escrow_event_uncorroborated,
    escrow.escrow_dispute_open,
    escrow.escrow_event_missing,
    escrow.escrow_trace_duplicate,
    escrow.escrow_parties_conflict,
    ledgers.wallet_rollforward,
    ledgers.wallet_available_exceeds_balance,
    ledgers.book_missing_at_provider,
    ledgers.provider_missing_in_books,
    ledgers.book_amount_mismatch,
    ledgers.book_status_mismatch,
    ledgers.book_duplicate,
    unified.wage_outside_tariff,
)
FAULTS = {fault.__name__: fault for fault in _FAULTS}


def plant(scene: Scene, names: Sequence[str]) -> None:
    """Plant the faults of those names, `all` for every one.

    Each draws from a random stream of its own. UsageError on a name that none has.
    """
    unknown = [name for name in names if name not in FAULTS and name != ALL]
    if unknown:
        raise UsageError(f"no fault is named {unknown[0]!r}; all: {', '.join(FAULTS)}")
    for name, fault in FAULTS.items():
        if name in names or ALL in names:
            fault(scene, scene.stream(f"fault:{name}"))
