"""Long lines on a terminal: broken between words, where it would tear an amount or id.

What goes to a pipe or a file is left as it is.
"""

import os
import shutil
import textwrap
from contextlib import suppress
from typing import TextIO


def wrapped(text: str, stream: TextIO) -> str:
    """Return a text of prose as a stream may get it; lines keep where they began."""
    if not stream.isatty():
        return text
    width = width_of(stream)
    return "\n".join(_broken(line, width) for line in text.split("\n"))


def width_of(stream: TextIO) -> int:
    """Return how many signs a line of a terminal has: that of this stream."""
    width = 0
    if not os.environ.get("COLUMNS"):
        with suppress(OSError, ValueError):
            width = os.get_terminal_size(stream.fileno()).columns
    return width or shutil.get_terminal_size().columns


def _broken(line: str, width: int) -> str:
    indent = line[: len(line) - len(line.lstrip(" "))]
    if len(line) <= width or len(indent) >= width // 2:
        return line
    parts = textwrap.wrap(
        line,
        width,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(parts)
