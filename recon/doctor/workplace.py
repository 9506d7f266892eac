"""What surrounds the data: the notebooks of this folder, and the versions in use."""

import json
import platform
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

import recon
from recon import assets
from recon.doctor import zones
from recon.doctor.findings import Finding, ok, warning
from recon.settings import Settings

_LIBRARIES = ("duckdb", "pyarrow", "pandas", "httpx", "matplotlib", "jupyterlab")


def notebooks(settings: Settings) -> Iterator[Finding]:
    """Compare this folder's notebooks with the installed ones, cell by cell."""
    folder = settings.folder / "notebooks"
    states: dict[str, list[str]] = {}
    for shipped in sorted(assets.notebooks_folder().glob("*.ipynb")):
        state = _state(folder / shipped.name, shipped)
        states.setdefault(state, []).append(shipped.stem)
    for state, names in states.items():
        told = f"{', '.join(names)}: {_SAID[state]}"
        do = _DO.get(state)
        yield warning("notebooks", told, do) if do else ok("notebooks", told)


_SAID = {
    "same": "as installed",
    "changed": "changed here since",
    "older": "older than the installed ones",
    "missing": "not in this folder",
    "broken": "cannot be read as notebooks",
    "barred": "cannot be read by this user",
}
_DO = {
    "older": "move them away and run `recon init` here to get the installed ones",
    "missing": "run `recon init` here; it overwrites nothing",
    "broken": "move them away and run `recon init` here",
    "barred": "let this user read them, or run recon as their owner",
}


def _state(own: Path, shipped: Path) -> str:
    try:
        if not own.is_file():
            return "missing"
        cells = _sources(own)
    except PermissionError:
        return "barred"
    if cells is None:
        return "broken"
    if cells == _sources(shipped):
        return "same"
    older = own.stat().st_mtime < shipped.stat().st_mtime
    return "older" if older else "changed"


def _sources(notebook: Path) -> list[str] | None:
    """Return what the cells say; outputs and metadata change by mere running."""
    try:
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        return ["".join(cell["source"]) for cell in cells]
    except PermissionError:
        raise
    except (OSError, ValueError, KeyError, TypeError):
        return None


def versions(settings: Settings | None = None) -> Iterator[Finding]:
    """Tell which versions are at work."""
    libraries = ", ".join(f"{name} {_version(name)}" for name in _LIBRARIES)
    told = f"recon {recon.__version__}, Python {platform.python_version()}, {libraries}"
    yield ok("versions", told)
    if settings and settings.spark.remote and _version("pyspark") == "absent":
        told = "spark.remote is set, but the extra is not installed"
        yield warning("versions", told, "pip install 'recon[spark]'")
    if settings:
        yield from zones.findings(
            "versions", settings.business.timezone, datetime.now(UTC)
        )


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "absent"
