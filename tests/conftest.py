"""What holds for all tests: how many run side by side, in which order, on what."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from recon.reconcile.engines import duckdb
from recon.settings import Engine

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

ROOT = Path(__file__).parent


def pytest_xdist_auto_num_workers() -> int:
    """Return one more than there are cores: tests often wait for the disk."""
    return (os.cpu_count() or 1) + 1


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put whole jobs first: none of these long files is to run alone at the end."""
    items.sort(key=lambda item: item.path.parent != ROOT)


@pytest.fixture(scope="session", autouse=True)
def one_duckdb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Open the DuckDB of light lakes once a process: that takes as long as most cases.

    Each engine has a connection of its own, with its own tables. One whose bounds a
    test has chosen is opened as ever.
    """
    opened = duckdb._connect
    kept: dict[int, DuckDBPyConnection] = {}

    def connect(spill: str, bounds: Engine, *, light: bool) -> "DuckDBPyConnection":
        if not light or bounds != Engine():
            return opened(spill, bounds, light=light)
        process = os.getpid()  # a child would share its parent's locks
        if process not in kept:
            place = str(tmp_path_factory.mktemp("spill"))
            kept[process] = opened(place, bounds, light=True)
        return duckdb._prepared(kept[process].cursor())

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(duckdb, "_connect", connect)
        yield
    kept.clear()
