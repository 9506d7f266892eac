"""The sample files of `data/` are taken as they stand; its README names them."""

from pathlib import Path

import pytest

from recon.imports.kinds import KINDS
from recon.lake import Lake
from tests.imports.import_cases import stored, taken

DATA = Path(__file__).parents[2] / "data"
SAMPLES = sorted((DATA / "samples").iterdir())
ONLY_DOUBTS = ("not booked yet and left out: 1 of the entries",)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_a_sample_is_taken_without_a_doubt(path: Path, tmp_path: Path) -> None:
    report = taken(Lake(tmp_path / "lake"), path.stem, path)
    assert report.rows > 0
    assert set(report.files[0].warnings) <= set(ONLY_DOUBTS)


def test_every_kind_has_a_sample() -> None:
    assert {path.stem for path in SAMPLES} == set(KINDS)


def test_the_readme_names_every_sample() -> None:
    text = (DATA / "README.md").read_text()
    missing = [
        path.name
        for path in SAMPLES
        if f"`{path.name}`" not in text and f"`{path.suffix}`" not in text
    ]
    assert missing == []


def test_the_bank_statements_in_csv_and_mt940_are_the_same_entries(
    tmp_path: Path,
) -> None:
    found = []
    for suffix in ("csv", "mt940"):
        lake = Lake(tmp_path / suffix)
        taken(lake, "bank_statement", DATA / "samples" / f"bank_statement.{suffix}")
        rows = stored(lake, "bank_statement")
        found.append([(row["booked_at"], row["amount"], row["iban"]) for row in rows])
    assert found[0] == found[1]
