"""What `recon init` leaves works where the folder is, whatever its name."""

import resource
import subprocess
import sys
from pathlib import Path

import pytest

from recon import demo, workspace
from recon.errors import UsageError

PROGRAM = str(Path(sys.executable).with_name("recon"))


@pytest.mark.parametrize("secrets", ["", "export WHO=acme"])
def test_the_crontab_runs_in_a_folder_of_any_name_with_or_without_secrets(
    secrets: str, tmp_path: Path
) -> None:
    folder = tmp_path / "100% of 'my' $shop"
    workspace.write(folder)
    if secrets:
        (folder / "secrets.env").write_text(secrets, encoding="utf-8")
    line = (folder / "schedule" / "crontab").read_text("utf-8").splitlines()[-1]
    command = line.split(maxsplit=5)[5]
    assert "%" not in command.replace(r"\%", "")  # cron would end the line there
    told = command.replace(r"\%", "%").replace(PROGRAM, "echo $WHO")
    subprocess.run(["sh", "-c", told], check=True)
    expected = "acme nightly\n" if secrets else "nightly\n"
    assert (folder / "nightly.log").read_text("utf-8") == expected


def test_the_service_names_the_folder_as_systemd_reads_it(tmp_path: Path) -> None:
    """What it reads secrets from is a pattern: an unread one would be no error."""
    folder = tmp_path / r"100% [ours]\*?"
    workspace.write(folder)
    text = (folder / "schedule" / "recon-nightly.service").read_text("utf-8")
    assert f"WorkingDirectory={tmp_path}/100%% [ours]\\*?\n" in text
    pattern = r"100%% \[ours]\\\*\?"
    assert f"EnvironmentFile=-{tmp_path}/{pattern}/secrets.env\n" in text


def test_a_folder_gets_what_a_night_needs_and_keeps_what_it_has(tmp_path: Path) -> None:
    (tmp_path / "schedule").mkdir()
    (tmp_path / "schedule" / "crontab").write_text("ours")
    planned = workspace.planned(tmp_path)
    assert workspace.write(tmp_path, "[business]\n") == planned
    added = {path.relative_to(tmp_path).as_posix() for path in planned}
    schedule = {"schedule/recon-nightly.service", "schedule/recon-nightly.timer"}
    assert {"recon.toml", *schedule, "notebooks/01_first_look.ipynb"} <= added
    assert (tmp_path / "data").is_dir()
    assert (tmp_path / "recon.toml").read_text() == "[business]\n"
    assert (tmp_path / "schedule" / "crontab").read_text() == "ours"
    assert workspace.write(tmp_path) == []


@pytest.mark.parametrize("make", [workspace.planned, workspace.write, demo.refuse])
@pytest.mark.parametrize("below", ["", "/within"])
def test_a_file_is_no_folder_to_work_in(
    make: object, below: str, tmp_path: Path
) -> None:
    assert callable(make)
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="file is not a folder"):
        make(Path(f"{tmp_path}/file{below}"))


def test_what_a_full_disk_cut_short_is_written_whole_the_next_time(
    tmp_path: Path,
) -> None:
    whole = (workspace.STARTER / "recon.toml").read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(whole) // 2, hard))
    try:
        with pytest.raises(UsageError, match="cannot be written: File too large"):
            workspace.write(tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert not [each for each in tmp_path.rglob("*") if each.is_file()]
    assert tmp_path / "recon.toml" in workspace.write(tmp_path)
    assert (tmp_path / "recon.toml").read_bytes() == whole
