"""The models that Python computes, by name, for every engine alike."""

from recon.reconcile import (
    bank_requests,
    fee_schedules,
    matching,
    rollforward,
    settlement_matching,
)
from recon.reconcile.engine import Computed

COMPUTED: dict[str, Computed] = {
    "int_bank_matches": bank_requests.compute,
    "int_book_wide_matches": matching.compute,
    "int_fee_schedules": fee_schedules.compute,
    "int_fee_off_schedule": fee_schedules.compute,
    "int_settlement_matches": settlement_matching.compute,
    "int_wallet_rollforward": rollforward.compute,
    "int_wallet_explanations": rollforward.compute,
}
