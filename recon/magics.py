"""`%recon` and `%%reconsql`: questions that a notebook's cell asks in one line."""

import shlex
from collections.abc import Callable
from inspect import signature
from typing import Any

import pandas as pd
from IPython.core.error import UsageError as LineError
from IPython.core.pylabtools import select_figure_formats

from recon import notebook, sortable_tables
from recon.errors import ReconError
from recon.reports.views import REPORTS
from recon.wording import counted


def load_ipython_extension(shell: Any) -> None:
    """Give a notebook `%recon` and `%%reconsql`, sortable tables and its figures."""
    shell.register_magic_function(_recon, "line", "recon")
    shell.register_magic_function(_sql(shell), "line_cell", "reconsql")
    select_figure_formats(shell, {"retina"})  # type: ignore[no-untyped-call]
    sortable_tables.prepare(shell)


def _recon(line: str) -> Any:
    """`%recon [verdict|breaks|NAME_OF_A_REPORT|lake [TABLE]|use [FILE]]`."""
    try:
        words = shlex.split(line) or ["verdict"]
    except ValueError as error:  # a quotation mark stands alone
        raise LineError(f"%recon {line}: {error}") from None
    known = ("verdict", *REPORTS, "lake", "use")
    if words[0] not in known:
        raise LineError(f"%recon {words[0]}: there are {', '.join(known)}")
    answer = getattr(notebook, words[0])
    most = len(signature(answer).parameters)
    if len(words) - 1 > most:
        told = f"at most {counted(most, 'further word')}" if most else "no further word"
        raise LineError(f"%recon {line}: {told}; for the command write !recon {line}")
    try:
        return answer(*words[1:])
    except ReconError as error:
        raise LineError(f"%recon {words[0]}: {error}") from None


def _sql(shell: Any) -> Callable[..., pd.DataFrame | None]:
    def ask(line: str, cell: str | None = None) -> pd.DataFrame | None:
        """`%%reconsql [NAME]`: the answer of the cell's query, kept under NAME."""
        name = line.strip() if cell is not None else ""
        if name and not name.isidentifier():
            raise LineError(f"%%reconsql {name}: not a name a variable can have")
        try:
            answer = notebook.sql(line if cell is None else cell)
        except ReconError as error:
            raise LineError(str(error)) from None
        if not name:
            return answer
        shell.user_ns[name] = answer
        return None

    return ask
