"""How a notebook shows a DataFrame: sortable, in the theme of the page, offline.

Numbers are written as `recon.separators` says; a frame's own values stay whole.
"""

from typing import Any

import itables
import pandas as pd
from IPython.core.getipython import get_ipython
from IPython.utils.capture import capture_output

from recon.separators import SCRIPT

_LARGEST = "4MB"  # of a shown table; a larger one says that rows are left out
_BAR = """
.dt-layout-table > .dt-layout-full::-webkit-scrollbar { height: 10px; }
.dt-layout-table > .dt-layout-full::-webkit-scrollbar-thumb {
    background: #8888; border-radius: 5px; }
"""
_FADE = """function () {
    const table = this.api().table().node(), box = table.parentElement;
    if (box.recon_fades) { return; }
    box.recon_fades = true;
    const fade = () => {
        const hidden = [
            box.scrollLeft, box.scrollWidth - box.clientWidth - box.scrollLeft];
        const [left, right] = hidden.map(size => size < 1 ? "#000" : "transparent");
        box.style.maskImage = hidden.every(size => size < 1) ? "" : (
            `linear-gradient(to right, ${left}, #000 3rem, ` +
            `#000 calc(100% - 3rem), ${right})`);
    };
    box.addEventListener("scroll", fade);
    const sizes = new ResizeObserver(fade);
    [box, table].forEach(each => sizes.observe(each));
}"""
"""A table wider than the page fades where it goes on, above a bar that always shows.

Else an amount that is cut between two digits reads as another one.
"""
_TIME = 'function (cell) { return cell === "NaT" ? "" : cell; }'

_written: list[int] = []  # the number of the cell that has the script


def prepare(shell: Any) -> None:
    """Have every DataFrame shown so in a notebook's cells, from this one on."""
    _write_script(shell)
    itables.options.maxBytes = _LARGEST
    itables.options.css = _BAR
    itables.options.drawCallback = itables.JavascriptFunction(_FADE)
    itables.options.columnDefs = [_written_by(SCRIPT, "_all")]


def shell_of_cells() -> Any:
    """Return the shell in whose cells tables are shown so; None outside of them.

    The cell that runs has the script then: a page that was loaded anew has none.
    """
    shell = get_ipython() if _written else None
    if shell and shell.execution_count not in _written:
        _write_script(shell)
    return shell


def _write_script(shell: Any) -> None:
    """Write into this cell what draws tables.

    First what the rest is made of, by far the longest part: a page runs each part as
    it comes, and the one that looks for a dark theme found nothing to do it with.
    """
    with capture_output() as written:
        itables.init_notebook_mode(all_interactive=True, connected=False)
    pd.DataFrame._repr_html_ = _drawn  # type: ignore[attr-defined]
    pd.Series._repr_html_ = lambda one: _drawn(one.to_frame())  # type: ignore[attr-defined]
    for part in sorted(written.outputs, key=_length, reverse=True):
        part.display()  # type: ignore[no-untyped-call]
    _written[:] = [shell.execution_count]


def _length(part: object) -> int:
    return len(str(getattr(part, "data", "")))


def _drawn(frame: pd.DataFrame) -> str:
    """Draw a frame; a text or a time that is not known is an empty cell.

    Of numbers it is one already, and NaN is what a float may be. Columns are counted
    from the right, since an index may stand before them.
    """
    shown, times = frame.copy(deep=False), []
    for place, kind in enumerate(frame.dtypes):
        if kind.kind in "Mm":
            times.append(place - len(frame.columns))
        elif kind in ("str", object):
            column: pd.Series[Any] = frame.iloc[:, place]
            shown.isetitem(place, column.fillna("").array)
    written = [_written_by(_TIME, times), _written_by(SCRIPT, "_all")]
    return itables.to_html_datatable(shown, connected=False, columnDefs=written)


def _written_by(script: str, targets: str | list[int]) -> dict[str, Any]:
    return {"targets": targets, "render": itables.JavascriptFunction(script)}
