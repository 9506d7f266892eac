"""What holds for all tests: how many run side by side, and in which order."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parent


def pytest_xdist_auto_num_workers() -> int:
    """Return one more than there are cores: tests often wait for the disk."""
    return (os.cpu_count() or 1) + 1


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put whole jobs first: none of these long files is to run alone at the end."""
    items.sort(key=lambda item: item.path.parent != ROOT)
