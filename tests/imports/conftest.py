"""What holds for all tests of imports: the times of their rows are no future."""

from datetime import UTC, datetime

import pytest

from recon.imports import columns

LATEST = datetime(2026, 11, 20, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _later_than_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slow clock makes no warning of a row that a test has written."""
    monkeypatch.setattr(columns, "_now", lambda: max(LATEST, datetime.now(UTC)))
