"""What a run says of itself while it works: one line an event, text or JSON.

Standard `logging` underneath, under the name `recon`; nothing is printed until
`shown` is asked to. An event is a dotted word with figures: counts, seconds, names of
sources, checks and states. No text of the provider, of a file or of a person is an
event's: a value that is no plain word is shown as `(text)`.
"""

import json
import logging
import os
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, TextIO

Figure = int | float | bool | str | None

_LOGGER = logging.getLogger("recon")
_LOGGER.addHandler(logging.NullHandler())
_PLAIN = re.compile(r"[A-Za-z0-9_.:+-]{0,60}")
_ID = re.compile(r"[0-9a-f]{12}")  # of a run
_LONG_NUMBER = re.compile(r"[0-9]{10,}")  # a mobile, a national code, a card, an IBAN
_QUOTED = re.compile(r"""(?<!\w)(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""")
_NUMBER = re.compile(r"\d[\d,._:-]{4,}\d")
_FOREIGN = re.compile(
    r"(cannot be read[ \w]*|is not (?:JSON|an envelope|well-formed CSV|UTF-8 XML)):.*",
    re.DOTALL,
)
_FIGURES = "recon_figures"
_INSTANT = "%Y-%m-%dT%H:%M:%SZ"
_run_id: list[str] = []  # of the run under way, the innermost last


def note(event: str, /, level: int = logging.INFO, **figures: Figure) -> None:
    """Say that something happened, with its figures."""
    if not _LOGGER.isEnabledFor(level):
        return
    run = {"run": _run_id[-1]} if _run_id else {}
    safe = {name: _safe(value) for name, value in figures.items()}
    _LOGGER.log(level, event, extra={_FIGURES: {**run, **safe}})


@contextmanager
def run() -> Iterator[str]:
    """Give what is noted within one run id, a random one; yields it."""
    _run_id.append(os.urandom(6).hex())
    try:
        yield _run_id[-1]
    finally:
        _run_id.pop()


@contextmanager
def timed(event: str, /, **figures: Figure) -> Iterator[dict[str, Figure]]:
    """Note that something ended, with its seconds and what the block adds.

    A block that raises is noted as `<event>.failed`, with the kind of error alone.
    """
    began = time.monotonic()
    found: dict[str, Any] = dict(figures)
    try:
        yield found
    except Exception as error:
        kind, seconds = type(error).__name__, _since(began)
        note(f"{event}.failed", logging.ERROR, **found, error=kind, seconds=seconds)
        raise
    note(event, **found, seconds=_since(began))


@contextmanager
def shown(stream: TextIO, *, as_json: bool, level: int) -> Iterator[None]:
    """Write what is noted within to a stream, from a level on."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(_Json() if as_json else _Text())
    handler.setLevel(level)
    before = _LOGGER.level
    _LOGGER.addHandler(handler)
    _LOGGER.setLevel(level)
    try:
        yield
    finally:
        _LOGGER.removeHandler(handler)
        _LOGGER.setLevel(before)


def json_line(level: str, event: str, **said: Any) -> str:
    """Return one line of JSON as the log writes it; `said` is the caller's to clean."""
    at = datetime.now(UTC).strftime(_INSTANT)
    run = {"run": _run_id[-1]} if _run_id else {}
    line = {"at": at, "level": level, "event": event, **run, **said}
    return json.dumps(line, ensure_ascii=False)


def without_texts(reason: str) -> str:
    """Return why something was refused without what it quotes, or long numbers of it.

    What is then left in other letters than ours, or within quotes, may be a text, too:
    nothing is told of such a reason. What a library says of a file is left out.
    """
    plain = _NUMBER.sub("(number)", _QUOTED.sub("(text)", reason))
    plain = _FOREIGN.sub(r"\1", plain).replace("\u2026", "...")
    is_ours = plain.isascii() and not re.search(r"(?<!\w)'|\"", plain)
    return plain if is_ours else "(text)"


class _Text(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        at, figures = _parts(record)
        pairs = (f"{name}={_word(value)}" for name, value in figures.items())
        return " ".join([at, record.levelname, record.getMessage(), *pairs])


class _Json(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        at, figures = _parts(record)
        level = record.levelname.lower()
        line = {"at": at, "level": level, "event": record.getMessage(), **figures}
        return json.dumps(line, ensure_ascii=False)


def _parts(record: logging.LogRecord) -> tuple[str, Mapping[str, Figure]]:
    at = datetime.fromtimestamp(record.created, UTC)
    return at.strftime(_INSTANT), getattr(record, _FIGURES, {})


def _word(value: Figure) -> str:
    if value is None:
        return "none"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _safe(value: Figure) -> Figure:
    """Return a figure; a text that may be anyone's is not shown."""
    if not isinstance(value, str):
        return value
    plain = _PLAIN.fullmatch(value) and not _LONG_NUMBER.search(value)
    return value if plain or _ID.fullmatch(value) else "(text)"


def _since(began: float) -> float:
    return round(time.monotonic() - began, 3)
