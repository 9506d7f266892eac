"""The built wheel carries all it needs: installed elsewhere, it runs the demo."""

import os
import re
import subprocess
import sys
import venv
import zipfile
from collections.abc import Iterable, Mapping
from email import message_from_bytes
from importlib.metadata import Distribution, distribution, metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

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
    """It has beside it what it declares, and what that declares, and nothing else."""
    venv.create(tmp_path / "venv")
    python = tmp_path / "venv" / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet"]
    _run([*pip, "--disable-pip-version-check", "--no-deps", str(wheel)])
    asked = "import sysconfig; print(sysconfig.get_path('purelib'))"
    _link(declared(_wants(wheel)), Path(_run([str(python), "-c", asked]).strip()))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    out = _run([str(python.with_name("recon")), "demo", "seen"], cwd=elsewhere)
    assert re.search(r"found (\d+) of \1 planted breaks, 0 besides", out)
    assert list((elsewhere / "seen").glob("data/reports/*/breaks.csv"))
    asked = "from recon.assets import code_hash; print(code_hash())"
    assert _run([str(python), "-c", asked], cwd=elsewhere).strip() == code_hash()
    with pytest.raises(AssertionError, match="No module named 'pytest'"):
        _run([str(python), "-c", "import pytest"], cwd=elsewhere)


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


def declared(wants: Iterable[Requirement]) -> dict[str, Distribution]:
    """Return by their names what is wanted, and all that wants in turn."""
    found: dict[str, Distribution] = {}
    known: set[tuple[str, frozenset[str]]] = set()
    waiting = list(wants)
    while waiting:
        want = waiting.pop()
        key = (canonicalize_name(want.name), frozenset(want.extras))
        if key in known:
            continue
        known.add(key)
        has = found[key[0]] = distribution(want.name)
        assert want.specifier.contains(has.version), want
        waiting += _needed(map(Requirement, has.requires or ()), want.extras)
    return found


def _wants(wheel: Path) -> list[Requirement]:
    """Return what a wheel says that it needs, without its extras."""
    with zipfile.ZipFile(wheel) as packed:
        (name,) = (n for n in packed.namelist() if n.endswith(".dist-info/METADATA"))
        told = message_from_bytes(packed.read(name))
    return _needed(map(Requirement, told.get_all("Requires-Dist", [])), set())


def _needed(wants: Iterable[Requirement], extras: set[str]) -> list[Requirement]:
    chosen = extras or {""}
    return [
        want
        for want in wants
        if not want.marker
        or any(want.marker.evaluate({"extra": extra}) for extra in chosen)
    ]


def _link(needed: Mapping[str, Distribution], site: Path) -> None:
    """Put packages of this installation into another one, as links."""
    for each in needed.values():
        for top in {file.parts[0] for file in each.files or ()} - {"..", "__pycache__"}:
            if not (site / top).exists():
                (site / top).symlink_to(str(each.locate_file(top)))


def _run(command: list[str], cwd: Path = ROOT) -> str:
    clean = {name: value for name, value in os.environ.items() if "PYTHON" not in name}
    done = subprocess.run(
        command, cwd=cwd, env=clean, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
