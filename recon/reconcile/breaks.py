"""The life of breaks: their identity, since when they are known, and where they stand.

Runs and decisions are rows of the lake with a time; only those before T count. A
decision speaks of the figures that were found when it was made, where there are none of
its words: with other ones the break is open again.
"""

import hashlib
from collections import defaultdict
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, field
from datetime import date, datetime, tzinfo
from typing import Any, TypeAlias

import pyarrow as pa

from recon.lake import Commit, Lake
from recon.lake.schema import INSTANT, TABLES, TEXT, WHOLE
from recon.lake.voids import standing
from recon.reconcile.break_figures import READ, Figures, figures_of, marks, wordless
from recon.reconcile.rules import left_out
from recon.times import business_date, ended_date, format_instant

OPEN = "open"
ACKNOWLEDGED = "acknowledged"
RESOLVED = "resolved"
GONE = "gone"
_DECIDED = {"acknowledge": ACKNOWLEDGED, "resolve": RESOLVED, "reopen": OPEN}

DECIDED_ON = "decided_on"
"""In the certificate of decisions: the instant of the run that they were made on."""

FIGURES = "figures"
"""In the certificate of decisions: the figures of each break that were looked at, as
`marks` has them first; empty of one that was gone. No run need have them: there was
none yet, it went by other rules, or it was written off since."""

_WALLET = "wallet"
_INTERVALS = "wallet_rollforward"
_STORED = [
    column
    for column in TABLES["run_breaks"].columns
    if column.name not in ("run_id", "as_of")
]

BREAKS = pa.schema(
    [*_STORED, ("first_seen", INSTANT), ("age_days", WHOLE), ("status", TEXT)]
)
"""The columns of `breaks.csv`: one row a break, amounts in rials."""

_ROWS_AT_ONCE = 10_000

Row = dict[str, Any]


def break_id(check: str, product: str, record_id: str) -> str:
    """Return the id that a break has on every run (16 hex digits)."""
    text = f"{check}|{product}|{record_id}"
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Decision:
    """What someone decided about a break that changes where it stands.

    `known` is the run that was looked at; where that is not told, the last one that was
    there then, None if there was none. One that was kept later found its figures
    meanwhile, though its instant may be an earlier one. `figures` are the mark of those
    that were looked at; None where an earlier release did not tell them.
    """

    decided_at: datetime
    status: str
    known: datetime | None = None
    figures: str | None = None

    def knew(self, run: datetime) -> bool:
        """Tell whether it may speak of what a run found."""
        return run <= min(self.decided_at, self.known or self.decided_at)

    def is_of(self, found: Figures) -> bool:
        """Tell whether these are the figures that were looked at."""
        return self.figures in marks(found)

    def is_before(self, run: datetime) -> bool:
        """Tell whether a run is news to it."""
        return run >= self.decided_at or not self.knew(run)


Decisions: TypeAlias = Mapping[str, Sequence[Decision]]
"""The decisions about each break, in the order of their time."""


@dataclass(frozen=True)
class History:
    """What earlier runs found and what people decided.

    `runs` are the instants of the runs in their order; `seen` tells for each break the
    runs that had it; `last` are the breaks of the last run by id, and of the last that
    ran their check. `figures` are what each run found of a break that anybody decided
    about, `not_run` the checks that a run left out.
    """

    runs: Sequence[datetime] = ()
    seen: Mapping[str, Sequence[datetime]] = field(default_factory=dict)
    last: Mapping[str, Row] = field(default_factory=dict)
    decisions: Decisions = field(default_factory=dict)
    figures: Mapping[str, Mapping[datetime, Figures]] = field(default_factory=dict)
    not_run: Mapping[datetime, Collection[str]] = field(default_factory=dict)

    def first_seen(self, identity: str, now: datetime) -> datetime:
        """Return the instant of the first run that had a break; `now` if none had."""
        return min([*self.seen.get(identity, ()), now])

    def status(self, row: Row, at: datetime, *, then: bool = False) -> str:
        """Return where a break stands that was found at an instant.

        By all decisions, or by those that were made `then`. A decision ends where a
        later run no longer had the break, which came back, and where the figures were,
        or are, other ones than those it was made on: of one that was gone, any are.
        """
        made = [
            decision
            for decision in self.decisions.get(row["break_id"], ())
            if not then or decision.decided_at <= at
        ]
        if not made:
            return OPEN
        return self._by(made[-1], row["break_id"], row["check"], figures_of(row), at)

    def last_run(self, check: str, until: str) -> datetime | None:
        """Return the last run that ran a check until an instant, as reports have it."""
        ran = (each for each in self.runs if check not in self.not_run.get(each, ()))
        return max(
            (each for each in ran if format_instant(each) <= until), default=None
        )

    def was_open(self, identity: str, check: str, last: datetime | None) -> bool:
        """Tell whether a break was open at a run of its check, and not closed since."""
        if last is None or last not in self.seen.get(identity, ()):
            return False
        made = self.decisions.get(identity)
        if not made:
            return True
        if made[-1].decided_at > last:
            return made[-1].status == OPEN
        found = self.figures[identity][last]
        return self._by(made[-1], identity, check, found, last) == OPEN

    def _by(
        self, last: Decision, identity: str, check: str, figures: Figures, at: datetime
    ) -> str:
        """Return where a break of these figures stands by its last decision."""
        since = {
            each
            for each in self.runs
            if last.is_before(each)
            and each < at
            and check not in self.not_run.get(each, ())
        }
        if since - set(self.seen.get(identity, ())):
            return OPEN
        found = {**self.figures.get(identity, {}), at: figures}
        later = {found[each] for each in {*since, at} & found.keys()}
        if last.figures is not None:
            are_same = all(last.is_of(each) for each in later)
        else:
            known = max(filter(last.knew, found), default=None)
            decided_on = wordless(found[known or min(found)])
            are_same = all(wordless(each) == decided_on for each in later)
        return last.status if are_same else OPEN


def read_history(
    lake: Lake,
    commits: Sequence[Commit],
    decisions: Decisions,
    not_run: Collection[str] = (),
) -> History:
    """Read the runs among the commits that count, and put the decisions beside them.

    `not_run` are the checks that the settings leave out now.
    """
    runs = sorted(
        (each for each in standing(commits) if each.kind == "run" and each.as_of),
        key=lambda run: (run.as_of, run.sequence),
    )
    seen: dict[str, list[datetime]] = defaultdict(list)
    figures: dict[str, dict[datetime, Figures]] = defaultdict(dict)
    columns = ["break_id", *(READ if decisions else ())]
    same: dict[Figures, Figures] = {}  # most are found night after night: held once
    unasked: dict[datetime, frozenset[str]] = {}
    for run in runs:
        at = _as_of(run)  # runs of one instant may each have asked what others did not
        unasked[at] = left_out(run) & unasked.get(at, left_out(run))
        for row in _read(lake, run, "run_breaks", columns):
            seen[row["break_id"]].append(at)
            if row["break_id"] in decisions:
                found = figures_of(row)
                figures[row["break_id"]][at] = same.setdefault(found, found)
    return History(
        runs=[_as_of(run) for run in runs],
        seen=seen,
        last={row["break_id"]: row for row in _last_rows(lake, runs, not_run)},
        decisions=decisions,
        figures=figures,
        not_run=unasked,
    )


def _last_rows(
    lake: Lake, runs: Sequence[Commit], not_run: Collection[str]
) -> Iterator[Row]:
    """Yield what the last run found, and of a check that it left out the last one did.

    That only of checks that are run now. Runs that an earlier release kept do not tell
    what they left out: nothing.
    """
    sought: frozenset[str] | None = None  # of the last run, all
    for run in reversed(runs):
        for row in run_rows(lake, run):
            if sought is None or row["check"] in sought:
                yield row
        unasked = left_out(run)
        sought = (unasked if sought is None else sought & unasked) - {*not_run}
        if not sought:
            return


def run_rows(lake: Lake, run: Commit) -> Iterable[Row]:
    """Read the breaks that a run found, as `identified` gave them."""
    return _read(lake, run, "run_breaks", BREAKS.names[:-3])


def read_decisions(lake: Lake, until: datetime) -> Decisions:
    """Read the decisions that were made, and are in the lake, up to an instant."""
    columns = ["break_id", "decided_at", "action"]
    made: dict[str, list[Decision]] = defaultdict(list)
    known: datetime | None = None
    for commit in standing(lake.commits(until)):
        if commit.kind == "run":
            known = max(_as_of(commit), known or _as_of(commit))
        for row in _read(lake, commit, "decisions", columns):
            if row["action"] in _DECIDED and row["decided_at"] <= until:
                made[row["break_id"]].append(_decision(row, commit, known))
    for decisions in made.values():
        decisions.sort(key=lambda each: each.decided_at)
    return made


def _decision(row: Row, commit: Commit, last: datetime | None) -> Decision:
    """Read a decision; `last` is the last run before it."""
    said = commit.certificate
    on = datetime.fromisoformat(said[DECIDED_ON]) if DECIDED_ON in said else last
    figures = said.get(FIGURES, {}).get(row["break_id"])
    return Decision(row["decided_at"], _DECIDED[row["action"]], on, figures)


def identified(found: pa.Table, zone: Any) -> list[Row]:
    """Give what the checks found its ids, dates and differences.

    Sorted by check, product and record. A break found twice is one: the first by its
    other columns. A record without an id counts as the empty one.
    """
    rows = []
    for row in _each(found):
        identity = {name: row[name] or "" for name in ("check", "product", "record_id")}
        known = row["expected"] is not None and row["actual"] is not None
        at = row["occurred_at"]
        rows.append(
            row
            | identity
            | {
                "break_id": break_id(**identity),
                "business_date": at and _day_of(row, at, zone),
                "difference": row["actual"] - row["expected"] if known else None,
            }
        )
    rows.sort(key=_complete_order)
    return list({row["break_id"]: row for row in reversed(rows)}.values())[::-1]


def _each(table: pa.Table) -> Iterator[Row]:
    """Yield a table's rows; all at once, very many would take memory twice."""
    for part in table.to_batches(max_chunksize=_ROWS_AT_ONCE):
        yield from part.to_pylist()


def _day_of(row: Row, at: datetime, zone: Any) -> date:
    """Return the business date of a break; of the wallet, the one a snapshot ends.

    It speaks of the time before it, as its interval does.
    """
    return (ended_date if row["product"] == _WALLET else business_date)(at, zone)


def with_unseen(
    rows: Sequence[Row],
    history: History,
    not_run: Collection[str],
    unseen: Callable[[], Collection[str]],
    unopened: Callable[[], Collection[str]] = frozenset,
) -> list[Row]:
    """Add breaks of the last run that nobody looked at: of balances not compared now.

    None of these is known to be gone. `unseen` returns their records, `unopened` those
    that end no interval any more, which is all that is not compared of them; they are
    asked only where a break of the wallet is missing.
    """
    present = {row["break_id"] for row in rows}
    missing = [
        row
        for identity, row in history.last.items()
        if row["product"] == _WALLET
        and row["check"] not in not_run
        and identity not in present
    ]
    records = unseen() if missing else ()
    ends = unopened() if missing else ()
    left = [
        row
        for row in missing
        if row["record_id"] in records
        or (row["check"] == _INTERVALS and row["record_id"] in ends)
    ]
    return sorted([*rows, *left], key=_complete_order) if left else list(rows)


def with_life(
    rows: Sequence[Row],
    history: History,
    as_of: datetime,
    zone: tzinfo,
    not_run: Collection[str] = (),
) -> pa.Table:
    """Add age and status to breaks, and append those gone since the last run.

    An age is in business dates of the zone: nights a day apart are one, though the
    later begins some seconds earlier. Of checks that were not run nobody knows whether
    a break is gone.
    """
    present = {row["break_id"] for row in rows}
    lived = [(row, history.status(row, as_of)) for row in rows]
    if history.runs:
        lived += [
            (row, GONE)
            for identity, row in history.last.items()
            if identity not in present
            and row["check"] not in not_run
            and history.status(row, history.runs[-1], then=True) == OPEN
        ]
    lived.sort(key=lambda each: _order(each[0]))
    parts = [BREAKS.empty_table()]
    for start in range(0, len(lived), _ROWS_AT_ONCE):
        part = [
            _aged(row, status, history, as_of, zone)
            for row, status in lived[start : start + _ROWS_AT_ONCE]
        ]
        parts.append(pa.Table.from_pylist(part, BREAKS))
    return pa.concat_tables(parts)


def _aged(
    row: Row, status: str, history: History, as_of: datetime, zone: tzinfo
) -> Row:
    first = history.first_seen(row["break_id"], as_of)
    age = business_date(as_of, zone) - business_date(first, zone)
    return row | {"first_seen": first, "age_days": age.days, "status": status}


def _read(
    lake: Lake, commit: Commit, table: str, columns: Sequence[str]
) -> Iterator[Row]:
    for file in commit.files_of("records", table):
        yield from _each(lake.read(lake.file(file), columns))


def _as_of(run: Commit) -> datetime:
    return run.as_of or run.committed_at


def _order(row: Row) -> tuple[str, str, str]:
    return row["check"], row["product"], row["record_id"]


def _complete_order(row: Row) -> tuple[Any, ...]:
    """Order equal breaks by everything else, so that the first is always the same."""
    others = ("related_id", "occurred_at", "expected", "actual", "detail")
    return (*_order(row), *(("" if row[n] is None else str(row[n])) for n in others))
