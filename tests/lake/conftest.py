"""A store on loopback, and lakes in it as several machines open them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from recon.lake import Lake, objects
from tests.lake.bucket_cases import Opener, bucket_lake
from tests.lake.s3_server import Store, serving


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    monkeypatch.setattr(objects, "_FIRST_WAIT_SECONDS", 0.01)
    monkeypatch.setattr(objects, "_LIBRARY_TRIES", 0)
    with serving() as found:
        yield found


@pytest.fixture
def opener(store: Store, tmp_path: Path) -> Opener:
    """Open the same lake as another machine would: with a cache of its own."""

    def opened(name: str = "one", **changes: object) -> Lake:
        return bucket_lake(store.url, tmp_path / name, **changes)

    return opened
