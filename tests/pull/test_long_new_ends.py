"""A new end that is longer than the list was, or has a hole, proves nothing; nor does
one that was not read to its end, or of whose pages one is another."""

from pathlib import Path
from typing import Any

import pytest

from tests.pull.test_pull_in_part import COUNT, ROOT, Shop, made


@pytest.mark.parametrize("falls", [True, False])
def test_a_new_end_that_is_longer_than_the_list_was_proves_nothing(
    tmp_path: Path, falls: bool
) -> None:
    """It is read so far as all of it was long, which is no count of the rest."""
    shop = Shop(tmp_path)

    def listed(count: int) -> list[dict[str, Any]]:
        rows = [made(number) for number in range(1, count + 1)]
        return rows[::-1] if falls else rows

    shop.stub.checkouts = listed(40)
    assert shop.pull().certificate["order"]
    shop.stub.checkouts = listed(200)
    found = shop.pull()
    assert found.status == "complete"
    assert "as long as the whole list" in found.certificate["not_in_part"]
    assert len(shop.statuses()) == 200


@pytest.mark.parametrize("hollow", ["1", "2"])
def test_a_page_of_the_new_end_without_rows_is_read_again(
    tmp_path: Path, hollow: str
) -> None:
    """The count is short by its rows, which stand nowhere else."""
    shop = Shop(tmp_path)
    shop.pull()
    shop.stub.checkouts[:0] = [made(COUNT + 25 - number) for number in range(25)]
    honest, asked = shop.stub.endpoints[ROOT], iter([hollow])

    def hollowed(query: dict[str, str], body: dict[str, Any]) -> Any:
        status, answer = honest(query, body)
        if query["page"] == hollow and next(asked, None):
            answer = answer | {"data": []}
        return status, answer

    shop.stub.endpoints[ROOT] = hollowed
    found = shop.pull()
    assert found.counts.new == 25
    assert found.status == "partial"
    assert len(shop.statuses()) == COUNT + 25


@pytest.mark.parametrize(
    ("count", "came", "said"),
    [(COUNT, 1, 10), (COUNT, 12, 10), (COUNT, 2, 20), (15, 1, 10)],
)
def test_its_end_is_read_even_where_the_count_is_right_before(
    tmp_path: Path, count: int, came: int, said: int
) -> None:
    """As many left a list with the oldest first as are still to come; its pages have
    ten records, whatever they say."""
    shop = Shop(tmp_path)
    honest = shop.stub.endpoints[ROOT]

    def saying(query: dict[str, str], body: dict[str, Any]) -> Any:
        status, answer = honest(query, body)
        return status, answer | {"meta": answer["meta"] | {"per_page": said}}

    shop.stub.endpoints[ROOT] = saying
    shop.stub.checkouts = [made(number) for number in range(1, count + 1)]
    assert shop.pull().certificate["order"] == "oldest_first"
    del shop.stub.checkouts[count // 2]
    shop.stub.checkouts += [made(COUNT + 1 + number) for number in range(came)]
    found = shop.pull()
    assert (found.counts.new, found.counts.vanished) == (came, 1)
    assert found.status == "complete"


def test_a_page_that_is_not_the_one_asked_for_proves_nothing(tmp_path: Path) -> None:
    """The end of the list is answered by its beginning: one came there, one left."""
    shop = Shop(tmp_path)
    shop.stub.checkouts.reverse()
    shop.pull()
    del shop.stub.checkouts[COUNT // 2]
    shop.stub.checkouts.append(made(COUNT + 1))
    honest = shop.stub.endpoints[ROOT]
    shop.stub.endpoints[ROOT] = lambda query, body: honest(query | {"page": "1"}, body)
    assert shop.pull().status == "incomplete"
    shop.stub.endpoints[ROOT] = honest
    assert shop.pull().status == "complete"
    assert f"c{COUNT + 1}" in shop.statuses()
