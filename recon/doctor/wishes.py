"""What is wished of the doctor beyond looking."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Wishes:
    """What to do beyond looking.

    `deep` rehashes every page. `look_up` asks what became of requests of unknown
    outcome and journals it. `sweep` removes what killed runs left in the lake;
    `restore` is a copy of the lake to take damaged files from, `rebuild` makes them
    again from the lake's own pages, or a closing's from its pack, and `write_off` gives
    up runs, decisions and closings that are damaged after that. With `dry_run` these
    only tell what they would do.
    """

    deep: bool = False
    look_up: bool = False
    sweep: bool = False
    restore: Path | None = None
    rebuild: bool = False
    write_off: bool = False
    dry_run: bool = False
