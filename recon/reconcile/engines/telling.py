"""In what words an error of DuckDB is told: one line, with the names that it suggests.

The engine's own text goes on with a piece of what it ran, which may be a query of ours
that nobody wrote by hand: of that nothing is repeated.
"""

import re
from collections.abc import Callable, Collection
from difflib import get_close_matches

import duckdb

from recon.errors import ReconError, UsageError, unread
from recon.wording import in_one_line

_LOCATION = re.compile(r"^LINE (\d+):", re.MULTILINE)
_MISSING = re.compile(r"Table with name (.+) does not exist")
_HINT = re.compile(
    r"^(?:Candidate (?:bindings|tables|entries): |Did you mean ).+$",
    re.MULTILINE | re.IGNORECASE,
)
_OF_NAMES = (duckdb.BinderException, duckdb.CatalogException)  # no row is read yet
_LONGEST, _LONGEST_HINT = 600, 200  # signs: a query and a row may hold any text


def in_words(
    error: duckdb.Error, place: str, known: Callable[[], Collection[str]]
) -> ReconError:
    """Return what is raised in place of an engine's error: one clear line.

    `known` returns the names that could have been meant where a table is none.
    """
    text = str(error)
    message = text.partition("\n")[0]
    if isinstance(error, duckdb.IOException) or ".parquet'" in message:
        return unread(f"{place}: {message}")
    if isinstance(error, duckdb.OutOfMemoryException):
        message += "; the setting engine.memory_limit allows it more"
    told = _bounded(message, _LONGEST)
    if isinstance(error, _OF_NAMES):
        told = f"{told} {_bounded(_hint(text, message, known), _LONGEST_HINT)}".rstrip()
    line = _LOCATION.search(text)
    where = f"{place}:{line[1]}" if line else place
    return UsageError(f"{where}: {told}")


def _hint(text: str, message: str, known: Callable[[], Collection[str]]) -> str:
    """Return which name may have been meant, empty where there is none near it.

    Of tables the engine knows only those that were read before, and some of its own.
    """
    if missing := _MISSING.search(message):
        asked = missing[1].strip('"').lower()
        near = get_close_matches(asked, sorted(known()), n=1)
        return f'Did you mean "{near[0]}"?' if near else ""
    found = _HINT.search(text)
    return found[0].replace(": : ", ": ") if found else ""


def _bounded(text: str, longest: int) -> str:
    """Return a text as one line of so many signs, none of which steers a terminal."""
    told = in_one_line(" ".join(text.split()))
    return told if len(told) <= longest else f"{told[:longest]} …"
