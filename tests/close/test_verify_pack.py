"""A pack is proven, or what differs is named."""

import dataclasses
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from recon.cli.verify_pack import command
from recon.close import Closing, Proof, contents, verify, verifying
from recon.close.packs import MANIFEST, Pack, manifest_of, write
from recon.errors import ReconError, UsageError
from recon.lake import Lake
from recon.settings import Checks, Escrow, Hosted
from tests.close.closed_shop import closed, copied, restate, trade
from tests.lake.compaction_cases import compacted
from tests.reconcile.lake_history import History, at


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Closing:
    """The period, closed with a break carried forward; not to be touched."""
    folder = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        history = History(folder / "lake", patch)
        trade(history, {1: 100, 3: 105, 6: 95})
        return closed(history, carry_forward=True)


@pytest.fixture
def history(made: Closing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> History:
    """A copy of that lake, two weeks later."""
    found = copied(made.pack.parents[2], tmp_path, monkeypatch)
    found.clock(at(20))
    return found


@pytest.fixture
def closing(made: Closing, history: History) -> Closing:
    """The closing with its pack in the copy."""
    pack = history.settings.reports_path / "closed" / made.pack.name
    return dataclasses.replace(made, pack=pack)


def proven(history: History, closing: Closing) -> Proof:
    return verify(closing.pack, history.settings, history.lake)


@pytest.fixture(scope="module")
def once(
    made: Closing, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Proof, dict[str, bytes]]:
    """The proof of the untouched pack, and the figures that were made again for it."""
    figures: dict[str, bytes] = {}

    def kept(*given: Any) -> dict[str, bytes]:
        figures.update(contents.contents(*given))
        return figures

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(verifying, "contents", kept)
        place = tmp_path_factory.mktemp("once")
        history = copied(made.pack.parents[2], place, patch)
        history.clock(at(20))
        pack = history.settings.reports_path / "closed" / made.pack.name
        return proven(history, dataclasses.replace(made, pack=pack)), figures


@pytest.fixture
def proof(once: tuple[Proof, dict[str, bytes]], closing: Closing) -> Proof:
    return dataclasses.replace(once[0], pack=closing.pack)


@pytest.fixture
def figures(once: tuple[Proof, dict[str, bytes]]) -> dict[str, bytes]:
    return once[1]


def forged(closing: Closing, change: Callable[[dict[str, bytes]], None]) -> None:
    """Change entries and make the manifest fit them again."""
    with zipfile.ZipFile(closing.pack) as pack:
        files = {name: pack.read(name) for name in pack.namelist()}
    change(files)
    manifest = json.loads(files.pop(MANIFEST))
    said = {k: v for k, v in manifest.items() if k not in ("entries", "sha256")}
    write(closing.pack, {**files, MANIFEST: manifest_of(files, said)})


def replacing(name: str, content: bytes) -> Callable[[dict[str, bytes]], None]:
    """A change that puts another content in an entry's place."""
    return lambda files: files.update({name: content})


def test_a_pack_is_proven_by_its_lake(proof: Proof, closing: Closing) -> None:
    assert proof.differences == []
    assert proof.notes == []
    assert proof.holds
    assert proof.entries == closing.entries - 1
    assert proof.recomputed is not None
    assert proof.recomputed >= 12


def test_what_came_later_does_not_touch_the_proof(
    history: History, closing: Closing
) -> None:
    restate(history, 500)
    (row,) = [
        row for row in history.lake.versions("run_breaks").to_pylist() if row["check"]
    ]
    history.decide(row["break_id"], "resolve", at(20))
    history.clock(at(21))
    assert proven(history, closing).differences == []


@pytest.mark.parametrize(
    "changed",
    [
        {"checks": Checks(tolerance=1_000), "cash_in": None},
        {"escrow": Escrow(base_url="https://a.example")},  # of which nothing was read
        {"hosted": Hosted(base_url="https://a.example")},
    ],
)
def test_settings_changed_since_do_not_touch_the_proof(
    history: History, closing: Closing, changed: dict[str, Any]
) -> None:
    history.settings = dataclasses.replace(history.settings, **changed)
    assert proven(history, closing).differences == []


def test_without_a_lake_only_the_hashes_are_proven(closing: Closing) -> None:
    proof = verify(closing.pack, None, None)
    assert proof.holds
    assert proof.recomputed is None
    assert "only the pack's own hashes" in proof.notes[0]


def test_a_forged_figure_is_told_by_the_lake(
    history: History, closing: Closing
) -> None:
    def change(files: dict[str, bytes]) -> None:
        files["balances.csv"] = files["balances.csv"].replace(b",100,", b",101,")

    forged(closing, change)
    assert verify(closing.pack, None, None).holds  # its hashes were made to fit
    told = proven(history, closing).differences
    assert "the file is not the one that was written at the closing" in told
    (line,) = [line for line in told if line.startswith("balances.csv")]
    assert line == "balances.csv: line 2 comes out as another one"


def test_a_file_left_out_or_added_is_told_by_the_lake(
    history: History, closing: Closing
) -> None:
    def change(files: dict[str, bytes]) -> None:
        del files["in_transit.csv"]
        files["more.csv"] = b""

    forged(closing, change)
    told = proven(history, closing).differences
    assert "in_transit.csv: it is not in the pack" in told
    assert "more.csv: it is not in the figures made again" in told


def test_a_file_that_only_a_later_version_writes_is_no_difference(
    history: History,
    closing: Closing,
    figures: dict[str, bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    more = figures | {"reports/later.csv": b""}
    monkeypatch.setattr(verifying, "contents", lambda *_: more)
    assert proven(history, closing).differences == [
        "reports/later.csv: it is not in the pack"
    ]
    monkeypatch.setattr(verifying, "__version__", "9.9")
    proof = proven(history, closing)
    assert proof.holds
    assert "reports/later.csv: it was no part of a pack then" in proof.notes
    assert any(note.endswith("this is 9.9") for note in proof.notes)


def test_an_entry_changed_by_hand_is_told_and_nothing_is_made_again(
    history: History, closing: Closing
) -> None:
    with zipfile.ZipFile(closing.pack) as pack:
        files = {name: pack.read(name) for name in pack.namelist()}
    files["balances.csv"] += b"x"
    write(closing.pack, files)
    proof = proven(history, closing)
    assert proof.differences == [
        "balances.csv: its content is not what the manifest says"
    ]
    assert proof.recomputed is None


def test_a_damaged_input_of_the_lake_is_told(
    history: History, closing: Closing
) -> None:
    (path,) = (history.lake.root / "pages").rglob("*.parquet")
    page_of_close = path.relative_to(history.lake.root).as_posix()
    record = next((history.lake.root / "records" / "balances").glob("*.parquet"))
    record.write_bytes(record.read_bytes()[:-1] + b"x")
    told = proven(history, closing).differences
    name = record.relative_to(history.lake.root).as_posix()
    assert f"the lake's file {name} is not what was committed" in told
    assert not [line for line in told if page_of_close in line]


def test_a_lake_without_the_closing_says_so(
    history: History, closing: Closing, tmp_path: Path
) -> None:
    proof = verify(closing.pack, history.settings, Lake(tmp_path / "other"))
    assert "this lake has no closing of the pack's period" in proof.differences
    assert [line for line in proof.differences if line.startswith("inputs.json")]


def test_what_another_version_makes_otherwise_is_told_apart_and_is_not_proven(
    history: History,
    closing: Closing,
    figures: dict[str, bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    balances = figures["balances.csv"].replace(b",100,", b",101,")
    other = figures | {"balances.csv": balances, "README.txt": b"other words"}
    monkeypatch.setattr(verifying, "contents", lambda *_: other)
    same_build = proven(history, closing)
    assert len(same_build.differences) == 2
    assert same_build.otherwise == []
    monkeypatch.setattr(verifying, "code_hash", lambda: "another")
    proof = proven(history, closing)
    assert not proof.holds
    assert proof.differences == []
    assert [line.split(":")[0] for line in proof.otherwise] == ["balances.csv"]
    assert proof.recomputed == same_build.recomputed
    assert proof.notes == ["another build of recon 0.1.0 wrote it"]


def test_a_pack_of_a_release_that_kept_no_figures_of_the_books_holds(
    history: History, closing: Closing
) -> None:
    """The pack is made here, so that the lake's closing names another file's hash."""
    with zipfile.ZipFile(closing.pack) as pack:
        files = {name: pack.read(name) for name in pack.namelist()}
    del files["books.csv"]
    manifest = json.loads(files.pop(MANIFEST))
    said = {k: v for k, v in manifest.items() if k not in ("entries", "sha256")}
    write(closing.pack, {**files, MANIFEST: manifest_of(files, said | {"code": "old"})})
    proof = proven(history, closing)
    assert proof.differences == [
        "the file is not the one that was written at the closing"
    ]
    assert proof.otherwise == []
    assert "books.csv: it was no part of a pack then" in proof.notes


def test_a_pack_whose_manifest_names_another_build_is_not_proven_by_that(
    history: History, closing: Closing
) -> None:
    with zipfile.ZipFile(closing.pack) as pack:
        files = {name: pack.read(name) for name in pack.namelist()}
    files["balances.csv"] = files["balances.csv"].replace(b",100,", b",101,")
    manifest = json.loads(files.pop(MANIFEST))
    said = {k: v for k, v in manifest.items() if k not in ("entries", "sha256")}
    said |= {"recon": "0.0.9", "code": "another"}
    write(closing.pack, {**files, MANIFEST: manifest_of(files, said)})
    proof = proven(history, closing)
    assert not proof.holds
    assert proof.differences == [
        "the file is not the one that was written at the closing"
    ]
    assert [line.split(":")[0] for line in proof.otherwise] == ["balances.csv"]


def test_the_command_tells_what_another_version_makes_otherwise(
    closing: Closing,
    config: Path,
    figures: dict[str, bytes],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    balances = figures["balances.csv"].replace(b",100,", b",1,")
    other = figures | {"balances.csv": balances}
    arguments = [str(closing.pack), "--config", str(config)]
    monkeypatch.setattr(verifying, "code_hash", lambda: "another")
    assert command.main(arguments, standalone_mode=False) == 0
    assert "came again from the lake by this version, too" in capsys.readouterr().out
    monkeypatch.setattr(verifying, "contents", lambda *_: other)
    assert command.main(arguments, standalone_mode=False) == 1
    out = capsys.readouterr().out
    assert "by this version otherwise: balances.csv: line 2 (" in out
    assert "FIGURES NOT PROVEN by this version: " in out
    assert "the recon 0.1.0 that wrote the pack can prove them" in out
    assert out.rstrip().endswith("; this is another build of 0.1.0")


def test_other_queries_are_a_note_where_the_figures_are_the_same(
    history: History, closing: Closing, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = contents.queries()
    changed = own | {"queries/checks/wallet_rollforward.sql": b"select 1"}
    monkeypatch.setattr(verifying, "queries", lambda: changed)
    proof = proven(history, closing)
    assert proof.differences == []
    assert "queries/checks/wallet_rollforward.sql" in proof.notes[0]


def test_a_pack_of_another_version_says_so(
    history: History, closing: Closing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verifying, "__version__", "9.9")
    proof = proven(history, closing)
    assert proof.differences == []
    assert "this is 9.9" in proof.notes[0]


def test_settings_that_are_none_are_a_difference_not_an_error(
    history: History, closing: Closing
) -> None:
    for text in (b"[]", b"{}", b'{"business": 1}', b"{"):
        forged(closing, replacing("settings.json", text))
        told = proven(history, closing).differences
        assert any(line.startswith("the pack cannot be made again") for line in told)


def test_inputs_that_are_none_are_a_difference_not_an_error(
    history: History, closing: Closing
) -> None:
    for text in (b"{", b"[1]", b'[{"id": 1}]', b"{}"):
        forged(closing, replacing("inputs.json", text))
        with Pack(closing.pack, contents.FORMAT) as pack:
            found = verifying._input_differences(history.lake, pack, closing.as_of)
            (told,) = found
        assert told.startswith("inputs.json: it is no list")
    assert told in proven(history, closing).differences


def test_the_command_exits_0_1_and_2(
    closing: Closing,
    config: Path,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path.parent)
    pack = str(closing.pack)

    def ran(*arguments: str) -> tuple[int, str]:
        code = command.main(list(arguments), standalone_mode=False)
        return code, capsys.readouterr().out

    assert ran(pack, "--config", str(config))[0] == 0
    code, out = ran(pack)
    assert (code, "only the pack's own hashes" in out) == (0, True)
    forged(closing, lambda files: files.update({"balances.csv": b"x\n"}))
    code, out = ran(pack, "--config", str(config), "--json")
    assert (code, json.loads(out)["holds"]) == (1, False)
    other = tmp_path / "other.zip"
    other.write_bytes(b"x")
    with pytest.raises(UsageError) as error:
        command.main([str(other)], standalone_mode=False)
    assert isinstance(error.value, ReconError)
    assert error.value.exit_code == 2


def test_a_closing_is_proven_again_over_a_compacted_lake(
    history: History, closing: Closing, proof: Proof
) -> None:
    assert proof.holds
    compacted(history.lake)
    assert proven(history, closing) == proof


def test_a_pack_of_every_check_is_proven(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = History(tmp_path / "lake", monkeypatch)
    trade(made, {1: 100, 3: 105, 6: 95})
    made.settings = dataclasses.replace(made.settings, checks=Checks())
    done = closed(made, carry_forward=True)
    assert done.carried_forward == 1
    assert proven(made, done).holds


def test_a_closing_of_a_compacted_lake_lists_the_originals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = History(tmp_path / "lake", monkeypatch)
    trade(made, {1: 100, 3: 105, 6: 95})
    compaction = compacted(made.lake)
    done = closed(made, carry_forward=True)
    with zipfile.ZipFile(done.pack) as pack:
        listed = {each["id"] for each in json.loads(pack.read(contents.INPUTS))}
    assert listed
    assert compaction.id not in listed
    assert proven(made, done).holds
