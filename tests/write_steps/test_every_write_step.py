"""A fixed slice of `python -m tests.campaign write-steps`: all or nothing, always."""

import errno
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.campaign.disk import Blow
from tests.campaign.forks import Ack, in_child
from tests.campaign.operations import OPERATIONS
from tests.campaign.shop import Shop, opened
from tests.campaign.write_steps import WAYS, Workshop, trials

SLICES = {
    "commit": 4,
    "import_two_files": 6,
    "compaction": 9,
    "decision": 5,
    "deliveries": 7,
    "take_deliveries": 8,
    "deposit": 5,
}
"""Operations, and each how-many-eth step is struck here."""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return opened(tmp_path_factory.mktemp("write-steps") / "shop")


@pytest.mark.parametrize("name", SLICES)
def test_a_struck_step_leaves_all_or_nothing_and_loses_no_promise(
    name: str, shop: Shop, tmp_path: Path
) -> None:
    workshop = Workshop(name, shop, tmp_path)
    ways = sorted(WAYS)
    for place, at in enumerate(range(1, len(workshop.steps) + 1, SLICES[name])):
        way = ways[place % len(ways)]
        trial = workshop.trial(replace(WAYS[way], at=at, seed=at))
        assert not trial.findings, [str(each) for each in trial.findings]


def test_so_many_steps_are_struck_as_are_asked_for(shop: Shop, tmp_path: Path) -> None:
    struck = [*trials(shop, tmp_path, names=["commit"], ways=["error"], most=2)]
    steps = struck[0].steps
    first, second = map(str, struck)
    assert first == f"commit, step 1 of {steps}, error: right"
    assert second == f"commit, step {1 + -(-steps // 2)} of {steps}, error: right"


@pytest.fixture(scope="module")
def commit(shop: Shop, tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    return Workshop("commit", shop, tmp_path_factory.mktemp("commit"))


def named(workshop: Workshop, beginning: str) -> int:
    """Return the last step of that name."""
    steps = workshop.steps
    return max(n for n, step in enumerate(steps, 1) if step.startswith(beginning))


@pytest.mark.parametrize("step", ["create data/lake/commits/.", "link "])
def test_a_record_that_cannot_be_written_is_one_clear_error(
    commit: Workshop, step: str
) -> None:
    blow = replace(WAYS["error"], at=named(commit, step), number=errno.EIO)
    trial = commit.trial(blow)
    assert trial.ending.error.startswith("LakeError")
    assert not trial.findings


def test_a_draft_that_cannot_be_removed_denies_no_commit(commit: Workshop) -> None:
    trial = commit.trial(replace(WAYS["error"], at=named(commit, "unlink ")))
    assert trial.ending.done
    assert trial.ending.acks
    assert not trial.findings


@pytest.mark.parametrize("name", ["commit", "deliveries", "deposit"])
def test_a_power_cut_after_the_promise_takes_no_new_folder_along(
    name: str, shop: Shop, tmp_path: Path
) -> None:
    operation = OPERATIONS[name]

    def work(ack: Ack) -> None:
        operation.run(copy, ack)
        (copy.folder / "then").mkdir()

    for seed in range(4):
        copy = shop.at(tmp_path / f"{seed}")
        copy.folder.mkdir()
        steps = in_child(work, copy.folder).steps
        shutil.rmtree(copy.folder)
        copy.folder.mkdir()
        ending = in_child(work, copy.folder, Blow(len(steps), "power", seed=seed))
        assert ending.killed
        assert ending.acks
        assert not [*operation.lost(copy, ending.acks)]


def test_a_session_that_cannot_be_removed_is_no_traceback(
    shop: Shop, tmp_path: Path
) -> None:
    deposit = Workshop("deposit", shop, tmp_path)
    step = named(deposit, "unlink data/lake/journal.sessions")
    trial = deposit.trial(replace(WAYS["error"], at=step))
    assert trial.ending.done
    assert not trial.findings
