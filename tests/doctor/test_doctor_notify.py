"""The doctor asks whether messages can be sent, and sends none."""

from pathlib import Path

import pytest

from recon import notify
from recon.doctor import Level
from recon.errors import ExitCode
from tests.doctor.doctor_cases import CANARY, config, examined, of

URLS = f'[notify]\nurls = ["json://{CANARY}", "json://{CANARY}-too"]\n'


def test_receivers_that_are_understood_are_counted_and_not_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notify, "unusable", lambda _: [])
    found = examined(config(tmp_path, URLS))
    said = [each.told for each in of(found, "settings", Level.OK)]
    assert "notify: 2 receivers, all understood" in said
    assert CANARY not in str(found)


def test_a_receiver_that_is_not_understood_is_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A night needs none, and none is called well."""
    line = "notify.urls: address 2 is none that is understood"
    monkeypatch.setattr(notify, "unusable", lambda _: [line])
    found = examined(config(tmp_path, URLS))
    (finding,) = of(found, "settings", Level.WARNING)
    assert (finding.told, finding.do) == (line, "a night then ends without a message")
    assert "all understood" not in str(found)
    assert found.exit_code is ExitCode.CLEAN
