"""The doctor tells what room copies take that only earlier readings need."""

from pathlib import Path

import pytest

from recon.doctor import disk
from recon.lake import Commit, Lake
from recon.lake.parts import CLEARING
from recon.lake.schema import TABLES
from tests.doctor.doctor_cases import config, examined, told


def cleared(lake: Lake) -> Commit:
    with lake.begin(CLEARING, "records") as writing:
        rows = TABLES["payments"].schema.empty_table()
        writing.copies("outstanding", "payments", rows)
        return writing.commit()


@pytest.mark.parametrize("count", [1, 2, 3])
def test_what_clearings_before_the_newest_take_is_told(
    tmp_path: Path, lake: Lake, count: int
) -> None:
    made = [cleared(lake) for _ in range(count)]
    old = sum(file.size for each in made[:-1] for file in each.files)
    lines = told(examined(config(tmp_path)), "lake")[1:]
    start = (
        f"{disk.readable(old)} of it are copies of earlier compactions and clearings"
    )
    assert [line.startswith(start) for line in lines] == [True] * bool(old)
