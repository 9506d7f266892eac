"""Every write step of every operation, failed once and killed once.

For each operation a first run counts its steps; then there is one run for each step
and each way to strike it, always from the same beginning. After each: the lake is
whole, nothing that was promised is lost, all or nothing is visible, the lock is free,
and the operation, done again, ends as if nothing had ever happened.
"""

import errno
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from tests.campaign.disk import Blow
from tests.campaign.forks import Ending, in_child
from tests.campaign.operations import OPERATIONS
from tests.campaign.shop import Shop

WAYS: dict[str, Blow] = {
    "error": Blow(way="error", number=errno.EIO),
    "full": Blow(way="full", number=errno.ENOSPC),
    "kill": Blow(way="kill"),
    "torn": Blow(way="kill", torn=True),
    "power": Blow(way="power"),
}
"""How a step is struck; `torn` ends the process when a write is half through."""


@dataclass(frozen=True)
class Finding:
    """One step that did not end as it must."""

    operation: str
    step: str
    blow: Blow
    told: str

    def __str__(self) -> str:
        return (
            f"{self.operation}, step {self.blow.at} ({self.step}), "
            f"{self.blow.way}: {self.told}"
        )


@dataclass(frozen=True)
class Trial:
    """One run that was struck; `findings` is empty where all held.

    `steps` is how many steps the operation has.
    """

    operation: str
    steps: int
    blow: Blow
    ending: Ending
    findings: tuple[Finding, ...]

    def __str__(self) -> str:
        torn = ", torn" if self.blow.torn else ""
        ended = "wrong" if self.findings else "right"
        struck = f"step {self.blow.at} of {self.steps}, {self.blow.way}{torn}"
        return f"{self.operation}, {struck}: {ended}"


class Workshop:
    """An operation with its beginning and its right end, for as many runs as wanted."""

    def __init__(self, name: str, shop: Shop, folder: Path) -> None:
        """Prepare the beginning and do the operation once undisturbed."""
        self.name = name
        self.operation = operation = OPERATIONS[name]
        self._base = shop.at(folder / "base")
        self._folder = folder
        shutil.copytree(shop.folder, self._base.folder)
        operation.prepare(self._base)
        self.before = operation.state(self._base)
        whole = self._copy("whole")
        ending = in_child(lambda ack: operation.run(whole, ack), whole.folder)
        if not ending.done:
            raise RuntimeError(f"{name}: {ending.error}{ending.trouble}")
        self.steps = ending.steps
        self.after = operation.state(whole)
        shutil.rmtree(whole.folder)

    def trial(self, blow: Blow, *, kill_after: float = 0.0) -> Trial:
        """Strike one run and judge what is left."""
        struck = self._copy("struck")
        operation = self.operation
        try:
            ending = in_child(
                lambda ack: operation.run(struck, ack),
                struck.folder,
                blow,
                kill_after=kill_after,
            )
            told = [*self._told(struck, ending)]
        finally:
            shutil.rmtree(struck.folder, ignore_errors=True)
        step = self.steps[blow.at - 1] if 0 < blow.at <= len(self.steps) else "-"
        findings = (Finding(self.name, step, blow, each) for each in told)
        return Trial(self.name, len(self.steps), blow, ending, tuple(findings))

    def _told(self, struck: Shop, ending: Ending) -> Iterator[str]:
        if ending.trouble:
            yield f"a traceback: {ending.trouble.strip().splitlines()[-1]}"
        try:
            yield from self._doubts(struck, ending)
        except Exception as error:  # noqa: BLE001 - any error here is a finding
            yield f"afterwards: {type(error).__name__}: {error}"

    def _doubts(self, struck: Shop, ending: Ending) -> Iterator[str]:
        operation = self.operation
        state = operation.state(struck)
        if ending.done and not operation.ended(self.before, state, self.after):
            yield "it said that it was done, and it was not"
        if not operation.allowed(self.before, state, self.after):
            yield "neither the old nor the new is there"
        yield from operation.lost(struck, ending.acks)
        yield from operation.doubts(struck)
        again = in_child(lambda ack: operation.run(struck, ack), struck.folder)
        if not again.done and not operation.may_refuse(again.error):
            yield f"again: {again.error}{again.trouble}"
        state = operation.state(struck)
        if not operation.ended(self.before, state, self.after):
            yield "done again, it does not end as if nothing had happened"
        yield from operation.lost(struck, ending.acks)
        yield from operation.doubts(struck)

    def _copy(self, name: str) -> Shop:
        copy = self._base.at(self._folder / name)
        shutil.rmtree(copy.folder, ignore_errors=True)
        shutil.copytree(self._base.folder, copy.folder)
        return copy


def trials(
    shop: Shop,
    folder: Path,
    *,
    names: Iterable[str] = (),
    ways: Iterable[str] = tuple(WAYS),
    every: int = 1,
    most: int | None = None,
) -> Iterator[Trial]:
    """Strike each step (or each `every`-th) of the operations in each way.

    With `most`, at most so many steps of an operation in each way, evenly spread.
    """
    for name in names or OPERATIONS:
        workshop = Workshop(name, shop, folder / name)
        count = len(workshop.steps)
        stride = max(every, -(-count // most)) if most else every
        for way in ways:
            for at in range(1, count + 1, stride):
                if not _strikes(way, workshop.steps[at - 1]):
                    continue
                yield workshop.trial(replace(WAYS[way], at=at, seed=at))
        shutil.rmtree(folder / name)


def _strikes(way: str, step: str) -> bool:
    """Only a write can be torn; a full disk still removes things."""
    kind = step.partition(" ")[0]
    return not (
        (way == "torn" and kind != "write")
        or (way == "full" and kind in {"unlink", "rmdir"})
    )
