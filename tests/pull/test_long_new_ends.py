"""A list of which more is new than it was long is read whole, whichever way it runs."""

from pathlib import Path
from typing import Any

import pytest

from tests.pull.test_pull_in_part import Shop, made


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
