"""Writers of a lake in a bucket, killed at random moments; the suite runs a slice.

As a program it goes on for longer, against this project's own small store or moto's:
`python -m tests.lake.bucket_kills ROUNDS [SEED] [--moto]`. A round is one kill.
"""

import contextlib
import faulthandler
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

from recon.errors import LockHeld
from recon.lake import Lake
from recon.lake.health import examine
from recon.lake.lock import run_lock
from tests.lake.bucket_cases import bucket_lake
from tests.lake.lake_cases import mandate, page
from tests.lake.s3_server import BUCKET, serving

PROJECT = Path(__file__).parents[2]
WRITERS = 2


def write(url: str, cache: Path, name: str) -> None:
    """Commit until killed; say what was acknowledged, after it was."""
    lake = bucket_lake(url, cache)
    for number in range(1_000_000):
        identity = f"{name}-{number}"
        with lake.begin("pull", "mandates") as writing:
            for _ in range(3):
                at = writing.page(page(os.urandom(3000)))
            rows = [mandate(f"{identity}-{half}", page_no=at) for half in "ab"]
            writing.rows("mandates", rows)
            writing.seen("mandates", [identity])
            writing.commit()
        sys.stderr.write(f"{identity}\n")
        with contextlib.suppress(LockHeld), run_lock(lake):
            pass


class Nursery:
    """A process that has imported all there is, and forks a writer when asked."""

    def __init__(self, url: str, told: Path) -> None:
        with told.open("ab") as out:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.lake.bucket_kills", "nursery", url],
                cwd=PROJECT,
                env=os.environ | {"PYTHONPATH": str(PROJECT)},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=out,
                text=True,
            )

    def writer(self, cache: Path, name: str) -> int:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{cache} {name}\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def close(self) -> None:
        self._process.communicate()


def _bury(*_: object) -> None:
    """Let the killed go, and tell of those that died of something else."""
    with contextlib.suppress(ChildProcessError):
        while (found := os.waitpid(-1, os.WNOHANG))[0]:
            if os.WTERMSIG(found[1]) != signal.SIGKILL or not os.WIFSIGNALED(found[1]):
                sys.stderr.write(f"died-with-{found[1]}\n")


def nursery(url: str) -> None:
    signal.signal(signal.SIGCHLD, _bury)
    faulthandler.enable()
    for line in sys.stdin:
        cache, name = line.split()
        child = os.fork()
        if child == 0:
            write(url, Path(cache), name)
        sys.stdout.write(f"{child}\n")
        sys.stdout.flush()


def kill_writers(url: str, folder: Path, rounds: int, seed: int) -> str:
    """Kill writers so often, one at a time while another works; check what is left."""
    chance = random.Random(seed)
    told = folder / "told"
    names = iter(f"w{number}" for number in range(1_000_000))
    caches = [folder / f"cache-{each}" for each in range(WRITERS)]
    born = Nursery(url, told)
    running = [born.writer(each, next(names)) for each in caches]
    try:
        began = time.monotonic()
        while told.stat().st_size == 0 and time.monotonic() - began < 60:
            time.sleep(0.02)
        for _ in range(rounds):
            time.sleep(chance.uniform(0.05, 0.7))
            which = chance.randrange(WRITERS)
            os.kill(running[which], signal.SIGKILL)
            running[which] = born.writer(caches[which], next(names))
    except ProcessLookupError:
        raise AssertionError(told.read_text("utf-8")[-2000:]) from None
    finally:
        for each in running:
            with contextlib.suppress(ProcessLookupError):
                os.kill(each, signal.SIGKILL)
        born.close()
    return check(bucket_lake(url, folder / "reader"), told)


def check(lake: Lake, told: Path) -> str:
    """Hold what the lake shows against what was acknowledged."""
    acknowledged = set(told.read_text("ascii").split())
    commits = lake.commits()
    assert [each.sequence for each in commits] == list(range(1, len(commits) + 1))
    assert len({each.id for each in commits}) == len(commits)
    assert commits == sorted(commits, key=lambda each: each.committed_at)
    rows = lake.versions("mandates")["id"].to_pylist()
    assert len(rows) == len(set(rows)) == 2 * len(commits), "none twice, none halved"
    found = {row.rpartition("-")[0] for row in rows}
    assert acknowledged <= found, "what was acknowledged is there"
    health = examine(lake, deep=True)
    assert health.whole, health.damages
    assert not any(each.doubtful for each in health.leftovers)
    assert health.page_count == 3 * len(commits)
    return (
        f"{len(commits)} commits, {len(acknowledged)} acknowledged, "
        f"{len(health.leftovers)} leftovers, all whole"
    )


@contextlib.contextmanager
def moto() -> Iterator[str]:
    """Run moto's server in a process of its own, with a bucket."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    url = f"http://127.0.0.1:{port}"
    try:
        for _ in range(600):
            with contextlib.suppress(urllib.error.URLError, ConnectionError):
                request = urllib.request.Request(f"{url}/{BUCKET}", method="PUT")
                with urllib.request.urlopen(request):
                    break
            time.sleep(0.05)
        yield url
    finally:
        server.kill()
        server.wait()


@contextlib.contextmanager
def own() -> Iterator[str]:
    with serving() as store:
        yield store.url


def main() -> None:
    match sys.argv[1:]:
        case ["nursery", url]:
            nursery(url)
        case [rounds, *more]:
            seed = int(more[0]) if more and more[0].isdigit() else 1
            server = moto if "--moto" in more else own
            with server() as url, tempfile.TemporaryDirectory() as folder:
                began = time.monotonic()
                shown = kill_writers(url, Path(folder), int(rounds), seed)
                took = timedelta(seconds=round(time.monotonic() - began))
                sys.stdout.write(f"seed {seed}: {rounds} kills, {took}: {shown}\n")


if __name__ == "__main__":
    main()
