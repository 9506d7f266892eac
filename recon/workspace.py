"""A user's folder: the commented settings, the folders, the notebooks.

Written by `init` for a business and by `demo` for the invented one; nothing that is
there already is ever overwritten.
"""

from pathlib import Path

from recon import assets

SETTINGS_TEMPLATE = Path(__file__).with_name("starter.toml")
FOLDERS = ("data", "notebooks")


def planned(folder: Path) -> list[Path]:
    """Return the files that `write` would add to a folder."""
    wanted = [folder / "recon.toml", *(path for path, _ in _notebooks(folder))]
    return [path for path in wanted if not path.exists()]


def write(folder: Path, settings: str | None = None) -> list[Path]:
    """Write what is missing of a workspace; returns the files that were added.

    `settings` is the text of `recon.toml`; the commented template if None.
    """
    added = planned(folder)
    for name in FOLDERS:
        (folder / name).mkdir(parents=True, exist_ok=True)
    sources = dict(_notebooks(folder))
    for path in added:
        if path in sources:
            path.write_bytes(sources[path].read_bytes())
        else:
            text = settings or SETTINGS_TEMPLATE.read_text(encoding="utf-8")
            path.write_text(text, encoding="utf-8")
    return added


def _notebooks(folder: Path) -> list[tuple[Path, Path]]:
    found = sorted(assets.notebooks_folder().glob("*.ipynb"))
    return [(folder / "notebooks" / source.name, source) for source in found]
