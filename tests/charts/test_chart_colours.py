"""Series stay apart for whoever sees, or prints, no colours."""

import itertools

import pytest

from recon.charts import style

CHANNELS = (0.2126, 0.7152, 0.0722)
LEAST_CONTRAST = 1.4  # of two greys that touch each other
STACKED = (*style.SERIES, style.REST)


def lightness(colour: str) -> float:
    """The relative luminance of a colour, 0 to 1: all that a grey print has."""
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in parts
    ]
    return sum(share * part for share, part in zip(CHANNELS, linear, strict=True))


@pytest.mark.parametrize(("below", "above"), list(itertools.pairwise(STACKED)))
def test_two_series_that_touch_each_other_are_two_greys(below: str, above: str) -> None:
    dark, light = sorted(lightness(colour) + 0.05 for colour in (below, above))
    assert light / dark >= LEAST_CONTRAST
