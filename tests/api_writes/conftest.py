"""The fixture of flows against the sandbox."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.api_writes.sandbox_shop import Shop, open_shop


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    with open_shop(tmp_path) as opened:
        yield opened
