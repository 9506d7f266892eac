"""A shell of IPython that ends with its test, and not when the whole run ends."""

import atexit
from collections.abc import Iterator
from contextlib import contextmanager

from IPython.core.interactiveshell import InteractiveShell


@contextmanager
def own_shell() -> Iterator[InteractiveShell]:
    """Give a shell that nobody used before."""
    shell = InteractiveShell.instance()
    try:
        yield shell
    finally:
        InteractiveShell.clear_instance()
        atexit.unregister(shell.atexit_operations)
        shell.atexit_operations()
