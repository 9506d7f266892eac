"""The files that travel with the package: its code, queries and notebooks."""

import hashlib
from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


@cache
def _folder(name: str) -> Path:
    for root in (_PACKAGE.parent, _PACKAGE):
        if (root / name).is_dir() and (root == _PACKAGE or _is_checkout(root)):
            return root / name
    raise FileNotFoundError(f"the folder {name} is missing from the installation")


def _is_checkout(root: Path) -> bool:
    return (root / "pyproject.toml").is_file()


def queries_folder() -> Path:
    """Return the folder of the SQL files (staging, intermediate, checks, reports)."""
    return _folder("queries")


def notebooks_folder() -> Path:
    """Return the folder of the notebooks as shipped."""
    return _folder("notebooks")


@cache
def check_names() -> frozenset[str]:
    """Return the name of every check: the stems of `queries/checks/*.sql`."""
    return frozenset(path.stem for path in sql_files(queries_folder() / "checks"))


def sql_files(folder: Path) -> list[Path]:
    """Return a folder's SQL files by name; none where there is no such folder.

    OSError where it cannot be read: a glob would find none, and no check no break.
    """
    if not folder.exists():
        return []
    return sorted(path for path in folder.iterdir() if path.suffix == ".sql")


def shipped_sql() -> list[Path]:
    """Return the SQL files that travel with the package, by their paths."""
    folders = sorted(path for path in queries_folder().iterdir() if path.is_dir())
    return [path for folder in folders for path in sql_files(folder)]


@cache
def code_hash() -> str:
    """Return the SHA-256 of the package's modules: of two builds with one, all agrees.

    Their names and contents count, not the notebooks', which an installed package has
    among its own. It is that of nothing where no sources are there.
    """
    digest = hashlib.sha256()
    notebooks = _PACKAGE / "notebooks"
    for path in sorted(_PACKAGE.rglob("*.py")):
        if notebooks in path.parents:
            continue
        content = path.read_bytes()
        name = path.relative_to(_PACKAGE).as_posix()
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()
