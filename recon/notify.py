"""One short message when a night has ended: how it stands, and where the report is.

A night that an error ended is announced, too, be it before its report or after it.

It holds counts, sums and names of checks and sources: no personal data, no secret,
no text of the provider. Addresses are secrets too; nothing here repeats one.
"""

import importlib
import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any

from recon.errors import CorruptLake, Ended, LakeError, LockHeld, UsageError
from recon.money import format_rials
from recon.reconcile.disclosures.decided import decided_words
from recon.reconcile.disclosures.judgement import Judgement, Reason, judgement
from recon.reconcile.disclosures.unproven import unproven_words
from recon.setting_values import SEVERITIES, Secret
from recon.settings import Settings
from recon.wording import counted

LONGEST_SECONDS = 60.0
"""How long all addresses together may take; a night waits no longer."""

SENDING = "recon-notify"
"""The name of the threads that send; one that hangs outlives the night."""

_ONE_WAIT = 0.5  # seconds: a signal that comes just before a wait is heard after it
_MOST_CHECKS = 5
_FAILURES: tuple[tuple[type[Exception], str], ...] = (
    (LockHeld, "another run is at work"),
    (Ended, ""),  # its own words: which signal it was
    (CorruptLake, "a file of the lake is not what was committed; ask `recon doctor`"),
    (LakeError, "the lake cannot be read or written; ask `recon doctor`"),
    (UsageError, ""),  # its own words: it speaks of settings and arguments
)
_MOODS = {"good": "success", "warn": "warning", "bad": "failure"}
_VERDICTS: Mapping[Reason, str] = {
    "incomplete": "incomplete",
    "empty": "nothing is known, no source was ever read",
    "unread": "nothing is known, no source was ever read",
    "blocked_elsewhere": "breaks to look at",
    "open": "nothing wrong, a few things to look at",
    "restated": "a closed period has other figures now",
    "well": "all is well",
    "missing_settlements": "no break is open, but money never came to the bank",
    "duplicate_payments": "no break is open, but orders were paid twice",
    "never_read": "nothing open, but not all was ever read",
    "stale": "nothing open, but not all was read of late",
    "unproven": "nothing open, but not all was compared",
}
_MISSING = (
    "notify.urls is set, but the extra is not installed: pip install 'recon[notify]'"
)


@dataclass(frozen=True)
class Message:
    """What is sent; `mood` is success, warning or failure."""

    title: str
    body: str
    mood: str


def notify(
    settings: Settings,
    summary: Mapping[str, Any],
    report_folder: Path,
    *,
    alarms: Sequence[str] = (),
    failed: Sequence[str] = (),
    news: Mapping[str, int] = MappingProxyType({}),
) -> list[str]:
    """Announce a finished night at every address of `notify.urls`.

    `summary` is that of summary.json, the others as in `message`. Returns one line for
    each address that was not reached, which names it by its place in the setting; none
    where all went well, or nothing is to be announced. Never raises: an announcement
    fails no night.
    """
    name, disabled = settings.business.name, settings.checks.disabled

    def make() -> Message:
        return message(
            name,
            summary,
            report_folder,
            disabled,
            alarms=alarms,
            failed=failed,
            news=news,
        )

    return _announced(settings, make)


def notify_failure(
    settings: Settings, error: Exception, report_folder: Path | None = None
) -> list[str]:
    """Announce a night that an error ended, as `notify` does a finished one.

    Nobody misses a message that did not come. `report_folder` is where its report is,
    if it got so far. The text of an error is sent where it speaks of a setting or an
    argument; of others what kind they are.
    """
    name = settings.business.name
    return _announced(settings, lambda: failure(name, error, report_folder))


def failure(
    business: str, error: Exception, report_folder: Path | None = None
) -> Message:
    """Put a night that an error ended into one title and a few lines."""
    kinds = ((kind, told) for kind, told in _FAILURES if isinstance(error, kind))
    why = next(kinds, (None, f"an unexpected {type(error).__name__}"))[1] or str(error)
    title = f"recon {business}: the night failed"
    if report_folder is not None:
        title += " after its report"
        told = f"What follows the report failed: {why}."
        there = f"The report of this night is there: {_report(report_folder)}"
    else:
        told = f"Nothing was reported: {why}."
        there = "The reports that are there are those of an earlier run."
    mood = "warning" if isinstance(error, LockHeld) else "failure"
    return Message(title, f"{told}\n{there}", mood)


def _announced(settings: Settings, make: Callable[[], Message]) -> list[str]:
    """Send a message everywhere; returns why it did not come where it did not."""
    urls = settings.notify.urls
    if not urls:
        return []
    apprise = _apprise()
    if apprise is None:
        return [_MISSING]
    try:
        sent = make()
    except Exception as error:  # noqa: BLE001 - an announcement fails no night
        return [f"notify: the message could not be made: {type(error).__name__}"]
    with _silenced():
        return _sent_to_all(apprise, urls, sent)


def unusable(settings: Settings) -> list[str]:
    """Return one line for each reason why `notify` would fail; sends nothing."""
    urls = settings.notify.urls
    apprise = _apprise() if urls else None
    if urls and apprise is None:
        return [_MISSING]
    lines = []
    with _silenced():
        for number, url in enumerate(urls, start=1):
            try:
                _opened(apprise, url)
            except Exception as error:  # noqa: BLE001 - a plugin raises what it likes
                lines.append(f"notify.urls: address {number} {_reason(error)}")
    return lines


def message(
    business: str,
    summary: Mapping[str, Any],
    report_folder: Path,
    disabled: Sequence[str] = (),
    *,
    alarms: Sequence[str] = (),
    failed: Sequence[str] = (),
    news: Mapping[str, int] = MappingProxyType({}),
) -> Message:
    """Put a night into one title and a few lines; amounts in rials.

    `disabled` are the checks that the settings leave out, `alarms` say what was lost,
    `failed` are sources that failed just now, of which a summary of before is silent,
    `news` counts the critical breaks that nobody was told of, by check.
    """
    counts = summary["breaks"]["open"]["by_severity"]
    judged = judgement(summary, disabled)
    mood, verdict = _MOODS[judged.mood], _verdict(judged)
    if failed:
        mood, verdict = "failure", _VERDICTS["incomplete"]
    if alarms:
        found = f"; {verdict}" if mood == "failure" else ""
        mood, verdict = "failure", f"its own records need a look{found}"
    lines = [
        f"As of {summary['as_of']}.",
        *alarms,
        *([f"Could not be read whole now: {', '.join(failed)}."] if failed else []),
        *_missing_sources(summary),
        *_stale_sources(summary),
        f"Open: {_listed(counts, reversed(SEVERITIES)) or 'nothing'}.",
        *decided_words(summary["breaks"].get("decided", {})),
        *([f"Not run, by checks.disabled: {', '.join(disabled)}."] if disabled else []),
        _wallet(summary["wallet"]),
        *_amiss(summary),
        *unproven_words(summary, disabled, brief=True),
        _new_critical(news),
        *_of_restated(summary.get("restated", {})),
        f"Report: {_report(report_folder)}",
    ]
    return Message(f"recon {business}: {verdict}", "\n".join(lines), mood)


def _verdict(judged: Judgement) -> str:
    """Return the few words that a night comes to."""
    if judged.reason == "blocked":
        return f"{counted(judged.blocking, 'break')} to look at"
    return _VERDICTS[judged.reason]


def _missing_sources(summary: Mapping[str, Any]) -> list[str]:
    """Name what could not be read whole; the reason may hold the provider's words."""
    failed = [
        name for name, source in summary["sources"].items() if not source["complete"]
    ]
    if summary["complete"]:
        return []
    return [f"Could not be read whole: {', '.join(failed) or 'see the report'}."]


def _stale_sources(summary: Mapping[str, Any]) -> list[str]:
    """Name what was last read long before, and when, or never."""
    told = [
        f"Last read at {at}: {name}." for name, at in summary.get("stale", {}).items()
    ]
    if summary["sources"] and (names := summary.get("never_read")):
        told.append(f"Never read: {', '.join(names)}.")
    return told


def _wallet(wallet: Mapping[str, Any]) -> str:
    if wallet["closing"] is None:
        return "Unexplained: not known, there are no two balances to compare."
    intervals = wallet.get("unexplained_intervals")
    rest = f"{format_rials(wallet['unexplained'])} rials"
    if gross := wallet.get("unexplained_gross"):
        rest = f"{format_rials(gross)} rials in and out, {rest} net,"
    where = f" in {counted(intervals, 'interval')}" if intervals else ""
    at = (
        f", up to the balance of {wallet['closing_at']}"
        if "closing_at" in wallet
        else ""
    )
    return f"Unexplained: {rest}{where}{at}."


def _amiss(summary: Mapping[str, Any]) -> list[str]:
    """Tell of what is no break and should be known, where there is any."""
    told = []
    if lost := summary.get("missing_settlements"):
        settlements = counted(lost["settlements"], "settlement")
        rials = format_rials(lost["amount"])
        told.append(f"Never came to the bank: {settlements}, {rials} rials.")
    if again := summary.get("duplicate_payments"):
        orders, excess = counted(again["orders"], "order"), again["excess"]
        told.append(
            f"Paid more than once: {orders}, {format_rials(excess)} rials beyond."
        )
    return told


def _new_critical(news: Mapping[str, int]) -> str:
    if not news:
        return "New critical breaks: none."
    most = sorted(news, key=lambda check: (-news[check], check))
    named = ", ".join(f"{check} {news[check]:,}" for check in most[:_MOST_CHECKS])
    further = len(most) - _MOST_CHECKS
    more = f", {counted(further, 'further check')}" if further > 0 else ""
    return f"New critical breaks: {named}{more}."


def _of_restated(restated: Mapping[str, int]) -> list[str]:
    """Count the figures of closed periods that are other ones now, where any are."""
    if not restated:
        return []
    figures = counted(sum(restated.values()), "figure")
    named = ", ".join(restated)
    return [f"Not as at the closing any more: {figures} of closed periods ({named})."]


def _report(folder: Path) -> Path:
    page = folder / "report.html"
    return page if page.is_file() else folder


def _listed(counts: Mapping[str, int], order: Iterator[str]) -> str:
    return ", ".join(f"{counts[name]:,} {name}" for name in order if counts.get(name))


class _NotUnderstood(Exception):  # noqa: N818 - never leaves this module
    """An address that is none."""


class _TooOld(Exception):  # noqa: N818 - as above
    """The library follows redirects whatever it is told."""


def _apprise() -> ModuleType | None:
    """Import the extra, if it is there."""
    try:
        return importlib.import_module("apprise")
    except Exception:  # noqa: BLE001 - a broken installation is as good as none
        return None


def _opened(apprise: Any, url: Secret) -> Any:
    """Understand an address; a redirect of it is followed only if it says so itself.

    Whoever follows one asks with GET, without the message, and takes the answer for
    its receipt; and it may lead to another host.
    """
    sender = apprise.Apprise()
    if not hasattr(sender.asset, "http_redirects"):  # before 1.11
        raise _TooOld
    sender.asset.http_redirects = False
    if not sender.add(url.reveal()):
        raise _NotUnderstood
    return sender


def _sent_to_all(apprise: Any, urls: Sequence[Secret], sent: Message) -> list[str]:
    """Send to all at once; an address that hangs is given up, not waited for."""
    lines: dict[int, str] = dict.fromkeys(range(1, len(urls) + 1), "did not answer")

    def send(number: int, url: Secret) -> None:
        try:
            reached = _opened(apprise, url).notify(
                title=sent.title,
                body=sent.body,
                body_format="text",
                notify_type=getattr(apprise.NotifyType, sent.mood.upper()),
            )
            lines[number] = "" if reached else "could not be reached"
        except Exception as error:  # noqa: BLE001 - a plugin raises what it likes
            lines[number] = _reason(error)

    threads = [
        threading.Thread(target=send, args=each, name=SENDING, daemon=True)
        for each in enumerate(urls, start=1)
    ]
    until = time.monotonic() + LONGEST_SECONDS
    for thread in threads:
        thread.start()
    for thread in threads:
        while thread.is_alive() and (left := until - time.monotonic()) > 0:
            thread.join(min(left, _ONE_WAIT))
    told = list(lines.items())
    return [f"notify.urls: address {number} {why}" for number, why in told if why]


def _reason(error: Exception) -> str:
    """Say why in words of our own: an error's text may hold the address."""
    if isinstance(error, _NotUnderstood):
        return "is none that is understood"
    if isinstance(error, _TooOld):
        return "needs a newer apprise: pip install 'recon[notify]'"
    return f"failed ({type(error).__name__})"


@contextmanager
def _silenced() -> Iterator[None]:
    """Keep the library's log, which may name addresses, out of ours."""
    logger = logging.getLogger("apprise")
    before = logger.disabled
    logger.disabled = True
    try:
        yield
    finally:
        logger.disabled = before
