"""The bytes of an imported file, kept beside the rows that came of them."""

from datetime import datetime
from typing import BinaryIO

from recon.imports import copies
from recon.lake import Page, Writing


def keep(name: str, file: BinaryIO, writing: Writing, received_at: datetime) -> int:
    """Keep a file's bytes; returns the page that its rows name.

    A large file is kept as several pages in a row; the first one stands for it.
    """
    numbers = [
        writing.page(
            Page(
                method="IMPORT",
                url=f"file:{name}",
                headers={"part": str(part)},
                received_at=received_at,
                body=body,
            )
        )
        for part, body in enumerate(copies.parts(file), start=1)
    ]
    return numbers[0]
