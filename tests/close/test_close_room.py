"""A closing that finds no room for its reports blames where it writes them."""

import errno
import os

import pytest

from recon.errors import UsageError
from recon.reports import writing
from recon.scratch import NO_ROOM
from tests.close.closed_shop import closed, trade
from tests.reconcile.lake_history import History


def test_a_closing_that_cannot_spill_does_not_blame_the_reports(
    history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its reports go into the temporary folder first, which no setting names."""

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    trade(history)
    monkeypatch.setattr(writing, "sync_folder", full)
    with pytest.raises(UsageError) as error:
        closed(history)
    assert str(error.value) == f"{NO_ROOM}: No space left on device"
