"""What the doctor says to do about a damaged file is done to the letter, and helps."""

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from recon.doctor import Level
from recon.errors import CorruptLake, ExitCode
from recon.imports.kinds import KINDS
from recon.imports.voiding import void
from recon.lake import Lake
from recon.lake.schema import TABLES
from tests.doctor.doctor_cases import config, examined, of
from tests.imports.import_cases import VALID, changed, taken, write_csv
from tests.lake.full_lakes import data_file, record
from tests.lake.lake_cases import committed, page

_RESTORE = "restore it from a copy of the lake: recon doctor --restore FOLDER"
_AGAIN = re.compile(
    r"recon import (?P<kind>\w+) (?P<digits>[0-9a-f]{12}) --void(?: \((?P<times>\d)"
    r" times\))?, then import (?P<name>[\w.]+) as before"
    r"(?:, and then once more, in their order, the (?P<later>\d) files? of (?P=kind) )?"
)


def advice(folder: Path) -> str:
    """Return what is to be done about the only damage."""
    found = examined(config(folder))
    assert found.exit_code is ExitCode.INCOMPLETE
    (finding,) = of(found, "lake", Level.PROBLEM)
    return finding.do


def rows_of(lake: Lake, kind: str) -> list[Any]:
    table = TABLES[KINDS[kind].table]
    names = [name for name in table.columns.names if name != "seen_at"]
    read = lake.current if table.key else lake.versions
    return sorted(map(str, read(KINDS[kind].table).select(names).to_pylist()))


def harm(lake: Lake, number: int, folder: str = "records") -> None:
    (file,) = [f for f in lake.commits()[number].files if f.folder == folder]
    (lake.root / file.path).write_bytes(b"x")


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind in VALID])
def test_an_import_is_taken_back_and_made_again(
    tmp_path: Path, lake: Lake, kind: str
) -> None:
    file = write_csv(tmp_path / f"{kind}.csv", [VALID[kind]])
    taken(lake, kind, file)
    before = rows_of(lake, kind)
    harm(lake, -1)
    found = _AGAIN.search(advice(tmp_path))
    assert found
    assert (found["kind"], found["name"], found["later"]) == (kind, file.name, None)
    void(kind, [Path(found["digits"])], Lake(lake.root))
    taken(Lake(lake.root), kind, file)
    assert rows_of(Lake(lake.root), kind) == before
    assert examined(config(tmp_path)).exit_code is ExitCode.CLEAN


def test_files_that_corrected_an_import_are_imported_again_after_it(
    tmp_path: Path, lake: Lake
) -> None:
    """Else what it said of their keys would count again."""
    old = write_csv(tmp_path / "old.csv", [VALID["books"]])
    other = write_csv(tmp_path / "other.csv", [changed("books", reference="2")])
    new = write_csv(tmp_path / "new.csv", [changed("books", amount="7")])
    for each in (old, other, old, new):
        taken(lake, "books", each)
    before = rows_of(lake, "books")
    harm(lake, 1)
    found = _AGAIN.search(advice(tmp_path))
    assert found
    assert (found["times"], found["later"]) == ("2", "3")
    for _ in range(int(found["times"])):
        void("books", [Path(found["digits"])], Lake(lake.root))
    for each in (old, other, old, new):
        taken(Lake(lake.root), "books", each)
    assert rows_of(Lake(lake.root), "books") == before
    assert examined(config(tmp_path)).exit_code is ExitCode.CLEAN


def test_files_without_keys_wait_for_nobody(tmp_path: Path, lake: Lake) -> None:
    for number in "12":
        rows = [changed("adjustments", amount=f"-{number}")]
        taken(lake, "adjustments", write_csv(tmp_path / f"{number}.csv", rows))
    harm(lake, 1)
    assert advice(tmp_path).endswith(" --void, then import 1.csv as before")


def test_the_evidence_of_an_import_may_be_made_again(
    tmp_path: Path, lake: Lake
) -> None:
    file = write_csv(tmp_path / "b.csv", [VALID["books"]])
    taken(lake, "books", file)
    harm(lake, 1, "pages")
    told = "; its rows stay, but their evidence is not whole; or recon import books "
    assert told in advice(tmp_path)


def test_what_was_delivered_is_in_no_file_to_import(tmp_path: Path, lake: Lake) -> None:
    with lake.begin("import", "events") as writing:
        writing.page(page())
        writing.commit(certificate={"deliveries": {"number": 1}})
    harm(lake, 1, "pages")
    assert advice(tmp_path) == (
        f"{_RESTORE}; its rows stay, but their evidence is not whole"
    )


def test_a_lost_commit_record_is_restored_before_an_import_is_made_again(
    tmp_path: Path, lake: Lake
) -> None:
    file = write_csv(tmp_path / "b.csv", [VALID["books"]])
    taken(lake, "books", file)
    harm(lake, 1)
    next((lake.root / "commits").glob("*1.json")).unlink()
    found = of(examined(config(tmp_path)), "lake", Level.PROBLEM)
    assert [each.do.partition(";")[0] for each in found] == [_RESTORE, _RESTORE]
    assert "--void" not in found[1].do


@pytest.mark.parametrize(
    "name", ["00000003.json", "00000002 (copy).json", "._00000002.json"]
)
def test_a_record_that_is_there_twice_is_moved_out(
    tmp_path: Path, lake: Lake, name: str
) -> None:
    committed(lake, ["b"])
    folder = lake.root / "commits"
    shutil.copy(folder / "00000002.json", folder / name)
    with pytest.raises(CorruptLake, match=re.escape(name)):
        Lake(lake.root).commits()
    assert advice(tmp_path) == (
        "it repeats commits/00000002.json: move it out of the lake; a record that is "
        "missing then comes back from a copy: recon doctor --restore FOLDER"
    )
    (folder / name).unlink()
    assert examined(config(tmp_path)).exit_code is ExitCode.CLEAN


def test_a_record_under_another_name_gets_its_own_back(
    tmp_path: Path, lake: Lake
) -> None:
    committed(lake, ["b"])
    folder = lake.root / "commits"
    (folder / "00000002.json").rename(folder / "00000002 (1).json")
    (folder / "notes.json").write_text("{}")
    found = of(examined(config(tmp_path)), "lake", Level.PROBLEM)
    assert [each.do for each in found] == [
        "it says that it is commits/00000002.json: compare them, or name it so",
        "it is no commit record: move it out of the lake",
    ]


def test_a_record_in_the_place_of_another_is_one_that_is_lost(
    tmp_path: Path, lake: Lake
) -> None:
    for name in "bcd":
        committed(lake, [name])
    copies = shutil.copytree(lake.root, tmp_path / "copies")
    folder = lake.root / "commits"
    shutil.copy(folder / "00000004.json", folder / "00000002.json")
    assert advice(tmp_path).startswith("it repeats commits/00000004.json: move it out")
    (folder / "00000002.json").unlink()
    assert advice(tmp_path).startswith(_RESTORE)
    restored = examined(config(tmp_path), restore=copies)
    assert restored.exit_code is ExitCode.CLEAN


def test_ids_are_read_anew_unless_a_later_pull_did(tmp_path: Path, lake: Lake) -> None:
    def swept(*, complete: bool) -> None:
        with lake.begin("pull", "mandates") as writing:
            writing.seen("mandates", ["a"])
            writing.commit(complete=complete)

    swept(complete=True)
    harm(lake, 1, "seen")
    assert advice(tmp_path) == (
        f"{_RESTORE}; recon pull mandates --full makes a new one"
    )
    swept(complete=False)
    assert advice(tmp_path).endswith("--full makes a new one")
    swept(complete=True)
    assert advice(tmp_path) == (
        f"{_RESTORE}; only readings as of an earlier time need it: later pulls made "
        "new ones"
    )


def test_an_earlier_list_of_accounts_tells_whose_deposits_were_in_order(
    tmp_path: Path, lake: Lake
) -> None:
    for _ in range(2):
        with lake.begin("pull", "accounts") as writing:
            writing.seen("accounts", ["IR1"])
            writing.commit()
    harm(lake, 1, "seen")
    assert advice(tmp_path).endswith(
        "later pulls made new ones, but for deposits of an account that was closed "
        "since: they are told"
    )


def test_the_figures_of_a_closing_are_no_mere_evidence(
    tmp_path: Path, lake: Lake
) -> None:
    with lake.begin("close", "2026-10") as writing:
        writing.page(page())
        writing.commit()
    harm(lake, 1, "pages")
    assert advice(tmp_path) == (
        f"{_RESTORE}; until then no night is reported, for each tells what of it was "
        "restated"
    )


@pytest.mark.parametrize("way", ["file-lost-too", "number-taken", "proven", "older"])
def test_newest_commits_that_only_the_copy_has_are_told(
    tmp_path: Path, lake: Lake, way: str
) -> None:
    """No gap tells of them, and the lake reads as whole."""
    for name in ("d", "e"):
        committed(lake, [name])
    copies = shutil.copytree(lake.root, tmp_path / "copies")
    number = len(lake.commits())
    if way == "older":
        committed(lake, ["later"])
    else:
        record(lake, number).unlink()
    if way == "file-lost-too":
        there = data_file(Lake(copies), "records", number)
        (lake.root / there.relative_to(copies)).unlink()
    if way == "number-taken":
        committed(Lake(lake.root), ["later"])
    for rehearsed in (True, False):
        found = examined(config(tmp_path), restore=copies, dry_run=rehearsed)
        said = [each.told for each in of(found, "lake", Level.WARNING)]
        lost = f"{copies} has 1 commit that the lake lacks, from commits/{number:08d}"
        named = [each for each in said if each.startswith(lost)]
        assert bool(named) == (way in ("file-lost-too", "number-taken"))
        assert any("that the lake lacks" in each for each in said) == bool(named)


def test_a_damaged_record_is_no_commit_that_only_the_copy_has(
    tmp_path: Path, lake: Lake
) -> None:
    """It may be the same one: which it is cannot be told while it is damaged."""
    committed(lake, ["d"])
    record(lake, 2).write_bytes(b"x")
    copies = shutil.copytree(lake.root, tmp_path / "copies")
    record(Lake(copies), 2).write_bytes(b"y")
    found = examined(config(tmp_path), restore=copies)
    (problem,) = of(found, "lake", Level.PROBLEM)
    assert problem.told.startswith("commits/00000002.json: ")
    assert of(found, "lake", Level.WARNING) == []


def test_a_record_that_no_copy_has_is_followed_by_the_copy_itself(
    tmp_path: Path, lake: Lake
) -> None:
    """What to do to the letter: else a lost record would stop every night for ever."""
    copy = shutil.copytree(lake.root, tmp_path / "copy")
    for name in ("books", "adjustments"):
        taken(lake, name, write_csv(tmp_path / f"{name}.csv", [VALID[name]]))
    sorted(lake.root.glob("commits/*.json"))[-2].unlink()
    path = config(tmp_path)
    found = examined(path, restore=copy)
    (said,) = of(found, "lake", Level.PROBLEM)
    assert said.do.startswith(f"not restored (the copy does not have it); {_RESTORE}; ")
    assert "move this lake away and put the newest whole copy in its place" in said.do
    lake.root.rename(tmp_path / "away")
    shutil.copytree(copy, lake.root)
    assert not of(examined(path), "lake", Level.PROBLEM)
