"""The command line: parse, call, print. `main` is the console script `recon`."""

import sys
import traceback
from collections.abc import Sequence

from recon.errors import ExitCode

_BROKEN = "recon: it cannot run as it is installed; nothing is proven"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run `recon` and leave with its exit code.

    What escaped would end the process with 1, which is a night that did its work: for
    the timer, too. So would an installation that lacks a library, or one of its own.
    """
    try:
        from recon.cli import group

        group.main(arguments)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is no verdict
        try:
            if sys.stderr:  # else it would be told on standard output
                traceback.print_exception(error)
                print(_BROKEN, file=sys.stderr)
        except OSError:  # a full disk of the log
            sys.stderr = None  # what waits to be written would end the process with 120
        sys.exit(ExitCode.INCOMPLETE)
