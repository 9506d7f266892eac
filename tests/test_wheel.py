"""The built wheel carries all it needs: installed elsewhere, it runs the demo."""

import os
import re
import subprocess
import sys
import venv
import zipfile
from importlib.metadata import metadata
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

from recon.assets import code_hash

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    _run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)])
    return next(folder.glob("recon-*.whl"))


def test_the_wheel_carries_queries_and_notebooks(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    for folder in ("queries", "notebooks"):
        wanted = {
            f"recon/{path.relative_to(ROOT).as_posix()}"
            for path in (ROOT / folder).rglob("*")
            if path.suffix in {".sql", ".ipynb"}
        }
        assert wanted
        assert wanted <= set(names)


def test_the_installed_wheel_runs_the_demo_from_another_folder(
    wheel: Path, tmp_path: Path
) -> None:
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv" / "bin" / "python"
    pins = re.findall(
        r"^[\w.\-]+==\S+", (ROOT / "requirements.lock").read_text(), re.MULTILINE
    )
    (tmp_path / "pins.txt").write_text("\n".join(pins))
    quiet = ["--quiet", "--disable-pip-version-check", "-c", str(tmp_path / "pins.txt")]
    _run([str(python), "-m", "pip", "install", *quiet, str(wheel)])
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    out = _run([str(python.with_name("recon")), "demo", "seen"], cwd=elsewhere)
    assert re.search(r"found (\d+) of \1 planted breaks, 0 besides", out)
    assert list((elsewhere / "seen").glob("data/reports/*/breaks.csv"))
    asked = "from recon.assets import code_hash; print(code_hash())"
    assert _run([str(python), "-c", asked], cwd=elsewhere).strip() == code_hash()


def test_what_is_pinned_installs_on_every_python_that_is_allowed() -> None:
    """Some systems have the first releases of Python 3.11; a pin may want a later."""
    pins = re.findall(
        r"^([\w.\-]+)==(\S+)", (ROOT / "requirements.lock").read_text(), re.MULTILINE
    )
    assert pins
    wants = {name: metadata(name).get_all("Requires-Python", []) for name, _ in pins}
    assert not {
        name: want
        for name, wanted in wants.items()
        for want in wanted
        if not SpecifierSet(want).contains("3.11.0")
    }


def _run(command: list[str], cwd: Path = ROOT) -> str:
    clean = {name: value for name, value in os.environ.items() if "PYTHON" not in name}
    done = subprocess.run(
        command, cwd=cwd, env=clean, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
