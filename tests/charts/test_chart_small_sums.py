"""A sum too small for the unit of its chart is told from none."""

import pytest

from recon import charts
from recon.charts import style
from recon.reports import rollforward
from tests.charts.frames import escrow_rows, frame, texts
from tests.reports.stand_in import an_interval


@pytest.mark.parametrize("look", [charts.Look(), charts.Look("jalali", "fa")])
def test_a_small_wage_is_told_from_none(look: charts.Look) -> None:
    unit = style.Unit(10**6, "million rials", look)
    little = look.from_left(look.written("<0.1"))
    assert [unit.text(rials) for rials in (1, 49_999)] == [little] * 2
    assert unit.text(0) == look.written("0")
    assert unit.text(50_000) != little
    assert style.Unit(1, "rials", look).text(1) == look.written("1")


@pytest.mark.parametrize(
    ("rials", "text"),
    [
        (-1, "-1 rials in 1"),
        (-40_000_000, "-40,000,000 rials in 1"),
        (-50_000_000, "-0.1 in 1"),
        (40_000_000, "<0.1 in 1"),
    ],
)
def test_what_little_went_out_beyond_is_told_from_none(rials: int, text: str) -> None:
    """40 million rials beside billions were `0.0 in 1`."""
    given = escrow_rows(2).assign(held=[12_000_000_000, rials], held_days=[1, 9])
    assert text in texts(charts.escrow_ageing(given))


@pytest.mark.parametrize("language", ["en", "fa"])
@pytest.mark.parametrize("rials", [-100_000, -40_000_000, -4_000_000_000])
def test_the_figure_of_a_bar_below_zero_stands_beside_its_name(
    rials: int, language: str
) -> None:
    """Where the bar was very short, the one was written over the other."""
    given = escrow_rows(2).assign(held=[12_000_000_000, rials], is_disputed=False)
    made = charts.escrow_ageing(given, look=charts.Look(language=language))
    made.canvas.draw()
    (axes,) = made.axes
    name, figure = axes.get_yticklabels()[1], axes.texts[1]
    assert not name.get_window_extent().overlaps(figure.get_window_extent())


@pytest.mark.parametrize(
    ("rials", "text"),
    [
        (37_994_500, "37,994,500\nrials"),
        (-37_994_500, "-37,994,500\nrials"),
        (1, "1\nrials"),
        (50_000_000, "0.1"),
        (0, "0"),
    ],
)
def test_a_small_step_of_a_large_wallet_is_not_written_as_nothing(
    rials: int, text: str
) -> None:
    moved = an_interval(
        opening=30_000_000_000, payments=0, closing=30_000_000_000 + rials
    )
    given = frame(
        rollforward.COLUMNS,
        [{**moved, "adjustments": 0, "explained": rials, "unexplained": 0}],
    )
    axes = charts.wallet_waterfall(given).axes[0]
    named = [tick.get_text() for tick in axes.get_xticklabels()]
    shown = {round(each.xy[0]): each.get_text() for each in axes.texts}
    assert shown[named.index("explained")] == text


def test_no_rest_is_nothing_in_any_unit_and_no_alarm() -> None:
    """It was `0 rials`, in the colour of a rest."""
    given = frame(
        rollforward.COLUMNS,
        [an_interval(opening=30_000_000_000, closing=30_000_000_000, unexplained=0)],
    )
    axes = charts.wallet_waterfall(given).axes[0]
    named = [tick.get_text() for tick in axes.get_xticklabels()]
    (rest,) = (
        each for each in axes.texts if round(each.xy[0]) == named.index("unexplained")
    )
    assert rest.get_text() == "0"
    assert rest.get_color() == style.INK
