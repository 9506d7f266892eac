"""Waits between attempts are kept, but short."""

import pytest

from recon.api import pace


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "FIRST_WAIT_SECONDS", 0.001)
    monkeypatch.setattr(pace, "LONGEST_WAIT_SECONDS", 0.002)
