"""A pack: equal bytes for equal contents, and nothing passes that was touched."""

import json
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recon.close import packs
from recon.close.packs import MANIFEST, Pack, manifest_of
from recon.errors import UsageError
from tests.flushes import Flushes

FORMAT = "test pack"
FILES = {"a.csv": b"x,y\n1,2\n", "sub/b.json": b"{}\n"}


def written(path: Path, files: Mapping[str, bytes] = FILES) -> Path:
    manifest = manifest_of(files, {"format": FORMAT, "said": "x"})
    packs.write(path, {**files, MANIFEST: manifest})
    return path


def rewritten(path: Path, files: Mapping[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as pack:
        for name, content in files.items():
            pack.writestr(name, content)
    return path


def entries(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as pack:
        return {name: pack.read(name) for name in pack.namelist()}


def differences(path: Path) -> list[str]:
    with Pack(path, FORMAT) as pack:
        return pack.differences()


def test_equal_contents_are_equal_bytes_in_any_order(tmp_path: Path) -> None:
    one = written(tmp_path / "one.zip")
    other = written(tmp_path / "other.zip", dict(reversed(FILES.items())))
    assert one.read_bytes() == other.read_bytes()
    assert list(entries(one)) == [MANIFEST, "a.csv", "sub/b.json"]


def test_an_untouched_pack_has_no_differences(tmp_path: Path) -> None:
    path = written(tmp_path / "pack.zip")
    assert differences(path) == []
    with Pack(path, FORMAT) as pack:
        assert pack.read("a.csv") == FILES["a.csv"]
        assert pack.manifest["said"] == "x"


def test_nothing_is_left_beside_a_written_pack(tmp_path: Path) -> None:
    written(tmp_path / "deep" / "pack.zip")
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["pack.zip"]


def test_a_pack_is_flushed_before_it_takes_its_place_and_its_name_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = Flushes(monkeypatch)
    path = written(tmp_path / "pack.zip")
    placed = done.named(path)
    assert any(step < placed for step in done.when(path))
    assert any(step > placed for step in done.when(tmp_path))


def test_what_a_killed_writer_left_goes_with_the_next_one(tmp_path: Path) -> None:
    draft = tmp_path / ".pack.zip.0a1b2c3d"
    names = [".pack.zip.of-sara", "pack.zip.0a1b2c3d", ".other.zip.0a1b2c3d"]
    others = [tmp_path / name for name in names]
    for path in (draft, *others):
        path.write_bytes(b"PK half of a zip")
    pack = written(tmp_path / "pack.zip")
    assert {*tmp_path.iterdir()} == {pack, *others}


def test_a_draft_that_cannot_go_is_in_nobodys_way(tmp_path: Path) -> None:
    draft = tmp_path / ".pack.zip.0a1b2c3d"
    draft.mkdir()
    assert differences(written(tmp_path / "pack.zip")) == []
    assert draft.is_dir()


@pytest.mark.parametrize("name", ["a.csv", "sub/b.json"])
def test_a_changed_entry_is_named(tmp_path: Path, name: str) -> None:
    path = written(tmp_path / "pack.zip")
    rewritten(path, entries(path) | {name: b"x,y\n1,3\n"})
    (line,) = differences(path)
    assert line.startswith(f"{name}: its content")


def test_a_missing_and_an_added_entry_are_named(tmp_path: Path) -> None:
    path = written(tmp_path / "pack.zip")
    files = entries(path)
    del files["a.csv"]
    rewritten(path, files | {"z.txt": b""})
    missing, added = differences(path)
    assert missing.startswith("a.csv: it is in the manifest and not")
    assert added.startswith("z.txt: it is in the pack and not")


def test_a_changed_manifest_is_named_even_if_its_entries_fit(tmp_path: Path) -> None:
    path = written(tmp_path / "pack.zip")
    files = entries(path)
    manifest = json.loads(files[MANIFEST])
    manifest["said"] = "y"
    rewritten(path, files | {MANIFEST: json.dumps(manifest).encode()})
    (line,) = differences(path)
    assert line.startswith(f"{MANIFEST}: its own hash")


@pytest.mark.parametrize("newline", [b"\r\n", b"\n\n"])
def test_a_manifest_that_says_the_same_in_other_bytes_is_named(
    tmp_path: Path, newline: bytes
) -> None:
    """As a mail program changes texts, or whoever unpacks and packs them again."""
    path = written(tmp_path / "pack.zip")
    files = entries(path)
    other = files[MANIFEST].replace(b"\n", newline)
    rewritten(path, files | {MANIFEST: other})
    (line,) = differences(path)
    assert line.startswith(f"{MANIFEST}: it says the same in other bytes")


@pytest.mark.parametrize(
    "name",
    ["../evil", "/etc/passwd", "a/../../b", "a\\b", "C:evil", "a//b", "./a", "dir/"],
)
def test_a_name_that_leads_elsewhere_makes_it_no_pack(
    tmp_path: Path, name: str
) -> None:
    path = written(tmp_path / "pack.zip")
    rewritten(path, entries(path) | {name: b""})
    with pytest.raises(UsageError, match="is not allowed"):
        Pack(path, FORMAT)


def test_folders_of_entries_are_no_entries(tmp_path: Path) -> None:
    """As of a pack that was unpacked and packed again."""
    path = written(tmp_path / "pack.zip")
    rewritten(path, {"sub/": b"", **entries(path)})
    assert differences(path) == []


@pytest.mark.parametrize("name", ["sub/", "a.csv/"])
def test_a_folder_that_holds_content_or_no_entry_makes_it_no_pack(
    tmp_path: Path, name: str
) -> None:
    path = written(tmp_path / "pack.zip")
    with zipfile.ZipFile(path, "a") as pack:
        pack.writestr(name, b"x" if name == "sub/" else b"")
    with pytest.raises(UsageError, match="is not allowed"):
        Pack(path, FORMAT)


def test_a_link_makes_it_no_pack(tmp_path: Path) -> None:
    path = written(tmp_path / "pack.zip")
    with zipfile.ZipFile(path, "a") as pack:
        link = zipfile.ZipInfo("link")
        link.external_attr = 0o120777 << 16
        pack.writestr(link, "/etc/passwd")
    with pytest.raises(UsageError, match="is not allowed"):
        Pack(path, FORMAT)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_name_that_stands_twice_makes_it_no_pack(tmp_path: Path) -> None:
    path = written(tmp_path / "pack.zip")
    with zipfile.ZipFile(path, "a") as pack:
        pack.writestr("a.csv", b"other")
    with pytest.raises(UsageError, match="twice"):
        Pack(path, FORMAT)


@pytest.mark.parametrize(
    ("limit", "value"),
    [
        ("MAX_ENTRIES", 2),
        ("MAX_ENTRY_BYTES", 4),
        ("MAX_BYTES", 12),
        ("MAX_MANIFEST_BYTES", 10),
    ],
)
def test_what_is_beyond_a_bound_is_not_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, value: int
) -> None:
    path = written(tmp_path / "pack.zip")
    monkeypatch.setattr(packs, limit, value)
    with pytest.raises(UsageError, match="is no pack"):
        Pack(path, FORMAT)


@pytest.mark.parametrize(
    "manifest",
    [
        b"",
        b"[]",
        b"{",
        b'{"format": "test pack"}',
        b'{"format": "test pack", "sha256": "", "entries": [1]}',
        b'{"format": "other", "sha256": "", "entries": []}',
        b"[" * 100_000,
    ],
)
def test_a_manifest_of_another_shape_makes_it_no_pack(
    tmp_path: Path, manifest: bytes
) -> None:
    path = rewritten(tmp_path / "pack.zip", {MANIFEST: manifest})
    with pytest.raises(UsageError, match="is no pack"):
        Pack(path, FORMAT)


def test_a_pack_whose_bytes_were_changed_is_named(tmp_path: Path) -> None:
    path = written(tmp_path / "pack.zip")
    with zipfile.ZipFile(path) as packed:
        begins = packed.getinfo(MANIFEST).header_offset + 30 + len(MANIFEST)
    content = bytearray(path.read_bytes())
    content[begins + 5] ^= 0xFF
    path.write_bytes(content)
    with pytest.raises(UsageError) as error:
        Pack(path, FORMAT)
    assert str(error.value).startswith(f"{path} ")


def test_an_entry_that_no_program_unpacks_is_named_though_its_content_is_there(
    tmp_path: Path,
) -> None:
    path = written(tmp_path / "pack.zip")
    check = zlib.crc32(FILES["a.csv"]).to_bytes(4, "little")
    path.write_bytes(path.read_bytes().replace(check, bytes(4)))
    (line,) = differences(path)
    assert line.startswith(f"a.csv: {path} cannot be unpacked")


@pytest.mark.parametrize("content", [b"", b"PK", b"x" * 100])
def test_a_file_that_is_no_zip_is_no_pack(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "pack.zip"
    path.write_bytes(content)
    with pytest.raises(UsageError, match="is no pack"):
        Pack(path, FORMAT)
    with pytest.raises(UsageError, match="is no pack"):
        Pack(tmp_path / "none.zip", FORMAT)


@settings(
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(place=st.integers(min_value=0), flip=st.integers(1, 255))
def test_a_changed_byte_is_told_or_changes_no_content(
    tmp_path: Path, place: int, flip: int
) -> None:
    """A flipped byte may fall into what says nothing, as a time; never into content."""
    path = written(tmp_path / "pack.zip")
    raw = bytearray(path.read_bytes())
    raw[place % len(raw)] ^= flip
    path.write_bytes(raw)
    try:
        with Pack(path, FORMAT) as pack:
            if not pack.differences():
                assert {name: pack.read(name) for name in FILES} == FILES
    except UsageError:
        pass
