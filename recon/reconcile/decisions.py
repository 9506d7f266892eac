"""What people decide about breaks: rows that are only ever added, each with its author.

A decision is one of `ACTIONS`. Where a break stands follows from the last decision that
says so and from the runs since (`recon.reconcile.breaks`). Nothing is ever changed or
taken away here: `reopen` undoes a decision by being the later one.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from recon.errors import UsageError
from recon.lake import Commit, Lake
from recon.lake.schema import TEXT
from recon.reconcile.break_figures import figures_of, marks
from recon.reconcile.breaks import (
    ACKNOWLEDGED,
    DECIDED_ON,
    FIGURES,
    GONE,
    OPEN,
    RESOLVED,
)
from recon.setting_values import SEVERITIES
from recon.wording import is_utf8, listed

ACKNOWLEDGE = "acknowledge"
RESOLVE = "resolve"
REOPEN = "reopen"
ASSIGN = "assign"
NOTE = "note"
ACTIONS = (ACKNOWLEDGE, RESOLVE, REOPEN, ASSIGN, NOTE)

REOPENED = "reopened"
"""What a file says of a break that is to be open again.

"open" says nothing: it stands in every file that was written before a decision.
"""

STATUS_OF = {ACKNOWLEDGED: ACKNOWLEDGED, RESOLVED: RESOLVED, REOPENED: OPEN}
"""Where a break stands once a file's word is decided."""

ACTION_OF = {ACKNOWLEDGED: ACKNOWLEDGE, RESOLVED: RESOLVE, REOPENED: REOPEN}
"""The action of a file's word; no one decides that a break is gone."""

MAX_TEXT = 4_000
"""So many characters a reason or a note may have."""

MAX_NAME = 200
"""So many characters the name of a person may have."""

BUCKETS = (("0-1", 1), ("2-7", 7), ("8-30", 30), ("31+", None))
"""Ages in days: the name of each bucket, and its last day."""

if TYPE_CHECKING:
    from recon.reconcile.result import Result

Row = dict[str, Any]


@dataclass(frozen=True)
class Change:
    """One decision to be made. `reason` is also the text of a note."""

    break_id: str
    action: str
    reason: str | None = None
    assignee: str | None = None


@dataclass(frozen=True)
class Standing:
    """Who has a break, what was last noted about it, and its decisions in order."""

    assignee: str | None = None
    note: str | None = None
    decisions: tuple[Row, ...] = ()


def decision(
    break_id: str,
    action: str,
    *,
    reason: str | None = None,
    assignee: str | None = None,
) -> Change:
    """Return a decision about one break (its whole id).

    Raises UsageError where a resolution has no reason, an assignment no person, a note
    no text, or a text is too long.
    """
    if action not in ACTIONS:
        raise UsageError(f"{action!r} is no decision: {', '.join(ACTIONS)}")
    reason = _text(reason, "the reason" if action != NOTE else "the note", MAX_TEXT)
    assignee = _text(assignee, "the name", MAX_NAME)
    if action == RESOLVE and not reason:
        raise UsageError("a break is resolved with a reason: --reason TEXT")
    if action == ASSIGN and not assignee:
        raise UsageError("a break is assigned to someone: --to WHO")
    if action == NOTE and not reason:
        raise UsageError("a note has a text")
    return Change(break_id, action, reason, assignee if action == ASSIGN else None)


def record(
    lake: Lake,
    changes: Sequence[Change],
    *,
    by: str,
    known: Mapping[str, Any] = MappingProxyType({}),
) -> Commit | None:
    """Commit decisions, all at once; None where there are none.

    `by` is who decides, `known` what `looked_at` tells of the run whose figures they
    speak of: the lake's last one where nothing is told. Their time is that of the
    commit's beginning.
    """
    author = _text(by, "--by", MAX_NAME)
    if not author:
        raise UsageError("--by: a decision has an author")
    if not changes:
        return None
    decided_at = lake.now()
    rows: list[Row] = [
        {
            "break_id": change.break_id,
            "decided_at": decided_at,
            "action": change.action,
            "by": author,
            "reason": change.reason,
            "assignee": change.assignee,
        }
        for change in changes
    ]
    with lake.begin("decision", "breaks") as writing:
        writing.rows("decisions", rows)
        return writing.commit(
            counts=dict(Counter(change.action for change in changes)),
            certificate=dict(known),
        )


def looked_at(result: "Result", changes: Iterable[Change]) -> dict[str, Any]:
    """Return what is kept beside decisions: the run that was looked at, and figures.

    Those of each break that is decided about; one that is gone has none.
    """
    about = {change.break_id for change in changes}
    figures = {
        row["break_id"]: "" if row["status"] == GONE else marks(figures_of(row))[0]
        for row in result.breaks.to_pylist()
        if row["break_id"] in about
    }
    return {DECIDED_ON: result.as_of.isoformat(), FIGURES: figures}


def whole_ids(breaks: pa.Table, given: Sequence[str]) -> list[str]:
    """Return the whole ids of breaks for ids or their beginnings, each once.

    Raises UsageError naming every one that no break has, or that several have.
    """
    known = breaks["break_id"].to_pylist()
    found: list[str] = []
    wrong: list[str] = []
    for text in given:
        sought = text.strip().lower()
        fitting = [each for each in known if sought and each.startswith(sought)]
        if len(fitting) == 1:
            found.append(fitting[0])
        elif fitting:
            wrong.append(f"{text} (the beginning of {len(fitting):,} ids)")
        else:
            wrong.append(text or "an empty id")
    if wrong:
        raise UsageError(
            f"no such break: {listed(wrong)}; `recon breaks list` shows them"
        )
    return list(dict.fromkeys(found))


def standings(lake: Lake, until: datetime) -> dict[str, Standing]:
    """Return what was decided about each break, in the lake up to an instant."""
    rows = [
        row
        for row in lake.versions("decisions", until).to_pylist()
        if row["decided_at"] <= until
    ]
    made: dict[str, list[Row]] = {}
    for row in sorted(rows, key=lambda row: row["decided_at"]):
        names = ("decided_at", "action", "by", "reason", "assignee")
        made.setdefault(row["break_id"], []).append(
            {name: row[name] for name in names if row[name] is not None}
        )
    return {identity: _standing(each) for identity, each in made.items()}


def with_standing(breaks: pa.Table, known: Mapping[str, Standing]) -> pa.Table:
    """Add to breaks who has each and what was last noted about it."""
    each = [known.get(name, Standing()) for name in breaks["break_id"].to_pylist()]
    return breaks.append_column(
        "assignee", pa.array([one.assignee for one in each], TEXT)
    ).append_column("note", pa.array([one.note for one in each], TEXT))


def ageing(breaks: Iterable[Row]) -> list[Row]:
    """Count what waits to be handled by severity and age; one row a severity.

    Open and acknowledged breaks count: the others wait for nobody.
    """
    counts = Counter(
        (row["severity"], _bucket(row["age_days"]))
        for row in breaks
        if row["status"] in (OPEN, ACKNOWLEDGED)
    )
    names = [name for name, _ in BUCKETS]
    return [
        {"severity": severity}
        | {name: counts[severity, name] for name in names}
        | {"all": sum(counts[severity, name] for name in names)}
        for severity in reversed(SEVERITIES)
    ]


def decided(breaks: pa.Table, changes: Iterable[Change]) -> list[Row]:
    """Return what would be decided, with what each break is; one row a decision."""
    known = {row["break_id"]: row for row in breaks.to_pylist()}
    return [
        {
            "break_id": change.break_id,
            "check": known[change.break_id]["check"],
            "record_id": known[change.break_id]["record_id"],
            "status": known[change.break_id]["status"],
            "action": change.action,
            "reason": change.reason,
            "assignee": change.assignee,
        }
        for change in changes
    ]


def _standing(made: Sequence[Row]) -> Standing:
    assigned = [row["assignee"] for row in made if row["action"] == ASSIGN]
    noted = [row["reason"] for row in made if row.get("reason")]
    return Standing(
        assignee=assigned[-1] if assigned else None,
        note=noted[-1] if noted else None,
        decisions=tuple(made),
    )


def _bucket(age_days: int) -> str:
    return next(
        name for name, last_day in BUCKETS if last_day is None or age_days <= last_day
    )


def _text(text: str | None, what: str, longest: int) -> str | None:
    plain = (text or "").replace("\r\n", "\n").strip()
    if not is_utf8(plain):
        raise UsageError(f"{what} is not a text in UTF-8")
    if len(plain) > longest:
        raise UsageError(f"{what} is longer than {longest:,} characters")
    if any(ord(sign) < ord(" ") and sign not in "\n\t" for sign in plain):
        raise UsageError(f"{what} has a control character")
    return plain or None
