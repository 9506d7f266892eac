"""What of a break a decision is about: its figures; without an amount, its words.

The same break with other ones is news, which nobody has decided on. So to word the
detail of a check anew opens what was decided on its breaks without amounts.
"""

import hashlib
from collections.abc import Mapping
from typing import Any, TypeAlias

from recon.wording import without_lengths

AMOUNTS = ("expected", "actual")
"""In rials."""

BESIDE = "related_id"
"""The records beside that of the break."""

WORDS = "detail"
"""What is wrong, in English."""

READ = (*AMOUNTS, BESIDE, WORDS)
"""The columns that `figures_of` reads."""

Figures: TypeAlias = tuple[Any, ...]


def figures_of(row: Mapping[str, Any]) -> Figures:
    """Return the amounts of a break and what stands beside it; without any, its words.

    Of an amount the words may speak otherwise each night, as hints come and go.
    """
    figures = (*(row[name] for name in AMOUNTS), row[BESIDE])
    return figures if has_amount(row) else (*figures, said(row[WORDS]))


def has_amount(row: Mapping[str, Any]) -> bool:
    """Tell whether a break has an amount that is expected, or one that is there."""
    return any(row.get(name) is not None for name in AMOUNTS)


def said(words: str | None) -> str:
    """Return what a detail says, but for how long something lasts: longer each night.

    >>> said("The payment of 1,200 waits, 90 minutes after it was sent.")
    'The payment of 1,200 waits,  after it was sent.'
    """
    return without_lengths(words or "")


def marks(figures: Figures) -> tuple[str, str]:
    """Return short texts that other figures do not have: the mark that decisions keep.

    The second is that of an earlier release.
    """
    return _mark(figures), _mark(wordless(figures))


def wordless(figures: Figures) -> Figures:
    """Return figures as earlier releases judged them, which knew no words."""
    return figures[: len(AMOUNTS) + 1]


def _mark(figures: Figures) -> str:
    return hashlib.sha256(repr(figures).encode()).hexdigest()[:16]
