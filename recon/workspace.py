"""A user's folder: the commented settings, the folders, the notebooks, a timer.

Written by `init` for a business and by `demo` for the invented one; nothing that is
there already is ever overwritten.
"""

import sys
from pathlib import Path

from recon import assets

STARTER = Path(__file__).with_name("starter")
FOLDERS = ("data", "notebooks", "schedule")
_SCHEDULE = ("recon-nightly.service", "recon-nightly.timer", "crontab")


def planned(folder: Path) -> list[Path]:
    """Return the files that `write` would add to a folder."""
    return [path for path in _sources(folder) if not path.exists()]


def write(folder: Path, settings: str | None = None) -> list[Path]:
    """Write what is missing of a workspace; returns the files that were added.

    `settings` is the text of `recon.toml`; the commented template if None.
    """
    added = planned(folder)
    for name in FOLDERS:
        (folder / name).mkdir(parents=True, exist_ok=True)
    sources = _sources(folder)
    for path in added:
        content = sources[path].read_text(encoding="utf-8")
        if path.parent.name == "schedule":
            content = _placed(content, folder.resolve())
        if path.name == "recon.toml" and settings is not None:
            content = settings
        path.write_text(content, encoding="utf-8")
    return added


def _sources(folder: Path) -> dict[Path, Path]:
    """Return each file of a workspace and the file that it is made from."""
    notebooks = sorted(assets.notebooks_folder().glob("*.ipynb"))
    return {
        folder / "recon.toml": STARTER / "recon.toml",
        **{folder / "schedule" / name: STARTER / name for name in _SCHEDULE},
        **{folder / "notebooks" / each.name: each for each in notebooks},
    }


def _placed(content: str, folder: Path) -> str:
    """Fill in where the folder and the program are."""
    program = Path(sys.executable).with_name("recon")
    return content.replace("{folder}", str(folder)).replace("{recon}", str(program))
