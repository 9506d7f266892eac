"""What a pack lists as its inputs is held against the commits of the lake."""

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from recon.close import verifying
from recon.close.contents import FORMAT, INPUTS, inputs
from recon.close.packs import MANIFEST, Pack, manifest_of, write
from recon.close.verifying import verify
from recon.errors import UsageError
from recon.lake.voids import VOID, certificate
from recon.reconcile.run import counted_commits, reconcile
from tests.close.closed_shop import closed, restate, trade
from tests.reconcile.lake_history import History, MovingClock, at

Row = dict[str, Any]


@pytest.fixture(autouse=True)
def traded(history: History) -> None:
    trade(history)


def packed(path: Path, files: dict[str, bytes]) -> Path:
    write(path, {**files, MANIFEST: manifest_of(files, {"format": FORMAT})})
    return path


def told(
    history: History, tmp_path: Path, change: Callable[[list[Row]], object]
) -> list[str]:
    """Return what is told of a pack whose list of the inputs was changed."""
    as_of = history.lake.now()
    rows = json.loads(inputs(counted_commits(history.lake, as_of)))
    change(rows)
    path = packed(tmp_path / "pack.zip", {INPUTS: json.dumps(rows).encode()})
    with Pack(path, FORMAT) as pack:
        return list(verifying._input_differences(history.lake, pack, as_of))


def test_the_inputs_of_a_lake_are_its_own(history: History, tmp_path: Path) -> None:
    assert told(history, tmp_path, lambda _: None) == []


@pytest.mark.parametrize(
    "change",
    [
        lambda files: files[0].update(sha256="0" * 64),
        lambda files: files[0].update(path="records/payments/another.parquet"),
        lambda files: files.pop(),
        lambda files: files.append({**files[0], "path": "pages/x/another.parquet"}),
    ],
)
def test_a_commit_with_other_files_is_told(
    history: History, tmp_path: Path, change: Callable[[list[Row]], object]
) -> None:
    commit = history.lake.commits()[0]
    found = told(history, tmp_path, lambda rows: change(rows[0]["files"]))
    wanted = f"{INPUTS}: the commit {commit.id} has other files in the lake"
    assert found == [wanted]


def test_a_commit_that_one_side_lacks_is_told(history: History, tmp_path: Path) -> None:
    first, second = (commit.id for commit in history.lake.commits())
    assert told(history, tmp_path, lambda rows: rows.pop(0)) == [
        f"{INPUTS}: the commit {first} is not in the pack"
    ]
    assert told(history, tmp_path, lambda rows: rows[1].update(id="another")) == [
        f"{INPUTS}: the commit {second} is not in the pack",
        f"{INPUTS}: the commit another is not in the lake",
    ]


def test_damage_of_what_was_taken_back_is_told_of_packs_before_that_alone(
    history: History, tmp_path: Path
) -> None:
    """Nothing reads its files any more, as nothing reads those of a run written off."""
    lake = history.lake
    commit = lake.commits()[1]
    (file,) = commit.files
    assert commit.kind == "import"
    history.clock(at(8))
    with lake.begin(VOID, commit.source) as writing:
        writing.commit(certificate=certificate([commit.id]))
    damage = lake.root / file.path
    damage.write_bytes(damage.read_bytes()[:-1] + b"x")
    wanted = f"the lake's file {file.path} is not what was committed"
    for as_of, differences in ((at(7), [wanted]), (at(8), [])):
        files = {INPUTS: inputs(counted_commits(lake, as_of))}
        with Pack(packed(tmp_path / f"{as_of.day}.zip", files), FORMAT) as pack:
            found = list(verifying._input_differences(lake, pack, as_of))
        assert found == differences


def give_up_last_run(history: History) -> None:
    """Damage the files of the lake's last run, and write it off."""
    run = history.lake.commits(kind="run")[-1]
    for file in run.files:
        (history.lake.root / file.path).write_bytes(b"x")
    history.clock(MovingClock.present + timedelta(hours=1))
    history.pull(run.source, {}, kind=VOID, certificate=certificate([run.id]))


def test_a_pack_is_proven_where_a_run_before_it_or_its_own_was_written_off(
    history: History,
) -> None:
    lake, settings = history.lake, history.settings
    restate(history, 7)
    with reconcile(lake, settings) as result:
        assert result.breaks.num_rows
    give_up_last_run(history)
    pack = closed(history, carry_forward=True).pack
    give_up_last_run(history)
    proof = verify(pack, settings, lake)
    assert proof.differences == []
    assert proof.recomputed


def test_a_manifest_without_a_period_makes_it_no_pack(tmp_path: Path) -> None:
    path = packed(tmp_path / "pack.zip", {INPUTS: b"[]"})
    with pytest.raises(UsageError, match="its manifest names no period"):
        verify(path, None, None)
