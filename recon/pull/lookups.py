"""Looking records up one by one: the products that have no list.

A look-up asks for every id that the business sent, but for those whose answer is
final. An id whose answer never became final is asked only by whole pulls once it is
older than `lake.full_every`; `--full` asks for all, so that a restated one is found.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from recon.api.answers import Answer
from recon.api.paging import first_error
from recon.errors import ProviderError, RateLimited, Refused, Unauthenticated
from recon.lake import Lake
from recon.pull.keeping import last_place
from recon.pull.pulling import Found, Pulling

Row = dict[str, Any]

_MOST_FAILURES = 3  # ids without an answer; then the provider is left in peace


@dataclass(frozen=True)
class Lookup:
    """What is looked up: the list of ids sent, the table of answers, how to ask.

    `refused` returns the row of a documented refusal of one id, which is its answer.
    """

    sent_table: str
    sent_key: str
    table: str
    key: str
    state: str  # the column that tells what is final
    final: frozenset[Any]
    ask: Callable[[str], Awaitable[tuple[Row, Answer[Any]]]]


async def look_up(pulling: Pulling, lookup: Lookup) -> Found:
    """Ask for what is not final, at bounded concurrency, and keep every answer."""
    whole = pulling.full or is_due(pulling, lookup.table)
    wanted, left_out = _wanted(pulling, lookup, whole)
    waiting = iter(wanted)
    failed: list[ProviderError] = []
    refused_count = 0

    async def work() -> None:
        nonlocal refused_count
        for record_id in waiting:
            if len(failed) >= _MOST_FAILURES:
                return
            try:
                row, answer = await lookup.ask(record_id)
                pulling.keeper.keep(lookup.table, [row], answer)
            except (Unauthenticated, RateLimited):
                raise
            except Refused as error:
                refused_count += 1
                row = {lookup.key: record_id, "error": said(error)}
                pulling.keeper.keep(lookup.table, [row], last_place())
            except ProviderError as error:
                failed.append(error)
            pulling.report(len(wanted))

    await _all(work, min(pulling.client.concurrency, len(wanted)))
    unasked = sum(1 for _ in waiting)
    error = None
    if failed:
        missing = len(failed) + unasked
        error = f"{missing} of {len(wanted)} got no answer: {failed[0]}"
    return Found(
        complete=not failed,
        whole=whole or not left_out,
        error=error,
        certificate={
            "asked": len(wanted) - unasked,
            "refused": refused_count,
            "final": left_out,
        },
    )


def said(error: Refused) -> str:
    """Return a refusal in the provider's words, the same for the same refusal."""
    texts = [text for said in error.errors.values() for text in said]
    words = [error.code, *texts] if error.code or texts else [str(error)]
    return "; ".join(word for word in words if word)


def is_due(pulling: Pulling, source: str) -> bool:
    """Tell whether a source was last pulled whole longer ago than `full_every`."""
    for commit in reversed(pulling.lake.commits(kind="pull", source=source)):
        if commit.complete and commit.whole:
            age = pulling.lake.now() - commit.committed_at
            return age >= pulling.settings.lake.full_every
    return True


def completed(lake: Lake, table: str, key: str, rows: Iterable[Row]) -> list[Row]:
    """Fill what the journal does not know of a record from what an import said."""
    known = {row[key]: row for row in lake.current(table).to_pylist()}
    return [_filled(row, known.get(row[key], {})) for row in rows]


def _filled(row: Row, known: Mapping[str, Any]) -> Row:
    absent = {
        name: value
        for name, value in known.items()
        if row.get(name) is None and name not in _PROVENANCE
    }
    return row | absent


_PROVENANCE = {"pull_id", "seen_at", "record_hash", "page_no", "position"}


def _wanted(pulling: Pulling, lookup: Lookup, whole: bool) -> tuple[list[str], int]:
    """Return the ids to ask for, in order, and how many are left out as settled."""
    sent = pulling.keeper.newest(lookup.sent_table, [lookup.sent_key, "sent_at"])
    columns = [lookup.key, lookup.state, "seen_at"]
    answered = {
        row[lookup.key]: row
        for row in pulling.lake.current(lookup.table, columns).to_pylist()
    }
    full_every = pulling.settings.lake.full_every
    wanted = []
    for row in sent:
        record_id, sent_at = row[lookup.sent_key], row["sent_at"]
        answer = answered.get(record_id)
        if answer is None or pulling.full:
            wanted.append(record_id)
        elif answer[lookup.state] in lookup.final:
            continue
        elif whole or _is_young(sent_at, answer["seen_at"], full_every):
            wanted.append(record_id)
    return sorted(wanted), len(sent) - len(wanted)
