"""Charts of breaks: which are drawn, and in what order."""

from recon import charts
from recon.reports import breaks
from tests.charts.frames import frame, texts
from tests.reports.stand_in import a_break


def test_of_checks_with_as_many_breaks_the_most_rials_stand_first() -> None:
    off = {"a_little": 7, "b_much": -900, "c_unknown": None, "d_often": 1}
    found = [a_break(check=check, difference=each) for check, each in off.items()]
    given = frame(breaks.COLUMNS, [*found, found[-1]])
    (axes,) = charts.breaks_by_check(given).axes
    named = {
        text.get_text(): text.get_position()[1]
        for text in axes.texts + axes.get_yticklabels()
        if text.get_text() in off
    }
    down = sorted(named, key=named.__getitem__, reverse=not axes.yaxis_inverted())
    assert down == ["d_often", "b_much", "a_little", "c_unknown"]


def test_only_open_breaks_are_drawn() -> None:
    given = frame(breaks.COLUMNS, [a_break(status="resolved"), a_break(status="gone")])
    assert "No break is open in this period." in texts(charts.breaks_by_check(given))
    assert "No break is open in this period." in texts(charts.breaks_by_age(given))
