"""Rounds of look-ups: from one pull that asks for all that was sent to the next.

Final or not, each id is asked for in a round, so that a restated one is found. What got
no answer then is asked for by the pulls that follow, and the round is whole once all of
it was answered. Where times carry no zone, another one begins a round, too: what was
final has them as they were read in the zone of before.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from recon.lake import Commit, Lake
from recon.pull.pulling import is_young
from recon.settings import Settings

MOST_UNANSWERED = 20
"""With more ids without an answer none has begun: the next pull asks for all again."""

_ASKED_ALL = "asked_all"
_UNANSWERED = "unanswered"
_ZONE = "zone"


@dataclass(frozen=True)
class Round:
    """The newest pull that asked for all, and those after it; none before the first."""

    pulls: tuple[Commit, ...]

    @classmethod
    def of(cls, lake: Lake, source: str) -> "Round":
        """Return a source's newest round."""
        pulls = lake.commits(kind="pull", source=source)
        begins = [at for at, e in enumerate(pulls) if e.certificate.get(_ASKED_ALL)]
        return cls(tuple(pulls[begins[-1] :]) if begins else ())

    def is_due(self, settings: Settings, lake: Lake, zone: str) -> bool:
        """Tell whether the next one is to begin: all is asked for, final or not.

        `zone` is the one of times that carry none. Earlier releases did not note it.
        """
        first = self.pulls[0] if self.pulls else None
        is_other = first is not None and first.certificate.get(_ZONE, zone) != zone
        return is_other or not is_young(settings, lake, first)

    @property
    def is_open(self) -> bool:
        """Tell whether something had no answer yet when it was last asked for."""
        return bool(self.pulls) and not any(each.complete for each in self.pulls)

    @property
    def unanswered(self) -> frozenset[str]:
        """Return the ids that are still to be asked for, be they final or not."""
        noted = [e.certificate.get(_UNANSWERED) for e in self.pulls]
        last = next((ids for ids in reversed(noted) if ids is not None), ())
        return frozenset(last)


def certified(
    *, asked_all: bool, unanswered: Iterable[str], zone: str
) -> dict[str, Any]:
    """Return what a pull's certificate says of its round.

    `unanswered` are the ids that no later pull would ask for but for the round.
    """
    ids = sorted(unanswered)
    if len(ids) > MOST_UNANSWERED:
        return {_ASKED_ALL: False}
    said = {_ZONE: zone} if zone else {}
    return {_ASKED_ALL: asked_all, _UNANSWERED: ids, **said}
