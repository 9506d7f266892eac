"""The fields of SWIFT messages (MT940): a tag, and the lines until the next one."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

from recon.imports.formats.rows import Refusal
from recon.imports.formats.text_lines import lines

LINE_BREAK = "\n"
"""Stands in a text where a full line ends: a word may go on, or another begin."""

_FULL_LINE = 65  # characters of a line; some banks count the tag in
_TAG = re.compile(r":(\d{2}[A-Z]?):(.*)", re.DOTALL)
_BLOCK = re.compile(r"\{(?:1:[A-Z]\d\d|2:[IO]\d{3}|[35S]:[{}])|\{.*\{4:|\{4:")
_BLOCK_4 = "{4:"
_MESSAGE_END = "-}"
_DASH = "-"  # ends a message, too, but where the text of its field goes on


@dataclass
class Field:
    """One field: `line` is that of its tag, `texts` are its lines without the tag.

    `read_before` is how many of the texts earlier releases read, which ended a field at
    a brace; None where they read all.
    """

    tag: str
    line: int
    texts: list[str]
    read_before: int | None = None
    _dashes: list[str] = field(default_factory=list)

    def pause(self) -> None:
        """Take a line with a dash alone: whether the text goes on, the next tells."""
        self._dashes.append(_DASH)

    def go_on(self, text: str) -> None:
        """Take a further line of the text."""
        if self.read_before is None and (self._dashes or text.startswith("{")):
            self.read_before = len(self.texts)
        self.texts += [*self._dashes, text]
        self._dashes = []

    def text(self, first: int = 0) -> str:
        """Return the lines from the `first` on as one text."""
        tag_letters = len(self.tag) + 2
        joined = ""
        for at, each in enumerate(self.texts[first:], start=first):
            is_full = len(each) + (0 if at else tag_letters) >= _FULL_LINE
            joined += each + (LINE_BREAK if is_full else " ")
        return joined[:-1]

    def text_before(self, first: int = 0) -> str:
        """Return what earlier releases read as that text."""
        return " ".join(self.texts[first : self.read_before])


def fields(file: BinaryIO) -> Iterator[Field]:
    """Yield the fields; what stands before or between messages is their envelope.

    Raises Refusal where there is none.
    """
    current: Field | None = None
    seen = False
    for number, line in lines(file):
        text = line
        if _BLOCK.match(text):
            text = text.rpartition(_BLOCK_4)[2] if _BLOCK_4 in text else ""
        if tag := _TAG.fullmatch(text):
            if current is not None:
                yield current
            current, seen = Field(tag[1], number, [tag[2]]), True
        elif current is None:
            continue
        elif not text or text == _MESSAGE_END:
            yield current
            current = None
        elif text == _DASH:
            current.pause()
        else:
            current.go_on(text)
    if current is not None:
        yield current
    if not seen:
        raise Refusal("is no MT940: it has no field (:20:, :25:, …)", line=1)
