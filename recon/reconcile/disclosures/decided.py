"""Breaks that somebody decided about and that are found all the same, told in words.

They are not open, so no exit code speaks of them; their rials are off none the less.
"""

from collections import Counter
from collections.abc import Mapping

import pyarrow as pa

from recon.reconcile.breaks import ACKNOWLEDGED, RESOLVED
from recon.reconcile.disclosures.locale import ENGLISH, Locale

_STATES = (ACKNOWLEDGED, RESOLVED)
_TOLD = "Decided upon, and found still: {listed}."
_TOLD_RIALS = "Decided upon, and found still: {listed}; {rials} rials."
_EACH = "{count} {status}"


def decided_breaks(found: pa.Table) -> dict[str, int]:
    """Count such breaks by where they stand, as JSON has it; empty without any.

    `rials` is the sum of their differences without signs, where any has one.
    """
    columns = (found[name].to_pylist() for name in ("status", "difference"))
    rows = [row for row in zip(*columns, strict=True) if row[0] in _STATES]
    counts = Counter(status for status, _ in rows)
    rials = [abs(difference) for _, difference in rows if difference is not None]
    return {
        **{status: counts[status] for status in _STATES if counts[status]},
        **({"rials": sum(rials)} if rials else {}),
    }


def decided_words(decided: Mapping[str, int], locale: Locale = ENGLISH) -> list[str]:
    """Tell in one sentence how many there are, and of how many rials; none of none."""
    say, count = locale.say, locale.count
    named = [
        say(_EACH, count=count(decided[status]), status=say(status))
        for status in _STATES
        if status in decided
    ]
    if not named:
        return []
    listed, rials = say(", ").join(named), decided.get("rials")
    if rials is None:
        return [say(_TOLD, listed=listed)]
    return [say(_TOLD_RIALS, listed=listed, rials=count(rials))]
