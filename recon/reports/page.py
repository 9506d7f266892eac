"""report.html: one page for people, with everything in it.

It is the notebooks 02 to 08 without their code: the same headings, sentences, charts
and views, from `chapters`. No script, no font, no picture comes from elsewhere, and the
page forbids itself to ask; every text from the data is escaped.
"""

import base64
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from html import escape
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pyarrow as pa
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from recon.charts import Look
from recon.charts.look import language_of
from recon.reports.cells import table_lines
from recon.reports.chapters import CHAPTERS, Chapter
from recon.reports.digests import DIGESTS
from recon.reports.frames import frame
from recon.reports.heading import Heading, heading_of
from recon.reports.periods import Period
from recon.reports.verdict import FIRST_STEPS, Step, Verdict
from recon.reports.views import look_of
from recon.settings import Settings

_STYLE = Path(__file__).with_name("page.css")
_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
_COMMAND = re.compile("`(recon[ a-z-]*)`")


def render(
    views: Mapping[str, pa.Table],
    verdict: Verdict,
    settings: Settings,
    as_of: datetime,
    period: Period,
) -> bytes:
    """Write the page: the verdict, what to do first, then charts and their tables.

    `views` are what the chapters look at, by name, amounts in rials. A long table is
    cut and says where the rest is; a chapter without any row is one line.
    """
    writer = _Writer(settings, look_of(settings))
    body = [
        *writer.verdict(verdict, heading_of(settings, as_of, period)),
        "<main>",
        *writer.steps(verdict),
        *writer.contents(),
    ]
    for chapter in CHAPTERS:
        body += writer.chapter(chapter, views)
    body.append("</main>")
    return "\n".join(writer.document(verdict, body)).encode()


class _Writer:
    def __init__(self, settings: Settings, look: Look) -> None:
        self._business = settings.business.name
        self._zone = settings.business.timezone
        self._look = look

    def verdict(self, verdict: Verdict, heading: Heading) -> Iterator[str]:
        yield f'<header class="{verdict.mood}">'
        yield f'<p class="whose"><bdi>{escape(heading.business)}</bdi></p>'
        yield f"<h1>{escape(verdict.headline)}</h1>"
        yield from (f"<p>{_marked(line)}</p>" for line in verdict.sentences)
        yield f'<p class="quiet">{escape(heading.known)}</p>'
        yield "</header>"

    def steps(self, verdict: Verdict) -> Iterator[str]:
        if not verdict.steps:
            return
        yield f"<h2>{escape(self._look.say('What to do first'))}</h2>"
        yield from self._steps(verdict.steps[:FIRST_STEPS], start=1)
        rest = verdict.steps[FIRST_STEPS:]
        if rest:
            more = self._look.say("and {count} more", count=self._look.count(len(rest)))
            yield f"<details><summary>{escape(more)}</summary>"
            yield from self._steps(rest, start=FIRST_STEPS + 1)
            yield "</details>"

    def _steps(self, steps: Sequence[Step], start: int) -> Iterator[str]:
        yield f'<ol class="steps" start="{start}">'
        for step in steps:
            title = f"{escape(step.title)} " if step.title else ""
            yield (
                f'<li><span class="level {escape(step.severity)}">'
                f"{escape(self._look.say(step.severity))}</span> "
                f'<strong>{title}<bdi lang="en">{escape(step.check)}</bdi></strong> '
                f"({escape(step.extent(self._look))}): "
                f'<span dir="auto" lang="{language_of(step.do)}">'
                f"{escape(step.do)}</span></li>"
            )
        yield "</ol>"

    def contents(self) -> Iterator[str]:
        yield f'<nav aria-label="{escape(self._look.say("Chapters"))}">'
        for chapter in CHAPTERS:
            title = escape(self._look.say(chapter.title))
            yield f'<a href="#{chapter.notebook}">{title}</a>'
        yield "</nav>"
        wide = self._look.say("What is wider than the screen slides sideways.")
        yield f'<p class="quiet narrow">{escape(wide)}</p>'

    def chapter(self, chapter: Chapter, views: Mapping[str, pa.Table]) -> Iterator[str]:
        look = self._look
        name = f"{chapter.notebook}_title"
        yield f'<section id="{chapter.notebook}" aria-labelledby="{name}">'
        yield f'<h2 id="{name}">{escape(look.say(chapter.title))}</h2>'
        yield f"<p>{escape(look.say(chapter.question))}</p>"
        if not any(views[name].num_rows for name in chapter.views):
            nothing = escape(look.say("Nothing to show."))
            yield f'<p class="quiet">{nothing}</p></section>'
            return
        for exhibit in chapter.exhibits:
            chart = exhibit.chart(
                frame(views[exhibit.view]), look=look, **exhibit.options
            )
            heading, hint = look.say(exhibit.heading), look.say(exhibit.hint)
            yield f'<div class="exhibit"><h3>{escape(heading)}</h3>'
            yield f"<p>{_marked(hint)}</p>"
            yield f'<figure dir="{_way(chart, look)}">{_picture(chart)}</figure></div>'
        digest = DIGESTS[chapter.notebook]
        figures = f"{chapter.notebook}_figures"
        yield f'<h3 id="{figures}">{escape(look.say("The figures"))}</h3>'
        if digest.note:
            yield f'<p class="quiet">{escape(look.say(digest.note))}</p>'
        made = digest.made(views[digest.view])
        named = f"{name} {figures}"
        yield from table_lines(digest.whole, made, look, self._zone, named)
        yield "</section>"

    def document(self, verdict: Verdict, body: Sequence[str]) -> Iterator[str]:
        title = f"{self._business}: {verdict.headline}"
        way = "rtl" if self._look.is_persian else "ltr"
        yield f'<!doctype html>\n<html lang="{self._look.language}" dir="{way}"><head>'
        yield '<meta charset="utf-8">'
        yield f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
        yield '<meta name="referrer" content="no-referrer">'
        yield f"<title>{escape(title)}</title>"
        yield f"<style>{_STYLE.read_text(encoding='utf-8')}</style></head><body>"
        yield from body
        foot = self._look.say(
            "The CSV files beside this page have breaks, the wallet, flows, failures "
            "and fees whole; hours, escrow and mandates are in the notebooks."
        )
        yield f'<footer class="quiet">{escape(foot)}</footer></body></html>\n'


def _marked(text: str) -> str:
    """Escape a text; a command of ours in it, between backticks, looks like one."""
    return _COMMAND.sub(r"<code>\1</code>", escape(text))


def _way(figure: Figure, look: Look) -> str:
    """Return from which end a chart is read: a narrow screen shows that one first.

    Time runs from the left in both languages, all else of a Persian chart does not.
    """
    drawn = [axes for axes in figure.axes if axes.axison]
    from_left = any(not axes.xaxis_inverted() for axes in drawn)
    return "rtl" if look.is_persian and not from_left else "ltr"


def _picture(figure: Figure) -> str:
    """Return a figure as an image within the page, the same for the same data.

    Its canvas writes it, as `savefig` would, which draws it twice.
    """
    out = io.BytesIO()
    canvas: Any = FigureCanvasSVG(figure)  # which comes without types
    with mpl.rc_context({"svg.hashsalt": "recon", "svg.fonttype": "path"}):
        canvas.print_svg(out, metadata={"Date": None})
    data = base64.b64encode(out.getvalue()).decode()
    title = escape(figure.get_suptitle())
    return f'<img alt="{title}" src="data:image/svg+xml;base64,{data}">'
