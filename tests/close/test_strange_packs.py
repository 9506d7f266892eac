"""A pack that lies there already when its period is closed."""

import shutil
from pathlib import Path

import pytest

from recon.errors import UsageError
from tests.close.closed_shop import closed, trade
from tests.reconcile.lake_history import History


def opened(history: History, patch: pytest.MonkeyPatch) -> History:
    """The lake that is there by now, as another process opens it."""
    again = History(history.lake.root, patch)
    again.settings = history.settings
    return again


def test_a_pack_that_an_older_copy_of_the_lake_does_not_know_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its hash may be with an auditor."""
    history = History(tmp_path / "lake", monkeypatch)
    trade(history)
    older = tmp_path / "older"
    shutil.copytree(history.lake.root, older)
    pack = closed(history).pack
    before = pack.read_bytes()
    shutil.rmtree(history.lake.root)
    older.rename(history.lake.root)
    restored = opened(history, monkeypatch)
    with pytest.raises(UsageError, match="older copy"):
        closed(restored, dry_run=True)
    with pytest.raises(UsageError, match="move it away"):
        closed(restored)
    assert pack.read_bytes() == before
    pack.unlink()
    assert closed(restored).pack.exists()


def test_the_pack_of_a_closing_that_was_killed_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = History(tmp_path / "lake", monkeypatch)
    trade(history)
    pack = closed(history).pack
    max((history.lake.root / "commits").iterdir()).unlink()
    repeated = closed(opened(history, monkeypatch))
    assert (repeated.pack, pack.exists()) == (pack, True)


def test_what_is_no_pack_is_not_written_over_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = History(tmp_path / "lake", monkeypatch)
    trade(history)
    pack = closed(history, dry_run=True).pack
    pack.parent.mkdir(parents=True)
    pack.write_bytes(b"torn")
    with pytest.raises(UsageError, match="not written over"):
        closed(history)
    assert pack.read_bytes() == b"torn"
