"""Fixtures of the tests of closing."""

from pathlib import Path

import pytest

from tests.reconcile.lake_history import History, at


@pytest.fixture
def history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> History:
    """An empty lake on the first of October."""
    made = History(tmp_path / "lake", monkeypatch)
    made.clock(at(1))
    return made


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Settings of that lake, and nobody's of this machine."""
    monkeypatch.delenv("RECON_CONFIG", raising=False)
    path = tmp_path / "recon.toml"
    path.write_text(
        '[business]\nname = "shop"\n[lake]\npath = "lake"\n'
        '[reports]\npath = "reports"\n',
        encoding="utf-8",
    )
    return path
