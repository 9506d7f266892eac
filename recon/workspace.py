"""A user's folder: the commented settings, the folders, the notebooks, a timer.

Written by `init` for a business and by `demo` for the invented one; nothing that is
there already is ever overwritten.
"""

import re
import shlex
import sys
from pathlib import Path

from recon import assets
from recon.durability import write_durably
from recon.errors import UsageError
from recon.wording import is_utf8

STARTER = Path(__file__).with_name("starter")
FOLDERS = ("data", "notebooks", "schedule")
_PATTERN = re.compile(r"[\\*?\[]")
_SCHEDULE = ("recon-nightly.service", "recon-nightly.timer", "crontab")


def planned(folder: Path) -> list[Path]:
    """Return the files that `write` would add to a folder; UsageError if it is none."""
    if not is_utf8(str(folder.resolve())):
        raise UsageError(f"{folder}: a folder's name must be a text in UTF-8")
    for path in (folder, *folder.parents):
        if path.exists() and not path.is_dir():
            raise UsageError(f"{path} is not a folder")
    return [path for path in _sources(folder) if not path.exists()]


def write(folder: Path, settings: str | None = None) -> list[Path]:
    """Write what is missing of a workspace; returns the files that were added.

    `settings` is the text of `recon.toml`; the commented template if None. Raises
    UsageError where the folder cannot be written.
    """
    added = planned(folder)
    try:
        _write(folder, added, settings)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise UsageError(f"{folder} cannot be written: {reason}") from None
    return added


def _write(folder: Path, added: list[Path], settings: str | None) -> None:
    for name in FOLDERS:
        (folder / name).mkdir(parents=True, exist_ok=True)
    sources = _sources(folder)
    for path in added:
        content = sources[path].read_text(encoding="utf-8")
        if path.parent.name == "schedule":
            content = _placed(content, folder.resolve(), path.name)
        if path.name == "recon.toml" and settings is not None:
            content = settings
        _write_whole(path, content)


def _write_whole(path: Path, content: str) -> None:
    """Write a file under its name once it is whole: one that is there stays."""
    draft = path.with_name(f".{path.name}.part")
    try:
        write_durably(draft, content.encode())
        draft.rename(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise


def _sources(folder: Path) -> dict[Path, Path]:
    """Return each file of a workspace and the file that it is made from."""
    notebooks = sorted(assets.notebooks_folder().glob("*.ipynb"))
    return {
        folder / "recon.toml": STARTER / "recon.toml",
        **{folder / "schedule" / name: STARTER / name for name in _SCHEDULE},
        **{folder / "notebooks" / each.name: each for each in notebooks},
    }


def _placed(content: str, folder: Path, name: str) -> str:
    """Fill in where the folder and the program are, as cron or systemd reads paths."""
    place, program = str(folder), str(Path(sys.executable).with_name("recon"))
    if name == "crontab":  # a % there ends the line, and the shell parts words
        place, program = (shlex.quote(p).replace("%", r"\%") for p in (place, program))
    else:
        place, program = place.replace("%", "%%"), _systemd_word(program)
    content = content.replace("{folder as a pattern}", _PATTERN.sub(r"\\\g<0>", place))
    return content.replace("{folder}", place).replace("{recon}", program)


def _systemd_word(path: str) -> str:
    """Return a path as one word of a command; systemd replaces what a % begins."""
    plain = path.replace("%", "%%")
    if shlex.quote(path) == path:
        return plain
    escaped = plain.replace("\\", r"\\").replace('"', r"\"")
    return f'"{escaped}"'
