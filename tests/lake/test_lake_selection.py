"""Where the newest versions are sought: what does not fit in memory, and what stays."""

import tempfile
from functools import partial
from pathlib import Path

import pytest

import recon.lake.lake
from recon.errors import CorruptLake, LakeError
from recon.lake import Lake
from recon.lake.selection import connected
from tests.lake.lake_cases import committed


def test_what_is_spilled_lies_in_a_folder_of_its_own_that_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    with connected(16 * 2**20) as connection:
        connection.execute("create table t as select range as x from range(8_000_000)")
        files = [each for each in tmp_path.rglob("*") if each.is_file()]
        spilled = [each.relative_to(tmp_path).parts[0] for each in files]
        assert connection.sql("select sum(x) from t").fetchall() == [(31999996000000,)]
    (folder,) = set(spilled)
    assert folder.startswith("recon-scratch-")
    assert not list(tmp_path.iterdir())


def test_a_want_of_memory_is_no_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake = Lake(tmp_path / "lake")
    committed(lake, ["a", "b"])
    assert lake.current("mandates").num_rows == 2
    monkeypatch.setattr(recon.lake.lake, "connected", partial(connected, 2**16))
    with pytest.raises(LakeError, match="records of mandates: Out of Memory") as raised:
        lake.current("mandates")
    assert not isinstance(raised.value, CorruptLake)
    assert "\n" not in str(raised.value)
