"""The cells of a notebook's file, read as the JSON that they are.

What else reads notebooks takes a second to be imported, in each process.
"""

import json
from pathlib import Path
from typing import Any, NamedTuple


class Cell(NamedTuple):
    """One cell; what only code has is None of a text."""

    cell_type: str
    source: str
    tags: list[str]
    outputs: list[Any] | None
    execution_count: int | None


def cells(path: Path) -> list[Cell]:
    """Return the cells of a notebook, in their order."""
    return [
        Cell(
            cell["cell_type"],
            "".join(cell["source"]),
            cell["metadata"].get("tags", []),
            cell.get("outputs"),
            cell.get("execution_count"),
        )
        for cell in json.loads(path.read_text("utf-8"))["cells"]
    ]
