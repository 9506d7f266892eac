"""What was wrong when it was committed: its file has the right hash, and it is told."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from recon.errors import CorruptLake
from recon.lake import Lake
from recon.lake.healing import heal
from recon.lake.health import Kind, examine
from recon.lake.verifying import file_hash
from tests.lake.full_lakes import data_file, full_lake, record, rewrite
from tests.lake.lake_cases import page

Row = dict[str, Any]


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return full_lake(tmp_path / "lake")


def written_wrong(lake: Lake, folder: str, change: Callable[[list[Row]], Any]) -> None:
    """Let the first commit's file be another one, as if it had been written so."""
    path = data_file(lake, folder)
    found = pq.read_table(path)
    rows = found.to_pylist()
    change(rows)
    pq.write_table(pa.Table.from_pylist(rows, found.schema), path)
    said = {"rows": len(rows), "size": path.stat().st_size, "sha256": file_hash(path)}

    def as_it_is(commit: Row) -> None:
        files = (file for file in commit["files"] if file["folder"] == folder)
        next(files).update(said)

    rewrite(record(lake, 1), as_it_is)


@pytest.mark.parametrize(
    ("folder", "change", "told"),
    [
        (
            "pages",
            lambda rows: rows[1].update(page_no=1),
            "page 1 of {own} stands where it should not",
        ),
        (
            "pages",
            lambda rows: rows[0].update(pull_id="another"),
            "page 1 of another stands where it should not",
        ),
        ("pages", lambda rows: rows[0].update(page_no=3), "page 1 is missing"),
        (
            "pages",
            lambda rows: rows[1].update(body=b"[]"),
            "page 2: its body is not the one that was received",
        ),
        (
            "records",
            lambda rows: rows[1].update(pull_id="another"),
            "it holds a row of another",
        ),
    ],
)
def test_only_a_deep_look_finds_it_and_no_copy_heals_it(
    lake: Lake, tmp_path: Path, folder: str, change: Callable[[Any], Any], told: str
) -> None:
    own = lake.commits()[0].id
    written_wrong(lake, folder, change)
    again = Lake(lake.root)
    assert examine(again).whole
    damages = examine(again, deep=True).damages
    first = damages[0]
    assert (first.kind, first.told) == (Kind(folder), told.format(own=own))
    copies = tmp_path / "copies"
    (copies / first.path).parent.mkdir(parents=True)
    (copies / first.path).write_bytes(b"PAR1 of another lake")
    for healing in heal(again, damages[:1], copies):
        assert not healing.proven
        assert "wrong from the start" in healing.told
    assert examine(again).whole


def test_a_page_whose_body_is_not_what_was_hashed_is_never_shown(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    with lake.begin("pull", "mandates") as writing:
        given = page(b"[3]")
        monkeypatch.setattr(type(given), "sha256", "0" * 64)
        writing.page(given)
        commit = writing.commit()
    monkeypatch.undo()
    with pytest.raises(CorruptLake, match="page 1 is damaged: its hash is another"):
        lake.page(commit.id, 1)
    with pytest.raises(CorruptLake, match="page 1 is damaged: its hash is another"):
        list(lake.pages(commit.files[0]))


def test_a_page_whose_headers_are_no_json_is_never_shown(lake: Lake) -> None:
    written_wrong(lake, "pages", lambda rows: rows[0].update(headers="{"))
    again = Lake(lake.root)
    with pytest.raises(CorruptLake, match="page 1 is damaged"):
        again.page(again.commits()[0].id, 1)


def test_a_file_that_is_no_parquet_is_named_by_whoever_reads_it(lake: Lake) -> None:
    path = data_file(lake, "records")
    path.write_bytes(b"these are no rows")
    said = {"size": path.stat().st_size, "sha256": file_hash(path)}
    rewrite(record(lake, 1), lambda found: found["files"][1].update(said))  # type: ignore[index]
    again = Lake(lake.root)
    with pytest.raises(CorruptLake, match="records of mandates are damaged"):
        again.current("mandates")
    with pytest.raises(CorruptLake, match="the file is damaged"):
        again.versions("mandates")
    (damage,) = examine(again).damages
    assert damage.told.startswith("it was committed broken")
