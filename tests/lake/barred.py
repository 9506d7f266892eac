"""A place that this user may not look into, also where the tests' user may anything."""

import errno
import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

_CALLS = ((os, "stat"), (os, "listdir"), (os, "scandir"), (io, "open"))


def bar(
    monkeypatch: pytest.MonkeyPatch, *places: Path, number: int = errno.EACCES
) -> None:
    """Refuse what lies below folders, or files themselves, as the system would."""
    for module, name in _CALLS:
        call = getattr(module, name)
        monkeypatch.setattr(module, name, _refusing(call, name, places, number))


def _refusing(
    call: Callable[..., Any], name: str, places: tuple[Path, ...], number: int
) -> Callable[..., Any]:
    def called(path: Any = ".", *given: Any, **named: Any) -> Any:
        asked = Path(path) if isinstance(path, str | os.PathLike) else None
        for place in places if asked else ():
            own = asked == place and (name != "stat" or place.suffix)
            if own and name == "stat":
                continue  # a file that may not be read is seen to be there
            if own or place in asked.parents:
                raise OSError(number, os.strerror(number), path)
        return call(path, *given, **named)

    return called
