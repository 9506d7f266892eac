"""How long look-ups go on without an answer, and where the next pull begins.

An answer that came and cannot be read is the trouble of its id alone. Silence, or
nothing but such answers, ends the asking early; the next pull begins with those that
were not asked, so that no id keeps the others from their answers for good.
"""

from bisect import bisect_left

from recon.errors import ProviderError
from recon.lake import Lake

ASKED = "asked"
"""What the certificate of every pull that looked up to its end calls how many it asked
for."""

NEXT = "next"
"""What a certificate calls the first id that was not asked."""

MOST_SILENT = 3
"""Ids without any answer between them; then the provider is left in peace."""

MOST_UNREAD = 50
"""Answers that cannot be read, without a readable one between them."""

_SERVER_ERRORS = 500
_NOT_NOW = {408, 425}  # they say nothing about what was asked for


class Patience:
    """The failures since the last answer that helped; shared by the workers."""

    def __init__(self) -> None:
        self._silent_count = 0  # since the last answer, be it readable or not
        self._unread_count = 0  # since the last readable answer

    @property
    def is_over(self) -> bool:
        """Tell whether to go on asking is in vain."""
        return self._silent_count >= MOST_SILENT or self._unread_count >= MOST_UNREAD

    def answered(self) -> None:
        """Take an answer that could be read: all is forgotten."""
        self._silent_count = self._unread_count = 0

    def failed(self, error: ProviderError) -> None:
        """Take a failure: nobody answered, or what came cannot be read."""
        if _is_silence(error):
            self._silent_count += 1
        else:
            self._silent_count = 0
            self._unread_count += 1


def _is_silence(error: ProviderError) -> bool:
    """Tell whether nobody answered: no whole answer, or one about the server alone."""
    status = error.status
    return status is None or status >= _SERVER_ERRORS or status in _NOT_NOW


def from_next(lake: Lake, source: str, ids: list[str]) -> list[str]:
    """Return ids, which are in order, from the first that the last pull did not ask.

    A pull that broke off left no word of it; that of the one before it stands.
    """
    pulls = reversed(lake.commits(kind="pull", source=source))
    said = next((e.certificate for e in pulls if ASKED in e.certificate), {})
    start = bisect_left(ids, said.get(NEXT, ""))
    return ids[start:] + ids[:start]
