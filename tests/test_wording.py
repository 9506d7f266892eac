"""A count agrees with its noun."""

import pytest

from recon.wording import counted


@pytest.mark.parametrize(
    ("count", "said"),
    [(0, "0 rows"), (1, "1 row"), (2, "2 rows"), (12_345, "12,345 rows")],
)
def test_a_count_agrees_with_its_noun(count: int, said: str) -> None:
    assert counted(count, "row") == said
