"""`recon reconcile --engine`: both engines by name, and what a user may do wrong."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from recon.cli.group import run
from recon.lake import Lake
from recon.reconcile.checks import shipped_checks
from tests.reconcile.lake_history import COUNTS, unpaid


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "recon.toml"
    others = [each.name for each in shipped_checks() if each.product != "unified"]
    path.write_text(
        f'[business]\nname = "acme"\n[checks]\ndisabled = {json.dumps(others)}\n',
        encoding="utf-8",
    )
    with Lake(tmp_path / "data" / "lake").begin("pull", "checkouts") as made:
        made.rows("checkouts", unpaid("a", "b")["checkouts"])
        made.commit(counts=COUNTS)
    return path


def test_both_engines_keep_the_same_run(
    config: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    sail: str,
) -> None:
    monkeypatch.setenv("RECON_SPARK__REMOTE", sail)
    lake = Lake(config.parent / "data" / "lake")
    at = lake.now().isoformat()
    told = []
    for engine in ("duckdb", "spark"):
        options = ["--engine", engine, "--as-of", at, "--json"]
        code = run(["reconcile", "--config", str(config), *options])
        told.append((code, json.loads(capsys.readouterr().out)))
    assert told[0] == told[1]
    code, found = told[1]
    assert (code, found["breaks"]["open"]["by_severity"]["critical"]) == (1, 2)
    assert len(lake.commits(kind="run")) == 1  # the same run is kept once


def test_without_an_address_it_says_what_is_missing(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = run(["reconcile", "--config", str(config), "--engine", "spark"])
    said = capsys.readouterr()
    assert (code, said.out) == (2, "")
    assert said.err == (
        "recon: --engine spark needs spark.remote, the address of a Spark Connect "
        "endpoint: sc://host:15002\n"
    )
    assert Lake(config.parent / "data" / "lake").commits(kind="run") == []


def test_a_process_without_a_file_may_ask_for_spark() -> None:
    """Spark's client ends a `python -c` that it takes for a run of its doctests."""
    asked = (
        "from recon.reconcile.engines.choosing import spark_engine; "
        "import sys; print(spark_engine().__name__, hasattr(sys.modules['__main__'], "
        "'__file__'))"
    )
    command = [sys.executable, "-c", asked]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (told.returncode, told.stdout.strip()) == (0, "SparkEngine False")
