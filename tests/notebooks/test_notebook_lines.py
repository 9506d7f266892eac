"""Lines of `%recon` that nobody can mean are one line, not a traceback."""

import pytest
from IPython.core.error import UsageError as LineError

from recon import magics
from tests.notebooks.shells import own_shell


@pytest.mark.parametrize("line", ["'lake", 'use "my folder', "lake a\\"])
def test_a_line_with_a_lonely_quotation_mark_is_one_line(line: str) -> None:
    """It was a traceback of `shlex`."""
    with own_shell() as shell:
        magics.load_ipython_extension(shell)
        with pytest.raises(LineError, match=r"%recon .*No (closing|escaped)"):
            shell.run_line_magic("recon", line)


@pytest.mark.parametrize(
    ("line", "most"), [("breaks list", "no"), ("lake payments books", "at most 1")]
)
def test_a_command_line_is_told_where_it_belongs(line: str, most: str) -> None:
    """Who knows `recon breaks list` was told of positional arguments."""
    told = f"%recon {line}: {most} further word.* write !recon {line}"
    with own_shell() as shell:
        magics.load_ipython_extension(shell)
        with pytest.raises(LineError, match=told):
            shell.run_line_magic("recon", line)
