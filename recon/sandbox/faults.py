"""Faults on request: what a provider does to its callers on a bad day.

A rule names a kind, which requests it strikes, and how often. Rules are given to
`create_app` and `serve`, or sent to `/sandbox/faults` while the sandbox runs.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from random import Random
from typing import Any

from recon.errors import UsageError

KINDS: Mapping[str, str] = {
    "latency": "wait `seconds` before the answer",
    "rate_limited": "429 with Retry-After: `seconds`",
    "server_error": "an answer of `status` (500, 502, 503, 504)",
    "cut": "the connection is cut without an answer",
    "truncated": "the body ends half way",
    "not_json": "200 with a page of HTML",
    "insert": "a new record appears in the list that is asked for",
    "restated": "an amount in that list changes after the fact (`record`, or any)",
    "vanished": "a record of that list is gone (`record`, or any)",
    "withdrawal_timeout": "a debit withdrawal ends with WITHDRAWAL_TIMEOUT",
    "duplicate_delivery": "an event is delivered twice (`path`: its slug)",
    "wrong_signature": "an event is signed with another key (`path`: its slug)",
}
ANSWERS = frozenset({"rate_limited", "server_error", "cut", "truncated", "not_json"})


@dataclass(frozen=True)
class Fault:
    """One rule. It strikes requests whose path holds `path` and whose method fits.

    The first `skip` of those pass; then each is struck with probability `rate`, at
    most `times` times. With `after`, the request is carried out and only its answer
    is lost: money may have moved.
    """

    kind: str
    path: str = ""
    method: str = ""
    rate: float = 1.0
    times: int | None = None
    skip: int = 0
    seconds: float = 0.0
    status: int = 500
    after: bool = False
    record: str = ""

    def __post_init__(self) -> None:
        """Refuse a kind that does not exist."""
        if self.kind not in KINDS:
            raise ValueError(f"{self.kind!r} is no fault: {', '.join(KINDS)}")


def parse_fault(text: str) -> Fault:
    """Read `kind` or `kind:key=value,…`, for instance `latency:seconds=0.2,rate=0.5`.

    Raises UsageError that names what is wrong and what is allowed.
    """
    kind, _, settings = text.partition(":")
    readers: dict[str, Callable[[str], Any]] = {
        "path": str,
        "method": str.upper,
        "rate": float,
        "times": int,
        "skip": int,
        "seconds": float,
        "status": int,
        "record": str,
    }
    given: dict[str, Any] = {}
    for setting in filter(None, settings.split(",")):
        key, _, value = setting.partition("=")
        if key not in readers:
            raise UsageError(f"{text!r}: no such key {key!r}: {', '.join(readers)}")
        try:
            given[key] = readers[key](value)
        except ValueError:
            raise UsageError(f"{text!r}: {key} must be a number") from None
    try:
        return Fault(kind, **given)
    except ValueError as error:
        raise UsageError(str(error)) from None


class Faults:
    """The rules in force, with a seeded chance, and how often each has struck."""

    def __init__(self, *rules: Fault, seed: int = 0) -> None:
        """Put rules in force."""
        self._random = Random(seed)
        self.replace(*rules)

    def replace(self, *rules: Fault) -> None:
        """Put these rules in the place of all others."""
        self.rules = rules
        self._met = [0] * len(rules)
        self._struck = [0] * len(rules)

    def draw(self, kind: str, method: str, path: str) -> Fault | None:
        """Return the rule of that kind that strikes this request, if one does."""
        return self.draw_any(frozenset({kind}), method, path)

    def draw_any(self, kinds: frozenset[str], method: str, path: str) -> Fault | None:
        """Return the first rule of those kinds that strikes this request."""
        for at, rule in enumerate(self.rules):
            if rule.kind in kinds and _fits(rule, method, path) and self._chance(at):
                return rule
        return None

    def as_rows(self) -> list[dict[str, Any]]:
        """Return the rules with how often each has struck."""
        rows = zip(self.rules, self._struck, strict=True)
        return [asdict(rule) | {"struck": struck} for rule, struck in rows]

    def _chance(self, at: int) -> bool:
        rule = self.rules[at]
        self._met[at] += 1
        if self._met[at] <= rule.skip:
            return False
        if rule.times is not None and self._struck[at] >= rule.times:
            return False
        if self._random.random() >= rule.rate:
            return False
        self._struck[at] += 1
        return True


def _fits(rule: Fault, method: str, path: str) -> bool:
    return rule.path in path and rule.method in {"", method}
