"""Charts: one function each, a report's DataFrame in, a matplotlib Figure out."""

from recon.charts.breaks import breaks_by_age, breaks_by_check
from recon.charts.escrow import escrow_ageing, escrow_held
from recon.charts.failures import failure_matrix
from recon.charts.fees import effective_rates
from recon.charts.flows import flows_by_day
from recon.charts.hours import failures_by_hour, payments_by_hour
from recon.charts.look import Look
from recon.charts.mandates import (
    mandate_expiry,
    mandate_headroom,
    mandate_limits,
    mandate_success,
)
from recon.charts.methods import flows_by_method
from recon.charts.rates import failure_cost, failure_rate_by_day
from recon.charts.wallet import wallet_rollforward
from recon.charts.waterfall import wallet_waterfall

__all__ = [
    "Look",
    "breaks_by_age",
    "breaks_by_check",
    "effective_rates",
    "escrow_ageing",
    "escrow_held",
    "failure_cost",
    "failure_matrix",
    "failure_rate_by_day",
    "failures_by_hour",
    "flows_by_day",
    "flows_by_method",
    "mandate_expiry",
    "mandate_headroom",
    "mandate_limits",
    "mandate_success",
    "payments_by_hour",
    "wallet_rollforward",
    "wallet_waterfall",
]
