"""Whole processes: `recon nightly` and `recon webhooks` as a machine runs them.

The provider is the sandbox on a socket, on a bad day. Nights are killed by SIGKILL at
any instant, started two at once, and given a full disk, a folder that became
read-only, and a limit on the size of files. Each must end with an exit code of the
interface and one line, and the night after it must end as if nothing had happened.

When exactly a signal arrives is up to the machine, and so is which of two requests
comes first: these trials are seeded and do not play again to the step.
"""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import httpx

from recon import demo
from recon.errors import ExitCode
from recon.lake import Lake
from recon.lake.health import examine
from recon.sandbox import history
from recon.sandbox.app import Credentials, Fault, Faults
from recon.sandbox.deliveries import sign
from recon.sandbox.server import serve
from tests.campaign import truth

_KILLS = 3
_SECONDS = 240
_CALM = {ExitCode.CLEAN, ExitCode.BREAKS_OPEN}
Told = dict[str, Any]


class Business:
    """A business in a folder whose nights are processes."""

    def __init__(self, seed: int, folder: Path, base_url: str, made: Any) -> None:
        self.folder = folder
        self.made = made
        self.chance = Random(seed)
        folder.mkdir(parents=True)
        settings = demo._prepare(folder, made, base_url)
        self.root = Path(settings.lake_path)
        demo._import(made, folder / "imports", settings, Lake(self.root))
        shutil.rmtree(folder / "notebooks", ignore_errors=True)
        self.environment = (
            os.environ | demo.keys() | {"RECON_CONFIG": str(folder / "recon.toml")}
        )

    def start(self, *words: str, **how: Any) -> subprocess.Popen[str]:
        """Start a command of recon."""
        return subprocess.Popen(
            [sys.executable, "-m", "recon", *words],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **how,
        )

    def night(self, **how: Any) -> tuple[int, str]:
        """Run a night to its end; returns its exit code and what it said of errors."""
        running = self.start("nightly", "--json", **how)
        _, said = running.communicate(timeout=_SECONDS)
        return running.returncode, said

    def doubts(self) -> Iterator[str]:
        """Run a calm night and hold what it leaves against the truth."""
        code, said = self.night()
        if code not in _CALM:
            yield f"the night after it ended with {code}: {said.strip()[-200:]}"
        lake = Lake(self.root)
        facts = truth.snapshot(self.made.world)
        for source in truth.SOURCES:
            yield from truth.contradictions(lake, source, facts, facts, whole=False)
        yield from (f"{each.path}: {each.told}" for each in examine(lake).damages)
        planted = {(p.product, p.check, p.record_id) for p in self.made.planted}
        found = set(_open_breaks(self.folder))
        yield from (f"planted, not found: {each}" for each in sorted(planted - found))
        yield from (f"found, not planted: {each}" for each in sorted(found - planted))


def _open_breaks(folder: Path) -> Iterator[tuple[str, str, str]]:
    import csv  # noqa: PLC0415 - only here

    newest = max(path for path in (folder / "data/reports").iterdir() if path.is_dir())
    with (newest / "breaks.csv").open(encoding="utf-8-sig", newline="") as file:
        for row in csv.DictReader(file):
            if row["status"] == "open":
                yield row["product"], row["check"], row["record_id"].removeprefix("'")


def trials(seed: int, folder: Path) -> Iterator[Told]:
    """Try each way once with a history of this seed."""
    ways: dict[str, Callable[[Business, Faults], Told]] = {
        "killed": _killed,
        "two_at_once": _two_at_once,
        "full_disk": _full_disk,
        "read_only": _read_only,
        "small_files": _small_files,
        "receiver_killed": _receiver_killed,
    }
    for name, way in ways.items():
        made = history.generate(seed, days=6, daily=15, faults=())
        faults = Faults(*_bad_day(), seed=seed)
        with serve(made.world, Credentials(), faults=faults) as running:
            business = Business(seed, folder / name, running.base_url, made)
            told = way(business, faults)
            struck = sum(int(row["struck"]) for row in faults.as_rows())
            faults.replace()
            told["wrong"] += business.doubts()
        told["wrong"] = [f"{name}: {each}" for each in told["wrong"]]
        told["faults"] = told.get("faults", 0) + struck
        yield {"process_trials": 1, "process_trials_by_way": {name: 1}, **told}
        shutil.rmtree(folder / name, ignore_errors=True)


def _bad_day() -> list[Fault]:
    return [
        Fault("rate_limited", rate=0.05),
        Fault("server_error", rate=0.05, status=503),
        Fault("cut", rate=0.05),
        Fault("truncated", rate=0.05),
        Fault("not_json", rate=0.05),
    ]


def _killed(business: Business, _: Faults) -> Told:
    kills, wrong = 0, []
    for _attempt in range(_KILLS):
        running = business.start("nightly")
        time.sleep(business.chance.uniform(1.0, 12.0))
        running.send_signal(signal.SIGKILL)
        running.communicate()
        kills += running.returncode == -signal.SIGKILL
        wrong += [f"{each.path}: {each.told}" for each in _damages(business.root)]
    return {"kills": kills, "wrong": wrong}


def _damages(root: Path) -> Any:
    return examine(Lake(root)).damages


def _two_at_once(business: Business, _: Faults) -> Told:
    both = [business.start("nightly", "--json") for _ in range(2)]
    for each in both:
        each.communicate(timeout=_SECONDS)
    codes = sorted(each.returncode for each in both)
    told = [] if codes[1] == ExitCode.LOCKED else [f"two at once ended with {codes}"]
    return {"wrong": told}


def _full_disk(business: Business, _: Faults) -> Told:
    with _mounted(business) as grow:
        if grow is None:
            return {"skipped": 1, "wrong": []}
        wrong = [*_clear(business.night(), "a full disk")]
        grow("size=300m")
        wrong += business.doubts()
    return {"wrong": wrong, "faults": 1}


def _read_only(business: Business, _: Faults) -> Told:
    with _mounted(business) as change:
        if change is None:
            return {"skipped": 1, "wrong": []}
        change("ro")
        wrong = [*_clear(business.night(), "a read-only folder")]
        change("rw,size=300m")
        wrong += business.doubts()
    return {"wrong": wrong, "faults": 1}


@contextmanager
def _mounted(business: Business) -> Iterator[Callable[[str], None] | None]:
    """Move the data onto a small disk of its own; None where that is not allowed."""
    data = business.folder / "data"
    kept = Path(tempfile.mkdtemp(prefix="recon-data-"))
    shutil.copytree(data, kept, dirs_exist_ok=True)
    size = sum(path.stat().st_size for path in kept.rglob("*") if path.is_file())
    room = f"size={size // 1024 + business.chance.randint(60, 900)}k"
    mount = ["mount", "-t", "tmpfs", "-o", room, "tmpfs", str(data)]
    mounted = (
        os.getuid() == 0
        and not subprocess.run(mount, check=False, capture_output=True).returncode
    )

    def change(options: str) -> None:
        again = ["mount", "-o", f"remount,{options}", str(data)]
        subprocess.run(again, check=True, capture_output=True)

    try:
        if mounted:
            shutil.copytree(kept, data, dirs_exist_ok=True)
        yield change if mounted else None
    finally:
        if mounted:
            shutil.rmtree(kept)
            shutil.copytree(data, kept)
            subprocess.run(["umount", "-l", str(data)], check=True)
            shutil.rmtree(data)
            shutil.copytree(kept, data)
        shutil.rmtree(kept, ignore_errors=True)


def _small_files(business: Business, _: Faults) -> Told:
    """Limit how large a file may get: the kernel refuses each write beyond it."""
    most = business.chance.randint(2_000, 40_000)

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    outcome = business.night(preexec_fn=limit)
    return {"wrong": [*_clear(outcome, f"files of {most} bytes")], "faults": 1}


def _clear(outcome: tuple[int, str], what: str) -> Iterator[str]:
    """Judge how a night ended that could not write: a code, a line, no traceback."""
    code, said = outcome
    if "Traceback" in said:
        yield f"{what}: a traceback: {said.strip().splitlines()[-1][:300]}"
    if code not in {ExitCode.USAGE, ExitCode.INCOMPLETE, *_CALM}:
        yield f"{what}: it ended with {code}"
    if code == ExitCode.USAGE and not said.strip():
        yield f"{what}: it said nothing"


def _receiver_killed(business: Business, _: Faults) -> Told:
    promised, kills = set(), 0
    for _attempt in range(_KILLS):
        running = business.start("webhooks", "--port", "0")
        address = _listening(running)
        until = time.monotonic() + business.chance.uniform(0.1, 1.5)
        with httpx.Client(trust_env=False) as client:
            while time.monotonic() < until:
                promised |= _delivered(client, address, business)
        running.send_signal(signal.SIGKILL)
        running.communicate()
        kills += 1
    code, said = business.night()
    rows = Lake(business.root).versions("events")["tracking_code"].to_pylist()
    lost = promised - set(rows)
    wrong = [f"a promised delivery is lost: {each}" for each in lost]
    wrong += [f"{each} is there twice" for each in promised if rows.count(each) != 1]
    if "Traceback" in said:
        wrong.append(f"the night ended with {code}: {said[-300:]}")
    _forget(business, promised)
    return {"kills": kills, "promises": len(promised), "wrong": wrong}


def _listening(running: subprocess.Popen[str]) -> str:
    assert running.stderr is not None
    for line in running.stderr:
        for word in line.split():
            if word.startswith("http://"):
                return word.rstrip("/,.;")
    raise RuntimeError("the receiver does not say where it listens")


def _delivered(client: httpx.Client, address: str, business: Business) -> set[str]:
    code = f"{business.chance.randrange(10**10):010d}"
    data = {"tracking_code": code, "trace_id": code, "amount": 1000}
    body = json.dumps(
        {"created": 1793000000, "type": "agreement_created", "data": data}
    )
    signature = sign(body.encode(), business.made.world.business)
    answer = client.post(
        f"{address}/", content=body.encode(), headers={"x-signature": signature}
    )
    return {code} if answer.status_code == 200 else set()


def _forget(business: Business, promised: set[str]) -> None:
    """Plant what the invented deliveries are: events of agreements nobody knows."""
    business.made.planted.extend(
        history.Planted("", "escrow_event_uncorroborated", "escrow", code, "")
        for code in promised
    )
