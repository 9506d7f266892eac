"""A pull over a lake of which a file is lost that it can do without."""

from pathlib import Path

import pytest

from recon.lake import Lake
from recon.pull.runner import plan
from tests.lake.compaction_cases import compacted
from tests.pull.test_pull_in_part import Shop


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path)


@pytest.mark.parametrize("full", [False, True])
def test_a_list_whose_known_ids_are_damaged_is_read_whole(
    shop: Shop, full: bool
) -> None:
    """It makes new ones, so the night needs no copy of the lake."""
    shop.pull()
    gone = shop.stub.checkouts.pop(100)
    shop.pull(full=True)
    lake = Lake(shop.settings.lake_path)
    first, damaged = [commit.files for commit in lake.commits(kind="pull")]
    (ids,) = [file for file in damaged if file.folder == "seen"]
    (lake.root / ids.path).write_bytes(b"x")
    assert [each.action for each in plan(shop.settings, lake, ["checkouts"])] == [
        "whole"
    ]
    shop.stub.checkouts.insert(100, gone)
    found = shop.pull(full=full)
    assert (found.status, found.counts.new, found.counts.vanished) == ("complete", 0, 0)
    swept = Lake(shop.settings.lake_path).last_whole_sweep("checkouts")
    assert swept is not None
    assert swept[0].id == found.pull_id
    assert shop.pull().status == "partial"
    for file in first:
        if file.folder == "seen":
            (lake.root / file.path).write_bytes(b"x")  # an older one is not missed
    assert shop.pull().status == "partial"


def test_a_list_whose_only_ids_are_damaged_is_read_whole(shop: Shop) -> None:
    shop.pull()
    lake = Lake(shop.settings.lake_path)
    (ids,) = [f for f in lake.commits()[0].files if f.folder == "seen"]
    (lake.root / ids.path).unlink()
    shop.stub.checkouts.pop(100)
    found = shop.pull()
    assert (found.status, found.counts.new, found.counts.vanished) == ("complete", 0, 1)


def test_a_pull_reads_no_file_that_a_compaction_covers(shop: Shop) -> None:
    shop.pull()
    lake = Lake(shop.settings.lake_path)
    compacted(lake, "checkouts", "payments")
    for file in lake.commits()[0].files:
        if file.folder == "records":
            (lake.root / file.path).unlink()
    found = shop.pull(full=True)
    assert (found.status, found.counts.new, found.counts.changed) == ("complete", 0, 0)
