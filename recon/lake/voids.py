"""Voids: which commits count no longer, because what they brought was taken back.

A void is a commit of its own that names others. Nothing of them is changed or removed:
readings as of an earlier time take them as before, those of its time or later do not.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from recon.lake.commits import Commit

VOID = "void"
"""The kind of such a commit."""

_IDS = "voids"


def certificate(ids: Iterable[str]) -> dict[str, Any]:
    """Return what a void's certificate says: the ids of the commits that it names."""
    return {_IDS: sorted(ids)}


def voids_of(commit: Commit) -> list[str]:
    """Return the ids of the commits that a commit names; none unless it is a void."""
    return list(commit.certificate[_IDS]) if commit.kind == VOID else []


def voided(commits: Sequence[Commit]) -> dict[str, Commit]:
    """Return the ids of commits that these ones void, each with the first void."""
    return {name: commit for commit in reversed(commits) for name in voids_of(commit)}


def standing(commits: Sequence[Commit]) -> list[Commit]:
    """Return the commits that still count, in their order."""
    gone = voided(commits)
    return [commit for commit in commits if commit.id not in gone]
