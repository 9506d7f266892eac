"""Progress of a pull: a bar a source on a terminal, one plain line each elsewhere."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from recon.cli.output import say
from recon.cli.voice import is_plain, may_draw
from recon.wording import counted

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

    from recon.pull.runner import Progress, Tick


SECONDS_A_LINE = 30.0
"""How often a source that takes long is told of, where there is no terminal."""


@contextmanager
def shown_progress() -> "Iterator[Progress]":
    """Give a callback that shows what a pull tells, on standard error.

    Bars are drawn on a terminal that nothing else is written to meanwhile.
    """
    if not may_draw():
        yield _Lines() if is_plain() else _silent
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as TimeLeft

    with Progress(
        TextColumn("{task.description:22}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("pages  {task.fields[said]}"),
        TimeLeft(),
        console=Console(stderr=True),
    ) as bars:
        yield _Bars(bars)


def _silent(_: "Tick") -> None:
    """Show nothing: the log tells it, or silence was asked for."""


class _Lines:
    """One line when a source has ended, and one now and then while it goes on."""

    def __init__(self) -> None:
        self._began: dict[str, float] = {}
        self._told_at = time.monotonic()

    def __call__(self, tick: "Tick") -> None:
        now = time.monotonic()
        began = self._began.setdefault(tick.source, now)
        if tick.status != "running":
            del self._began[tick.source]
            say(f"{tick.source}: {_said(tick, now - began)}")
        elif now - self._told_at >= SECONDS_A_LINE and tick.pages:
            say(f"{tick.source}: {_so_far(tick, now - began)}")
        else:
            return
        self._told_at = now


class _Bars:
    """One bar a source, with its speed and its retries."""

    def __init__(self, bars: "Bars") -> None:
        self._bars = bars
        self._tasks: dict[str, tuple[TaskID, float]] = {}

    def __call__(self, tick: "Tick") -> None:
        if tick.source not in self._tasks:
            task = self._bars.add_task(tick.source, total=None, said="")
            self._tasks[tick.source] = task, time.monotonic()
        task, began = self._tasks[tick.source]
        self._bars.update(
            task,
            completed=tick.pages,
            total=tick.pages_total and max(tick.pages, tick.pages_total),
            said=_said(tick, time.monotonic() - began),
        )
        if tick.status != "running":
            self._bars.stop_task(task)
            del self._tasks[tick.source]


def _so_far(tick: "Tick", seconds: float) -> str:
    """Say how far a source is and how long it will take at this pace."""
    if not tick.pages_total:
        return _said(tick, seconds)
    left = max(0, tick.pages_total - tick.pages)
    told = f"page {tick.pages:,} of {max(tick.pages, tick.pages_total):,}, "
    wait = round(left * seconds / tick.pages)
    return f"{told}{_said(tick, seconds)}, about {_duration(wait)} left"


def _duration(seconds: int) -> str:
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _said(tick: "Tick", seconds: float) -> str:
    words = "" if tick.status == "running" else f"{tick.status}, "
    if tick.status == "skipped":
        return f"skipped: {tick.reason}"
    words += counted(tick.records, "record")
    if seconds > 1:
        pages, records = tick.pages / seconds, tick.records / seconds
        words += f", {pages:,.0f} pages/s, {records:,.0f} records/s"
    if tick.retries:
        words += f", {tick.retries:,} {'retry' if tick.retries == 1 else 'retries'}"
    return words
