"""What beancount says of a journal."""

from pathlib import Path

from beancount.scripts import check
from click.testing import CliRunner


def bean_check(path: Path) -> str:
    """What `bean-check` says of a file; run here, for a process takes far longer."""
    done = CliRunner().invoke(check.main, [str(path)])
    assert done.exception is None or isinstance(done.exception, SystemExit)
    return done.output
