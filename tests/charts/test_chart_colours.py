"""Series stay apart for whoever sees, or prints, no colours, and all texts are read."""

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.text import Text

from recon import charts
from recon.charts import style
from recon.charts.series_names import MARK
from tests.charts.drawing import CHARTS

CHANNELS = (0.2126, 0.7152, 0.0722)
LEAST_CONTRAST = 1.4  # of two greys that touch each other
LEAST_READ = 4.5  # of a text and its ground: WCAG 2.2, 1.4.3
LOOKS = (charts.Look(), charts.Look("jalali", "fa"))
STACKED = (*style.SERIES, style.REST)


def lightness(colour: str) -> float:
    """The relative luminance of a colour, 0 to 1: all that a grey print has."""
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in parts
    ]
    return sum(share * part for share, part in zip(CHANNELS, linear, strict=True))


def contrast(one: str, other: str) -> float:
    dark, light = sorted(lightness(colour) + 0.05 for colour in (one, other))
    return light / dark


@pytest.mark.parametrize(("below", "above"), list(itertools.pairwise(STACKED)))
def test_two_series_that_touch_each_other_are_two_greys(below: str, above: str) -> None:
    assert contrast(below, above) >= LEAST_CONTRAST


def ground(axes: Axes | None, text: Text) -> str:
    """The colour behind a text: that of its cell in a heat map, else the paper's."""
    if axes is None or not axes.images or text not in axes.texts:
        return "#ffffff"
    (cells,) = axes.images
    column, row = text.get_position()
    values: Any = cells.get_array()
    return to_hex(cells.cmap(cells.norm(values[int(row), int(column)])))


def tones(figure: Any) -> Iterator[tuple[str, str, str]]:
    """Each visible text of a figure, with its colour and that of its ground."""
    figure.canvas.draw()
    for text in figure.findobj(Text):
        said = text.get_text()
        if text.get_visible() and said and said != MARK:
            yield said, to_hex(text.get_color()), ground(text.axes, text)


@pytest.mark.parametrize("look", LOOKS, ids=lambda look: look.language)
@pytest.mark.parametrize(
    ("draw", "rows"), CHARTS, ids=[draw.__name__ for draw, _ in CHARTS]
)
def test_every_text_of_a_chart_stands_out_from_its_ground(
    draw: Any, rows: Any, look: charts.Look
) -> None:
    for made in (draw(rows(40), look=look), draw(rows(0), look=look)):
        found = list(tones(made))
        assert found
        assert not [one for one in found if contrast(*one[1:]) < LEAST_READ]


@pytest.mark.parametrize("draw", [charts.flows_by_day, charts.breaks_by_age])
def test_the_mark_beside_a_name_has_the_colour_of_its_series(draw: Any) -> None:
    made = draw(dict(CHARTS)[draw](40))
    (axes,) = made.axes
    marks = {to_hex(text.get_color()) for text in axes.texts if text.get_text() == MARK}
    assert marks
    assert marks == {to_hex(bar.get_facecolor()) for bar in axes.patches}
