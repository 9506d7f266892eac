"""How a notebook shows a DataFrame: sortable, in the theme of the page, offline.

Numbers are written as `recon.separators` says; a frame's own values stay whole.
"""

import itables
from IPython.utils.capture import capture_output

from recon.separators import SCRIPT

_LARGEST = "4MB"  # of a shown table; a larger one says that rows are left out


def prepare() -> None:
    """Have every DataFrame shown so, from now on."""
    itables.options.maxBytes = _LARGEST
    itables.options.columnDefs = [
        {"targets": "_all", "render": itables.JavascriptFunction(SCRIPT)}
    ]


def write_script() -> None:
    """Write into this cell what draws tables.

    First what the rest is made of, by far the longest part: a page runs each part as
    it comes, and the one that looks for a dark theme found nothing to do it with.
    """
    with capture_output() as written:
        itables.init_notebook_mode(all_interactive=True, connected=False)
    for part in sorted(written.outputs, key=_length, reverse=True):
        part.display()  # type: ignore[no-untyped-call]


def _length(part: object) -> int:
    return len(str(getattr(part, "data", "")))
