"""A commit that must not follow certain others is undone where one came first."""

from collections.abc import Callable
from pathlib import Path

import pytest

from recon.lake import Commit, Lake, Overtaken
from tests.lake.bucket_cases import Opener
from tests.lake.lake_cases import committed, ids, page


@pytest.fixture(params=["folder", "bucket"])
def lake(request: pytest.FixtureRequest, tmp_path: Path) -> Lake:
    if request.param == "folder":
        return Lake(tmp_path / "lake")
    opener: Opener = request.getfixturevalue("opener")
    return opener()


def attempt(lake: Lake, overtakes: Callable[[Commit], bool]) -> None:
    """Commit a row, while another commit comes first."""
    with lake.begin("pull", "mandates") as writing:
        writing.page(page())
        writing.rows("mandates", [{"id": "late"}])
        committed(lake, ["first"])
        writing.commit(overtakes=overtakes)


def test_what_was_overtaken_leaves_nothing(lake: Lake) -> None:
    with pytest.raises(Overtaken):
        attempt(lake, lambda commit: commit.source == "mandates")
    assert ids(lake) == ["first"]
    (commit,) = lake.commits()
    assert set(lake.storage.stored()) == {file.path for file in commit.files}


def test_what_other_commits_do_is_no_concern(lake: Lake) -> None:
    attempt(lake, lambda commit: commit.source == "agreements")
    assert ids(lake) == ["first", "late"]
