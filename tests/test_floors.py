"""The floors of the house hold, and files stay small."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
LONGEST_FILE = 400


def test_imports_go_only_downward() -> None:
    done = subprocess.run(
        [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_file_is_longer_than_a_reader_bears() -> None:
    folders = ("recon/**/*.py", "tests/**/*.py", "queries/**/*.sql")
    files = [path for folder in folders for path in ROOT.glob(folder)]
    long = {
        str(path.relative_to(ROOT)): count
        for path in files
        if (count := len(path.read_text(encoding="utf-8").splitlines())) > LONGEST_FILE
    }
    assert not long


def test_no_module_is_named_for_nothing() -> None:
    vague = {"utils", "util", "helpers", "helper", "manager", "common", "misc"}
    assert not [path for path in ROOT.glob("recon/**/*.py") if path.stem in vague]
