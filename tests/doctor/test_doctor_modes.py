"""Whom the mode of a settings file lets read its secrets, or write an address there."""

from pathlib import Path

import pytest

from recon.doctor import Level
from tests.doctor.doctor_cases import UNIFIED, config, examined, of, told


@pytest.mark.parametrize(("mode", "expected"), [(0o600, 0), (0o640, 1), (0o604, 1)])
def test_a_secret_in_a_file_that_others_read_is_a_warning(
    tmp_path: Path, mode: int, expected: int
) -> None:
    path = config(tmp_path, UNIFIED + 'api_key = "k-in-file"\n')
    path.chmod(mode)
    lines = told(examined(path, environment={}), "settings", Level.WARNING)
    assert len(lines) == expected
    assert all("unified.api_key" in line for line in lines)
    bare = config(tmp_path, UNIFIED)
    bare.chmod(0o644)
    only = {"RECON_UNIFIED__API_KEY": "k"}
    assert not told(examined(bare, environment=only), "settings", Level.WARNING)


@pytest.mark.parametrize(("mode", "expected"), [(0o664, 0), (0o646, 1), (0o602, 1)])
def test_settings_that_everybody_may_write_to_are_a_warning(
    tmp_path: Path, mode: int, expected: int
) -> None:
    """Who writes an address there receives the credentials of the environment."""
    path = config(tmp_path, UNIFIED)
    path.chmod(mode)
    only = {"RECON_UNIFIED__API_KEY": "k"}
    found = of(examined(path, environment=only), "settings", Level.WARNING)
    assert [each.do for each in found] == [f"chmod o-w {path}"] * expected
    assert all("everybody on this machine may write to" in f.told for f in found)
