"""The runs of the wallet's intervals that moves tie together, from broken to broken."""

from collections.abc import Iterator

from recon.reconcile.wallet.rests import Rests
from recon.reconcile.wallet.spans import Spans


def segments(rests: Rests, spans: Spans) -> Iterator[range]:
    """Yield the runs of intervals that must be settled as one.

    A neighbour that something near the boundary may break belongs to its run, and so
    does a gap that something known to a span may have come to or from, or passed.
    """
    start, whole = 0, len(rests.rests)
    for boundary in range(1, whole + 1):
        is_end = boundary == whole
        if not is_end and (rests.tied(boundary) or spans.ties(boundary)):
            continue
        broken = [at for at in range(start, boundary) if rests.broken(at)]
        if broken:
            first, last = broken[0], broken[-1] + 1
            if start == 0 and spans.ties(0):
                first = 0
            if spans.ties(boundary):  # the end of all: no run ends at another
                last = boundary
            within = range(start, boundary)
            first, last = _with_gaps(range(first, last), within, rests, spans)
            while first > start and (rests.tied(first) or first - 1 in rests.gaps):
                first -= 1
            while last < boundary and (rests.tied(last) or last in rests.gaps):
                last += 1
            yield range(first, last)
        start = boundary


def _with_gaps(
    run: range, within: range, rests: Rests, spans: Spans
) -> tuple[int, int]:
    """Return the ends of a run with every gap that its items may be from, or in.

    What counts in a gap may have landed in the run, over whole intervals between; what
    counts in a broken interval of the run, in a gap after it.
    """
    gaps = [gap for gap in rests.gaps if gap in within]
    reach = max(spans.furthest(at) for at in run if rests.broken(at))
    before = (gap for gap in gaps if gap < run.start <= spans.furthest(gap))
    after = (gap for gap in gaps if run.stop <= gap <= reach)
    first = min(before, default=run.start)
    return first, max(after, default=run.stop - 1) + 1
