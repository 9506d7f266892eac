"""The whole night in one call: pull, reconcile, report, notify, under one lock.

What the receiver of events was delivered is taken into the lake first.

Called by `recon nightly` and by the demo. Safe to kill and to repeat: each step
commits or leaves nothing, and the next night goes on from what was committed.
"""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa

from recon.errors import ExitCode, UsageError
from recon.imports.delivered import take_deliveries
from recon.lake import Lake
from recon.lake.lock import run_lock
from recon.notify import notify
from recon.pull.runner import Progress, PullReport, pull
from recon.reconcile.run import reconcile
from recon.reports.summary import summary
from recon.reports.writing import write
from recon.settings import Settings


@dataclass(frozen=True)
class Night:
    """What a night ended with: its pull, its breaks, summary.json, the files.

    `notices` are lines about announcements that failed, which fail no night.
    """

    pull: PullReport
    breaks: pa.Table
    summary: dict[str, Any]
    files: dict[str, Path]
    exit_code: ExitCode
    notices: list[str]


def run(
    settings: Settings,
    lake: Lake,
    *,
    as_of: datetime | None = None,
    full: bool = False,
    progress: Progress | None = None,
) -> Night:
    """Run a night; with `as_of` it pulls as ever and reports what was known then.

    Raises LockHeld if another run is at work, UsageError on an `as_of` in the future.
    A source that fails makes the night incomplete, never stops it.
    """
    with run_lock(lake):
        if as_of is not None and as_of > lake.now():
            raise UsageError("--as-of: that instant is in the future")
        take_deliveries(settings, lake)
        pulled = pull(settings, lake, full=full, progress=progress)
        with reconcile(lake, settings, as_of=as_of) as result:
            files = write(result, settings)
            code = result.exit_code()
            if not pulled.complete:
                code = ExitCode.INCOMPLETE
            figures = summary(result)
            notices = notify(settings, figures, files["summary.json"].parent)
            return Night(pulled, result.breaks, figures, files, code, notices)
