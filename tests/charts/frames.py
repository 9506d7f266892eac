"""Frames as the notebook gives them: exact integers, text, dates and instants."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import pyarrow as pa

from tests.reports.stand_in import rows


def frame(columns: pa.Schema, given: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    return rows(columns, given).to_pandas(
        date_as_object=False, types_mapper={pa.int64(): pd.Int64Dtype()}.get
    )


def texts(figure: Any) -> list[str]:
    """Every text that is drawn on a figure, its ticks and titles included."""
    figure.canvas.draw()
    return [
        item.get_text()
        for item in figure.findobj(lambda part: hasattr(part, "get_text"))
        if item.get_visible() and item.get_text()
    ]
