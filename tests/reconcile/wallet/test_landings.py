"""In which intervals an open item may have landed, told item by item."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from recon.reconcile.wallet.account import Item
from recon.reconcile.wallet.landings import Landings

MIDNIGHT = datetime(2026, 10, 10, tzinfo=UTC)
HOUR = timedelta(hours=1)
QUEUE = 3 * HOUR
SKEW = timedelta(minutes=5)
MINUTES = st.sampled_from([-5, -4, 0, 4, 5]).map(lambda n: timedelta(minutes=n))
INSTANTS = st.one_of(
    st.builds(lambda n, m: MIDNIGHT + n * HOUR + m, st.integers(-6, 6), MINUTES),
    st.sampled_from(
        [datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)]
    ),
    st.none(),
)
KINDS = st.sampled_from(["deposit_queued", "payment_timeout", "payment_without_time"])
ENDS = [(MIDNIGHT + n * HOUR, MIDNIGHT + (n + 1) * HOUR) for n in (0, 1, 3)]


def item(kind: str, since: datetime | None, until: datetime | None) -> Item:
    return Item("i", "cash_in", "r", kind, 1, None, since, until, None)


def may_land(each: Item, at: int) -> bool:
    begin, end = ENDS[at]
    since, until = each.possible_from, each.possible_until
    if since and since > end and since - end > SKEW:
        return False
    if until and since and until < since:
        until = None
    if each.kind == "payment_timeout":
        until = until or since
        begin = ENDS[max(0, at - 1)][0]
    return until is None or begin - until < SKEW


@given(st.lists(st.builds(item, KINDS, INSTANTS, INSTANTS), max_size=6))
def test_what_may_have_landed_is_told_of_each_the_stale_last(items: list[Item]) -> None:
    broken = (0, 2)
    landings = Landings(items, ENDS, SKEW)
    landing = landings.landing(broken, QUEUE)
    stale = landings.stale(broken, QUEUE)
    assert [*landing] == [*stale] == [*broken]
    assert len(landing) == len(broken)
    assert landing.get(1) is None
    for at in broken:
        there = [i for i, each in enumerate(items) if may_land(each, at)]
        before = ENDS[at][0] - QUEUE
        old = {i for i in there if (since := items[i].possible_from) and since < before}
        assert stale[at] == old
        assert landing[at] == sorted(there, key=lambda i: (i in old, i))
