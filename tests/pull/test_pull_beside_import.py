"""A pull that begins and ends while a file is read: neither word of a record is lost.

The newest version of a record is that of the commit that began last, and this pull
began after the import and knew nothing of it.
"""

import csv
from pathlib import Path
from typing import Any

import pytest

from recon.imports.importing import take
from recon.imports.reading import FileReader
from recon.lake import Lake
from tests.pull.provider_stub import deposit
from tests.pull.test_pull_deposits import journal, pull, rows, settings_of

TOLD = {
    "track_id": "t1",
    "requested_at": "2026-10-01T10:00:00Z",
    "settled_at": "2026-10-02T10:00:00Z",
    "requested_amount": 10_000,
}


def written(folder: Path) -> Path:
    """Write a file of one deposit, which tells what no list has."""
    path, row = folder / "deposits.csv", deposit(1, status="SETTLED") | TOLD
    with path.open("w", encoding="utf-8", newline="") as file:
        lines = csv.DictWriter(file, row)
        lines.writeheader()
        lines.writerow(row)
    return path


@pytest.mark.parametrize("listed", [True, False])
def test_an_import_holds_that_a_pull_overtook(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, listed: bool
) -> None:
    settings = settings_of(tmp_path, listed=listed)
    entries = [deposit(1, status="SETTLED", track_id="t1")]
    if not listed:
        journal(settings, "t1", [deposit(1)])
    read = FileReader.read

    def slowly(*given: Any) -> Any:
        monkeypatch.setattr(FileReader, "read", read)
        found = read(*given)
        pull(settings, entries)
        return found

    monkeypatch.setattr(FileReader, "read", slowly)
    report = take("deposits", [written(tmp_path)], settings, Lake(settings.lake_path))
    assert report.rows == 1
    for _ in range(2):
        (row,) = rows(settings)
        assert (row["status"], row["requested_amount"]) == ("SETTLED", 10_000)
        assert row["settled_at"].isoformat() == "2026-10-02T10:00:00+00:00"
        pull(settings, entries)
    kinds = [commit.kind for commit in Lake(settings.lake_path).commits()]
    assert kinds.count("import") == 1
