import base64
import contextlib
import io
import re
from datetime import UTC, date, datetime
from functools import cache
from html.parser import HTMLParser
from typing import Any
from unittest.mock import patch

import matplotlib as mpl
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from recon.reports import (
    breaks,
    cells,
    failures,
    fees,
    flows,
    journal,
    page,
    rollforward,
)
from recon.reports.chapters import CHAPTERS
from recon.reports.periods import Period
from recon.reports.verdict import Step, Verdict
from recon.settings import Business, Reports, Settings
from tests.reports.stand_in import (
    AS_OF,
    MODEL_COLUMNS,
    a_break,
    a_failure,
    a_flow,
    an_interval,
    rows,
    told,
)

ATTACK = "<script>alert(1)</script>\"'&"


KINDS: dict[str, Any] = {
    "breaks": breaks,
    "rollforward": rollforward,
    "flows": flows,
    "failures": failures,
    "fees": fees,
    "journal": journal,
}


def tables(**changed: list[dict[str, Any]]) -> dict[str, pa.Table]:
    given = {
        "breaks": [a_break()],
        "rollforward": [an_interval()],
        "flows": [a_flow()],
        "failures": [a_failure()],
    } | changed
    given.setdefault("differences", [told(each) for each in given["rollforward"]])
    columns = {name: each.COLUMNS for name, each in KINDS.items()} | MODEL_COLUMNS
    found = {name: rows(each, given.get(name, [])) for name, each in columns.items()}
    ours = pc.equal(found["journal"]["account"], journal.HELD)
    return found | {"held": found["journal"].filter(ours)}


def verdict(steps: int = 1, text: str = "ask") -> Verdict:
    found = tuple(Step(f"check_{n}", "critical", 2, text) for n in range(steps))
    return Verdict("bad", f"2 breaks {text}", (f"Open breaks: {text}.",), found)


def render(
    given: dict[str, pa.Table] | None = None,
    words: Verdict | None = None,
    calendar: str = "gregorian",
    period: Period | None = None,
    language: str = "en",
    *,
    drawn: bool = False,
) -> str:
    """The page; its pictures are left blank unless they are wanted, for speed."""
    settings = Settings(
        business=Business(name="shop", calendar=calendar),
        reports=Reports(language=language),
    )
    blank = (
        contextlib.nullcontext()
        if drawn
        else patch.object(FigureCanvasSVG, "print_svg")
    )
    with blank:
        return page.render(
            given or tables(), words or verdict(), settings, AS_OF, period or Period()
        ).decode()


@cache
def drawn_once() -> str:
    """The page of the plain tables with its pictures, for all that only read it."""
    return render(drawn=True)


class Page(HTMLParser):
    """Collects the tags and the addresses of a page; fails on tags left open."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in ("meta", "img", "br", "wbr", "link"):
            self.open.append(tag)
        self.addresses += [
            value or "" for name, value in attrs if name in ("src", "href")
        ]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_whole_and_asks_for_nothing_from_elsewhere() -> None:
    text = drawn_once()
    found = Page(text)
    assert not found.open
    assert found.tags.count("img") == 12
    assert all(
        each.startswith(("data:image/svg+xml;", "#")) for each in found.addresses
    )
    assert not {"script", "link", "iframe"} & set(found.tags)
    assert "default-src 'none'" in text
    assert "url(" not in text
    assert "@import" not in text


def test_a_picture_is_drawn_as_it_would_be_saved() -> None:
    """Its axes keep clear of their labels: the layout is made as it is drawn."""

    def figure() -> Figure:
        made = Figure(layout="constrained")
        made.suptitle("Wallet")
        axes = made.subplots()
        axes.plot([1, 2], [1_000_000, 2_000_000])
        axes.set_ylabel("a long label\nof two lines")
        return made

    saved = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": "recon", "svg.fonttype": "path"}):
        figure().savefig(saved, format="svg", metadata={"Date": None})
    drawn = page._picture(figure()).partition("base64,")[2].partition('"')[0]
    assert base64.b64decode(drawn) == saved.getvalue()


def test_every_text_from_the_data_is_escaped() -> None:
    given = tables(
        breaks=[a_break(detail=ATTACK, record_id=ATTACK, check=ATTACK)],
        flows=[a_flow(payment_method=ATTACK)],
        failures=[a_failure(code=ATTACK, payment_method=ATTACK)],
    )
    text = render(given, verdict(text=ATTACK))
    assert "<script" not in text
    assert not Page(text).open


def test_the_same_tables_give_the_same_page() -> None:
    assert render(drawn=True) == drawn_once()


def test_the_verdict_stands_first_then_what_to_do() -> None:
    text = render()
    order = [
        "<header",
        "What to do first",
        '<nav aria-label="Chapters">',
        *(f'{c.notebook}_title">{c.title}</h2>' for c in CHAPTERS),
    ]
    places = [text.index(word) for word in order]
    assert places == sorted(places)


def test_few_steps_are_shown_and_the_others_can_be_opened() -> None:
    text = render(words=verdict(steps=9))
    assert "and 2 more" in text
    assert '<ol class="steps" start="8">' in text
    assert "details" not in Page(render(words=verdict(steps=7))).tags


def test_only_open_breaks_are_listed_the_loudest_first() -> None:
    given = tables(
        breaks=[
            a_break(severity="info", record_id="quiet"),
            a_break(severity="critical", record_id="loud"),
            a_break(severity="critical", record_id="old", age_days=9),
            a_break(record_id="gone-away", status="gone"),
        ]
    )
    text = render(given)
    assert "gone-away" not in text
    assert text.index(">old<") < text.index(">loud<") < text.index(">quiet<")


def test_a_row_of_a_table_is_shown_cell_by_cell() -> None:
    texts = {"product": "unified", "payment_method": "card_a", "month": "2026-03"}
    rials = {"amount": 2_000_000, "wage": 20_002, "expected_wage": 20_000}
    fee = texts | rials | {"count": 2, "difference": -3, "effective_bps": None}
    text = render(tables(breaks=[a_break(detail="1 < 2")], fees=[fee]))
    row = text[text.index('<td class="text"><bdi>card_<wbr>a') :]
    cells_of_it = re.findall(r"<td.*?</td>", row[: row.index("</tr>")])
    assert [re.sub("<.*?>", "", each) for each in cells_of_it] == [
        *("card_a", "2026-03", "2", "2,000,000", "20,002", "20,000", "-3", ""),
    ]
    assert '<td class="words" dir="auto" lang="en">1 &lt; 2</td>' in text
    assert '<td class="text"><span class="level critical">critical</span></td>' in text


def test_a_long_table_is_cut_and_says_where_the_rest_is() -> None:
    given = tables(
        breaks=[a_break(record_id=f"r{n}") for n in range(cells.MOST_ROWS + 1)]
    )
    assert "200 of 201 rows; breaks.csv has all." in render(given)


def declared(style: str, selector: str) -> dict[str, str]:
    """What a style says of exactly this selector; what is said last holds."""
    found: dict[str, str] = {}
    for selectors, body in re.findall(r"([^{}]+)\{([^{}]*)\}", style):
        if selector in [each.strip() for each in selectors.split(",")]:
            pairs = (each.split(":") for each in body.split(";") if ":" in each)
            found |= {name.strip(): value.strip() for name, value in pairs}
    return found


def styles(text: str) -> tuple[str, str]:
    """The style of a page on screens and what paper changes of it."""
    style = text[text.index("<style>") + 7 : text.index("</style>")]
    screen, _, paper = style.partition("@media print {")
    return screen, paper


def test_no_badge_check_or_break_id_is_torn_within_a_word() -> None:
    given = tables(breaks=[a_break(break_id="f618856d67535d54", check="a_check")])
    text = render(given)
    screen, paper = styles(text)
    assert declared(screen, ".level")["white-space"] == "nowrap"
    assert "white-space" not in declared(paper, ".level")
    assert '<td class="text whole"><bdi>f618856d67535d54</bdi></td>' in text
    assert '<td class="text whole"><bdi>a_<wbr>check</bdi></td>' in text
    assert declared(screen, "td.text.whole") == {"overflow-wrap": "normal"}
    for cell in ("td.text", "td.text.whole", "td"):
        assert "overflow-wrap" not in declared(paper, cell)


def test_what_is_said_of_a_break_gives_way_to_its_other_columns() -> None:
    """With 18 rem for it a table of breaks was wider than a screen of 1280 pixels."""
    screen, paper = styles(render())
    assert declared(screen, "td.words")["min-width"] == "12rem"
    assert declared(paper, "td.words")["min-width"] == "0"
    assert declared(paper, "td.words")["overflow-wrap"] == "anywhere"


def test_an_empty_lake_gives_a_page_that_says_so() -> None:
    empty = {name: table.slice(0, 0) for name, table in tables().items()}
    text = render(empty)
    assert text.count("Nothing to show.") == len(CHAPTERS)
    assert "<img" not in text
    assert not Page(text).open


def test_times_are_local_with_their_utc_and_dates_of_the_calendar() -> None:
    nowruz = datetime(2026, 3, 20, 20, 30, tzinfo=UTC)
    given = tables(
        breaks=[a_break(business_date=date(2026, 3, 21))],
        rollforward=[an_interval(to_at=nowruz)],
    )
    text = render(given, calendar="jalali")
    assert '1405/01/01<br><small dir="ltr">2026-03-21</small>' in text
    utc = '<br><small dir="ltr">2026-03-20T20:30:00Z</small>'
    assert f"1405/01/01 00:00{utc}" in text
    assert f">2026-03-21 00:00{utc}" in render(given)
    assert "1405/01/01" not in render(given)


def test_what_explains_a_difference_stands_beside_it() -> None:
    words = "-10,000 = -10,000 (deposit d<1>); not unique: 2 sets of as few items fit."
    given = tables(differences=[told(an_interval(), words)])
    text = render(given)
    assert words.replace("<1>", "&lt;1&gt;") in text
    assert "rollforward.csv has all" in text
    assert "differences.csv" not in text


def test_a_period_is_named() -> None:
    text = render(period=Period(date(2026, 3, 1), None))
    assert "Business dates from 2026-03-01 to the end." in text


def test_flows_are_summed_over_the_period() -> None:
    given = tables(flows=[a_flow(), a_flow(business_date=date(2026, 3, 2))])
    assert re.search(r'<td class="number">6,000,000</td>', render(given))


@pytest.mark.parametrize("mood", ["good", "warn", "bad"])
def test_the_mood_colours_the_headline(mood: str) -> None:
    words = Verdict(mood, "so it is", (), ())
    assert f'<header class="{mood}">' in render(words=words)


def test_a_persian_page_runs_from_the_right_and_says_nothing_of_ours_in_english() -> (
    None
):
    text = render(calendar="jalali", language="fa")
    assert '<html lang="fa" dir="rtl">' in text
    assert '<html lang="en" dir="ltr">' in render()
    body = re.sub(r"<style>.*?</style>|<img[^>]*>", "", text, flags=re.DOTALL)
    shown = re.sub(r"<(?:title|bdi|small|code)[^>]*>.*?</[^>]+>|<[^>]+>", " ", body)
    for english in ("What to do", "Look for", "rials", "Nothing", "Breaks", "has all"):
        assert english not in shown
    assert "چه باید کرد" in shown
    assert "۱۴۰۴/۱۲/۱۰" in shown


def test_figures_stand_at_the_right_whichever_way_a_page_runs() -> None:
    """Digit stands below digit; so does their header."""
    text = render(language="fa")
    screen, paper = styles(text)
    for cell in ("td.number", "th.number"):
        assert declared(screen, cell)["text-align"] == "right"
        assert "text-align" not in declared(paper, cell)
    assert '<th scope="col" class="number">مغایرت</th>' in text


def test_a_persian_page_keeps_an_instant_in_its_order() -> None:
    text = render(language="fa")
    assert "\u200e2026-03-02T03:00:00Z" in text


def test_the_figures_of_escrow_and_mandates_stand_in_their_chapters() -> None:
    given = tables(
        escrow=[
            {
                "tracking_code": "held-1",
                "held": 5,
                "held_days": 3,
                "is_disputed": False,
            },
            {"tracking_code": "paid-out", "held": 0, "is_disputed": False},
        ],
        mandates=[
            mandate(mandate_id="roomy"),
            mandate(mandate_id="used-up", used_this_month=10),
            mandate(mandate_id="near-limit", largest_withdrawal=9_000_001),
            mandate(mandate_id="revoked", used_this_month=10, is_usable=False),
            mandate(mandate_id="unknown", monthly_count=None, withdrawal_limit=None),
        ],
    )
    text = render(given)
    for name, shown in {
        "held-1": True,
        "paid-out": False,
        "roomy": False,
        "used-up": True,
        "near-limit": True,
        "revoked": False,
        "unknown": False,
    }.items():
        assert (f"<bdi>{name}</bdi>" in text) is shown, name


def mandate(**changed: Any) -> dict[str, Any]:
    return {
        "payment_method": "debit-north",
        "used_this_month": 1,
        "monthly_count": 10,
        "largest_withdrawal": 9_000_000,
        "withdrawal_limit": 10_000_000,
        "done": 1,
        "is_usable": True,
    } | changed
