"""`recon doctor` as people and programs see it."""

import io
import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from recon.cli.doctor import command
from recon.lake import Lake
from tests.doctor.doctor_cases import config
from tests.lake.lake_cases import committed


def doctor(*arguments: str, env: Mapping[str, str] | None = None) -> Result:
    runner = CliRunner()
    return runner.invoke(command, arguments, env=env, standalone_mode=False)


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RECON_CONFIG", raising=False)


def test_without_settings_it_says_what_to_do_and_exits_2() -> None:
    done = doctor()
    assert done.return_value == 2
    assert "-> run `recon init`" in done.output
    assert done.output.endswith("1 problem, 0 warnings\n")


def test_json_holds_every_finding_and_the_exit_code(tmp_path: Path) -> None:
    done = doctor("--json", "--config", str(config(tmp_path)))
    found = json.loads(done.stdout)
    assert (found["exit_code"], found["problems"], done.return_value) == (0, 0, 0)
    areas = [each["area"] for each in found["findings"]]
    expected = ["settings", "reach", "journal", "disk", "lake", "notebooks", "versions"]
    assert list(dict.fromkeys(areas)) == expected
    assert {each["level"] for each in found["findings"]} == {"ok", "warning"}


def test_a_damaged_lake_exits_3_and_quiet_shows_only_trouble(tmp_path: Path) -> None:
    lake = Lake(tmp_path / "data" / "lake")
    commit = committed(lake, ["a"])
    (lake.root / commit.files[0].path).unlink()
    done = doctor("--quiet", "--config", str(config(tmp_path)))
    assert done.return_value == 3
    assert f"problem  {commit.files[0].path}: it is missing" in done.output
    assert "  ok " not in done.output
    assert doctor("-q", "--config", str(config(tmp_path))).output == done.output
    found = json.loads(doctor("-q", "--json", "--config", str(config(tmp_path))).output)
    assert {each["level"] for each in found["findings"]} == {"problem", "warning"}


def test_it_is_repeated_without_changing_anything(tmp_path: Path) -> None:
    lake = Lake(tmp_path / "data" / "lake")
    committed(lake, ["a"])
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    path = config(tmp_path)
    before[path] = path.stat().st_mtime_ns
    first = doctor("--config", str(path)).output
    assert doctor("--config", str(path), "--deep").return_value == 0
    assert doctor("--config", str(path)).output == first
    assert {
        path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()
    } == {path: at for path, at in before.items() if path.is_file()}


def _shown(
    folder: Path, monkeypatch: pytest.MonkeyPatch, **environment: str
) -> list[str]:
    """Return what a terminal of sixty columns is sent, line by line."""
    settings = {"COLUMNS": "60", "TERM": "xterm", "NO_COLOR": ""} | environment
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stdout", terminal)
    command.main(["--config", str(config(folder))], standalone_mode=False)
    return terminal.getvalue().splitlines()


@pytest.mark.parametrize("wish", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_terminal_that_wants_no_colour_is_sent_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wish: dict[str, str]
) -> None:
    assert "\x1b[" in "".join(_shown(tmp_path, monkeypatch))
    assert "\x1b" not in "".join(_shown(tmp_path, monkeypatch, **wish))


def test_a_finding_too_long_for_the_terminal_goes_on_below_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = _shown(tmp_path, monkeypatch, NO_COLOR="1")
    versions = lines.index("versions")
    assert lines[versions + 1].startswith("  ok       recon ")
    assert re.match(r" {11}\S", lines[versions + 2])
    assert max(map(len, lines[versions:])) <= 60
