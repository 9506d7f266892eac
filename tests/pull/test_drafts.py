"""A draft gives back what it was given, as long as nothing newer is in the lake."""

import errno
from datetime import timedelta
from pathlib import Path

import pytest

from recon.lake import Lake
from recon.lake.pages import Page
from recon.pull.drafts import Draft, Left


def test_a_draft_gives_back_what_it_was_given(tmp_path: Path) -> None:
    lake = Lake(tmp_path)
    page = Page(url="there", received_at=lake.now(), body=b'{"data":[]}' * 50)
    draft = Draft(lake, "checkouts", "there", "one")
    draft.keep("a", page, {"at": page.received_at, "amount": 2**62, "none": None})
    draft.close()
    left = Left.find(lake, "checkouts", "there")
    assert left is not None
    kept = left.get("a")
    assert kept is not None
    assert kept.page == page
    assert kept.row == {"at": page.received_at, "amount": 2**62, "none": None}
    assert left.get("b") is None
    assert list(left.keys()) == ["a"]


def test_an_answer_from_the_future_is_of_unknown_age(tmp_path: Path) -> None:
    """The clock was set back since: it may be days old, so it is asked for again."""
    lake = Lake(tmp_path)
    draft = Draft(lake, "checkouts", "there", "20300101T000000.000000Z-aa")
    late = lake.now() + timedelta(days=900)
    draft.keep("a", Page(url="there", received_at=late, body=b"{}"))
    draft.keep("b", Page(url="there", received_at=lake.now(), body=b"{}"))
    draft.close()
    left = Left.find(lake, "checkouts", "there")
    assert left is not None
    assert left.get("a") is None
    assert left.get("b") is not None


def test_a_draft_from_before_the_newest_commit_of_its_source_is_none(
    tmp_path: Path,
) -> None:
    lake = Lake(tmp_path)
    page = Page(url="there", received_at=lake.now(), body=b"{}")
    with lake.begin("pull", "checkouts") as older:
        draft = Draft(lake, "checkouts", "there", older.id)
        draft.keep("a", page)
        draft.close()
    assert Left.find(lake, "checkouts", "there") is not None
    with lake.begin("pull", "mandates") as other:
        other.commit()
    assert Left.find(lake, "checkouts", "there") is not None
    with lake.begin("pull", "checkouts") as newer:
        newer.commit()
    assert Left.find(lake, "checkouts", "there") is None


@pytest.mark.parametrize("complete", [False, True])
def test_the_draft_of_a_pull_that_ended_well_is_none(
    tmp_path: Path, complete: bool
) -> None:
    """It was killed after its commit: the next one reads anew what may be restated."""
    lake = Lake(tmp_path)
    with lake.begin("pull", "checkouts") as pulled:
        draft = Draft(lake, "checkouts", "there", pulled.id)
        draft.keep("a", Page(url="there", received_at=lake.now(), body=b"{}"))
        draft.close()
        pulled.commit(complete=complete, error=None if complete else "cut")
    assert (Left.find(lake, "checkouts", "there") is None) is complete


def test_a_draft_that_cannot_be_removed_ends_no_pull(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: Path, *, missing_ok: bool = False) -> None:
        raise OSError(errno.EIO, "no", str(self), None, str(missing_ok))

    lake = Lake(tmp_path)
    draft = Draft(lake, "checkouts", "there", "one")
    draft.keep("a", Page(url="there", received_at=lake.now(), body=b"{}"))
    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", refuse)
        draft.remove()
    assert Left.find(lake, "checkouts", "there") is not None
    draft.remove()
    assert Left.find(lake, "checkouts", "there") is None


def test_of_two_drafts_the_fuller_is_gone_on_with(tmp_path: Path) -> None:
    lake = Lake(tmp_path)
    for pull_id, keys in (("1", "a"), ("2", "abc"), ("3", "ab")):
        draft = Draft(lake, "checkouts", "there", pull_id)
        for key in keys:
            draft.keep(key, Page(url="there", received_at=lake.now(), body=b"{}"))
        draft.close()
    left = Left.find(lake, "checkouts", "there")
    assert left is not None
    assert list(left.keys()) == ["a", "b", "c"]
