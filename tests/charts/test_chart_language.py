"""Charts in Persian: all texts of ours, Persian digits, Jalali months, the right."""

import ast
import re
import string
from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from recon import charts
from recon.charts import Look, columns, persian
from recon.charts.persian import MONTHS, PHRASES
from recon.reports import check_names, failures, flows, page
from recon.reports.digests import DIGESTS
from recon.reports.periods import Period
from recon.reports.views import REPORTS
from recon.settings import Business, Settings
from tests.charts.drawing import CHARTS, Draw
from tests.charts.frames import fee_rows, frame, hour_rows, texts
from tests.reports.stand_in import ResultStandIn, a_failure, a_flow
from tests.reports.test_report_page import tables

PERSIAN = Look("jalali", "fa")
DATA = re.compile(
    r"(debit|method|card|check)[-_]\w+|CODE_\n?\w+|unified|gateway|hosted|cash_in"
)
NOT_ALL = re.compile("[Nn]ot (every|all)( source)? was|not every source could")
ROOMS = (Path(charts.__file__).parent, Path(page.__file__).parent)

each = pytest.mark.parametrize(
    ("draw", "rows"), CHARTS, ids=[draw.__name__ for draw, _ in CHARTS]
)


@each
@pytest.mark.parametrize("count", [0, 40])
def test_nothing_of_ours_is_left_in_english(draw: Draw, rows: Any, count: int) -> None:
    for text in texts(draw(rows(count), look=PERSIAN)):
        ours = DATA.sub("", text)
        assert not set(ours) & set(string.ascii_letters + string.digits), text
        assert "%" not in ours
        assert "," not in ours


@each
def test_a_persian_title_stands_at_the_right(draw: Draw, rows: Any) -> None:
    made = draw(rows(3), look=PERSIAN)
    title = made._suptitle
    FigureCanvasAgg(made)
    made.draw_without_rendering()
    assert title.get_window_extent().x1 == pytest.approx(made.bbox.x1, rel=0.03)
    english = draw(rows(3))._suptitle
    assert english.get_ha() == "left"


def table_of(report: str) -> Any:
    settings = Settings(business=Business(name="shop"))
    return REPORTS[report](ResultStandIn(), settings, Period())


def literals(function: str) -> set[str]:
    """Every phrase that the code says in one literal."""
    return {
        node.args[0].value
        for room in ROOMS
        for path in room.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call)
        and node.args
        and ast.unparse(node.func).split(".")[-1] == function
        and isinstance(node.args[0], ast.Constant)
        and isinstance(node.args[0].value, str)
    }


def test_every_phrase_that_the_code_says_is_known_in_persian() -> None:
    assert literals("say") > {"What to do first", "rials"}
    assert literals("say") <= PHRASES.keys()


def test_a_phrase_keeps_its_places_in_persian() -> None:
    places = re.compile(r"\{(\w+)\}")
    for english, said in PHRASES.items():
        assert set(places.findall(english)) == set(places.findall(said)), english


def test_what_is_not_true_of_all_is_not_denied_of_all_in_persian() -> None:
    """A night in which one source was old read as one in which none was read."""
    of_some = [said for each, said in PHRASES.items() if re.search(NOT_ALL, each)]
    assert len(of_some) == 4  # incomplete, stale, never read, not compared
    assert not [said for said in of_some if "همه" in said]


def test_the_loudest_checks_are_not_louder_than_a_number_in_persian() -> None:
    """It read: 25 breaks that are graver than 54."""
    said = PERSIAN.say(
        "Open breaks by check: the loudest {shown} of {whole}", shown="۲۵", whole="۵۴"
    )
    assert said.endswith("مهم‌ترین ۲۵ کنترل از ۵۴")


def test_a_mandate_that_is_used_up_is_not_called_unused_in_persian() -> None:
    """Its colour was said to mean that nothing was withdrawn this month."""
    (hint,) = (said for each, said in PHRASES.items() if each.startswith("Amber has"))
    assert "سهمیه این ماه تمام شده" in hint


def test_a_thing_has_one_name_in_persian() -> None:
    assert "یک‌کلیکی" in PHRASES["ids of hosted checkouts"]
    assert not [said for said in PHRASES.values() if "پرونده" in said]
    asked = check_names.PERSIAN["deposit_outcome_unknown"][1]
    assert columns.COLUMNS["track id"] in asked


def test_every_column_and_sheet_is_known_in_persian() -> None:
    made = {
        name
        for each in DIGESTS.values()
        for name in each.made(tables()[each.view]).column_names
    }
    reported = {name for each in REPORTS for name in table_of(each).column_names}
    known = {name.replace(" ", "_") for name in columns.COLUMNS}
    assert made | reported <= known
    assert {*REPORTS, "summary"} == columns.SHEETS.keys()


@pytest.mark.parametrize(
    ("day", "shown"),
    [
        (date(2025, 3, 20), "۳۰ اسفند\n۱۴۰۳"),  # 1403 is a leap year
        (date(2025, 3, 21), "۱ فروردین\n۱۴۰۴"),
        (date(2026, 3, 20), "۲۹ اسفند\n۱۴۰۴"),
        (date(2026, 3, 21), "۱ فروردین\n۱۴۰۵"),
    ],
)
def test_nowruz_begins_a_year_on_the_axis(day: date, shown: str) -> None:
    given = frame(flows.COLUMNS, [a_flow(business_date=day)])
    assert shown in texts(charts.flows_by_day(given, look=PERSIAN))


def test_the_year_stands_where_it_changes() -> None:
    assert PERSIAN.tick(date(2026, 3, 20), date(2026, 3, 19)) == "۲۹ اسفند"
    assert PERSIAN.tick(date(2026, 3, 21), date(2026, 3, 20)) == "۱ فروردین\n۱۴۰۵"


@pytest.mark.parametrize(
    ("look", "shown"),
    [
        (Look("jalali", "fa"), "خرداد ۱۴۰۵"),
        (Look("gregorian", "fa"), "مارس ۱۴۰۵"),
        (Look("jalali", "en"), "1405-03"),
    ],
)
def test_a_month_has_its_name_in_persian(look: Look, shown: str) -> None:
    given = fee_rows(1).assign(month="1405-03", amount=10)
    shown_texts = texts(charts.effective_rates(given, look=look))
    assert any(shown in text for text in shown_texts)


def test_a_fee_of_no_month_stands_beside_those_of_months() -> None:
    """So is the fee of a settled deposit whose list gives no time."""
    given = fee_rows(3).tail(2)
    given["month"] = pd.array(["2026-03", None], dtype=object)
    for month in (None, float("nan")):
        given.loc[given.index[1], "month"] = month
        shown = texts(charts.effective_rates(given))
        assert any("2026-03" in text for text in shown)
        assert any("no month" in text for text in shown)


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        ("1,234.5", "۱٬۲۳۴٫۵"),
        ("12%", "۱۲٪"),
        ("-8,773,347", "\u200e-۸٬۷۷۳٬۳۴۷"),  # the sign stays at the left
        ("+1", "\u200e+۱"),
    ],
)
def test_numbers_are_written_as_persian_writes_them(number: str, shown: str) -> None:
    assert PERSIAN.written(number) == shown
    assert Look().written(number) == number


def test_a_week_begins_on_saturday_in_both_languages() -> None:
    for look, first in ((Look(), "Sat"), (PERSIAN, "شنبه")):
        axes = charts.payments_by_hour(hour_rows(48), look=look).axes[0]
        assert axes.get_yticklabels()[0].get_text() == first


def test_bars_begin_where_reading_begins() -> None:
    rows = frame(flows.COLUMNS, [a_flow()])
    assert charts.flows_by_method(rows, look=PERSIAN).axes[0].xaxis_inverted()
    assert not charts.flows_by_method(rows).axes[0].xaxis_inverted()


def test_rates_begin_where_reading_begins_with_their_rows_names() -> None:
    rows = fee_rows(2)
    axes = charts.effective_rates(rows, look=PERSIAN).axes[0]
    assert axes.xaxis_inverted()
    assert axes.yaxis.get_ticks_position() == "right"
    assert {each.get_ha() for each in axes.texts} == {"right"}
    assert not charts.effective_rates(rows).axes[0].xaxis_inverted()


def test_there_are_twelve_months_in_each_calendar() -> None:
    assert {len(names) for names in MONTHS.values()} == {12}
    assert MONTHS.keys() == {"jalali", "gregorian"}
    assert persian.MONTHS["jalali"][0] == "فروردین"


@pytest.mark.parametrize("product", ["unified", "gateway"])
def test_a_code_of_the_data_is_never_translated(product: str) -> None:
    row = a_failure(product=product, code="error", payment_method="")
    shown = texts(charts.failure_cost(frame(failures.COLUMNS, [row]), look=PERSIAN))
    assert "error" in shown
    assert PERSIAN.say("error") not in shown


def test_what_a_fee_is_off_by_runs_from_right_to_left_beside_its_rate() -> None:
    shown = texts(charts.effective_rates(fee_rows(2), look=PERSIAN))
    (note,) = (each for each in shown if "ریال" in each)
    assert note.endswith("\u2067\u200f\u200e+۱ ریال\u2069")
