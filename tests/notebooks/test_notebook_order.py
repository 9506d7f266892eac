"""The rows of a notebook's tables stand in one order, however an engine gives them.

Of a large lake it gives them in another one each time.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from recon import notebook
from tests.notebooks.small_lake import empty_lake, small_lake


@pytest.fixture(autouse=True, scope="module")
def closed() -> Iterator[None]:
    yield
    notebook.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made: Path = tmp_path_factory.mktemp("small")
    small_lake(made)
    return made


@pytest.mark.parametrize("name", ["hours", "escrow", "mandates", "mandate_ages"])
def test_rows_of_a_model_are_sorted_by_its_columns(name: str, folder: Path) -> None:
    notebook.use(str(folder / "recon.toml"))
    shown = getattr(notebook, name)()
    assert len(shown) > 1
    by_all = shown.sort_values([*shown.columns], na_position="last")
    assert shown.index.tolist() == by_all.index.tolist()


def test_rows_of_a_table_are_in_the_order_in_which_they_came(tmp_path: Path) -> None:
    _, lake = empty_lake(tmp_path)
    for numbers in ([3, 1, 4, 2], [5, 1, 6, 4]):
        with lake.begin("pull", "checkouts") as writing:
            rows = [
                {"id": f"c{number}", "page_no": 1, "position": place}
                for place, number in enumerate(numbers, start=1)
            ]
            writing.rows("checkouts", rows)
            writing.commit()
    notebook.use(str(tmp_path / "recon.toml"))
    ids = notebook.lake("checkouts")["id"].tolist()
    assert ids == ["c3", "c2", "c5", "c1", "c6", "c4"]
