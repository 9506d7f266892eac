"""Lines of a UTF-8 text, with their numbers."""

from collections.abc import Iterator
from typing import BinaryIO

from recon.imports.formats.rows import MAX_LINE_CHARACTERS, Refusal

_MARK = b"\xef\xbb\xbf"


def lines(file: BinaryIO) -> Iterator[tuple[int, str]]:
    """Yield the lines that hold anything, without the spaces around them.

    Raises Refusal with the line on one that is not UTF-8 or has no end.
    """
    number = 0
    while line := file.readline(MAX_LINE_CHARACTERS):
        number += 1
        if len(line) == MAX_LINE_CHARACTERS:
            raise Refusal("is longer than 32 MiB", line=number)
        if number == 1:
            line = line.removeprefix(_MARK)
        try:
            text = line.decode().strip()
        except UnicodeDecodeError:
            raise Refusal("is not UTF-8", line=number) from None
        if text:
            yield number, text
