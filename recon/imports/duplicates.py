"""Entries of a bank account that an earlier file may have under other texts.

One export has times of day, another one days alone; one the names of payers, another
codes. An account that is imported in two formats has every entry twice, and a deposit
that the bank never paid finds its debit in the second one.
"""

from array import array
from collections import Counter
from datetime import UTC, datetime, timedelta, tzinfo
from itertools import compress

from recon.imports.shape import Record
from recon.imports.stored_rows import Marks, StoredRows
from recon.times import business_date

TOPIC = (
    "of the account, day and amount of an entry that an earlier file has and this one "
    "lacks, so both count (one account in two formats? take one of the files back: "
    "--void)"
)
ENTRIES = ("iban", "booked_at", "amount")
"""The columns of a table of such entries."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Duplicates:
    """The entries of earlier files by account, day and amount."""

    def __init__(self, zone: tzinfo) -> None:
        """Take the zone whose days count."""
        self._zone = zone
        self._known: Counter[int] = Counter()
        self._days: set[int] = set()
        self._begin()

    def _begin(self) -> None:
        self._shared: Counter[int] = Counter()  # that an earlier file has, too
        self._own = array("q"), array("q"), array("q")

    def note(self, record: Record, line: int, *, is_shared: bool) -> None:
        """Take an entry of the present file; an earlier one may have it, too."""
        whose = self._whose(record["iban"], record["booked_at"])
        key = _key(whose, record["amount"])
        if is_shared:
            self._shared[key] += 1
            return
        for kept, mark in zip(self._own, (key, whose, line), strict=True):
            kept.append(mark)

    def know(self, stored: StoredRows, shared: Marks) -> None:
        """Take the rows of earlier files, and of which of them a file before has."""
        begin = 0
        for group in stored.groups:
            ibans, moments, amounts = stored.values(group, ENTRIES)
            places = list(zip(ibans, moments, strict=True))
            days = {
                place: self._whose(place[0], _EPOCH + timedelta(microseconds=place[1]))
                for place in set(places)
            }
            whose = [days[place] for place in places]
            keys = map(_key, whose, amounts)
            own = (~shared[begin : begin + len(whose)]).tolist()
            begin += len(whose)
            self._days.update(compress(whose, own))
            self._known.update(compress(keys, own))

    def _whose(self, iban: str, moment: datetime) -> int:
        return hash((iban, business_date(moment, self._zone)))

    def lines(self) -> list[int]:
        """Return the lines of the present file that look like earlier entries.

        That is told where most of its other entries of those days look so: of several
        fees of one day, one file may have some and another one the others.
        """
        left = self._known - self._shared
        found, others = [], 0
        for key, whose, line in zip(*self._own, strict=True):
            if left[key] > 0:
                left[key] -= 1
                found.append(line)
            elif whose in self._days:
                others += 1
        return found if len(found) > others else []

    def begin_file(self) -> None:
        """Count what came so far as entries of earlier files."""
        self._known.update(self._own[0])
        self._days.update(self._own[1])
        self._begin()


def _key(whose: int, amount: int) -> int:
    """Return the hash of an entry; twice the amount, as those of -1 and -2 are one."""
    return hash((whose, 2 * amount))
