"""The pictures that charts are held against; run as a module, it draws them anew.

python -m tests.charts.drawing
"""

import io
from collections.abc import Callable
from pathlib import Path

import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from recon import charts
from tests.charts.frames import (
    age_rows,
    break_rows,
    escrow_rows,
    failure_rows,
    fee_rows,
    flow_rows,
    held_rows,
    hour_rows,
    intervals,
    mandate_rows,
)

Draw = Callable[[pd.DataFrame], Figure]

PICTURES = Path(__file__).with_name("pictures")
CHARTS: list[tuple[Draw, Callable[[int], pd.DataFrame]]] = [
    (charts.wallet_rollforward, intervals),
    (charts.wallet_waterfall, intervals),
    (charts.flows_by_day, flow_rows),
    (charts.flows_by_method, flow_rows),
    (charts.failure_matrix, failure_rows),
    (charts.failure_rate_by_day, failure_rows),
    (charts.failure_cost, failure_rows),
    (charts.payments_by_hour, hour_rows),
    (charts.failures_by_hour, hour_rows),
    (charts.breaks_by_check, break_rows),
    (charts.breaks_by_age, break_rows),
    (charts.effective_rates, fee_rows),
    (charts.escrow_held, held_rows),
    (charts.escrow_ageing, escrow_rows),
    (charts.mandate_headroom, mandate_rows),
    (charts.mandate_limits, mandate_rows),
    (charts.mandate_expiry, mandate_rows),
    (charts.mandate_success, age_rows),
]
_DRAWN_ROWS = 40
_DPI = 45


def png(figure: Figure) -> bytes:
    """A figure's picture, drawn by its canvas: `savefig` would draw it twice."""
    out = io.BytesIO()
    FigureCanvasAgg(figure).print_png(out)
    return out.getvalue()


def drawn(draw: Draw, rows: Callable[[int], pd.DataFrame]) -> bytes:
    """A chart of a fixed frame, small."""
    made = draw(rows(_DRAWN_ROWS))
    made.set_dpi(_DPI)
    return png(made)


def picture(draw: Draw) -> Path:
    return PICTURES / f"{draw.__name__}.png"


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    for draw, rows in CHARTS:
        picture(draw).write_bytes(drawn(draw, rows))
