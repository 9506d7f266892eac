"""Whether there is room, whether it can be written, and who else may read it."""

import errno
import os
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from recon.doctor.findings import Finding, ok, problem, warning
from recon.errors import LakeError
from recon.lake.storage import COMMITS, DATA_FOLDERS, DRAFTS, RUN_LOCK
from recon.reports.restatements import packs_folder
from recon.scratch import Scratch
from recon.settings import Settings
from recon.times import business_date
from recon.wording import listed, reason_of

AREA = "disk"
LEAST_BYTES = 64 * 2**20
"""With less, a night is likely to fail."""
AMPLE_BYTES = 2**30
"""With less, it is time to look."""
TEMPORARY_REMEDY = "make room there, or set TMPDIR to another folder"
_REMEDIES = {
    errno.ENOSPC: "make room",
    errno.EDQUOT: "make room",
    errno.ENOTDIR: "move it away",
}
_STEP = 1000  # of units, as disks are sold
_NEEDED = {True: os.R_OK | os.W_OK | os.X_OK, False: os.R_OK | os.W_OK}  # of folders


def findings(settings: Settings) -> Iterator[Finding]:
    """Look at the folders of the lake and of the reports; leaves nothing behind."""
    remote = "://" in settings.lake_path
    local = settings.cache_path if remote else Path(settings.lake_path)
    yield from _folder("lake.cache" if remote else "lake.path", local)
    if not remote:
        yield from _below("lake.path", local, _in_lake(local))
    yield from _folder("reports.path", settings.reports_path)
    yield from _below("reports.path", settings.reports_path, _in_reports(settings))
    yield from _privacy(local)
    yield from _temporary()


def _folder(key: str, folder: Path) -> Iterator[Finding]:
    try:
        standing = _standing(folder)
        free = shutil.disk_usage(standing).free
    except OSError as barred:
        told = f"{key}: {folder} cannot be reached: {reason_of(barred)}"
        do = f"let this user into the folders above it, or set {key} to another folder"
        yield problem(AREA, told, do)
        return
    told = f"{key}: {folder} has {readable(free)} free"
    if error := _unwritable(standing):
        do = _REMEDIES.get(error.errno or 0, "let this user write there")
        yield problem(
            AREA,
            f"{key}: {standing} cannot be written to: {reason_of(error)}",
            f"{do}, or set {key} to another folder",
        )
    elif free < LEAST_BYTES:
        yield problem(AREA, told, "make room before the next night")
    elif free < AMPLE_BYTES:
        yield warning(AREA, told, "make room soon; the lake only grows")
    else:
        new = "" if standing == folder else "; the folder will be made"
        yield ok(AREA, f"{told}{new}")


def _temporary() -> Iterator[Finding]:
    """Tell where nothing can be spilled: then no run, nor any question, can begin."""
    try:
        Scratch().close()
    except LakeError as error:
        yield problem(AREA, str(error), TEMPORARY_REMEDY)


def _below(key: str, top: Path, inside: Iterable[Path]) -> Iterator[Finding]:
    """Tell of what another user made in a folder, or what is there by mistake.

    With either no night can be written.
    """
    try:
        there = [each for each in inside if os.path.lexists(each)]
        odd = [each for each in there if _is_something_else(each)]
        barred = [
            each
            for each in there
            if each not in odd and not os.access(each, _NEEDED[each.is_dir()])
        ]
        writable = _is_open(top)
    except OSError:  # out of reach, which is said
        return
    if odd:
        told = f"{key}: something else is in the place of {_named(odd)}"
        do = "move it away; if it is a link, see that what it leads to is there"
        yield problem(AREA, told, do)
    if barred and writable:
        told = f"{key}: this user may not write to {_named(barred)}"
        yield problem(AREA, told, f"give {top} and all in it back to this user")


def _is_something_else(path: Path) -> bool:
    """Tell what is no folder, or no file in the one place that wants a file."""
    return path.is_dir() if path.name == RUN_LOCK else not path.is_dir()


def _named(paths: Iterable[Path]) -> str:
    return listed([str(path) for path in paths])


def _in_lake(lake: Path) -> Iterator[Path]:
    yield from (lake / name for name in (COMMITS, DRAFTS, *DATA_FOLDERS))
    for name in DATA_FOLDERS:
        yield from (lake / name).glob("*/")
    yield lake / RUN_LOCK


def _in_reports(settings: Settings) -> tuple[Path, Path]:
    """Return the folders that a night and a closing write to next."""
    today = business_date(datetime.now(UTC), settings.business.timezone)
    return settings.reports_path / today.isoformat(), packs_folder(settings)


def _is_open(folder: Path) -> bool:
    return os.access(folder, os.W_OK | os.X_OK)


def _standing(folder: Path) -> Path:
    """Return the folder, or the nearest above it that is there."""
    return next(each for each in (folder, *folder.parents) if each.exists())


def _unwritable(folder: Path) -> OSError | None:
    """Return why nothing can be written: permissions alone do not tell of a disk."""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"recon")
            file.flush()
    except OSError as error:
        return error
    if not _is_open(folder):
        return PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    return None


def _privacy(lake: Path) -> Iterator[Finding]:
    try:
        mode = lake.stat().st_mode
    except OSError:  # not there yet, or out of reach, which is said
        return
    if stat.S_ISDIR(mode) and stat.S_IMODE(mode) & 0o077:
        told = f"others on this machine may look into the lake: {lake}"
        yield warning(AREA, told, f"chmod 700 {lake}")


def readable(size: int) -> str:
    """Return a number of bytes for people: in whole kB, MB, GB."""
    for unit in ("bytes", "kB", "MB"):
        if size < _STEP * 10:
            return f"{size:,} {unit}"
        size //= _STEP
    return f"{size:,} GB"
