"""Fixtures of the reconciling tests."""

from pathlib import Path

import pytest

from tests.reconcile.lake_history import History, at


@pytest.fixture
def history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> History:
    """An empty lake on the first of October."""
    made = History(tmp_path / "lake", monkeypatch)
    made.clock(at(1))
    return made
