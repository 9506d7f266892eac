"""What holds for all tests: how many run side by side, in which order, and untimed."""

import gc
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).parent

# a busy machine fails no example by its time
settings.register_profile(
    "untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("untimed")


def pytest_xdist_auto_num_workers() -> int:
    """Return one more than there are cores: tests often wait for the disk."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Let each worker begin elsewhere: what one compiled, the others only load."""
    config = session.config
    worker = getattr(config, "workerinput", None)
    if worker is None or config.args_source != config.ArgsSource.TESTPATHS:
        return
    places = sorted(
        str(path)
        for path in ROOT.iterdir()
        if (path.is_dir() and path.name != "__pycache__")
        or path.name.startswith("test_")
    )
    number = int(worker["workerid"].removeprefix("gw"))
    first = len(places) * number // worker["workercount"]
    config.args[:] = places[first:] + places[:first]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put whole jobs first: none of these long files is to run alone at the end."""
    items.sort(key=lambda item: (item.path.parent != ROOT, item.path))


def pytest_collection_finish() -> None:
    """Spare the collector what stays to the end: modules, and thousands of tests."""
    gc.collect()
    gc.freeze()


def pytest_sessionfinish() -> None:
    """Give it back: what is never collected is taken for a leak."""
    gc.unfreeze()
