"""Deposits that the lake has from the journal, and that the journal no longer has.

A journal that was lost, or an older copy of which was put back, reads as whole: it
knows of no request sent since, lets each be sent again, and no pull can tell what
became of them. What earlier pulls took of it into the lake bears witness.
"""

from collections.abc import Mapping

import pyarrow.compute as pc

from recon.journal import deposit_track_ids, journaled
from recon.lake import Lake
from recon.settings import Settings
from recon.wording import counted, listed

REMEDY = (
    "if the journal was lost, or an older copy of it put back: put the newest copy "
    "back; without one, look in the provider's panel for what was sent since, before "
    "anything is sent again, and recon import deposits. If another machine sent them: "
    "its own journal guards them"
)
"""What to do about deposits that the journal lacks."""


def of_journal(lake: Lake) -> dict[str, bool]:
    """Return the `track_id` of each deposit that the lake has from the journal alone.

    Each with whether its outcome is known. Those that a list or an import told of as
    well are not meant: they are known without the journal.
    """
    rows = lake.current("deposits", ["track_id", "origin", "outcome"])
    is_sent = pc.fill_null(pc.equal(rows["origin"], "journal"), fill_value=False)
    sent, others = rows.filter(is_sent), rows.filter(pc.invert(is_sent))
    told = pc.is_in(sent["track_id"], value_set=others["track_id"].combine_chunks())
    found: dict[str, bool] = {}
    for row in sent.filter(pc.invert(told)).to_pylist():
        is_known = row["outcome"] != "unknown"
        found[row["track_id"]] = found.get(row["track_id"], False) or is_known
    return found


def unjournaled(settings: Settings, witnesses: Mapping[str, bool]) -> str | None:
    """Say which of `of_journal` the journal lacks; None where it lacks none.

    Raises LakeError where the journal cannot be read.
    """
    if not witnesses:
        return None
    lacking = sorted(witnesses.keys() - journaled(settings, deposit_track_ids))
    if not lacking:
        return None
    named = [
        each if witnesses[each] else f"{each} (of unknown outcome)" for each in lacking
    ]
    deposits = counted(len(lacking), "deposit")
    return f"the lake has {deposits} that the journal has not: {listed(named)}"
