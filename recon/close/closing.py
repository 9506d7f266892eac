"""Closing a period: its figures are frozen, packed, and a row of the lake for ever."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from recon import __version__, log
from recon.assets import code_hash
from recon.close import packs
from recon.close.balances import balances, uncompared, wallet_changes
from recon.close.contents import (
    CODE,
    FORMAT,
    carried,
    contents,
    placed,
)
from recon.close.periods import ClosingPeriod, parse
from recon.close.signing import KEY_HASH, SIGNATURE, Signer
from recon.errors import ExitCode, LockHeld, ReconError, UsageError
from recon.lake import Commit, Lake, Overtaken
from recon.lake.lock import run_lock
from recon.pull.runner import plan
from recon.reconcile.breaks import OPEN
from recon.reconcile.disclosures.bank_gaps import gaps
from recon.reconcile.disclosures.coverage import never_imported, uncovered
from recon.reconcile.disclosures.unjudged import unjudged
from recon.reconcile.restatements import CLOSE, PACKED, closed_dates, packed_pages
from recon.reconcile.result import Result
from recon.reconcile.run import counted_commits, reconcile
from recon.reports import restatements
from recon.reports.periods import Period
from recon.setting_values import BLOCKING
from recon.settings import Settings
from recon.times import format_instant
from recon.wording import counted, is_utf8, listed

_MAX_NAME = 200

_FROZEN = PACKED
"""Files of the pack that are pages of the commit as well, in the order of those."""


class NotClosable(ReconError):  # noqa: N818 - the field's word
    """Open breaks stand against a period's closing."""

    exit_code = ExitCode.BREAKS_OPEN


class NotWhole(ReconError):  # noqa: N818 - as above
    """The data of a period is not known to be whole."""

    exit_code = ExitCode.INCOMPLETE


_REFUSALS = (NotClosable, NotWhole, UsageError, LockHeld)


@dataclass(frozen=True)
class Closing:
    """A period that was closed, or would be; amounts in rials.

    `balances` is one row a wallet, `uncompared` are the times that no two of its
    snapshots enclose, `wallet_changes` those between two wallets, of which no balance
    has anything. `uncovered` is what no file of the business covers, `never_imported`
    are the kinds of which there is none, `bank_gaps` are the days between two
    statements, and `unjudged` is other money: of none of it says any check anything.
    `not_run` are the checks that the settings leave out. `carried_forward` is the
    number of open breaks that go on into the next period.
    `pack_sha256` is empty where nothing was written, `signing_key_sha256` (of the
    public key) is None where nothing is signed.
    """

    period: ClosingPeriod
    as_of: datetime
    run_id: str
    pack: Path
    pack_sha256: str
    signing_key_sha256: str | None
    entries: int
    not_run: list[str]
    carried_forward: int
    balances: list[dict[str, Any]]
    uncompared: list[dict[str, Any]]
    wallet_changes: list[dict[str, Any]]
    uncovered: list[dict[str, Any]]
    never_imported: list[str]
    bank_gaps: list[dict[str, Any]]
    unjudged: list[dict[str, Any]]

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {
            "period": self.period.name,
            "first": self.period.first,
            "last": self.period.last,
            "as_of": self.as_of,
            "run_id": self.run_id,
            "pack": str(self.pack),
            "pack_sha256": self.pack_sha256 or None,
            KEY_HASH: self.signing_key_sha256,
            "entries": self.entries,
            "not_run": self.not_run,
            "carried_forward": self.carried_forward,
            "balances": self.balances,
            "uncompared": self.uncompared,
            "wallet_changes": self.wallet_changes,
            "uncovered": self.uncovered,
            "never_imported": self.never_imported,
            "bank_gaps": self.bank_gaps,
            "unjudged": self.unjudged,
        }


def close(
    settings: Settings,
    lake: Lake,
    text: str,
    *,
    by: str,
    carry_forward: bool = False,
    signer: Signer | None = None,
    dry_run: bool = False,
) -> Closing:
    """Close a period: reconcile now, write its audit pack, keep it in the lake.

    A `signer` signs the pack's manifest. Raises UsageError for a period that is none,
    has not ended or was closed, or whose pack is there and of a run that the lake does
    not hold, NotWhole (exit 3) where a source could not be read whole or not since the
    period ended, NotClosable (exit 1) where breaks of error or critical are open in it
    and `carry_forward` is not set, LockHeld if another run is at work. With `dry_run`
    all is judged and nothing written.
    """
    period = parse(text)
    author = by.strip()
    if not author or len(author) > _MAX_NAME:
        raise UsageError("--by: a closing has an author")
    if not is_utf8(author):
        raise UsageError("--by is not a text in UTF-8")
    with _logged(period, dry_run=dry_run) as told:
        _refuse_unended(lake, settings, period)
        with nullcontext() if dry_run else run_lock(lake):
            _refuse_closed(lake, period)
            _refuse_strange_pack(lake, placed(settings, period))
            with reconcile(lake, settings, dry_run=dry_run) as result:
                _refuse_incomplete(result, settings, period)
                if not carry_forward:
                    _refuse_open(result, period)
                closing = _close(
                    result, settings, period, author, signer=signer, dry_run=dry_run
                )
        told |= {"entries": closing.entries, "carried": closing.carried_forward}
    return closing


@contextmanager
def _logged(period: ClosingPeriod, *, dry_run: bool) -> Iterator[dict[str, log.Figure]]:
    """Note that a closing starts, and that it was sealed or refused, in one run."""
    figures: dict[str, log.Figure] = {"period": period.name, "dry_run": dry_run}
    with log.run(), log.timed("close", **figures) as told:
        log.note("close.started", logging.INFO, **figures)
        try:
            yield told
        except _REFUSALS as error:
            kind, code = type(error).__name__, int(error.exit_code)
            log.note(
                "close.refused", logging.WARNING, **figures, reason=kind, exit_code=code
            )
            raise
        if not dry_run:
            log.note("close.sealed", logging.INFO, **told)


def closings(lake: Lake) -> list[Commit]:
    """Return the closings of a lake in their order."""
    return lake.commits(kind=CLOSE)


def write_restatements(found: pa.Table, settings: Settings) -> Path:
    """Write `restatements.csv` beside the packs, whole; returns its path."""
    return restatements.place(found, restatements.packs_folder(settings))


def _close(
    result: Result,
    settings: Settings,
    period: ClosingPeriod,
    author: str,
    *,
    signer: Signer | None,
    dry_run: bool,
) -> Closing:
    path = placed(settings, period)
    files = contents(result, settings, period)
    said = {
        "format": FORMAT,
        "version": 1,
        "recon": __version__,
        CODE: code_hash(),
        "business": settings.business.name,
        "period": period.name,
        "first": period.first,
        "last": period.last,
        "as_of": result.as_of,
        "run_id": result.run_id,
        "closed_by": author,
    }
    if signer:
        said[KEY_HASH] = signer.key_hash
    frozen = {name: files[name] for name in _FROZEN}
    files[packs.MANIFEST] = manifest = packs.manifest_of(files, said)
    if signer:
        files[SIGNATURE] = signer.sign(manifest)
    _refuse_closed(result.lake, period)  # a lock may have run out meanwhile
    digest = "" if dry_run else packs.write(path, files)
    dates = Period(period.first, period.last)
    closing = Closing(
        period=period,
        as_of=result.as_of,
        run_id=result.run_id,
        pack=path,
        pack_sha256=digest,
        signing_key_sha256=signer.key_hash if signer else None,
        entries=len(files),
        not_run=list(result.not_run),
        carried_forward=carried(result, period).num_rows,
        balances=balances(result, period).to_pylist(),
        uncompared=uncompared(result, period),
        wallet_changes=wallet_changes(result, period),
        uncovered=uncovered(
            result.sql, result.as_of, settings.business.timezone, dates.condition()
        ),
        never_imported=never_imported(result.sql, result.sources),
        bank_gaps=gaps(result.sql, dates.condition()),
        unjudged=unjudged(result.sql, dates.condition()),
    )
    if not dry_run:
        try:
            _keep(result, closing, frozen, author)
        except Overtaken:
            _refuse_closed(result.lake, period)
            raise
    return closing


def _keep(
    result: Result, closing: Closing, frozen: Mapping[str, bytes], author: str
) -> None:
    """Commit the closing; the files with the figures that it froze are its pages."""
    period = closing.period
    received_at = result.lake.now()
    with result.lake.begin(CLOSE, period.name) as writing:
        for page in packed_pages(period.name, frozen, received_at):
            writing.page(page)
        writing.commit(
            counts={"carried_forward": closing.carried_forward},
            certificate={
                "first": period.first.isoformat(),
                "last": period.last.isoformat(),
                "run_id": result.run_id,
                "pack": closing.pack.name,
                "pack_sha256": closing.pack_sha256,
                "by": author,
            },
            as_of=result.as_of,
            overtakes=partial(_has_days_of, period),
        )


def _has_days_of(period: ClosingPeriod, commit: Commit) -> bool:
    return commit.kind == CLOSE and period.overlaps(*closed_dates(commit))


def _refuse_unended(lake: Lake, settings: Settings, period: ClosingPeriod) -> None:
    ends = period.ends(settings.business.timezone)
    if lake.is_ahead(ends):  # whatever a lake of the future says
        raise UsageError(
            f"the period {period.name} has not ended: it does at {format_instant(ends)}"
        )


def _refuse_closed(lake: Lake, period: ClosingPeriod) -> None:
    for commit in closings(lake):
        if _has_days_of(period, commit):
            first, last = closed_dates(commit)
            closed = (
                f"was closed at {format_instant(commit.committed_at)} by "
                f"{commit.certificate.get('by', 'someone')}"
            )
            if (first, last) != (period.first, period.last):
                other = f"{commit.source} ({first} to {last})"
                closed = f"has days of {other}, which {closed}"
            raise UsageError(f"the period {period.name} {closed}")


def _refuse_strange_pack(lake: Lake, path: Path) -> None:
    """Refuse to write over a pack of a run that the lake does not hold.

    A closing that was killed behind its pack has its run in the lake, and is repeated.
    """
    if not path.exists():
        return
    try:
        with packs.Pack(path, FORMAT) as pack:
            run_id = pack.manifest["run_id"]
    except (UsageError, KeyError):
        run_id = None
    known = [run.certificate.get("run_id") for run in lake.commits(kind="run")]
    if run_id is None or run_id not in known:
        raise UsageError(
            f"{path} is there, and this lake does not know of its closing: was the "
            "lake restored from an older copy, or is the pack another business's? "
            "It is not written over: move it away to close the period anew"
        )


def _refuse_incomplete(
    result: Result, settings: Settings, period: ClosingPeriod
) -> None:
    """Refuse where the lake may lack something of the period."""
    known = {commit.kind for commit in counted_commits(result.lake, result.as_of)}
    if not known & {"pull", "import"}:
        raise NotWhole("the lake is empty: there is nothing to close")
    found = [
        f"{name}: {state.error or 'it could not be read whole'}"
        for name, state in result.sources.items()
        if not state.complete
    ]
    found += _unread(result, settings, period)
    if found:
        raise NotWhole(
            f"the period {period.name} cannot be closed, its data is incomplete: "
            f"{'; '.join(found)}; `recon pull` reads it"
        )


def _unread(result: Result, settings: Settings, period: ClosingPeriod) -> Sequence[str]:
    """Name the sources that were not read since the period ended.

    Nobody knows when a pull was made that lies in the future of this machine's clock.
    A source that the settings leave out by now is one where it was read since the
    period began; one that was given up before may have nothing of it.
    """
    zone, skew = settings.business.timezone, settings.checks.clock_skew
    begins, ends = period.begins(zone), period.ends(zone)
    read = {
        commit.source
        for commit in result.lake.commits(result.as_of, kind="pull")
        if commit.complete
        and commit.started_at >= ends
        and not result.lake.is_ahead(commit.started_at, skew)
    }
    asked = [
        source.source
        for source in plan(settings, result.lake)
        if source.action != "skip"
    ]
    left_out = {
        name: ", and the settings leave it out by now"
        for name, state in result.sources.items()
        if name not in asked and state.read_at >= begins
    }
    return [
        f"{name}: it was not read since the period ended{why}"
        for name, why in (dict.fromkeys(asked, "") | left_out).items()
        if name not in read
        and (name not in result.sources or result.sources[name].complete)
    ]


def _refuse_open(result: Result, period: ClosingPeriod) -> None:
    waiting = carried(result, period).to_pylist()
    blocking = [
        row
        for row in waiting
        if row["status"] == OPEN
        and row["severity"] in BLOCKING
        and (row["business_date"] or period.first) >= period.first
    ]
    if blocking:
        checks = listed(sorted({row["check"] for row in blocking}))
        breaks = counted(len(blocking), "break")
        are, them = ("is", "it") if len(blocking) == 1 else ("are", "them")
        raise NotClosable(
            f"the period {period.name} cannot be closed: {breaks} of error or critical "
            f"{are} open in it ({checks}); resolve or acknowledge {them}, or carry "
            f"{them} on with --carry-forward"
        )
