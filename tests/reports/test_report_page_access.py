"""The page is read by ear, by keyboard and by weak eyes: WCAG 2.2, level AA."""

import itertools
import re
from html.parser import HTMLParser

import pytest

from recon.charts.look import language_of
from recon.reports.chapters import CHAPTERS
from tests.charts.test_chart_colours import LEAST_READ, contrast
from tests.reports.stand_in import a_break
from tests.reports.test_report_page import declared, render, styles, tables, verdict

PAPER = "#ffffff"
LANGUAGES = pytest.mark.parametrize("language", ["en", "fa"])

Tag = tuple[str, dict[str, str]]


class Tags(HTMLParser):
    """The tags of a page in their order, each with its attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[Tag] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, {name: value or "" for name, value in attrs}))

    def named(self, *tags: str) -> list[dict[str, str]]:
        return [attributes for tag, attributes in self.found if tag in tags]


def full(tone: str) -> str:
    """A colour with six digits, which a style may write with three."""
    digits = tone.removeprefix("#")
    return tone if len(digits) == 6 else "#" + "".join(2 * sign for sign in digits)


@LANGUAGES
def test_every_header_of_a_table_says_that_it_is_of_a_column(language: str) -> None:
    headers = Tags(render(language=language)).named("th")
    assert headers
    assert {header["scope"] for header in headers} == {"col"}


@LANGUAGES
def test_headings_leave_out_no_level(language: str) -> None:
    tags = [tag for tag, _ in Tags(render(language=language)).found]
    levels = [int(tag[1]) for tag in tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))


def test_all_between_the_verdict_and_the_foot_is_the_main_part() -> None:
    text = render(words=verdict(steps=9))
    assert text.index("</header>\n<main>") < text.index('<ol class="steps"')
    assert text.count("<main>") == 1
    assert text.index("</section>\n</main>") < text.index("<footer")


@LANGUAGES
def test_chapters_and_tables_have_the_names_of_their_headings(language: str) -> None:
    tags = Tags(render(language=language))
    headings = {each["id"] for each in tags.named("h2", "h3") if "id" in each}
    (contents,) = tags.named("nav")
    assert contents["aria-label"]
    assert len(tags.named("section")) == len(CHAPTERS)
    regions = [each for each in tags.named("div") if each.get("class") == "table"]
    assert regions
    for named in [*tags.named("section"), *regions]:
        assert set(named["aria-labelledby"].split()) <= headings
    assert len({each["aria-labelledby"] for each in regions}) == len(regions)


def test_a_table_wider_than_the_screen_is_slid_by_keyboard() -> None:
    text = render()
    regions = [each for each in Tags(text).named("div") if each.get("class") == "table"]
    assert {(each["role"], each["tabindex"]) for each in regions} == {("region", "0")}
    screen, _ = styles(text)
    assert declared(screen, ".table")["overflow-x"] == "auto"
    assert "2px solid" in declared(screen, ":focus-visible")["outline"]


def test_a_picture_is_told_by_its_title() -> None:
    assert all(picture["alt"] for picture in Tags(render()).named("img"))


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The deposit of 5 is queued.", "en"),
        ("", "en"),
        ("-8 = +12 - 20", "en"),
        ("The books say: سفارش", "fa"),
        ("رکورد را بخوانید", "fa"),
    ],
)
def test_words_of_a_break_are_read_in_their_language(text: str, language: str) -> None:
    assert language_of(text) == language
    page = render(tables(breaks=[a_break(detail=text)]), language="fa")
    assert f'<td class="words" dir="auto" lang="{language}">' in page


@LANGUAGES
def test_what_to_do_and_the_name_of_a_check_are_read_in_theirs(language: str) -> None:
    english, persian = (
        render(words=verdict(text=text), language=language)
        for text in ("ask the provider", "بپرسید")
    )
    assert '<bdi lang="en">check_0</bdi>' in english
    assert '<span dir="auto" lang="en">ask the provider</span>' in english
    assert '<span dir="auto" lang="fa">بپرسید</span>' in persian


def test_every_colour_of_a_text_stands_out_from_its_ground() -> None:
    screen, _ = styles(render())
    tones = declared(screen, ":root")
    ink, quiet, good, bad = (
        full(tones[f"--{name}"]) for name in ("ink", "quiet", "good", "bad")
    )
    head = declared(screen, "header")["background"]
    link = declared(screen, "nav a")["color"]
    tones_of_text = ink, quiet, bad, good
    pairs = [(tone, ground) for tone in tones_of_text for ground in (PAPER, head)]
    pairs += [(link, PAPER), (PAPER, bad)]
    grounds = [
        *(declared(screen, f".level{level}")["background"] for level in ("", ".error")),
        *(declared(screen, name)["background"] for name in (".level.warning", "th")),
        declared(screen, "code")["background"],
    ]
    pairs += [(ink, full(ground)) for ground in grounds]
    assert not [pair for pair in pairs if contrast(*pair) < LEAST_READ]
    assert declared(screen, ".level.critical")["color"] == "#fff"


def test_a_quiet_text_is_smaller_than_what_is_around_it_on_paper_too() -> None:
    screen, paper = styles(render())
    assert declared(screen, ".quiet")["font-size"] == ".875em"
    assert "font-size" not in declared(paper, ".quiet")


def test_a_narrow_screen_is_told_that_charts_and_tables_slide() -> None:
    """A table of breaks is 1,113 pixels wide; on paper nothing slides."""
    text = render()
    assert text.count('<p class="quiet narrow">What is wider than the screen') == 1
    style = text[text.index("<style>") : text.index("</style>")]
    fits = style.index("@media (max-width: 40rem)")
    slides = style.index("@media (max-width: 30rem)")
    printed = style.index("@media print")
    assert "figure img { min-width: 0; }" in style[fits:slides]
    told = style.index(
        "@media screen and (max-width: 72rem) { .narrow { display: block;"
    )
    assert style.index(".narrow { display: none; }") < told < fits
    assert "figure img { min-width: 0; }" in style[printed:]
