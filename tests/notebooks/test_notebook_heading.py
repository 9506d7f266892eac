"""What a notebook shows first: whose figures stand below, and as of what instant."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from recon import magics, notebook
from recon.errors import UsageError
from tests.notebooks.shells import own_shell
from tests.notebooks.small_lake import empty_lake


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    notebook.close()


@pytest.fixture
def shell() -> Iterator[InteractiveShell]:
    with own_shell() as shell:
        magics.load_ipython_extension(shell)
        yield shell


def shown_of(folder: Path, *period: str, as_of: str = "") -> list[str]:
    with capture_output() as said:
        notebook.use(str(folder / "recon.toml"), *period, as_of=as_of)
    assert (said.stdout, said.stderr) == ("", "")
    found = [str(each.data["text/html"]) for each in said.outputs]
    return [each for each in found if "<script" not in each]


def test_a_notebook_says_whose_it_is_and_of_what(
    tmp_path: Path, shell: InteractiveShell
) -> None:
    """Those of two businesses looked alike."""
    empty_lake(tmp_path)
    file = tmp_path / "recon.toml"
    file.write_text(file.read_text().replace('"shop"', '"tea&<b>"'))
    (heading,) = shown_of(
        tmp_path, "2026-03-01", "2026-03-31", as_of="2026-04-01T08:00:00Z"
    )
    assert heading == (
        '<p dir="ltr" style="text-align: start">'
        "<strong><bdi>tea&amp;&lt;b&gt;</bdi></strong><br>"
        "As known on 2026-04-01 at 11:30 local time (2026-04-01T08:00:00Z). "
        "Business dates from 2026-03-01 to 2026-03-31. Amounts are rials.</p>"
    )


def test_it_says_so_in_the_language_of_the_reports(
    tmp_path: Path, shell: InteractiveShell
) -> None:
    empty_lake(tmp_path)
    file = tmp_path / "recon.toml"
    text = file.read_text().replace("[reports]", '[reports]\nlanguage = "fa"')
    file.write_text(text)
    (heading,) = shown_of(tmp_path, as_of="2026-04-01T08:00:00Z")
    assert heading.startswith('<p dir="rtl" style="text-align: start"><strong>')
    assert "مبالغ به ریال است." in heading


def test_where_nothing_can_be_looked_at_nobody_is_named(
    tmp_path: Path, shell: InteractiveShell
) -> None:
    empty_lake(tmp_path)
    with capture_output() as said, pytest.raises(UsageError):
        notebook.use(str(tmp_path / "recon.toml"), "no date")
    assert not [each for each in said.outputs if "<bdi>" in str(each.data)]


def test_outside_of_a_notebook_nothing_is_shown(tmp_path: Path) -> None:
    empty_lake(tmp_path)
    assert shown_of(tmp_path) == []
