"""Two old rows tell at which end a list grew, and that no row of the old list left."""

import pytest

from recon.api.anchors import Anchors, Growth

OLD = ["a", "b", "c", "d"]


def dropped(ids: list[str] = OLD) -> Anchors:
    anchors = Anchors()
    anchors.drop_head(ids, len(ids))
    anchors.drop_tail(ids, 0, len(ids))
    return anchors


@pytest.mark.parametrize(
    ("now", "grown"),
    [
        (["x", "a", "b", "c", "d"], Growth.HEAD),
        (["x", "y", "a", "b", "c", "d"], Growth.HEAD),
        (["a", "b", "c", "d", "x"], Growth.TAIL),
        (["a", "b", "c", "d"], None),  # one that is as long tells nothing
        (["a", "b", "d", "x", "y"], None),  # `c` left: `d` came nearer to the start
        (["x", "y", "a", "b", "d"], None),  # and `a` is nearer to the end
        (["x", "b", "c", "y", "d"], None),
        (["b", "c", "d"], None),
    ],
    ids=str,
)
def test_a_list_grew_where_its_old_end_shows_it(
    now: list[str], grown: Growth | None
) -> None:
    assert dropped().grown(now, 0, len(now)) is grown


def test_of_a_list_of_one_row_that_row_is_both_ends() -> None:
    alone = dropped(["a"])
    assert alone.grown(["x", "a"], 0, 2) is Growth.HEAD
    assert alone.grown(["a", "x"], 0, 2) is Growth.TAIL
    assert alone.grown(["x", "y"], 0, 2) is None


def test_a_row_is_looked_for_in_its_place_in_the_whole_list() -> None:
    """Of pages of two rows, the third has the places 4 and 5."""
    assert dropped().grown(["d"], 3, 6) is Growth.TAIL
    assert dropped().grown(["d"], 4, 6) is None
    assert dropped().grown(["a", "b"], 2, 6) is Growth.HEAD
    assert dropped().grown(["a", "b"], 0, 6) is None


def test_without_an_old_row_no_growth_is_told() -> None:
    assert Anchors().grown(["a"], 0, 1) is None
    assert Anchors().grown([""], 1, 1) is None
    only_head, empty = Anchors(), dropped([])
    only_head.drop_head(OLD, 4)
    assert only_head.grown([*OLD, "x"], 0, 5) is None
    assert empty.grown(["a"], 0, 1) is None


def test_only_the_page_that_ends_the_list_has_its_last_row() -> None:
    anchors = Anchors()
    anchors.drop_tail(["a", "b"], 0, 4)
    assert anchors.grown(["a", "b"], 0, 5) is None
    anchors.drop_tail(["c", "d"], 2, 4)
    assert anchors.grown(["c", "d"], 2, 5) is Growth.TAIL


def test_rows_are_those_that_were_read_first() -> None:
    """The ids of all sweeps since are counted: a row that left one is among them."""
    anchors = dropped()
    anchors.drop_head(["b", "c", "d", "e"], 4)
    anchors.drop_tail(["b", "c", "d", "e"], 0, 4)
    assert anchors.grown(["x", "y", "b", "c", "d", "e"], 0, 6) is None
    assert anchors.grown(["b", "c", "d", "e", "x"], 0, 5) is None
    assert anchors.grown([*OLD, "x"], 0, 5) is Growth.TAIL


def test_the_other_end_has_its_old_row_still() -> None:
    anchors = dropped()
    assert (anchors.far_row(Growth.HEAD), anchors.far_place(Growth.HEAD, 9)) == ("d", 8)
    assert (anchors.far_row(Growth.TAIL), anchors.far_place(Growth.TAIL, 9)) == ("a", 0)
