"""The runs of the wallet's intervals that moves tie together, from broken to broken."""

from collections.abc import Iterator

from recon.reconcile.rests import Rests
from recon.reconcile.spans import Spans


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
            if is_end and spans.ties(boundary):
                last = boundary
            while first > start and (rests.tied(first) or first - 1 in rests.gaps):
                first -= 1
            while last < boundary and (rests.tied(last) or last in rests.gaps):
                last += 1
            yield range(first, last)
        start = boundary
