"""What a closed period says now that differs from what it said when it was closed.

A closing keeps its figures, and its balances, as pages of its commit, so they are there
whatever becomes of the pack, the settings and the records.
"""

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

import msgspec
import pyarrow as pa

from recon.lake import Commit, Page
from recon.lake.schema import INSTANT, RIALS, TEXT
from recon.lake.voids import standing
from recon.reconcile.balances import balances, terms
from recon.reconcile.book_figures import book_figures
from recon.reconcile.escrow_figures import escrow_figures
from recon.reconcile.kept_figures import of_period, restated
from recon.reconcile.result import Result
from recon.times import ended_date, format_instant, parse_instant

CLOSE = "close"
"""The kind of a closing's commit; its source is the period's name."""

FIGURES_PAGE = 1
BALANCES_PAGE = 2
BOOKS_PAGE = 3
ESCROW_PAGE = 4
"""`balances.csv` and so on of a pack; closings of earlier releases lack them."""

PACKED = ("figures.json", "balances.csv", "books.csv", "escrow.csv")
"""What a pack calls the files that are pages of its closing's commit, too, in order."""

RESTATEMENTS = pa.schema(
    {
        "period": TEXT,
        "closed_at": INSTANT,
        "business_date": pa.date32(),
        "product": TEXT,
        "payment_method": TEXT,
        "record_id": TEXT,
        "measure": TEXT,
        "closed": RIALS,
        "now": RIALS,
        "difference": RIALS,
    }
)
"""One row a figure of a closed period that is another one now.

`measure` is `count` (a number of records), `amount`, `wage` or `affected` (rials) of a
date, product and method; or, with product `wallet` and `record_id` = wallet:to_at,
`opening`, `closing` or `unexplained` of an interval; or, with `record_id` = wallet and
the period's last date, `opening` or `closing` of the whole period (wallet:from..to of
an earlier part of it, where another was the wallet in between). `closed` or `now` is
empty where there was, or is, no such interval or balance. What ends in `_orders` (a
number) or `_amount` (rials) is of the books: `BOOK_FIGURES`; `moves` (a number),
`received` and `released` (rials) are of escrow: `ESCROW_FIGURES`.
"""

_FLOWS = ("count", "amount", "wage", "affected")
_WALLET = ("opening", "closing", "unexplained")
_BALANCES = ("opening", "closing")
_KEY = ("business_date", "product", "payment_method", "record_id")
_ORDER = ("closed_at", "period", "business_date", "product", "payment_method")

Figures = dict[tuple[str, str, str, str], dict[str, int]]
"""Measures by business date, product, payment method and record."""


def packed_pages(
    period: str, bodies: Mapping[str, bytes], received_at: datetime
) -> list[Page]:
    """Return the pages of a closing's commit, from the files of its pack."""
    return [
        Page(url=f"recon:close/{period}/{name}", received_at=received_at, body=body)
        for name, body in bodies.items()
    ]


def figures(result: Result, first: date, last: date) -> bytes:
    """Return the figures of a period as a closing keeps them (JSON, rials)."""
    rows = [
        dict(zip(_KEY, key, strict=True)) | {"measures": measures}
        for key, measures in sorted(_now(result, first, last).items())
    ]
    return msgspec.json.format(msgspec.json.encode(rows), indent=1) + b"\n"


def restatements(result: Result) -> pa.Table:
    """Return the differences of every period closed as of the run's T, sorted.

    Nothing of one whose figures were written off. Raises CorruptLake where the kept
    figures of another closing are damaged.
    """
    closings = _standing(result.lake.commits(result.as_of))
    frozen = [_balances_closed(result, commit) for commit in closings]
    known = _balances_now(result, [row for rows in frozen for row in rows])
    rows = [
        row
        for commit, balances_closed in zip(closings, frozen, strict=True)
        for row in _of_closing(result, commit, balances_closed, known)
    ]
    rows += _of_dates(result, closings, BOOKS_PAGE, book_figures)
    rows += _of_dates(result, closings, ESCROW_PAGE, escrow_figures)
    found = pa.Table.from_pylist(rows, RESTATEMENTS)
    order = [*_ORDER, "record_id", "measure"]
    return found.sort_by([(name, "ascending") for name in order])


def given_up(result: Result) -> list[str]:
    """Name the closed periods whose figures were written off as of the run's T."""
    known = result.lake.commits(result.as_of)
    left = {each.id for each in _standing(known)}
    return [c.source for c in known if c.kind == CLOSE and c.id not in left]


def _standing(commits: Sequence[Commit]) -> list[Commit]:
    return [commit for commit in standing(commits) if commit.kind == CLOSE]


_Rials = Mapping[tuple[str, datetime], int]


@dataclass(frozen=True)
class _Ends:
    """A wallet at both ends of a period as its closing froze it, in rials."""

    wallet: str
    ends: tuple[datetime, datetime]
    rials: tuple[int, int]


def _balances_closed(result: Result, commit: Commit) -> list[_Ends]:
    """Read what a closing froze; nothing of one that kept no balances."""
    if not _has_page(commit, BALANCES_PAGE):
        return []
    body = result.lake.page(commit.id, BALANCES_PAGE).body
    rows = csv.DictReader(io.StringIO(body.decode("utf-8-sig")))
    return [
        _Ends(
            row["wallet"],
            (
                parse_instant(row["opening_at"], UTC),
                parse_instant(row["closing_at"], UTC),
            ),
            (int(row["opening"]), int(row["closing"])),
        )
        for row in rows
    ]


def _named(closed: Sequence[_Ends]) -> Iterator[str]:
    """Yield the wallet of each row; with its span, where it is the wallet once more."""
    for number, row in enumerate(closed, start=1):
        if any(each.wallet == row.wallet for each in closed[number:]):
            yield f"{row.wallet}:{'..'.join(map(format_instant, row.ends))}"
        else:
            yield row.wallet


def _has_page(commit: Commit, page_no: int) -> bool:
    """Tell whether a closing kept a page: those of earlier releases kept fewer."""
    kept = sum(file.rows for file in commit.files if file.folder == "pages")
    return kept >= page_no


def _balances_now(result: Result, closed: Sequence[_Ends]) -> _Rials:
    """Return what balances are at the ends of closed periods, where they are known."""
    known = terms(result) if closed else []
    asked = {
        (row.wallet, at): term
        for row in closed
        for at in row.ends
        for term in known
        if term.wallet == row.wallet and term.has(at)
    }
    found = balances(result, [(term, at) for (_, at), term in asked.items()])
    return {key: each.rials for key, each in zip(asked, found, strict=True)}


def _of_closing(
    result: Result,
    commit: Commit,
    balances_closed: Sequence[_Ends],
    known: _Rials,
) -> Iterator[dict[str, Any]]:
    first, last = closed_dates(commit)
    body = result.lake.page(commit.id, FIGURES_PAGE).body
    closed: Figures = {
        (row[_KEY[0]], row[_KEY[1]], row[_KEY[2]], row[_KEY[3]]): row["measures"]
        for row in msgspec.json.decode(body)
    }
    now = _now(result, first, last)
    for row, name in zip(balances_closed, _named(balances_closed), strict=True):
        key = (last.isoformat(), "wallet", "", name)
        closed[key] = dict(zip(_BALANCES, row.rials, strict=True))
        now[key] = {
            name: known[row.wallet, at]
            for name, at in zip(_BALANCES, row.ends, strict=True)
            if (row.wallet, at) in known
        }
    for key in sorted(closed.keys() | now.keys()):
        for measure, before, after in _differing(key, closed, now):
            yield {
                "period": commit.source,
                "closed_at": commit.committed_at,
                "business_date": date.fromisoformat(key[0]),
                "product": key[1],
                "payment_method": key[2] or None,
                "record_id": key[3] or None,
                "measure": measure,
                "closed": before,
                "now": after,
                "difference": _less(after, before),
            }


def _of_dates(
    result: Result,
    closings: Sequence[Commit],
    page_no: int,
    figures_of: Callable[[Result], pa.Table],
) -> Iterator[dict[str, Any]]:
    """Yield the differences of the closings that kept figures by date as a page."""
    counted = [commit for commit in closings if _has_page(commit, page_no)]
    known = figures_of(result) if counted else None
    for commit in counted:
        page = result.lake.page(commit.id, page_no).body
        said = {"period": commit.source, "closed_at": commit.committed_at}
        for row in restated(page, of_period(known, *closed_dates(commit))):
            yield said | row


def _less(after: int | None, before: int | None) -> int | None:
    return None if after is None or before is None else after - before


def closed_dates(commit: Commit) -> tuple[date, date]:
    """Return the first and the last business date that a closing froze."""
    first, last = (commit.certificate[name] for name in ("first", "last"))
    return date.fromisoformat(first), date.fromisoformat(last)


def _differing(
    key: tuple[str, str, str, str], closed: Figures, now: Figures
) -> Iterator[tuple[str, int | None, int | None]]:
    """Yield the measures that differ: without flows there are none, 0 in all."""
    is_interval = bool(key[3])
    absent: Mapping[str, int] = {} if is_interval else dict.fromkeys(_FLOWS, 0)
    before, after = closed.get(key, absent), now.get(key, absent)
    for measure in _WALLET if is_interval else _FLOWS:
        if before.get(measure) != after.get(measure):
            yield measure, before.get(measure), after.get(measure)


def _now(result: Result, first: date, last: date) -> Figures:
    found: Figures = {}
    zone = result.engine.settings.business.timezone
    for row in result.table("report_flows").to_pylist():
        day = row["business_date"]
        if day is not None and first <= day <= last:
            key = (day.isoformat(), row["product"], row["payment_method"] or "", "")
            sums = found.setdefault(key, dict.fromkeys(_FLOWS, 0))
            for name in _FLOWS:
                sums[name] += row[name]
    for row in result.rollforward.to_pylist():
        day = ended_date(row["to_at"], zone)
        if first <= day <= last:
            name = f"{row['wallet']}:{format_instant(row['to_at'])}"
            key = (day.isoformat(), "wallet", "", name)
            found[key] = {name: row[name] for name in _WALLET}
    return found
