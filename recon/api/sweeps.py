"""One walk of a list from page 1 to its end: what it saw."""

from recon.api.ids import IdSet
from recon.api.proofs import Proof


class Sweep:
    """What one sweep saw."""

    def __init__(self, ids: IdSet | None = None) -> None:
        self.ids = IdSet() if ids is None else ids
        self.row_count = 0
        self.ends: dict[int, list[str]] = {}  # the ids of the first and the last page
        self.size = 1
        self.last = 1  # the last page, as far as answers told
        self.turned = False  # an end was met again with other rows
        self.early = 0  # the page that was read before its turn
        self.most = 1  # pages that are read at most
        self.first_total: int | None = None
        self.total = 0  # the newest; the highest while none fell
        self.rose = False
        self.fell = False
        self.in_order = False
        self.broken: str | None = None  # the first page that broke its promise
        self.broken_pages = 0

    @property
    def moved(self) -> bool:
        return self.rose or self.fell

    @property
    def ran_away(self) -> bool:
        """Tell whether the list grew faster than it was read: its end was not met."""
        return self.last > self.most

    def proof(self, before: "Sweep") -> Proof | None:
        """Return what it proves by itself, or with the sweep before it (see `paging`).

        A `still` list is proven only if both ends hold the same rows afterwards.
        """
        if self.broken or self.first_total is None or self.fell:
            return None
        if not self.rose:
            return Proof.STILL if len(self.ids) == self.total else None
        again = self.in_order and before.first_total is not None
        enough = len(self.ids) >= self.first_total and before.ids <= self.ids
        proven = again and enough and not self.ran_away
        return Proof.FROM_START if proven else None

    def doubt(self) -> str:
        """Say why the list could not be proven whole."""
        counted = f"{len(self.ids)} distinct ids of {self.total}"
        moved = "; its total moved while it was read" if self.moved else ""
        broken = f"; {self.broken}" if self.broken else ""
        return f"the list could not be proven whole: {counted}{broken}{moved}"
