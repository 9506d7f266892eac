"""Writers killed at random moments leave commits whole or not at all, in any store."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from tests.lake.bucket_kills import kill_writers, moto, own


@pytest.mark.parametrize(("server", "kills"), [(own, 6), (moto, 4)])
def test_killed_writers_lose_and_double_nothing(
    server: Callable[[], AbstractContextManager[str]], kills: int, tmp_path: Path
) -> None:
    with server() as url:
        assert "all whole" in kill_writers(url, tmp_path, kills, seed=7)
