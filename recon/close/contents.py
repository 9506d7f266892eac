"""What an audit pack holds: inputs, rules, settings and figures of a period.

All of it follows from the lake as it was known at T, the settings and the queries: made
again from these, it is the same to the byte.
"""

import dataclasses
import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
import pyarrow as pa

from recon.assets import queries_folder, shipped_sql
from recon.close.balances import balances
from recon.close.in_transit import in_transit
from recon.close.periods import ClosingPeriod
from recon.lake import Commit
from recon.lake.voids import VOID, voids_of
from recon.reconcile.book_figures import book_figures
from recon.reconcile.breaks import ACKNOWLEDGED, OPEN
from recon.reconcile.escrow_figures import escrow_figures
from recon.reconcile.kept_figures import of_period
from recon.reconcile.restatements import PACKED, figures
from recon.reconcile.result import Result
from recon.reconcile.run import counted_commits
from recon.reports import breaks, csv_text
from recon.reports.masking import masking
from recon.reports.periods import Period
from recon.reports.restatements import packs_folder
from recon.reports.writing import write
from recon.scratch import NO_ROOM, Scratch
from recon.setting_values import Secret
from recon.settings import SECTIONS, Settings, keys_of
from recon.times import format_instant

FORMAT = "recon audit pack"
CODE = "code"
"""In the manifest: the hash of the code that made the pack."""

FIGURES, BALANCES, BOOKS, ESCROW = PACKED
CARRIED = "carried_forward.csv"
IN_TRANSIT = "in_transit.csv"
INPUTS = "inputs.json"
SETTINGS = "settings.json"
README = "README.txt"
REPORTS = "reports"
QUERIES = "queries"
ROLLFORWARD = "wallet_rollforward"

_Interval = tuple[str, datetime]

_PLACES = {"lake": ("path", "cache", "endpoint", "region"), "reports": ("path",)}
"""Settings that say where something is on a machine: no part of the figures."""

_OF_FIGURES = (
    *("business", "unified", "escrow", "cash_in", "gateway", "hosted", "checks"),
)
"""The sections that figures depend on."""

_WORDS = """\
Audit pack of the period {name}: {first} to {last}, business dates in {zone}.
Made from what was known at {as_of} (run {run}). Amounts are in rials.
{not_run}
balances.csv         the wallet at both ends of the period, and what moved between
books.csv            orders of the books by date, product and status, and how many
                     of them a reference links to a record of the provider
escrow.csv           what came in and went out of escrow by date, held for others
carried_forward.csv  open breaks dated in the period or before, or without a date,
                     and of the wallet's interval over the period's end
in_transit.csv       deposits and settlements under way when the period ended, and
                     whatever is not certain to have moved the wallet by then
reports/             the reports of the period, as recon writes them
figures.json         the figures that later restatements are held against, beside
                     those of balances.csv, books.csv and escrow.csv
inputs.json          every commit of the lake that was read, with its files' SHA-256
queries/             the rules of the checks, and what they read
settings.json        the settings without secrets and places
manifest.json        the SHA-256 of every file here, and of itself
manifest.json.sig    where the pack is signed: the Ed25519 signature of manifest.json

recon verify-pack proves that nothing here was touched and, with the lake at hand,
that the figures come again from their inputs.
"""


def contents(
    result: Result, settings: Settings, period: ClosingPeriod
) -> dict[str, bytes]:
    """Return every entry of a period's pack but the manifest, by its name."""
    files = {
        README: _readme(result, settings, period),
        BALANCES: csv_text.render(balances(result, period)),
        BOOKS: csv_text.render(
            of_period(book_figures(result), period.first, period.last)
        ),
        ESCROW: csv_text.render(
            of_period(escrow_figures(result), period.first, period.last)
        ),
        CARRIED: csv_text.render(_masked(result, settings, carried(result, period))),
        IN_TRANSIT: csv_text.render(
            _masked(result, settings, in_transit(result, period))
        ),
        FIGURES: figures(result, period.first, period.last),
        INPUTS: inputs(counted_commits(result.lake, result.as_of)),
        SETTINGS: _json(shown_settings(settings)),
    }
    reports = _reports(result, settings, period)
    return files | reports | queries()


def carried(result: Result, period: ClosingPeriod) -> pa.Table:
    """Return the open and acknowledged breaks up to the period's end, as `breaks.csv`.

    A break without a business date may be of any period and is among them; one of an
    interval that spans the period's end may be of either side.
    """
    known = breaks.table(result, result.engine.settings, Period())
    spanning = _spanning(result, period)
    waiting = [
        row["status"] in (OPEN, ACKNOWLEDGED)
        and (
            _interval(row) in spanning
            or (row["business_date"] or period.last) <= period.last
        )
        for row in known.to_pylist()
    ]
    return known.filter(pa.array(waiting, pa.bool_()))


def _spanning(result: Result, period: ClosingPeriod) -> set[_Interval]:
    """Name the wallet's intervals that begin in a period and end after it."""
    ends = period.ends(result.engine.settings.business.timezone)
    return {
        (row["wallet"], row["to_at"])
        for row in result.rollforward.to_pylist()
        if row["from_at"] < ends < row["to_at"]
    }


def _interval(row: Mapping[str, Any]) -> _Interval | None:
    """Return the wallet and the end of the interval that a break is of."""
    is_of_one = row["check"] == ROLLFORWARD
    return (row["related_id"], row["occurred_at"]) if is_of_one else None


def queries() -> dict[str, bytes]:
    """Return the text of every query file by its name in a pack."""
    folder = queries_folder()
    return {
        f"{QUERIES}/{path.relative_to(folder).as_posix()}": path.read_bytes()
        for path in shipped_sql()
    }


def inputs(commits: list[Commit]) -> bytes:
    """Return what was read: every commit with its files, their sizes and hashes."""
    rows = [
        {
            "sequence": commit.sequence,
            "id": commit.id,
            "kind": commit.kind,
            "source": commit.source,
            "committed_at": format_instant(commit.committed_at),
            "complete": commit.complete,
            "whole": commit.whole,
            "files": [msgspec.to_builtins(file) for file in commit.files],
            **({"voids": voids_of(commit)} if commit.kind == VOID else {}),
        }
        for commit in commits
    ]
    return _json(rows)


def shown_settings(settings: Settings) -> dict[str, dict[str, Any]]:
    """Return the settings by section and key, as `recon.toml` would have them.

    Without secrets and places; a product whose section is absent is absent here.
    """
    found = {}
    for name in SECTIONS:
        section = getattr(settings, name)
        if section is None:
            continue
        values = {
            key: _shown(getattr(section, key))
            for key in keys_of(name)
            if key not in _PLACES.get(name, ()) and not _is_secret(section, key)
        }
        found[name] = {key: each for key, each in values.items() if each is not None}
    return found


def settings_of(shown: Mapping[str, Mapping[str, Any]], own: Settings) -> Settings:
    """Return one's own settings with those that a pack's figures depend on.

    ValueError, or TypeError, where they are not what settings may be.
    """
    read = {}
    for name in _OF_FIGURES:
        readers = keys_of(name)
        if name in shown:
            values = {key: readers[key](each) for key, each in shown[name].items()}
            read[name] = SECTIONS[name](**values)
        elif name == "business":
            raise ValueError("business is missing")
        elif name != "checks":
            read[name] = None
    kept = keys_of("reports")["personal_data"](shown["reports"]["personal_data"])
    reports = dataclasses.replace(own.reports, personal_data=kept)
    return dataclasses.replace(own, **read, reports=reports)


def _shown(value: Any) -> Any:
    if isinstance(value, timedelta):
        return int(value.total_seconds())
    if isinstance(value, ZoneInfo):
        return value.key
    return list(value) if isinstance(value, tuple) else value


def _is_secret(section: Any, key: str) -> bool:
    value = getattr(section, key)
    values = value if isinstance(value, tuple) else (value,)
    return any(isinstance(each, Secret) for each in values)


def _reports(
    result: Result, settings: Settings, period: ClosingPeriod
) -> dict[str, bytes]:
    """Return the CSV, JSON and beancount files that `recon report` would write."""
    with Scratch() as scratch:
        there = dataclasses.replace(
            settings.reports, path=str(scratch.path), excel=False, html=False
        )
        written = write(
            result,
            dataclasses.replace(settings, reports=there),
            from_=period.first,
            to=period.last,
            blamed=NO_ROOM,
        )
        return {f"{REPORTS}/{name}": p.read_bytes() for name, p in written.items()}


def _masked(result: Result, settings: Settings, table: pa.Table) -> pa.Table:
    mask = masking(result, settings, [table])
    return mask.table(table) if mask else table


def _readme(result: Result, settings: Settings, period: ClosingPeriod) -> bytes:
    not_run = ", ".join(result.not_run)
    return _WORDS.format(
        not_run=f"Not run, by checks.disabled: {not_run}.\n" if not_run else "",
        name=period.name,
        first=period.first,
        last=period.last,
        zone=settings.business.timezone.key,
        as_of=format_instant(result.as_of),
        run=result.run_id,
    ).encode()


def _json(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode()


def placed(settings: Settings, period: ClosingPeriod) -> Path:
    """Return where a period's pack is."""
    return packs_folder(settings) / f"{period.name}.zip"
