"""A page: one response body, or one imported file, exactly as received."""

import hashlib
from datetime import datetime

import msgspec


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """Evidence of one answer, and of what it answers.

    `url` and `asked`, the JSON body of the request where it had one, never hold a
    credential; `headers` are chosen.
    """

    method: str = "GET"
    url: str
    asked: str = ""
    status: int = 200
    headers: dict[str, str] = {}
    received_at: datetime
    body: bytes

    @property
    def sha256(self) -> str:
        """Return the hash of the body in hex."""
        return hashlib.sha256(self.body).hexdigest()
