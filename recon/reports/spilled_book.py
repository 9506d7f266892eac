"""A workbook whose rows are spilled, and go with the run even where that is killed.

The library keeps what it wrote of each sheet in files of its own, which stay behind
where the process is killed or the disk is full: here they lie in a scratch folder.
"""

import io
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import xlsxwriter
from xlsxwriter.exceptions import FileCreateError

from recon.scratch import Scratch, spilling

_AS_TEXT = {f"strings_to_{kind}": False for kind in ("formulas", "urls", "numbers")}


@contextmanager
def spilled_book(out: io.BytesIO) -> Iterator[xlsxwriter.Workbook]:
    """Open a workbook in which texts are texts; it is whole in `out` at the end.

    Raises LakeError where the system's temporary folder has no room for its rows.
    """
    with Scratch() as scratch, spilling():
        options = {"constant_memory": True, "tmpdir": str(scratch.path), **_AS_TEXT}
        book = xlsxwriter.Workbook(out, options)
        try:
            yield book
            book.close()
        except FileCreateError as error:
            full = error.args[0]
            # Else what it holds of the file complains as it goes away.
            traceback.clear_frames(full.__traceback__)
            raise full from None
        finally:
            _let_go(book)


def _let_go(book: xlsxwriter.Workbook) -> None:
    """Close the sheets' files, which the library leaves open where it failed."""
    for sheet in book.worksheets():
        with suppress(OSError):  # the disk is still full
            sheet.row_data_fh.close()
