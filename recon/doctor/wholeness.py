"""Whether the lake is whole: what is damaged or left over, and what can be done."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from functools import partial
from pathlib import Path

from recon.doctor import contents, packed, space
from recon.doctor.disk import readable
from recon.doctor.findings import LAKE, Finding, ok, problem, warning
from recon.doctor.mending import brought_back, mended, refused, unwritten
from recon.doctor.remedies import place_remedy, remedy
from recon.doctor.wishes import Wishes
from recon.doctor.writing_off import is_lost, write_off
from recon.errors import CorruptLake, ExitCode
from recon.lake import Commit, Lake
from recon.lake.healing import Healing, lacking
from recon.lake.health import Health, Kind, Watch, examine
from recon.lake.leftovers import (
    A_DAY,
    Leftover,
    aged,
    drafts,
    sweep_drafts,
    sweep_orphans,
    total_bytes,
)
from recon.lake.storage import COMMITS, record_name
from recon.lake.voids import voided
from recon.pull.rebuilding import is_rebuildable
from recon.reconcile.restatements import CLOSE
from recon.settings import Settings
from recon.times import format_instant
from recon.wording import counted


def findings(
    lake: Lake, settings: Settings, wishes: Wishes, *, watch: Watch | None = None
) -> Iterator[Finding]:
    """Examine the lake, and mend it where that is wished and can be done."""
    look = partial(examine, lake, deep=wishes.deep, watch=watch)
    health, healings = mended(lake, settings, wishes, look)
    fine = (each for each in healings if each.proven and not each.refused)
    yield from map(_healed, fine)
    if wishes.write_off:
        yield from _written_off(lake, health, healings, dry_run=wishes.dry_run)
    yield from _state(health, deep=wishes.deep)
    records_hold = not any(each.kind is Kind.RECORD for each in health.damages)
    if wishes.restore is not None and records_hold:
        yield from _only_there(lake, wishes.restore, healings)
    if health.whole:
        yield from space.findings(lake)
    commits = _readable(lake)
    yield from _unwritten(settings, healings)
    yield from _damages(lake, health, healings, commits)
    yield from packed.findings(settings, _whole_closings(health, commits))
    sweep, dry_run = wishes.sweep and health.whole, wishes.dry_run
    left = health.leftovers
    if sweep:
        yield _swept(sweep_orphans(lake, dry_run=dry_run), dry_run=dry_run)
        if not dry_run:
            left = [each for each in left if each.doubtful or each.age <= A_DAY]
    if records_hold:
        yield from _leftovers(left)  # else they may be the damaged commit's files
    yield from _drafts(lake, sweep=sweep, dry_run=dry_run)
    yield from _times(lake, health, settings.checks.clock_skew)
    if health.whole or commits:
        yield from contents.findings(lake, settings, is_whole=health.whole)


def _healed(healing: Healing) -> Finding:
    return ok(LAKE, f"{healing.damage.path}: {healing.told}")


def _whole_closings(health: Health, commits: Sequence[Commit]) -> list[Commit]:
    """Return the closings that are whole: of others their damage tells of the pack."""
    damaged = {each.commit.id for each in health.damages if each.commit}
    return [each for each in commits if each.kind == CLOSE and each.id not in damaged]


def _unwritten(settings: Settings, healings: Sequence[Healing]) -> Iterator[Finding]:
    """Tell of what a copy has, and that cannot be put into its place."""
    do = place_remedy(settings.lake_path)
    for path, healing in unwritten(healings).items():
        told = f"{path}: {healing.damage.told}; {healing.told}"
        yield problem(LAKE, told, do, ExitCode.INCOMPLETE)


def _damages(
    lake: Lake, health: Health, healings: Sequence[Healing], commits: Sequence[Commit]
) -> Iterator[Finding]:
    """Tell of each damage that is left, and what to do about it."""
    reasons = {each.damage.path: each.told for each in healings if not each.proven}
    told_already = unwritten(healings)
    bad_pages = {
        each.commit.id: each.path
        for each in health.damages
        if each.kind is Kind.PAGES and each.commit
    }
    gone = voided(commits)
    for damage in health.damages:
        if damage.path in told_already:
            continue
        told = f"{damage.path}: {damage.told}"
        reason = reasons.get(damage.path)
        tried = f"not restored ({reason}); " if reason else ""
        is_gone = is_lost(damage) or damage.unread
        if damage.commit and damage.commit.id in gone and is_gone:
            yield _of_no_account(damage.commit, told, tried)
        else:
            pages = bad_pages if is_rebuildable(lake, damage) else None
            in_pack = packed.is_packed(lake, damage)
            do = remedy(damage, commits, pages, in_pack=in_pack)
            yield problem(LAKE, told, tried + do, ExitCode.INCOMPLETE)


def _written_off(
    lake: Lake, health: Health, healings: Sequence[Healing], *, dry_run: bool
) -> Iterator[Finding]:
    """Write off what nothing brings back, and tell what that costs.

    Once each; and not while a commit record is damaged: it may be the void.
    """
    known = _readable(lake)
    gone = voided(known)
    back = brought_back(healings) | refused(healings).keys()
    lost = [
        each
        for each in (health.damages if known else ())
        if each.path not in back and each.commit and each.commit.id not in gone
    ]
    return write_off(lake, lost, dry_run=dry_run)


def _only_there(
    lake: Lake, copies: Path, healings: Sequence[Healing]
) -> Iterator[Finding]:
    """Tell of newest commits that only the copy has: no gap in the lake does."""
    back = brought_back(healings)
    paths = [f"{COMMITS}/{name}" for name in lacking(lake, copies)]
    if left := [path for path in paths if path not in back]:
        told = f"{copies} has {counted(len(left), 'commit')} that the lake lacks, from "
        do = (
            "if nothing was committed in the lake since, put the copy in its place; "
            "else import, decide and close again what only the copy holds"
        )
        yield warning(LAKE, f"{told}{left[0]} on", do)


def _state(health: Health, *, deep: bool) -> Iterator[Finding]:
    if not health.commit_count and health.whole:
        yield ok(LAKE, "nothing is stored yet")
    elif health.whole:
        pages = f", {counted(health.page_count, 'page')} rehashed" if deep else ""
        held = (
            counted(health.commit_count, "commit"),
            counted(health.file_count, "file"),
            readable(health.size),
        )
        yield ok(LAKE, f"{', '.join(held)}: all as committed{pages}")


def _readable(lake: Lake) -> Sequence[Commit]:
    """Return the commits; none where a record is damaged, which is told."""
    try:
        return lake.commits()
    except CorruptLake:
        return ()


def _of_no_account(commit: Commit, told: str, tried: str) -> Finding:
    """Tell of damage to what was taken back or written off: nothing needs it now."""
    do = (
        "for readings as of an earlier time, restore it from a copy of the lake: "
        "recon doctor --restore FOLDER"
    )
    is_import = commit.kind == "import"
    became = "its import was taken back" if is_import else "it was written off"
    told = f"{told}; {became}, and nothing reads it as of now"
    return warning(LAKE, told, tried + do)


def _swept(swept: Sequence[Leftover], *, dry_run: bool) -> Finding:
    word = "would remove" if dry_run else "removed"
    return ok(LAKE, f"{word} {_files(swept)} that killed runs left")


def _leftovers(left: Sequence[Leftover]) -> Iterator[Finding]:
    doubtful = [each for each in left if each.doubtful and each.age > A_DAY]
    if doubtful:
        told = (
            f"{_files(doubtful)} written whole, but named by no commit "
            f"({doubtful[0].path})"
        )
        do = (
            "a run was killed at the last moment, or the newest commit records are "
            "lost: recon doctor --restore FOLDER, with a copy of the lake, tells; if "
            "none is lost, move them out of the lake"
        )
        yield warning(LAKE, told, do)
    old = [each for each in aged(left, A_DAY) if not each.doubtful]
    if old:
        told = f"killed runs left {_files(old)}; nobody reads them"
        yield warning(LAKE, told, "recon doctor --sweep removes them")
    young = [each for each in left if each.age <= A_DAY]
    if young:
        told = f"{_files(young)} not committed: a run at work, or one that was killed"
        yield ok(LAKE, told)


def _drafts(lake: Lake, *, sweep: bool, dry_run: bool) -> Iterator[Finding]:
    """Tell of what killed pulls had received, and remove it where it is too old."""
    if sweep and (swept := sweep_drafts(lake, dry_run=dry_run)):
        word = "would remove" if dry_run else "removed"
        told = f"{word} {_files(swept)} of answers that killed pulls of"
        yield ok(LAKE, f"{told} {_sources_of(swept)} had received")
    left = drafts(lake)
    old = list(aged(left, A_DAY))
    if old:
        told = f"killed pulls of {_sources_of(old)} left {_files(old)} of answers, too"
        do = "recon doctor --sweep removes them"
        yield warning(LAKE, f"{told} old for any pull to go on from", do)
    young = [each for each in left if each.age <= A_DAY]
    if young:
        told = f"{_files(young)} of answers of {_sources_of(young)}: a pull at work, or"
        yield ok(LAKE, f"{told} one that was killed; the next pull may go on from them")


def _sources_of(found: Sequence[Leftover]) -> str:
    return ", ".join(sorted({Path(each.path).name.split(".")[0] for each in found}))


def _files(found: Sequence[Leftover]) -> str:
    return f"{counted(len(found), 'file')} ({readable(total_bytes(found))})"


def _times(lake: Lake, health: Health, tolerance: timedelta) -> Iterator[Finding]:
    if health.newest and lake.is_ahead(health.newest, tolerance):
        told = (
            f"the newest commit is of {format_instant(health.newest)}, which is in "
            "the future by this machine's clock"
        )
        do = "set the clock; commits never go back in time"
        if health.whole:
            do = _way_back(lake, tolerance)
        yield problem(LAKE, told, do)


def _way_back(lake: Lake, tolerance: timedelta) -> str:
    """Say what to do about commits of the future; no later one is dated before them."""
    commits = lake.commits()
    first = next(
        each for each in commits if lake.is_ahead(each.committed_at, tolerance)
    )
    return (
        "set the clock; commits never go back in time. If it is right now and was "
        "ahead before: copy the lake, move "
        f"{COMMITS}/{record_name(first.sequence)} and all after it out of it while no "
        "command is at work, and import, decide and close again what they held"
    )
