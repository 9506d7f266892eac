"""The verdict of a run in words: how it stands, and what to do first."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Protocol

from recon.charts import Look
from recon.reconcile.checks import shipped_checks
from recon.reconcile.disclosures.decided import decided_words
from recon.reconcile.disclosures.judgement import Judgement, Reason, judgement
from recon.reconcile.disclosures.uncompared import change_words, other_words
from recon.reconcile.disclosures.unlisted import unlisted_words
from recon.reconcile.disclosures.unproven import unproven_words
from recon.reports.check_names import PERSIAN
from recon.reports.periods import Period
from recon.reports.views import look_of
from recon.setting_values import SEVERITIES
from recon.settings import Settings

FIRST_STEPS = 7
"""So many things to do are shown at once; the others on demand, or elsewhere."""

_REST_IN_ONE = (
    "The wallet holds {closing} rials; {rest} rials in 1 interval are unexplained."
)
_REST_IN_MANY = (
    "The wallet holds {closing} rials; {rest} rials in {count} intervals are "
    "unexplained."
)
_REST_GROSS = (
    "The wallet holds {closing} rials; {gross} rials in {count} intervals are "
    "unexplained, in and out, which come to {rest} rials net."
)
_TO_PULL = "Nothing was pulled yet: run `recon nightly`, or ask `recon doctor` why."
_FILES_ALONE = "No source was read: all that is known is from imported files."
_HEADLINES: Mapping[Reason, str] = {
    "incomplete": "Incomplete: not every source could be read whole.",
    "empty": "Nothing is known yet: no source was ever read.",
    "blocked_elsewhere": "Breaks must be looked at, though none of this period.",
    "unread": "No source was ever read; a few things wait for a look.",
    "open": "Nothing is wrong; a few things wait for a look.",
    "restated": "A closed period has other figures now.",
    "well": "All is well: nothing is open.",
    "missing_settlements": "No break is open, but money never came to the bank.",
    "duplicate_payments": "No break is open, but orders were paid more than once.",
    "never_read": "Nothing is open, but not every source was ever read.",
    "stale": "Nothing is open, but not every source was read of late.",
    "unproven": "Nothing is open, but not all was compared.",
}
_RESTATED_ONE = (
    "1 figure of closed periods ({periods}) is another one than at the closing: "
    "restatements.csv."
)
_RESTATED_MANY = (
    "{count} figures of closed periods ({periods}) are other ones than at the closing: "
    "restatements.csv."
)
_PAID_AGAIN_ONE = (
    "1 order was paid more than once, {excess} rials beyond what it costs: "
    "duplicate_payments.csv."
)
_PAID_AGAIN_MANY = (
    "{count} orders were paid more than once, {excess} rials beyond what they cost: "
    "duplicate_payments.csv."
)
_MISSING_ONE = (
    "1 settlement of {amount} rials left the wallet and never came to the bank: "
    "settlements.csv."
)
_MISSING_MANY = (
    "{count} settlements that come to {amount} rials left the wallet and never came to "
    "the bank: settlements.csv."
)
_SIGNS = re.compile(r"[\\*<>\[\]|~$]|(?<![^\W_])_|_(?![^\W_])")
"""What Markdown would act on: emphasis, HTML, links, cells, formulas; `code` may be."""
_FROM_THE_RIGHT = '<div dir="rtl" style="overflow-x: auto">'
"""In a narrow window a table runs out at the left, where nobody could scroll to it."""

_MARKS = {"good": "●", "warn": "▲", "bad": "■"}


@dataclass(frozen=True)
class Step:
    """One thing to do: a check that has open breaks, the loudest first.

    `title` is the check's name in the reader's language, empty in English; `rials` is
    the sum of its differences without signs, None where none has one.
    """

    check: str
    severity: str
    count: int
    do: str
    title: str = ""
    rials: int | None = None

    def extent(self, look: Look) -> str:
        """Return how many breaks are open, and how many rials they are off."""
        count = look.count(self.count)
        if self.rials is None:
            return count
        rials = look.count(self.rials)
        return look.say("{count}; {rials} rials", count=count, rials=rials)


@dataclass(frozen=True)
class Verdict:
    """How a run ended: `mood` is good, warn or bad; sentences for people.

    `known` says of what instant it is, and of what period where that is not all.
    """

    mood: str
    headline: str
    sentences: tuple[str, ...]
    steps: tuple[Step, ...]
    look: Look = Look()
    known: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the verdict as plain lines."""
        todo = [
            f"{_named(step)} ({step.extent(self.look)}): {step.do}"
            for step in self.steps
        ]
        return "\n".join([self.headline, *self.sentences, *self.known, *todo])

    def _repr_markdown_(self) -> str:
        """Show the verdict in a notebook: headline, sentences, what to do first."""
        say, count = self.look.say, self.look.count
        said = [f"- {_marked(each)}" for each in (*self.sentences, *self.known)]
        lines = [f"### {_MARKS[self.mood]} {self.headline}", "", *said, ""]
        if self.steps:
            heads = ("check", "severity", "open", "rials", "what to do")
            lines += [f"| {' | '.join(map(say, heads))} |", "|---|---|--:|--:|---|"]
            lines += [
                f"| {f'{step.title} `{step.check}`'.lstrip()} | {say(step.severity)} "
                f"| {count(step.count)} "
                f"| {'' if step.rials is None else count(step.rials)} "
                f"| {_marked(step.do)} |"
                for step in self.steps[:FIRST_STEPS]
            ]
        rest = len(self.steps) - FIRST_STEPS
        if rest == 1:
            lines += ["", f"- {say('and 1 more check; the breaks tell which.')}"]
        elif rest > 1:
            more = say(
                "and {count} more checks; the breaks tell which.", count=count(rest)
            )
            lines += ["", f"- {more}"]
        if self.look.is_persian:
            return "\n".join([_FROM_THE_RIGHT, "", *lines, "", "</div>"])
        return "\n".join(lines)


def _marked(text: str) -> str:
    """Return a text so that Markdown shows its signs: a name may hold any of them."""
    return _SIGNS.sub(r"\\\g<0>", text)


def _named(step: Step) -> str:
    return f"{step.title} {step.check}".strip()


class Rule(Protocol):
    """What a check's header says: how loud it is, and what to do."""

    @property
    def severity(self) -> str: ...
    @property
    def do(self) -> str: ...


def verdict_of(summary: Mapping[str, Any], settings: Settings) -> Verdict:
    """Put a summary's figures into words, by the settings' checks and language."""
    rules = {check.name: check for check in shipped_checks()}
    checks = settings.checks
    return in_words(summary, rules, checks.severity, look_of(settings), checks.disabled)


def in_words(
    summary: Mapping[str, Any],
    rules: Mapping[str, Rule],
    severities: Mapping[str, str],
    look: Look,
    disabled: Collection[str] = (),
) -> Verdict:
    """Put a summary's figures into words of the reader's language.

    `rules` are the checks by name, `severities` those that the settings changed, and
    `disabled` those that they leave out. A check of one's own is advised upon in the
    words of its header.
    """
    judged = judgement(summary, disabled)
    restated: Mapping[str, int] = summary.get("restated", {})
    steps = _steps(summary["breaks"]["open"], rules, severities, look)
    words = [*_sentences(summary, look), *unproven_words(summary, disabled, look)]
    if restated:
        words.append(_of_restated(restated, look))
    if disabled:
        listed = look.say(", ").join(sorted(disabled))
        words.append(look.say("Not run, by checks.disabled: {listed}.", listed=listed))
    headline = _headline(judged, look)
    known = _known(summary, look)
    return Verdict(judged.mood, headline, tuple(words), steps, look, known)


def _headline(judged: Judgement, look: Look) -> str:
    if judged.reason != "blocked":
        return look.say(_HEADLINES[judged.reason])
    if judged.blocking == 1:
        return look.say("1 break must be looked at.")
    return look.say(
        "{count} breaks must be looked at.", count=look.count(judged.blocking)
    )


def _sentences(summary: Mapping[str, Any], look: Look) -> list[str]:
    found = summary["breaks"]["open"]["by_severity"]
    named = [
        look.say(
            "{count} {severity}", count=look.count(found[name]), severity=look.say(name)
        )
        for name in reversed(SEVERITIES)
        if found[name]
    ]
    listed = look.say(", ").join(named) if named else look.say("none")
    words = [look.say("Open breaks: {listed}.", listed=listed)]
    decided = summary["breaks"].get("decided", {})
    words += decided_words(decided, look)
    words.append(_of_wallet(summary["wallet"], _period(summary), look))
    if at := summary["wallet"].get("closing_at"):
        told = "That balance is of {day} at {time} local time ({instant})."
        words.append(look.say(told, **look.clock(datetime.fromisoformat(at))))
    if again := summary.get("duplicate_payments"):
        words.append(_of_paid_again(again, look))
    if lost := summary.get("missing_settlements"):
        words.append(_of_missing(lost, look))
    if unsure := summary.get("unlisted_deposits"):
        words.append(unlisted_words(unsure, locale=look))
    words += [
        look.say(
            "{source} is incomplete: {error}.",
            source=name,
            error=look.quoted(_reason(source["error"], look)),
        )
        for name, source in summary["sources"].items()
        if not source["complete"]
    ]
    words += _of_stale(summary.get("stale", {}), look)
    names = summary.get("never_read")
    if not summary["sources"]:
        words.append(look.say(_TO_PULL if names else _FILES_ALONE))
    elif names:
        listed = look.say(", ").join(names)
        words.append(look.say("Never read: {listed}.", listed=listed))
    return words + _of_uncompared(summary, look)


def _reason(error: str | None, look: Look) -> str:
    """Return why a source is incomplete, without the full stop of an answer."""
    return (error or look.say("no reason known")).removesuffix(".")


def _of_uncompared(summary: Mapping[str, Any], look: Look) -> list[str]:
    words = [change_words(each, look) for each in summary.get("wallet_changes", ())]
    if found := summary.get("other_balances"):
        words.append(other_words(found, look))
    return words


def _period(summary: Mapping[str, Any]) -> Period:
    ends = summary.get("period", {})
    first, last = (ends.get(name) for name in ("from", "to"))
    return Period(
        first and date.fromisoformat(first), last and date.fromisoformat(last)
    )


def _known(summary: Mapping[str, Any], look: Look) -> tuple[str, ...]:
    """Say of what instant a verdict is, and of what period."""
    at = look.from_left(summary.get("as_of", ""))
    said = [
        at and look.say("As of {instant}.", instant=at),
        _period(summary).said(look),
    ]
    return tuple(filter(None, said))


def _of_stale(stale: Mapping[str, str], look: Look) -> list[str]:
    """Tell of what instant the figures of sources are that were read long ago."""
    told = "Last read at {at}, and shown as it was then: {listed}."
    by_time: dict[str, list[str]] = {}
    for name, at in stale.items():
        by_time.setdefault(at, []).append(name)
    return [
        look.say(told, at=look.from_left(at), listed=look.say(", ").join(names))
        for at, names in sorted(by_time.items())
    ]


def _of_wallet(wallet: Mapping[str, Any], period: Period, look: Look) -> str:
    if wallet["closing"] is None and period:
        return look.say("No two balance snapshots to compare in this period.")
    if wallet["closing"] is None:
        return look.say(
            "There are no two balance snapshots yet to compare the wallet by."
        )
    closing = look.count(wallet["closing"])
    intervals = wallet["unexplained_intervals"]
    if not intervals:
        return look.say(
            "The wallet holds {closing} rials; nothing of it is unexplained.",
            closing=closing,
        )
    gross = wallet.get("unexplained_gross")
    several = _REST_IN_MANY if gross is None else _REST_GROSS
    return look.say(
        _REST_IN_ONE if intervals == 1 else several,
        closing=closing,
        rest=look.count(wallet["unexplained"]),
        gross=look.count(gross or 0),
        count=look.count(intervals),
    )


def _of_paid_again(again: Mapping[str, int], look: Look) -> str:
    return look.say(
        _PAID_AGAIN_ONE if again["orders"] == 1 else _PAID_AGAIN_MANY,
        count=look.count(again["orders"]),
        excess=look.count(again["excess"]),
    )


def _of_missing(lost: Mapping[str, int], look: Look) -> str:
    return look.say(
        _MISSING_ONE if lost["settlements"] == 1 else _MISSING_MANY,
        count=look.count(lost["settlements"]),
        amount=look.count(lost["amount"]),
    )


def _of_restated(restated: Mapping[str, int], look: Look) -> str:
    count = sum(restated.values())
    return look.say(
        _RESTATED_ONE if count == 1 else _RESTATED_MANY,
        count=look.count(count),
        periods=look.say(", ").join(map(look.from_left, restated)),
    )


def _steps(
    still_open: Mapping[str, Mapping[str, int]],
    rules: Mapping[str, Rule],
    severities: Mapping[str, str],
    look: Look,
) -> tuple[Step, ...]:
    """Return the checks that fired: the loudest, most frequent, most rials first."""
    steps = []
    rials = still_open.get("rials_by_check", {})
    for check, count in still_open["by_check"].items():
        rule = rules.get(check)
        severity = severities.get(check, rule.severity) if rule else "info"
        title, do = "", rule.do if rule else ""
        if look.is_persian and check in PERSIAN:
            title, do = PERSIAN[check]
        steps.append(Step(check, severity, count, do, title, rials.get(check)))
    return tuple(
        sorted(
            steps,
            key=lambda step: (
                -SEVERITIES.index(step.severity),
                -step.count,
                -(step.rials or 0),
                step.check,
            ),
        )
    )
