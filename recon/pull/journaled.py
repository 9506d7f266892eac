"""What the journal of sent requests holds, where there is one."""

from collections.abc import Callable, Iterator
from typing import Any

from recon.journal import Journal, journal_path
from recon.settings import Settings

Row = dict[str, Any]


def journaled(
    settings: Settings, read: Callable[[Journal], Iterator[Row]]
) -> list[Row]:
    """Return the journal's rows of one kind; none where nothing was ever sent."""
    path = journal_path(settings)
    if not path.is_file():
        return []
    with Journal(path) as journal:
        return list(read(journal))
