"""The audit packs of closings, and the figures that are made again from one.

The pack in `reports.path` has the pages of the closing's commit among its files. It
counts where it is the one that the closing wrote, by its SHA-256; and what is made of
it where that is byte for byte what was committed, which is for the caller to see.
"""

import zipfile
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path

from recon.doctor.findings import LAKE, Finding, problem, warning
from recon.lake import Commit, Lake, Page, Writing
from recon.lake.commits import CommitLog
from recon.lake.health import Damage, Kind
from recon.lake.verifying import file_hash
from recon.reconcile.restatements import CLOSE, PACKED, packed_pages
from recon.reports.restatements import packs_folder
from recon.settings import Settings
from recon.wording import listed, reason_of

_OTHER = (
    "recon verify-pack tells what of it is another; put the one that was written back "
    "from a copy"
)
_UNREAD = "let this user read it, or run recon as its owner"
_MISSING = (
    "put back from a copy what was not moved away on purpose: it proves what was "
    "closed, and nothing makes it again"
)
_A_SECOND = timedelta(seconds=1)
_LONGEST = 10  # seconds from when the pages were made until their commit was begun


def findings(settings: Settings, closings: Sequence[Commit]) -> Iterator[Finding]:
    """Tell of packs that are not where their closings wrote them, or are others.

    They lie beside the reports, of a lake in a bucket where the period was closed.
    """
    missing = []
    for commit in closings:
        if "pack_sha256" not in commit.certificate:
            continue
        pack = _pack_of(settings, commit)
        try:
            if file_hash(pack) != commit.certificate["pack_sha256"]:
                told = f"{pack} is not the pack that the closing wrote"
                yield problem(LAKE, told, _OTHER)
        except FileNotFoundError:
            missing.append(pack.name)
        except OSError as error:
            yield warning(LAKE, f"{pack} cannot be read: {reason_of(error)}", _UNREAD)
    if missing:
        be = "packs are" if len(missing) > 1 else "pack is"
        told = f"{len(missing):,} audit {be} not in {packs_folder(settings)}: "
        yield warning(LAKE, told + listed(missing), _MISSING)


def is_packed(lake: Lake, damage: Damage) -> bool:
    """Tell whether a closing's pack may have what a damaged file held.

    An encrypted file has other bytes each time, so that nothing could be proven.
    """
    return (
        lake.key is None
        and damage.kind is Kind.PAGES
        and bool(damage.sha256)
        and damage.commit is not None
        and damage.commit.kind == CLOSE
        and "pack_sha256" in damage.commit.certificate
    )


def unpack(
    settings: Settings, lake: Lake, damage: Damage, folder: Path
) -> tuple[str, bool]:
    """Make a damaged file again below `folder`, as a copy of the lake has it.

    Returns why not, where it is not there then, and whether the pack may be whole: it
    is there, and the system failed to read it. Changes nothing in the lake.
    """
    commit = damage.commit
    if commit is None:
        return "", False
    pack = _pack_of(settings, commit)
    try:
        if file_hash(pack) != commit.certificate["pack_sha256"]:
            return f"{pack} is not the pack that the closing wrote", False
        bodies = _bodies(commit, pack)
    except (OSError, KeyError, zipfile.BadZipFile) as error:
        is_there = not isinstance(error, FileNotFoundError)
        told = f"{pack} cannot be read: {reason_of(error)}"
        return told, is_there and isinstance(error, OSError)
    for number, at in enumerate(_instants(lake, commit)):
        attempt = folder / f".{commit.id}.{number}"
        pages = packed_pages(commit.source, bodies, at)
        if _is_written(commit, pages, attempt, damage, folder):
            return "", False
    return f"what {pack} has is written otherwise by this version", False


def _pack_of(settings: Settings, commit: Commit) -> Path:
    return packs_folder(settings) / str(commit.certificate["pack"])


def _bodies(commit: Commit, pack: Path) -> dict[str, bytes]:
    """Return the pages of a closing by their names; earlier releases kept fewer."""
    kept = sum(file.rows for file in commit.files if file.folder == "pages")
    with zipfile.ZipFile(pack) as entries:
        return {name: entries.read(name) for name in PACKED[:kept]}


def _instants(lake: Lake, commit: Commit) -> Iterator[datetime]:
    """Yield when the pages may have been made: the lake's present just before."""
    second = commit.started_at.replace(microsecond=0)
    yield from (second - _A_SECOND * each for each in range(_LONGEST))
    before = lake.commits()[: commit.sequence - 1]
    yield from sorted({each.committed_at for each in before[-_LONGEST:]}, reverse=True)


def _is_written(
    commit: Commit,
    pages: Sequence[Page],
    attempt: Path,
    damage: Damage,
    folder: Path,
) -> bool:
    """Write the pages of a commit; keep the damaged file where it is the one.

    All else goes away with the writing.
    """
    storage = Lake(attempt).storage
    with Writing.again(storage, CommitLog(storage), commit) as writing:
        for page in pages:
            writing.page(page)
        made = {file.path: file.sha256 for file in writing.close()}
        if made.get(damage.path) != damage.sha256:
            return False
        (folder / damage.path).parent.mkdir(parents=True, exist_ok=True)
        (attempt / damage.path).rename(folder / damage.path)
        return True
