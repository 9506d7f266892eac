"""The verdict of a run in words: how it stands, and what to do first."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from recon.money import format_rials
from recon.setting_values import SEVERITIES

_LOUD = ("critical", "error")
_FIRST_STEPS = 7
_MARKS = {"good": "●", "warn": "▲", "bad": "■"}


@dataclass(frozen=True)
class Step:
    """One thing to do: a check that has open breaks, the loudest first."""

    check: str
    severity: str
    count: int
    do: str


@dataclass(frozen=True)
class Verdict:
    """How a run ended: `mood` is good, warn or bad; sentences for people."""

    mood: str
    headline: str
    sentences: tuple[str, ...]
    steps: tuple[Step, ...]

    def __str__(self) -> str:
        """Return the verdict as plain lines."""
        todo = [f"{step.check} ({step.count:,}): {step.do}" for step in self.steps]
        return "\n".join([self.headline, *self.sentences, *todo])

    def _repr_markdown_(self) -> str:
        """Show the verdict in a notebook: headline, sentences, what to do first."""
        lines = [f"### {_MARKS[self.mood]} {self.headline}", "", *self.sentences, ""]
        if self.steps:
            lines += ["| check | severity | open | what to do |", "|---|---|--:|---|"]
            lines += [
                f"| `{step.check}` | {step.severity} | {step.count:,} | {step.do} |"
                for step in self.steps[:_FIRST_STEPS]
            ]
        rest = len(self.steps) - _FIRST_STEPS
        if rest > 0:
            lines += ["", f"and {_counted(rest, 'more check')}; the breaks tell which."]
        return "\n".join(lines)


class Rule(Protocol):
    """What a check's header says: how loud it is, and what to do."""

    @property
    def severity(self) -> str: ...
    @property
    def do(self) -> str: ...


def in_words(
    summary: Mapping[str, Any],
    rules: Mapping[str, Rule],
    severities: Mapping[str, str],
) -> Verdict:
    """Put a summary's figures into words.

    `rules` are the checks by name, `severities` those that the settings changed.
    """
    counts = summary["breaks"]["open"]["by_severity"]
    loud = sum(counts[name] for name in _LOUD)
    if not summary["sources"] and summary["wallet"]["closing"] is None:
        mood, headline = "warn", "Nothing is known yet: the lake is empty."
    elif not summary["complete"]:
        mood, headline = "bad", "Incomplete: not every source could be read whole."
    elif loud:
        mood, headline = "bad", f"{_counted(loud, 'break')} must be looked at."
    elif sum(counts.values()):
        mood, headline = "warn", "Nothing is wrong; a few things wait for a look."
    else:
        mood, headline = "good", "All is well: nothing is open."
    steps = _steps(summary["breaks"]["open"]["by_check"], rules, severities)
    return Verdict(mood, headline, tuple(_sentences(summary)), steps)


def _sentences(summary: Mapping[str, Any]) -> list[str]:
    found = summary["breaks"]["open"]["by_severity"]
    named = [f"{found[name]:,} {name}" for name in reversed(SEVERITIES) if found[name]]
    words = [f"Open breaks: {', '.join(named) if named else 'none'}."]
    wallet = summary["wallet"]
    if wallet["closing"] is None:
        words.append("There are no two balance snapshots yet to compare the wallet by.")
    else:
        words.append(
            f"The wallet holds {format_rials(wallet['closing'])} rials; "
            f"{_rest(wallet)} unexplained."
        )
    failed = {
        name: source["error"]
        for name, source in summary["sources"].items()
        if not source["complete"]
    }
    words += [
        f"{name} is incomplete: {error or 'no reason known'}."
        for name, error in failed.items()
    ]
    if not summary["sources"]:
        words.append("Nothing was pulled yet: run `recon nightly`, or `recon pull`.")
    return words


def _rest(wallet: Mapping[str, Any]) -> str:
    intervals = wallet["unexplained_intervals"]
    if not intervals:
        return "nothing of it is"
    rest = format_rials(wallet["unexplained"])
    return f"{rest} rials in {_counted(intervals, 'interval')} are"


def _steps(
    checks: Mapping[str, int],
    rules: Mapping[str, Rule],
    severities: Mapping[str, str],
) -> tuple[Step, ...]:
    """Return the checks that fired, the loudest and most frequent first."""
    steps = [
        Step(
            check, severities.get(check, rules[check].severity), count, rules[check].do
        )
        if check in rules
        else Step(check, "info", count, "")
        for check, count in checks.items()
    ]
    return tuple(
        sorted(
            steps,
            key=lambda step: (
                -SEVERITIES.index(step.severity),
                -step.count,
                step.check,
            ),
        )
    )


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
