"""A list's order is what all its pages bear out, and nothing where one does not."""

from collections.abc import Sequence

import pytest

from recon.pull.ordering import Order, OrderWatch

NEWEST, OLDEST = Order.NEWEST_FIRST, Order.OLDEST_FIRST
Pages = Sequence[Sequence[float | None]]


def watched(pages: Pages) -> OrderWatch[float | None]:
    watch: OrderWatch[float | None] = OrderWatch(lambda time: time)
    for number, times in enumerate(pages, 1):
        watch.see(number, times)
    return watch


def turned(pages: Pages) -> Pages:
    """Return the times of pages that run the other way."""
    return [[None if each is None else -each for each in page] for page in pages]


def both(found: Order | None, pages: Pages) -> list[tuple[Pages, Order | None]]:
    """Return a case of falling times, and the same of rising ones."""
    other = {NEWEST: OLDEST, None: None}[found]
    return [(pages, found), (turned(pages), other)]


@pytest.mark.parametrize(
    ("pages", "found"),
    [
        *both(NEWEST, [[9, 8], [7, 6], [5]]),
        *both(NEWEST, [[9, 9], [9, 8], [8, 8]]),  # equal times stand in any order
        *both(NEWEST, [[9, 8], [8, 6]]),
        *both(NEWEST, [[9, 7], [8, 6]]),  # rows came in between: pages overlap
        *both(None, [[9, 8], [6, 7], [5]]),  # within a page
        *both(None, [[9, 5], [8, 6]]),  # the second has a later end
        *both(None, [[8, 5], [9, 4]]),  # the second has a later beginning
        *both(None, [[9, 8], [4, 3], [7, 6]]),
        *both(None, [[9, 8, 7]]),  # one page says little
        *both(None, [[9, 9], [9, 9]]),
        *both(None, [[9, None], [7, 6]]),
        *both(None, []),
    ],
    ids=str,
)
def test_an_order_is_learned_of_all_pages(pages: Pages, found: Order | None) -> None:
    assert watched(pages).found() is found


def test_pages_count_by_their_number_and_empty_ones_not_at_all() -> None:
    watch = watched([])
    for number, times in ((3, [5.0]), (1, [9.0, 8.0]), (4, []), (2, [7.0, 6.0])):
        watch.see(number, times)
    assert watch.found() is NEWEST


@pytest.mark.parametrize(
    ("pages", "newest", "oldest"),
    [
        ([], True, True),
        ([[9, 8]], True, False),  # one page speaks for itself
        ([[8, 9]], False, True),
        ([[9, 9]], True, True),
        ([[9, 7, 8]], False, False),
        ([[9, None]], False, False),
        ([[9, 8], [7, 6]], True, False),
        ([[6, 7], [8, 9]], False, True),
        ([[9, 9], [9, 9]], True, True),  # level pages speak against none
        ([[9, 8], [9, 8]], True, False),  # as many came in as a page has
        ([[9, 7, 8, 7], [7, 9, 8]], False, False),
        ([[8, 9], [6, 7]], False, False),
    ],
    ids=str,
)
def test_what_was_seen_of_a_list_may_speak_against_an_order(
    pages: Pages, newest: bool, oldest: bool
) -> None:
    watch = watched(pages)
    assert (watch.agrees(NEWEST), watch.agrees(OLDEST)) == (newest, oldest)


@pytest.mark.parametrize("pages", [[], [[9, 8]], [[9, 8], [7, 6]], [[9, 9], [9, 9]]])
def test_a_page_that_was_not_the_one_asked_for_shows_no_order(pages: Pages) -> None:
    watch = watched(pages)
    watch.doubt()
    assert watch.found() is None
    assert not watch.agrees(NEWEST)
    watch.forget()
    assert not watch.agrees(NEWEST)


def test_whoever_forgets_begins_anew() -> None:
    watch = watched([[9, 8], [7, 6]])
    watch.forget()
    assert watch.agrees(OLDEST)
    watch.see(1, [1.0, 2.0])
    assert watch.agrees(OLDEST)


def test_without_times_there_is_no_order_to_learn() -> None:
    watch: OrderWatch[float] = OrderWatch(None)
    watch.see(1, [9.0, 8.0])
    watch.see(2, [7.0, 6.0])
    assert watch.found() is None
    assert not watch.agrees(NEWEST)
