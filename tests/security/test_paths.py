"""No name that comes from outside leads out of the folders that are the program's."""

import json
import zipfile
from pathlib import Path

import pytest

from recon.close import packs, periods
from recon.close.contents import FORMAT
from recon.errors import RefusedFile, SettingsError, UsageError
from recon.imports.importing import take
from recon.lake import Lake
from recon.setting_files import load
from recon.settings import Business, Settings
from tests.imports.import_cases import VALID, write_csv

SETTINGS = Settings(business=Business(name="shop"))
OUTSIDE = ["../x", "..", "/etc/passwd", "a/../../b", "C:\\x", "a\x00b", "a//b", "."]


@pytest.mark.parametrize("name", [*OUTSIDE, "a b", "a?b", "a#b", "a%2fb", ""])
def test_a_business_s_name_is_one_piece_of_a_path(name: str, tmp_path: Path) -> None:
    path = tmp_path / "recon.toml"
    path.write_text(f"[business]\nname = {json.dumps(name)}\n", "utf-8")
    with pytest.raises(SettingsError, match=r"business\.name"):
        load(path, {})


@pytest.mark.parametrize("name", OUTSIDE)
def test_a_period_is_no_path(name: str) -> None:
    for text in (name, f"2026-10/{name}", f"{name}..{name}"):
        with pytest.raises(UsageError):
            periods.parse(text)


@pytest.mark.parametrize("name", OUTSIDE)
def test_an_entry_of_a_pack_that_leads_out_is_none(name: str, tmp_path: Path) -> None:
    path = tmp_path / "pack.zip"
    with zipfile.ZipFile(path, "w") as pack:
        pack.writestr(packs.MANIFEST, packs.manifest_of({}, {"format": FORMAT}))
        entry = zipfile.ZipInfo("x")
        entry.filename = name.replace("\x00", "\x01")
        pack.writestr(entry, b"evil")
    with pytest.raises(UsageError):
        packs.Pack(path, FORMAT)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["pack.zip"]


def test_a_file_s_name_stays_a_name(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    path = write_csv(folder / "..evil\u202e=cmd\n.csv", [VALID["adjustments"]])
    report = take("adjustments", [path], SETTINGS, Lake(tmp_path / "lake"))
    assert "\n" not in report.files[0].name
    assert "\u202e" not in report.files[0].name
    assert sorted(each.name for each in tmp_path.iterdir()) == ["in", "lake"]


def test_what_is_no_file_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "loop.csv").symlink_to(tmp_path / "loop.csv")
    for path in (tmp_path / "folder.csv", tmp_path / "loop.csv", Path("/dev/zero")):
        with pytest.raises(RefusedFile):
            take("adjustments", [path], SETTINGS, Lake(tmp_path / "lake"))
    assert not (tmp_path / "lake").exists()


def test_a_settings_file_has_an_end(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="longer than"):
        load(Path("/dev/zero"), {})
    with pytest.raises(SettingsError, match="cannot be read"):
        load(tmp_path, {})
