"""A machine without proxies, and a lake with one commit."""

import os
from pathlib import Path

import pytest

from recon.lake import Lake
from tests.lake.lake_cases import committed


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    lake = Lake(tmp_path / "data" / "lake")
    committed(lake, ["a"])
    return lake
