"""The chapters of the notebooks and of report.html: one list for both.

A chapter is a notebook; an exhibit is a heading, a sentence that says what to look for,
and a chart of a view. A test holds the notebooks to this list; the page is made of it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from matplotlib.figure import Figure

from recon import charts


@dataclass(frozen=True)
class Exhibit:
    """A chart with its heading and the sentence that says what to look for."""

    heading: str
    hint: str
    chart: Callable[..., Figure]
    view: str
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Chapter:
    """A notebook's question, and what answers it."""

    notebook: str
    title: str
    question: str
    exhibits: tuple[Exhibit, ...]

    @property
    def views(self) -> tuple[str, ...]:
        """Return the names of the views that its charts take, each once."""
        return tuple(dict.fromkeys(exhibit.view for exhibit in self.exhibits))


CHAPTERS = (
    Chapter(
        "02_breaks",
        "Breaks",
        "What is open, how loud, since when, and what stands behind it?",
        (
            Exhibit(
                "By check",
                "Look for one long bar: many breaks of one kind usually have one "
                "cause.",
                charts.breaks_by_check,
                "breaks",
            ),
            Exhibit(
                "By age",
                "Look for what is old: what has been open for weeks was not decided "
                "by anyone.",
                charts.breaks_by_age,
                "breaks",
            ),
        ),
    ),
    Chapter(
        "03_wallet",
        "The wallet",
        "Does the wallet hold what all known movements lead to, and what explains it "
        "where not?",
        (
            Exhibit(
                "From opening to closing",
                "The steps lead from the first balance to the last one; orange is "
                "what nothing explains.",
                charts.wallet_waterfall,
                "rollforward",
            ),
            Exhibit(
                "From snapshot to snapshot",
                "Look for orange: the interval in which the rest appeared is where to "
                "search.",
                charts.wallet_rollforward,
                "rollforward",
            ),
        ),
    ),
    Chapter(
        "04_flows",
        "Flows",
        "How much came in, when, by which method, and what was left after the wage?",
        (
            Exhibit(
                "By day",
                "Look for days that are missing or far from their neighbours, and for "
                "a method whose share moved.",
                charts.flows_by_day,
                "flows",
            ),
            Exhibit(
                "By method",
                "Compare the wage with the gross: an expensive method that grows "
                "costs more every month.",
                charts.flows_by_method,
                "flows",
            ),
            Exhibit(
                "By hour",
                "Look for the hours that carry the week: maintenance belongs in the "
                "pale ones.",
                charts.payments_by_hour,
                "hours",
            ),
            Exhibit(
                "What reached the wallet",
                "The same bars, but as the effect on the wallet, after the wage.",
                charts.flows_by_day,
                "flows",
                {"measure": "affected"},
            ),
        ),
    ),
    Chapter(
        "05_failures",
        "Failures",
        "What did not go through, why, when, and what does it amount to?",
        (
            Exhibit(
                "Over time",
                "Look for the thick line leaving its usual height, and for the method "
                "that pulls it.",
                charts.failure_rate_by_day,
                "failures",
            ),
            Exhibit(
                "By method and code",
                "Look for a dark cell: there one method fails for one reason again "
                "and again.",
                charts.failure_matrix,
                "failures",
            ),
            Exhibit(
                "By hour",
                "A dark column is an hour with trouble at a bank; a dark cell may be "
                "only a few attempts.",
                charts.failures_by_hour,
                "hours",
            ),
            Exhibit(
                "What it amounts to",
                "The rials that did not come in at this attempt; some came in at the "
                "next.",
                charts.failure_cost,
                "failures",
            ),
        ),
    ),
    Chapter(
        "06_fees",
        "Fees",
        "Did the provider charge what was agreed, and which method costs what?",
        (
            Exhibit(
                "Rate by month",
                "A ring is what the imported tariff gives, a dot what was charged; "
                "orange where they differ. Without rings no tariff covers the month: "
                "`recon import tariff` brings one.",
                charts.effective_rates,
                "fees",
            ),
        ),
    ),
    Chapter(
        "07_escrow",
        "Escrow",
        "What is held for others, for how long, and where is a dispute?",
        (
            Exhibit(
                "Held over time",
                "A line that only rises means that trades are paid and not finalized.",
                charts.escrow_held,
                "held",
            ),
            Exhibit(
                "How long it has been held",
                "Look at the lowest bars: what is old is forgotten or disputed.",
                charts.escrow_ageing,
                "escrow",
            ),
        ),
    ),
    Chapter(
        "08_mandates",
        "Mandates",
        "How much room do the mandates leave, when do they end, and how well do they "
        "work?",
        (
            Exhibit(
                "Room in this month's count",
                "Amber has no withdrawal left this month; orange was used beyond its "
                "count.",
                charts.mandate_headroom,
                "mandates",
            ),
            Exhibit(
                "Room below the limit",
                "Mandates near their limit fail when the next invoice is larger.",
                charts.mandate_limits,
                "mandates",
            ),
            Exhibit(
                "When they expire",
                "A high bar soon ahead is a week in which many customers must be "
                "asked again.",
                charts.mandate_expiry,
                "mandates",
            ),
            Exhibit(
                "Success by age",
                "A falling line means that old mandates are worth renewing before "
                "they end.",
                charts.mandate_success,
                "mandate_ages",
            ),
        ),
    ),
)
