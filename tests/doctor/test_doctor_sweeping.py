"""While a commit record is damaged, its files look like what killed runs left."""

import os
import time
from pathlib import Path

import pytest

from recon.doctor import Level
from recon.errors import ExitCode
from recon.lake import Lake
from recon.lake.storage import COMMITS, record_name
from tests.doctor.doctor_cases import config, examined, of
from tests.lake.lake_cases import committed


@pytest.mark.parametrize("sweep", [False, True])
def test_the_files_of_a_damaged_record_are_not_told_as_left_over(
    tmp_path: Path, lake: Lake, sweep: bool
) -> None:
    made = committed(lake, ["a"])
    paths = [lake.root / file.path for file in made.files]
    then = time.time() - 2 * 86_400
    for path in paths:
        os.utime(path, (then, then))
    record = f"{COMMITS}/{record_name(made.sequence)}"
    (lake.root / record).write_bytes(b"{")
    found = examined(config(tmp_path), sweep=sweep)
    (finding,) = of(found, "lake", Level.PROBLEM)
    assert finding.told.startswith(f"{record}: ")
    assert found.exit_code is ExitCode.INCOMPLETE
    assert of(found, "lake", Level.WARNING) == []
    assert all(path.exists() for path in paths)
