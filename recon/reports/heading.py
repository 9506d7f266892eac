"""Whose figures are shown, as of what instant and of what period: what stands first."""

from dataclasses import dataclass
from datetime import datetime
from html import escape

from recon.charts import Look
from recon.reports.periods import Period
from recon.reports.views import look_of
from recon.settings import Settings


@dataclass(frozen=True, repr=False)
class Heading:
    """The name of a business, and a sentence on what is known of it, for people."""

    business: str
    known: str
    look: Look = Look()

    def __repr__(self) -> str:
        """Return the heading as plain lines."""
        return f"{self.business}\n{self.known}"

    def _repr_html_(self) -> str:
        """Show the heading in a notebook, whose own style would put it to the left."""
        way = "rtl" if self.look.is_persian else "ltr"
        name, known = escape(self.business), escape(self.known)
        style = f'dir="{way}" style="text-align: start"'
        return f"<p {style}><strong><bdi>{name}</bdi></strong><br>{known}</p>"


def heading_of(settings: Settings, as_of: datetime, period: Period) -> Heading:
    """Say whose figures stand below, and what was known at `as_of` in the period."""
    look = look_of(settings)
    known = look.say(
        "As known on {day} at {time} local time ({instant}).", **look.clock(as_of)
    )
    said = [known, period.said(look), look.say("Amounts are rials.")]
    return Heading(settings.business.name, " ".join(filter(None, said)), look)
