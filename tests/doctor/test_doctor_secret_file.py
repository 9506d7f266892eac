"""The file of secrets is to be its owner's alone, and to be read as it is written."""

import subprocess
from pathlib import Path

import pytest

from recon.doctor import Level
from tests.doctor.doctor_cases import CANARY, UNIFIED, config, examined, told

KEY = "RECON_UNIFIED__API_KEY"
URLS = "RECON_NOTIFY__URLS"


def warned(folder: Path, content: str, mode: int = 0o600) -> list[str]:
    path = folder / "secrets.env"
    path.write_text(content, "utf-8")
    path.chmod(mode)
    found = examined(config(folder, UNIFIED))
    assert CANARY not in str(found)
    return told(found, "settings", Level.WARNING)


def sourced(folder: Path, name: str) -> str:
    """Return what the line for cron makes of a variable."""
    script = f'set -a; . ./secrets.env; printf %s "${name}"'
    done = subprocess.run(
        ["/bin/sh", "-c", script],
        cwd=folder,
        env={"HOME": "/"},
        capture_output=True,
        check=False,
    )
    return done.stdout.decode()


@pytest.mark.parametrize(("mode", "count"), [(0o600, 0), (0o640, 1), (0o604, 1)])
def test_secrets_that_others_may_read_are_a_warning(
    tmp_path: Path, mode: int, count: int
) -> None:
    lines = warned(tmp_path, f"{KEY}={CANARY}\n", mode)
    assert len(lines) == count
    assert all("others on this machine may read the secrets" in line for line in lines)


@pytest.mark.parametrize(
    "line",
    [
        f"{URLS}=json://host.example/{CANARY}?format=text&overflow=split",
        f"{URLS}={CANARY}$box",
        f"{URLS}={CANARY}`x`",
        f"{URLS}={CANARY} two",
        f'{URLS}="{CANARY}$box"',
        f"{URLS}={CANARY}\\n",
        f"{URLS}=~/{CANARY}",
        f"{URLS} = {CANARY}",
    ],
)
def test_a_value_that_a_shell_reads_as_another_is_told_by_its_line(
    tmp_path: Path, line: str
) -> None:
    (said,) = warned(tmp_path, f"# keys\n{KEY}=k\n{line}\n")
    assert "a shell reads line 3 otherwise" in said
    value = line.partition("=")[2].strip().strip('"')
    assert sourced(tmp_path, URLS) != value
    assert not warned(tmp_path, f"# keys\n{KEY}=k\n{URLS}='{value}'\n")
    assert sourced(tmp_path, URLS) == value


@pytest.mark.parametrize(
    "value", ["a1-b_c.d", "json://h.example/x?y=z", "#no", "a#b", "", "k/=+:,%@!"]
)
def test_a_plain_value_needs_no_quotes(tmp_path: Path, value: str) -> None:
    assert not warned(tmp_path, f"{URLS}={value}\n")
    assert sourced(tmp_path, URLS) == value
    assert not warned(tmp_path, f'\n  # x\nexport {URLS}="{value}"  \n')
    assert sourced(tmp_path, URLS) == value


def test_no_such_file_is_no_trouble(tmp_path: Path) -> None:
    assert not told(examined(config(tmp_path, UNIFIED)), "settings", Level.WARNING)
