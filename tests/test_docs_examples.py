"""The READMEs' programs run as they stand, and the bench tells how it is run."""

import os
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from recon.sandbox.server import serve
from recon.sandbox.terms import SANDBOX_KEYS
from tests.bench.__main__ import PARTS
from tests.generated_docs import ROOT
from tests.sandbox.small_world import BUSINESS, small_world

_PROGRAM = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def program_of(document: str) -> str:
    """Return the one program that a document shows."""
    (program,) = _PROGRAM.findall((ROOT / document).read_text("utf-8"))
    return str(program)


def run(program: str, folder: Path) -> str:
    """Return what a program prints, run in a folder by an interpreter of its own."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_program_of_the_sandbox_serves_a_history(tmp_path: Path) -> None:
    printed = run(program_of("recon/sandbox/README.md"), tmp_path)
    assert printed.startswith("http://127.0.0.1:")


def test_the_program_of_the_client_asks_sends_and_is_journaled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "recon.toml").write_text(f'business.name = "{BUSINESS}"\n', "utf-8")
    with serve(small_world()) as running:
        for section, key in (
            ("CASH_IN", SANDBOX_KEYS.cash_in_key),
            ("GATEWAY", SANDBOX_KEYS.gateway_key),
        ):
            monkeypatch.setenv(f"RECON_{section}__BASE_URL", running.base_url)
            monkeypatch.setenv(f"RECON_{section}__API_KEY", key)
        printed = run(program_of("recon/api/README.md"), tmp_path)
        balance, deposit, address = printed.splitlines()
        assert balance.isdecimal()
        assert "amount=5000000" in deposit
        assert address.startswith(f"{running.base_url}/v3/")
    with closing(sqlite3.connect(tmp_path / "data/lake/journal.sqlite3")) as journal:
        sent = journal.execute("select operation from requests order by 1").fetchall()
    assert sent == [("deposit",), ("gateway_send",)]


def test_the_bench_tells_its_parts_and_starts_none() -> None:
    told = subprocess.run(
        [sys.executable, "-m", "tests.bench", "--help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0
    assert told.stdout.startswith("usage: python -m tests.bench [-h] [part ...]\n")
    assert f"of {', '.join(PARTS)}; " in " ".join(told.stdout.split())
    for part in PARTS:
        assert (ROOT / "tests/bench" / f"{part}.py").exists()
