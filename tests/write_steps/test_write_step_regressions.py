"""What the campaign found, one test a finding, each with the step that showed it."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from recon.close import packs
from recon.errors import LakeError
from recon.imports.delivered import take_deliveries
from recon.journal import Journal
from recon.reports import restatements, writing
from tests.campaign.disk import KILLED, Blow, Disk
from tests.campaign.forks import in_child
from tests.campaign.journal_operations import JOURNAL_OPERATIONS
from tests.campaign.shop import opened

NEW = {"flows.csv": [b"new flows"], "summary.json": [b"new summary"]}
OLD = {
    "INCOMPLETE.txt": [b"old"],
    "flows.csv": [b"old flows"],
    "summary.json": [b"old summary"],
}


def parts(files: dict[str, list[bytes]]) -> list[tuple[str, bytes]]:
    return [(name, part) for name, content in files.items() for part in content]


def test_a_commit_that_fails_leaves_the_journal_fit_for_the_next(
    tmp_path: Path,
) -> None:
    """A full disk at `commit` left a transaction open: nothing could be begun."""
    with Disk(tmp_path).working() as disk, Journal(tmp_path / "journal") as journal:
        journal.begin("deposit", "one", {})
        disk.blow = Blow(len(disk.steps) + 4, "error")
        with pytest.raises(LakeError, match="full"):
            journal.begin("deposit", "two", {})
        assert disk.steps[-1].endswith("commit")
        assert journal.begin("deposit", "three", {})
        assert [each.subject for each in journal.requests()] == ["one", "three"]


def place(parts: list[tuple[str, bytes]], folder: Path) -> dict[str, Path]:
    return writing._place(parts, folder, "", lambda: None)


@pytest.mark.parametrize("at", range(1, 40, 3))
def test_no_summary_stands_beside_files_of_another_run(tmp_path: Path, at: int) -> None:
    """A kill between two renames left new tables under the old summary.json."""
    folder, new = tmp_path / "2025-11-01", parts(NEW)
    place(parts(OLD), folder)
    ending = in_child(
        lambda _: place(new, folder) and None,
        tmp_path,
        Blow(at, "kill"),
    )
    assert ending.code in {KILLED, 0}
    now = {path.name: [path.read_bytes()] for path in folder.iterdir()}
    assert "summary.json" not in now or now in (OLD, NEW)
    place(new, folder)
    assert {path.name: [path.read_bytes()] for path in folder.iterdir()} == NEW


def test_a_lock_that_cannot_be_made_is_one_clear_error(tmp_path: Path) -> None:
    """`take_deliveries` ended with a traceback where its lock had no room."""
    shop = opened(tmp_path / "shop")
    JOURNAL_OPERATIONS["take_deliveries"].prepare(shop)
    with (
        Disk(shop.folder, Blow(1, "full")).working(),
        pytest.raises(LakeError, match=r"deliveries\.lock"),
    ):
        take_deliveries(shop.settings, shop.lake())
    assert take_deliveries(shop.settings, shop.lake()) == 3


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("made", ["pack", "reports", "restatements"])
def test_a_power_cut_takes_no_new_folder_with_what_was_written(
    tmp_path: Path, made: str, seed: int
) -> None:
    """A cut after a closing took the new folder of reports, and its pack along."""
    folder = tmp_path / "data/reports/closed"
    work: Callable[[], object] = {
        "pack": lambda: packs.write(folder / "october.zip", {"manifest.json": b"{}"}),
        "reports": lambda: place(parts(NEW), folder),
        "restatements": lambda: restatements.place(pa.table({"period": []}), folder),
    }[made]
    last = len(in_child(lambda _: work() and None, tmp_path).steps)
    files = sorted(path.name for path in folder.iterdir())
    shutil.rmtree(tmp_path / "data")
    cut = Blow(last, "power", seed=seed)
    assert in_child(lambda _: work() and None, tmp_path, cut).killed
    assert sorted(path.name for path in folder.iterdir()) == files


@pytest.mark.parametrize("rows", [1, 0])
def test_what_a_killed_run_left_of_restatements_goes_with_the_next(
    tmp_path: Path, rows: int
) -> None:
    """Each kill left a file of its own name for ever, whole or half."""
    folder = tmp_path / "reports/closed"
    found = pa.table({"period": ["2026-10"]})

    def place() -> None:
        restatements.place(found, folder)

    steps = len(in_child(lambda _: place(), tmp_path).steps)
    for step in range(1, steps + 1):
        shutil.rmtree(tmp_path / "reports")
        assert in_child(lambda _: place(), tmp_path, Blow(step, "kill")).killed
        restatements.place_or_remove(found.slice(0, rows), folder)
        left = [path.name for path in folder.iterdir()] if folder.is_dir() else []
        assert left == ["restatements.csv"] * rows
