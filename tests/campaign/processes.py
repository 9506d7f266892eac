from collections.abc import Iterator
from pathlib import Path
from typing import Any


def trials(seed: int, folder: Path) -> Iterator[dict[str, Any]]:
    yield from ()
