"""The models that Python computes, by name, for every engine alike."""

from recon.reconcile import matching, rollforward
from recon.reconcile.bank import lacking, requests, settlements
from recon.reconcile.engine import Computed
from recon.reconcile.fees import audit

COMPUTED: dict[str, Computed] = {
    "int_bank_matches": requests.compute,
    "int_bank_pairs": lacking.compute,
    "int_book_wide_matches": matching.compute,
    "int_fee_schedules": audit.compute,
    "int_fee_off_schedule": audit.compute,
    "int_settlement_matches": settlements.compute,
    "int_wallet_rollforward": rollforward.compute,
    "int_wallet_explanations": rollforward.compute,
}
