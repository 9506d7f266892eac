"""restatements.csv: what closed periods say now that they did not at their closing.

Not one of a night's own tables: it is there only where something was restated, and
`recon close --restatements` writes it beside the packs.
"""

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pyarrow as pa

from recon.durability import make_folders, sync_folder, write_durably
from recon.errors import UsageError
from recon.reports import csv_text
from recon.reports.drafts import alone
from recon.settings import Settings
from recon.wording import counted, reason_of

NAME = "restatements.csv"
_DRAFT = f".{NAME}.draft"  # one name: what a killed run left goes with the next

_GIVEN_UP = (
    "whether figures of {periods} are other ones than at their closing is not told: "
    "those of then were written off"
)


def by_period(found: pa.Table) -> dict[str, int]:
    """Return how many figures of each closed period are other ones now."""
    return dict(sorted(Counter(found["period"].to_pylist()).items()))


def sentences(found: pa.Table, given_up: Sequence[str]) -> list[str]:
    """Return a line that says so for the terminal; none where nothing was restated.

    Another one where the figures of closings were written off, by their periods.
    """
    lost = untold(given_up)
    periods = by_period(found)
    if not periods:
        return lost
    are = "is another one" if found.num_rows == 1 else "are other ones"
    figures = f"{counted(found.num_rows, 'figure')} of closed periods"
    return [
        f"{figures} ({', '.join(periods)}) {are} than at their closing: {NAME}",
        *lost,
    ]


def untold(given_up: Sequence[str]) -> list[str]:
    """Return a line that names the periods whose figures were written off, if any."""
    return [_GIVEN_UP.format(periods=", ".join(given_up))] if given_up else []


def packs_folder(settings: Settings) -> Path:
    """Return where the packs of closed periods are, and beside them this file."""
    return settings.reports_path / "closed"


def place(found: pa.Table, folder: Path) -> Path:
    """Write `restatements.csv` into a folder, whole; returns its path.

    Raises UsageError where it cannot be written.
    """
    path, draft = folder / NAME, folder / _DRAFT
    try:
        make_folders(folder)
        with alone(folder):
            try:
                write_durably(draft, csv_text.render(found))
                draft.replace(path)
            finally:
                draft.unlink(missing_ok=True)
        sync_folder(folder)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {reason_of(error)}") from None
    return path


def place_or_remove(found: pa.Table, folder: Path) -> Path | None:
    """Leave in a folder what its run found: the file, or none where that is nothing.

    An earlier run of the same date may have left one. Raises UsageError as `place`.
    """
    if found.num_rows:
        return place(found, folder)
    try:
        with suppress(FileNotFoundError), alone(folder):
            for name in (NAME, _DRAFT):
                (folder / name).unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(
            f"{folder / NAME} cannot be removed: {reason_of(error)}"
        ) from None
    return None
