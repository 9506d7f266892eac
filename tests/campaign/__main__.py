"""`python -m tests.campaign`: how we try to break it, seed by seed, as long as asked.

Without a part, `--count` seeds go through all of them but the write steps, which are
the same for every seed: they run once where `--count` is at least thirty. Each result
is one line, and each write step struck is one on standard error; `--log FILE` also
keeps results as JSON, and `--sum FILE…` adds kept ones up. Ends with 1 if anything was
found.
"""

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from tests.campaign import corruption, histories, kills, processes, seasons, write_steps
from tests.campaign.operations import OPERATIONS
from tests.campaign.shop import opened

Told = dict[str, Any]
Part = Callable[[int, Path], Iterator[Told]]
_ENOUGH = 30  # seeds for which all write steps are struck, too
_SOAK_KILLS = 25


def _histories(seed: int, folder: Path) -> Iterator[Told]:
    wrong = histories.night(seed, folder / "history")
    yield {"histories": 1, "wrong": [wrong] if wrong else []}


def _seasons(seed: int, folder: Path) -> Iterator[Told]:
    yield _of_season(seasons.run(seed, folder / f"season-{seed}"))


def _storms(seed: int, folder: Path) -> Iterator[Told]:
    yield _of_season(seasons.storm(seed, folder / f"storm-{seed}"))


def _of_season(told: seasons.Season) -> Told:
    return {
        "nights": told.nights,
        "requests": told.requests,
        "faults": told.fault_count,
        "faults_by_kind": dict(told.faults),
        "kills": sum(v for k, v in told.kills.items() if k != "outran"),
        "kills_by_way": dict(told.kills),
        "leaps_of_the_clock": told.leaps,
        "sources_complete": told.complete,
        "sources_incomplete": told.incomplete,
        "records_compared": told.records,
        "unexplained_rials": told.unexplained,
        "wrong": told.wrong,
    }


def _kills(seed: int, folder: Path) -> Iterator[Told]:
    shop = opened(folder / "shop")
    told = kills.soak(seed, shop, folder, _SOAK_KILLS)
    yield {
        "kills": sum(v for k, v in told.kills.items() if k != "outran"),
        "kills_by_way": dict(told.kills),
        "promises": told.promised.total(),
        "promises_by_kind": dict(told.promised),
        "wrong": told.wrong,
    }


def _write_steps(
    _: int,
    folder: Path,
    *,
    operations: Sequence[str] = (),
    ways: Sequence[str] = (),
    most: int | None = None,
) -> Iterator[Told]:
    shop = opened(folder / "shop")
    struck = write_steps.trials(
        shop,
        folder / "trials",
        names=operations,
        ways=ways or write_steps.WAYS,
        most=most,
    )
    for trial in struck:
        sys.stderr.write(f"{trial}\n")
        yield {
            "steps_struck": 1,
            "steps_by_operation": {trial.operation: 1},
            "kills": int(trial.ending.killed),
            "faults": int(not trial.ending.killed),
            "wrong": [str(each) for each in trial.findings],
        }


def _corruption(seed: int, folder: Path) -> Iterator[Told]:
    yield from corruption.trials(seed, folder / "corruption")


def _processes(seed: int, folder: Path) -> Iterator[Told]:
    yield from processes.trials(seed, folder / "processes")


PARTS: dict[str, Part] = {
    "histories": _histories,
    "seasons": _seasons,
    "storms": _storms,
    "kills": _kills,
    "corruption": _corruption,
    "processes": _processes,
    "write-steps": _write_steps,
}


def run(
    part: str,
    seed: int,
    operations: Sequence[str] = (),
    ways: Sequence[str] = (),
    most: int | None = None,
) -> Iterator[Told]:
    """Run a part with a seed; the first line of what is wrong names both.

    `operations` are those whose write steps are struck, `ways` how, `most` how many of
    each; all, where none is named.
    """
    work = PARTS[part]
    if part == "write-steps":
        work = partial(_write_steps, operations=operations, ways=ways, most=most)
    with tempfile.TemporaryDirectory(prefix="recon-campaign-") as folder:
        for told in work(seed, Path(folder)):
            yield {"part": part, "seed": seed, **told}


def main() -> int:
    """Run the campaign and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", nargs="?", choices=[*PARTS, "all"], default="all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument(
        "--only",
        nargs="+",
        default=(),
        choices=OPERATIONS,
        help="strike the write steps of these operations alone",
    )
    parser.add_argument(
        "--ways",
        nargs="+",
        default=(),
        choices=write_steps.WAYS,
        help="strike write steps in these ways alone",
    )
    parser.add_argument(
        "--steps",
        type=_at_least_one,
        metavar="N",
        help="strike at most N steps of each operation in each way, evenly spread",
    )
    parser.add_argument("--log", type=Path, help="keep each result as a line of JSON")
    parser.add_argument("--sum", type=Path, nargs="+", help="add up kept results")
    chosen = parser.parse_args()
    if chosen.sum:
        return _sum(chosen.sum)
    began, total = time.monotonic(), Counter[str]()
    with ExitStack() as stack:
        log = stack.enter_context(chosen.log.open("a")) if chosen.log else None
        for part, seed in _wanted(chosen.part, chosen.seed, chosen.count):
            for told in run(part, seed, chosen.only, chosen.ways, chosen.steps):
                _add(total, told)
                for each in told["wrong"]:
                    _say(f"{part}, seed {seed}: {each}")
                if log:
                    log.write(json.dumps(told, sort_keys=True) + "\n")
                    log.flush()
    total["seconds"] = round(time.monotonic() - began)
    _say(json.dumps(dict(sorted(total.items())), indent=1))
    return 1 if total["wrong"] else 0


def _at_least_one(text: str) -> int:
    if (count := int(text)) < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return count


def _sum(logs: list[Path]) -> int:
    """Print the figures of kept results, and what was wrong in them."""
    total, seeds = Counter[str](), set()
    for log in logs:
        for line in log.read_text().splitlines():
            told = json.loads(line)
            seeds.add((told["part"], told["seed"]))
            _add(total, told)
            for each in told["wrong"]:
                _say(f"{told['part']}, seed {told['seed']}: {each}")
    for part, count in sorted(Counter(part for part, _ in seeds).items()):
        total[f"seeds: {part}"] = count
    _say(json.dumps(dict(sorted(total.items())), indent=1))
    return 1 if total["wrong"] else 0


def _wanted(part: str, seed: int, count: int) -> Iterator[tuple[str, int]]:
    if part == "write-steps":
        yield part, seed
        return
    for each in range(seed, seed + count):
        for name in PARTS if part == "all" else (part,):
            if name != "write-steps" or (each == seed and count >= _ENOUGH):
                yield name, each


def _add(total: Counter[str], told: Told) -> None:
    for name, value in told.items():
        if isinstance(value, dict):
            for kind, count in value.items():
                total[f"{name}: {kind}"] += count
        elif name == "wrong":
            total["wrong"] += len(value)
        elif name not in {"part", "seed"}:
            total[name] += value


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
