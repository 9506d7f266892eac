"""report.html is the notebooks without their code: one list of chapters for both."""

import ast
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from recon import assets
from recon.charts.persian import PHRASES
from recon.reports.chapters import CHAPTERS, Chapter
from recon.reports.digests import DIGESTS, held_trades
from recon.reports.views import MODELS, REPORTS
from tests.notebooks.cells import Cell, cells

Shown = tuple[str, str, str, str, dict[str, Any]]
each = pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda each: each.notebook)


def notebook_cells(name: str) -> list[Cell]:
    return cells(assets.notebooks_folder() / f"{name}.ipynb")


def chart_call(source: str) -> tuple[str, str, dict[str, Any]] | None:
    """The chart, the view and the options of a cell `charts.X(notebook.Y(), …)`."""
    found = ast.parse(source.replace("%", "#", 1) if source[0] == "%" else source).body
    call = found[-1].value if isinstance(found[-1], ast.Expr) else None
    if not isinstance(call, ast.Call) or not ast.unparse(call.func).startswith(
        "charts."
    ):
        return None
    view = ast.unparse(call.args[0]).removeprefix("notebook.").removesuffix("()")
    options = {word.arg: ast.unparse(word.value) for word in call.keywords if word.arg}
    assert options.pop("look") == "notebook.look()"
    given = {name: ast.literal_eval(text) for name, text in options.items()}
    return ast.unparse(call.func).removeprefix("charts."), view, given


def shown_by(name: str) -> list[Shown]:
    """Each chart of a notebook with the heading and the sentence that stand before."""
    heading = hint = ""
    found = []
    for cell in notebook_cells(name):
        if cell.cell_type == "markdown" and cell.source.startswith("## "):
            heading, _, hint = cell.source.removeprefix("## ").partition("\n")
        elif cell.cell_type == "code" and (call := chart_call(cell.source)):
            found.append((heading, " ".join(hint.split()), *call))
    return found


@each
def test_a_notebook_shows_what_its_chapter_of_the_page_shows(chapter: Chapter) -> None:
    assert shown_by(chapter.notebook) == [
        (item.heading, item.hint, item.chart.__name__, item.view, dict(item.options))
        for item in chapter.exhibits
    ]


@each
def test_a_notebook_begins_with_the_question_of_its_chapter(chapter: Chapter) -> None:
    text = " ".join(notebook_cells(chapter.notebook)[0].source.split())
    assert text.startswith(f"# {chapter.title} {chapter.question}")


def test_every_notebook_but_the_first_is_a_chapter_and_the_first_repeats_some() -> None:
    names = sorted(path.stem for path in assets.notebooks_folder().glob("*.ipynb"))
    assert [chapter.notebook for chapter in CHAPTERS] == names[1:]
    known = {
        (item.chart.__name__, item.view)
        for chapter in CHAPTERS
        for item in chapter.exhibits
    }
    assert {(chart, view) for _, _, chart, view, _ in shown_by(names[0])} <= known


@each
def test_a_chapter_looks_at_known_views_and_has_its_table(chapter: Chapter) -> None:
    views = {*REPORTS, *MODELS, "held"}
    assert {*chapter.views, DIGESTS[chapter.notebook].view} <= views


@each
def test_every_sentence_of_a_chapter_is_known_in_persian(chapter: Chapter) -> None:
    said = [chapter.title, chapter.question]
    said += [text for item in chapter.exhibits for text in (item.heading, item.hint)]
    note = DIGESTS[chapter.notebook].note
    assert {*said, *([note] if note else [])} <= PHRASES.keys()


@pytest.mark.parametrize(
    ("name", "door"),
    [(name, "_report") for name in REPORTS] + [(name, "_model") for name in MODELS],
)
def test_a_function_of_the_notebooks_returns_the_view_of_its_name(
    name: str, door: str
) -> None:
    source = Path(assets.__file__).with_name("notebook.py").read_text("utf-8")
    functions = ast.parse(source).body
    found = next(
        each
        for each in functions
        if isinstance(each, ast.FunctionDef) and each.name == name
    )
    assert ast.unparse(found.body[-1]) == f"return {door}('{name}')"


def test_the_table_of_escrow_adds_up_to_its_charts() -> None:
    """A trade of which more went out than came in lessens what is held in all."""
    held, days = [0, -3, 50, 7], [None, None, 2, 9]
    codes = ["even", "beyond", "new", "old"]
    trades = pa.table(
        {
            "tracking_code": codes,
            "state": ["contract"] * 4,
            "paid_date": [None] * 4,
            "held": held,
            "held_days": pa.array(days, pa.int64()),
        }
    )
    told = held_trades(trades).to_pydict()
    assert told["tracking_code"] == ["old", "new", "beyond"]
    assert sum(told["held"]) == sum(held)
