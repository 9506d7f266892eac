"""One byte changed anywhere in a lake: reads refuse it or are as before, never other.

The doctor finds it in any case, and names the file.
"""

import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recon.errors import CorruptLake
from recon.lake import Lake
from recon.lake.health import examine
from recon.lake.verifying import Verifier, file_hash
from tests.lake.lake_cases import mandate, page


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a lake of some commits, in which most columns have values."""
    lake = Lake(tmp_path_factory.mktemp("whole") / "lake")
    for number in range(3):
        with lake.begin("pull", "mandates") as writing:
            at = writing.page(page(b'{"data": [%d]}' % number, f"https://p/{number}"))
            rows = [
                mandate(f"m{each}", page_no=at, position=each, limit=number * each)
                for each in range(40)
            ]
            writing.rows("mandates", rows)
            writing.seen("mandates", [f"m{each}" for each in range(40)])
            writing.commit(certificate={"sweeps": number})
    return lake.root


def shown(root: Path) -> Any:
    """Return everything that a reader can see of a lake."""
    lake = Lake(root)
    commits = lake.commits()
    swept = lake.last_whole_sweep("mandates")
    assert swept is not None
    return (
        commits,
        lake.versions("mandates").to_pylist(),
        sorted(map(str, lake.current("mandates").to_pylist())),
        [lake.page(each.id, 1) for each in commits],
        lake.read(swept[1]).to_pylist(),
    )


@pytest.fixture(scope="module")
def expected(whole: Path) -> Any:
    return shown(whole)


@settings(max_examples=80)
@given(
    which=st.integers(0, 2**16),
    where=st.integers(0, 2**20),
    is_removed=st.booleans(),
    change=st.integers(1, 255),
)
def test_no_changed_byte_is_ever_read_silently(
    whole: Path,
    expected: Any,
    tmp_path_factory: pytest.TempPathFactory,
    which: int,
    where: int,
    is_removed: bool,
    change: int,
) -> None:
    root = tmp_path_factory.mktemp("harmed") / "lake"
    shutil.copytree(whole, root)
    files = sorted(path for path in root.rglob("*") if path.is_file())
    path = files[which % len(files)]
    content = bytearray(path.read_bytes())
    place = where % len(content)
    if is_removed:
        del content[place]
    else:
        content[place] ^= change
    path.write_bytes(content)
    try:
        assert shown(root) == expected
    except CorruptLake as error:
        assert path.name in str(error)  # noqa: PT017 - or nothing changed at all
    damages = examine(Lake(root)).damages
    assert [each.path for each in damages] == [path.relative_to(root).as_posix()]
    shutil.rmtree(root.parent)


def test_a_byte_that_changes_between_two_reads_is_noticed(
    whole: Path, tmp_path: Path
) -> None:
    root = tmp_path / "lake"
    shutil.copytree(whole, root)
    lake = Lake(root)
    path = lake.files("mandates")[0]
    content = path.read_bytes()
    assert lake.current("mandates").num_rows == 40
    path.write_bytes(content[:300] + bytes([content[300] ^ 1]) + content[301:])
    with pytest.raises(CorruptLake, match=f"{path.name}.*SHA-256"):
        lake.current("mandates")


def test_a_file_is_hashed_once_and_again_when_touched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"rows")
    hashed = []

    def counted(given: Path) -> str:
        hashed.append(given)
        return file_hash(given)

    monkeypatch.setattr("recon.lake.verifying.file_hash", counted)
    verifier, digest = Verifier(), file_hash(path)
    for _ in range(3):
        verifier.check(path, 4, digest, "it")
    assert len(hashed) == 1
    path.touch()
    verifier.check(path, 4, digest, "it")
    assert len(hashed) == 2
    with pytest.raises(CorruptLake, match="it: a committed file is damaged"):
        verifier.check(path, 4, "0" * 64, "it")


def test_a_watch_over_time_is_not_fooled_by_a_kept_time(
    whole: Path, tmp_path: Path
) -> None:
    """Whoever puts the old time back changes the inode's own: it is hashed again."""
    root = tmp_path / "lake"
    shutil.copytree(whole, root)
    lake = Lake(root)
    path = lake.files("mandates")[0]
    before, content = path.stat(), path.read_bytes()
    with path.open("r+b") as file:
        file.seek(300)
        file.write(bytes([content[300] ^ 1]))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_mtime_ns == before.st_mtime_ns
    with pytest.raises(CorruptLake):
        lake.files("mandates")
