"""Writers that run in processes of their own: to be killed, and to race.

Run as a program: `kill LAKE` forks a writer for every step of a commit and kills it
there; `race LAKE WRITERS COMMITS` lets several commit at once.
"""

import os
import signal
import sys
from collections.abc import Callable
from typing import Any

from recon.lake import Lake
from tests.lake.lake_cases import committed, mandate, page


def write_once(path: str) -> None:
    """Make one commit with pages, rows and ids."""
    with Lake(path).begin("pull", "mandates") as writing:
        number = writing.page(page(b"[1]"))
        writing.rows("mandates", [mandate("b", page_no=number), mandate("c")])
        writing.seen("mandates", ["b", "c"])
        writing.commit()


def _killing(name: str, fatal_step: int, steps: list[str]) -> Callable[..., Any]:
    """Wrap a call of the system so that the fatal step kills before or after it."""
    real = getattr(os, name)

    def call(*given: Any, **named: Any) -> Any:
        for moment in ("before", "after"):
            steps.append(f"{moment} {name}")
            if len(steps) == fatal_step:
                os.kill(os.getpid(), signal.SIGKILL)
            if moment == "before":
                found = real(*given, **named)
        return found

    return call


def killed_at(path: str, fatal_step: int) -> bool:
    """Write in a fork that is killed at a step; False if it ended before."""
    child = os.fork()
    if child == 0:
        steps: list[str] = []
        for name in ("fsync", "link", "unlink", "mkdir", "open"):
            setattr(os, name, _killing(name, fatal_step, steps))
        write_once(path)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def kill_everywhere(path: str) -> None:
    """Kill a writer at each of its steps; print what the lake shows after each."""
    step = 1
    while killed_at(path, step):
        lake = Lake(path)
        rows = lake.versions("mandates").num_rows
        sys.stdout.write(f"{step} {len(lake.commits())} {rows}\n")
        step += 1


def race(path: str, writers: int, commits: int) -> None:
    """Commit from several processes at once."""
    children = []
    for writer in range(writers):
        child = os.fork()
        if child == 0:
            for number in range(commits):
                committed(Lake(path), [f"{writer}-{number}"])
            os._exit(0)
        children.append(child)
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    sys.exit(any(codes))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["kill", path]:
            kill_everywhere(path)
        case ["race", path, writers, commits]:
            race(path, int(writers), int(commits))
