"""Seasons: some nights of one invented business in process, as bad as they come.

Real pull, lake, reconcile and report code; the provider is the sandbox in process
behind `Weather`, time is virtual. A season is made of its seed alone: the history, what
was planted, which records appear when, the rate and the kinds of faults, the kills and
the leaps of the clock. After each pull: what a source holds that calls itself complete
is the truth of the world, or the pull says that it is incomplete. At the end comes one
calm night, which must find what was planted, and nothing else.
"""

import random
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from recon.errors import ExitCode
from recon.lake.health import examine
from recon.pull.runner import PullReport
from recon.reconcile.run import reconcile
from recon.reports.writing import write
from recon.sandbox import history
from recon.sandbox.world import Record
from tests.campaign import truth
from tests.campaign.clock import Clock
from tests.campaign.disk import Blow
from tests.campaign.forks import in_child
from tests.campaign.reported import unbalanced, unplanted
from tests.campaign.shop import Shop, opened
from tests.campaign.weather import Weather

RATES = (0.02, 0.15, 0.4, 0.7, 0.9, 0.95)
"""Which share of a night's answers is spoilt."""

_LISTS = ("checkouts", "mandates", "agreements", "customers", "hosted_checkouts")
_STORMS = (0.93, 0.95, 0.96)
_PULL_STEPS = 260  # about as many write steps as a small night has
_CHANGING = ("checkouts", "mandates", "agreements")


@dataclass
class Season:
    """What a season met and found; `wrong` is empty where all held."""

    seed: int
    wrong: list[str] = field(default_factory=list)
    faults: Counter[str] = field(default_factory=Counter)
    requests: int = 0
    nights: int = 0
    kills: Counter[str] = field(default_factory=Counter)
    leaps: int = 0
    complete: int = 0  # sources that said so, each compared with the truth
    incomplete: int = 0  # sources that said that they are not whole
    records: int = 0  # compared
    unexplained: int = 0  # rials that were not planted

    @property
    def fault_count(self) -> int:
        """Return how many faults were delivered."""
        return self.faults.total()


def run(
    seed: int, folder: Path, *, nights: int = 4, kills: int = 2, last: bool = True
) -> Season:
    """Live through a season; the folder is made and removed.

    `kills` is how many nights are at most killed, `last` whether the calm night with
    its reports ends it.
    """
    return _Play(seed, folder).season(nights, kills, last=last)


def storm(seed: int, folder: Path, *, nights: int = 8) -> Season:
    """Pull through storms alone, of twenty and more spoilt answers to a good one."""
    return _Play(seed, folder, stormy=True).storm(nights)


class _Play:
    """One season while it goes on."""

    def __init__(self, seed: int, folder: Path, *, stormy: bool = False) -> None:
        self._chance = Random(seed)
        self._seed = seed
        self._rates = _STORMS if stormy else RATES
        retries = 100 if stormy else self._chance.choice((3, 5, 30, 100))
        per_page = 2 if stormy else self._chance.choice((3, 10, 100))
        self._shop = opened(
            folder / "shop",
            seed,
            days=self._chance.randint(3, 6),
            daily=self._chance.randint(6, 14) * (6 if stormy else 1),
            faults=() if stormy else _planned(self._chance),
            variables={
                "RECON_HTTP__RETRIES": str(retries),
                "RECON_UNIFIED__PER_PAGE": str(per_page),
            },
        )
        self._folder = folder
        self._stage = Stage(self._shop, self._chance)
        self._clock = Clock()
        self.told = Season(seed)

    def season(self, nights: int, kills: int, *, last: bool) -> Season:
        return self._guarded(lambda: self._season(nights, kills, last=last))

    def storm(self, nights: int) -> Season:
        return self._guarded(lambda: self._season(nights, 0, last=False))

    def _season(self, nights: int, kills: int, *, last: bool) -> None:
        with self._clock.moving():
            self._shop.take_files()
            for number in range(nights):
                self._night(number, kills)
            if last:
                self._calm()

    def _guarded(self, play: Callable[[], None]) -> Season:
        random.seed(self._seed)  # the jitter of back-offs
        try:
            play()
        except Exception as error:  # noqa: BLE001 - whatever it is, it is a finding
            self.told.wrong.append(f"{type(error).__name__}: {error}")
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)
        return self.told

    def _night(self, number: int, kills: int) -> None:
        chance, told = self._chance, self.told
        self._stage.go_on()
        if chance.random() < 0.4:
            self._clock.leap(chance)
            told.leaps += 1
        stormy = self._rates is _STORMS
        how: dict[str, Any] = {"full": stormy or chance.random() < 0.5}
        if stormy:
            how["sources"] = _LISTS
        rate = chance.choice(self._rates)
        seed = chance.randrange(2**32)
        doors = not stormy and chance.random() < 0.15
        moves = chance.random() < 0.4
        if number < kills:
            self._killed(rate, seed, how)
        before = truth.snapshot(self._shop.made.world)
        weather = Weather(
            self._shop.provider(),
            seed,
            rate,
            doors=doors,
            between=self._stage.stir if moves else lambda _: None,
        )
        report = self._shop.pull(weather, **how)
        told.nights += 1
        told.requests += weather.asked
        told.faults += weather.delivered
        self._judge(report, before, truth.snapshot(self._shop.made.world))

    def _killed(self, rate: float, seed: int, how: dict[str, Any]) -> None:
        """Begin the night in a child that dies at some write step of it."""
        way, torn = self._chance.choice(
            (("kill", False), ("kill", True), ("power", False))
        )
        blow = Blow(self._chance.randint(1, _PULL_STEPS), way, torn=torn, seed=seed)
        shop = self._shop
        known = {commit.id for commit in shop.lake().commits()}

        def begin(ack: object) -> None:
            weather = Weather(shop.provider(), seed, rate)
            report = shop.pull(weather, **how)
            for source in report.sources:
                if source.pull_id and callable(ack):
                    ack(source.pull_id)

        ending = in_child(begin, shop.root, blow)
        if ending.trouble:
            self.told.wrong.append(f"killed night: {ending.trouble.splitlines()[-1]}")
        self.told.kills[("torn" if torn else way) if ending.killed else "outran"] += 1
        now = {commit.id for commit in shop.lake().commits()}
        lost = (known | set(ending.acks)) - now
        self.told.wrong += [f"a commit is lost: {each}" for each in lost]
        health = examine(shop.lake())
        self.told.wrong += [f"{each.path}: {each.told}" for each in health.damages]

    def _judge(
        self,
        report: PullReport,
        before: dict[str, truth.Facts],
        after: dict[str, truth.Facts],
    ) -> None:
        lake = self._shop.lake()
        for source in report.sources:
            if source.status in {"complete", "partial"}:
                self.told.complete += 1
                self.told.records += sum(
                    len(before[table])
                    for table, *_ in truth.SOURCES.get(source.source, ())
                )
                self.told.wrong += truth.contradictions(
                    lake,
                    source.source,
                    before,
                    after,
                    whole=source.status == "complete",
                )
            elif source.status == "incomplete":
                self.told.incomplete += 1
        if report.exit_code is (
            ExitCode.CLEAN if not report.complete else ExitCode.INCOMPLETE
        ):
            self.told.wrong.append("the exit code contradicts the sources")

    def _calm(self) -> None:
        """End with a whole calm night: all is there, and breaks are as planted."""
        shop = self._shop
        self._stage.end()
        before = truth.snapshot(shop.made.world)
        report = shop.pull(full=True)
        self.told.nights += 1
        if not report.complete:
            self.told.wrong.append("a calm night is incomplete")
        self._judge(report, before, before)
        with reconcile(shop.lake(), shop.settings) as result:
            files = write(result, shop.settings)
            wrong, rials = unplanted(result, shop.made, self._stage.changed)
        self.told.wrong += wrong
        self.told.unexplained += rials
        self.told.wrong += unbalanced(files["journal.csv"])
        health = examine(shop.lake(), deep=True)
        self.told.wrong += [f"{each.path}: {each.told}" for each in health.damages]


class Stage:
    """A world that appears little by little, and changes while it is looked at."""

    def __init__(self, shop: Shop, chance: Random) -> None:
        """Hide what is to come later; `changed` are records that stirred."""
        self._world = shop.made.world
        self._chance = chance
        self._hidden: dict[str, list[tuple[str, Record]]] = {}
        self.changed: set[str] = set()
        for name in _CHANGING:
            records: dict[str, Record] = getattr(self._world, name)
            keys = [*records]
            shown = len(keys) // 2
            self._hidden[name] = [(key, records.pop(key)) for key in keys[shown:]]

    def go_on(self) -> None:
        """Show some more of what is hidden."""
        for name, hidden in self._hidden.items():
            for _ in range(self._chance.randint(0, 1 + len(hidden) // 2)):
                self._show(name)

    def stir(self, chance: Random) -> str | None:
        """Let a record appear while lists are read, seldom."""
        if chance.random() > 0.1:
            return None
        name = chance.choice(_CHANGING)
        return "drift" if self._show(name) else None

    def end(self) -> None:
        """Show everything."""
        for name in self._hidden:
            while self._show(name):
                pass

    def _show(self, name: str) -> bool:
        hidden = self._hidden[name]
        if hidden:
            key, record = hidden.pop(0)
            getattr(self._world, name)[key] = record
        return bool(hidden)


def _planned(chance: Random) -> Sequence[str]:
    """Return what is planted: nothing, one fault, or some."""
    names = sorted(history.FAULTS)
    return chance.sample(names, chance.choice((0, 0, 1, 3)))
