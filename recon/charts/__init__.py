"""Charts: one function each, a report's DataFrame in, a matplotlib Figure out."""

from recon.charts.failures import failure_matrix
from recon.charts.flows import flows_by_day
from recon.charts.wallet import wallet_rollforward

__all__ = ["failure_matrix", "flows_by_day", "wallet_rollforward"]
