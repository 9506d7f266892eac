"""The notebooks as files: paired, thin, without outputs, and running on any lake."""

import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell

from recon import assets, notebook
from tests.notebooks.cells import cells
from tests.notebooks.shells import own_shell
from tests.notebooks.small_lake import empty_lake, small_lake

NOTEBOOKS = sorted(assets.notebooks_folder().glob("*.ipynb"))
NOT_THIN = re.compile(r"^\s*(def|class|for|while)\b", re.MULTILINE)
each = pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made: Path = tmp_path_factory.mktemp("small")
    small_lake(made)
    return made


@pytest.fixture
def shell() -> Iterator[InteractiveShell]:
    with own_shell() as shell:
        yield shell
        notebook.close()


def run(path: Path, shell: InteractiveShell, config: Path, **given: str) -> list[Any]:
    """Run a notebook's cells in this process; returns what each code cell shows."""
    shown = []
    for cell in cells(path):
        if cell.cell_type != "code":
            continue
        outcome = shell.run_cell(cell.source, store_history=False)
        outcome.raise_error()
        shown.append(outcome.result)
        if "parameters" in cell.tags:
            shell.user_ns |= {"config": str(config), **given}
    return shown


def test_there_are_notebooks() -> None:
    assert NOTEBOOKS


@each
def test_a_notebook_agrees_with_its_paired_script(path: Path) -> None:
    import jupytext  # noqa: PLC0415 - it takes seconds, and each worker reads this file

    script = jupytext.read(path.with_suffix(".py"))
    assert [(cell.cell_type, cell.source) for cell in script.cells] == [
        (cell.cell_type, cell.source) for cell in cells(path)
    ]
    assert [cell.metadata.get("tags", []) for cell in script.cells] == [
        cell.tags for cell in cells(path)
    ]


@each
def test_a_notebook_holds_no_outputs_and_is_valid(path: Path) -> None:
    import nbformat  # noqa: PLC0415 - it takes seconds, and each worker reads this file

    nbformat.validate(nbformat.read(path, as_version=4))
    for cell in cells(path):
        if cell.cell_type == "code":
            assert cell.outputs == []
            assert cell.execution_count is None


@each
def test_a_notebook_is_thin(path: Path) -> None:
    for cell in cells(path):
        if cell.cell_type == "code":
            assert not NOT_THIN.search(cell.source)


@each
def test_a_notebook_has_one_cell_of_parameters(path: Path) -> None:
    tagged = [cell for cell in cells(path) if "parameters" in cell.tags]
    assert len(tagged) == 1
    assert {"config", "from_date", "to_date"} <= set(
        re.findall(r"^(\w+) =", tagged[0].source, re.MULTILINE)
    )


@each
def test_a_sentence_stands_before_every_chart(path: Path) -> None:
    found = cells(path)
    for before, cell in itertools.pairwise(found):
        if cell.cell_type == "code" and cell.source.startswith("charts."):
            assert before.cell_type == "markdown"
            assert before.source.rstrip().endswith(".")


@each
def test_a_notebook_runs_on_a_small_lake(
    path: Path, folder: Path, shell: InteractiveShell
) -> None:
    shown = run(path, shell, folder / "recon.toml")
    assert any(value is not None for value in shown)


@each
def test_a_notebook_runs_on_an_empty_lake(
    path: Path, tmp_path: Path, shell: InteractiveShell
) -> None:
    empty_lake(tmp_path)
    run(path, shell, tmp_path / "recon.toml")


def test_a_notebook_takes_a_period(folder: Path, shell: InteractiveShell) -> None:
    run(
        NOTEBOOKS[0],
        shell,
        folder / "recon.toml",
        from_date="2026-03-02",
        to_date="1404-12-12",  # 3 March
    )
