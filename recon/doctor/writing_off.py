"""Giving up damaged runs, decisions and closings that nothing brings back, by a void.

What a run found is found again by the next one; what somebody decided, or what figures
were at a closing, nobody else knows. Without their files no later run can be told, so
there must be a way on. Nothing is removed: readings as of an earlier time want the
files as before, and a closed period stays closed.
"""

from collections.abc import Iterator, Sequence

from recon.doctor.findings import LAKE, Finding, ok
from recon.lake import Commit, Lake
from recon.lake.health import Damage
from recon.lake.voids import VOID, certificate
from recon.reconcile.restatements import CLOSE
from recon.times import format_instant

LOST = {
    "run": "its breaks count as known since the runs that are left",
    "decision": "what it decided is to be decided again",
    CLOSE: "its period stays closed, but what of it is restated is told no more",
}
"""What it costs to write off a commit, by its kind; no other kind is written off."""

_SOURCE = "doctor"


def can_write_off(damage: Damage) -> bool:
    """Tell whether a damage is of what may be given up, and its bytes are lost."""
    return damage.commit is not None and damage.commit.kind in LOST and is_lost(damage)


def is_lost(damage: Damage) -> bool:
    """Tell whether its bytes are other ones than were committed, or gone."""
    return bool(damage.sha256) and not (damage.barred or damage.unread)


def write_off(
    lake: Lake, damages: Sequence[Damage], *, dry_run: bool
) -> Iterator[Finding]:
    """Void the commits of these damages, all at once, and tell what that costs."""
    lost: dict[str, Commit] = {
        each.commit.id: each.commit
        for each in damages
        if each.commit and can_write_off(each)
    }
    if not lost:
        return
    if not dry_run:
        with lake.begin(VOID, _SOURCE) as writing:
            writing.commit(certificate=certificate(lost))
    word = "would be written off" if dry_run else "written off"
    for commit in lost.values():
        of = commit.source
        if commit.kind != CLOSE:
            of = format_instant(commit.as_of or commit.committed_at)
        what = "closing" if commit.kind == CLOSE else commit.kind
        yield ok(LAKE, f"the {what} of {of}: {word}; {LOST[commit.kind]}")
