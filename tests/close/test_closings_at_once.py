"""Two closings of one period: of a lock that ran out while its holder stood still."""

from contextlib import nullcontext
from typing import Any

import pytest

from recon.close import close, closing
from recon.errors import UsageError
from recon.lake import Lake, Writing
from recon.lake.verifying import file_hash
from tests.close.closed_shop import PERIOD, closed, trade
from tests.reconcile.lake_history import History


@pytest.fixture(autouse=True)
def unlocked(history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a lease run out: on another machine the period may be closed meanwhile."""
    monkeypatch.setattr(closing, "run_lock", lambda _: nullcontext())
    trade(history)


def close_elsewhere(history: History, period: str = PERIOD) -> None:
    close(history.settings, Lake(history.lake.root), period, by="omid")


def refused(history: History) -> None:
    """Close the period, which somebody else did meanwhile; nothing of that changes."""
    with pytest.raises(UsageError, match=r"was closed at .* by omid"):
        closed(history)
    (commit,) = history.lake.commits(kind="close")
    assert commit.certificate["by"] == "omid"


@pytest.mark.parametrize("period", [PERIOD, "2026-10-04..2026-10-05"])
def test_a_period_that_was_closed_meanwhile_is_not_closed_again(
    history: History, monkeypatch: pytest.MonkeyPatch, period: str
) -> None:
    made = closing.contents

    def slowly(*given: Any) -> dict[str, bytes]:
        monkeypatch.setattr(closing, "contents", made)
        found = made(*given)
        close_elsewhere(history, period)
        return found

    monkeypatch.setattr(closing, "contents", slowly)
    refused(history)
    (commit,) = history.lake.commits(kind="close")
    pack = history.settings.reports_path / "closed" / f"{period}.zip"
    assert file_hash(pack) == commit.certificate["pack_sha256"]


def test_of_two_closings_that_wrote_their_packs_one_counts(
    history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Writing.commit

    def late(writing: Writing, **given: Any) -> Any:
        if writing._kind == "close":
            monkeypatch.setattr(Writing, "commit", made)
            close_elsewhere(history)
        return made(writing, **given)

    monkeypatch.setattr(Writing, "commit", late)
    refused(history)
