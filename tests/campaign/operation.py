"""What an operation is whose every write step is struck, and what holds of all."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from recon.lake.health import examine
from recon.lake.lock import run_lock
from tests.campaign.forks import Ack
from tests.campaign.shop import Shop

State = Any


def nothing(_: Shop) -> None:
    """Begin as the shop is."""


def all_or_nothing(before: State, now: State, after: State) -> bool:
    """Tell whether what is visible is the old or the new."""
    return bool(now in (before, after))


def as_after(_: State, now: State, after: State) -> bool:
    """Tell whether it ended as an undisturbed run does."""
    return bool(now == after)


def never(_: str) -> bool:
    """Take no refusal of a repetition for right."""
    return False


def whole_lake(shop: Shop) -> Iterator[str]:
    """Say what is wrong with the lake, or with its lock."""
    lake = shop.lake()
    for damage in examine(lake, deep=True).damages:
        yield f"damaged: {damage.path}: {damage.told}"
    with run_lock(lake):
        pass


def lost_commits(shop: Shop, acks: list[Any]) -> Iterator[str]:
    """Name the commits that were promised and are not there."""
    known = {commit.id for commit in shop.lake().commits()}
    for each in acks:
        if each not in known:
            yield f"a promised commit is lost: {each}"


@dataclass(frozen=True)
class Operation:
    """One thing that writes.

    `run` does it and acknowledges what it promises; `state` is what is visible of
    it, `lost` names what was promised and is gone, `doubts` what else is wrong.
    `allowed` judges what a struck run left, `ended` what its repetition left; both
    get the states before, now, and after an undisturbed run.
    """

    run: Callable[[Shop, Ack], None]
    state: Callable[[Shop], State]
    prepare: Callable[[Shop], None] = nothing
    allowed: Callable[[State, State, State], bool] = all_or_nothing
    ended: Callable[[State, State, State], bool] = as_after
    lost: Callable[[Shop, list[Any]], Iterator[str]] = lost_commits
    doubts: Callable[[Shop], Iterator[str]] = whole_lake
    may_refuse: Callable[[str], bool] = never
