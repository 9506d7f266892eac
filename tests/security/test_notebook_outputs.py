"""With `mask` nobody is named in an executed notebook: not in a table, text or chart.

Every notebook is run on the lake of a night with people in it; each output is read in
every form that a viewer may choose, and so is the text of each chart.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from matplotlib.figure import Figure
from matplotlib.text import Text

from recon import assets, notebook
from tests.notebooks.cells import cells
from tests.notebooks.shells import own_shell
from tests.security.test_personal_data import Lived, lived, named

__all__ = ["lived"]  # a fixture

NOTEBOOKS = sorted(assets.notebooks_folder().glob("*.ipynb"))
KINDS = ["mobile", "national_code", "name"]
IBAN = re.compile(r"IR[0-9]{24}")
CARD = re.compile(r"(?<![0-9A-Za-z])[4-69][0-9]{15}(?![0-9A-Za-z])")
ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")


class Shown:
    """What notebooks show of one business, by the name of the notebook."""

    def __init__(self, config: Path, notebooks: Iterable[Path] = NOTEBOOKS) -> None:
        self.texts: list[tuple[str, bytes]] = []
        with own_shell() as shell:
            try:
                for path in notebooks:
                    texts = [plain(each) for each in _outputs(path, shell, config)]
                    self.texts.append((path.stem, "\n".join(texts).encode()))
            finally:
                notebook.close()

    def found(self, pattern: re.Pattern[str]) -> set[str]:
        return {
            each for _, text in self.texts for each in pattern.findall(text.decode())
        }


def _outputs(path: Path, shell: InteractiveShell, config: Path) -> Iterator[str]:
    """Run a notebook; yields all that its cells show, in every form."""
    for cell in cells(path):
        if cell.cell_type != "code":
            continue
        with capture_output() as captured:
            outcome = shell.run_cell(cell.source, store_history=False)
        outcome.raise_error()
        yield captured.stdout + captured.stderr
        for shown in [outcome.result, *(each.data for each in captured.outputs)]:
            yield from _forms(shown, shell)
        if "parameters" in cell.tags:
            shell.user_ns |= {"config": str(config)}


def _forms(shown: Any, shell: InteractiveShell) -> Iterator[str]:
    if isinstance(shown, Figure):
        yield from (text.get_text() for text in shown.findobj(Text))
    elif isinstance(shown, dict):
        yield from map(str, shown.values())
    elif shown is not None:
        assert shell.display_formatter is not None
        forms, _ = shell.display_formatter.format(shown)
        yield from map(str, forms.values())


def plain(text: str) -> str:
    """Undo the escapes of JSON, so that a name in a script is found, too."""
    return ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)


@pytest.fixture(scope="module")
def masked(lived: Lived) -> Shown:
    return Shown(lived.folder / "recon.toml")


@pytest.fixture(scope="module")
def kept(lived: Lived) -> Shown:
    """The notebook of breaks, for a business that asked to keep personal data."""
    config = lived.folder / "keep.toml"
    text = (lived.folder / "recon.toml").read_text("utf-8")
    config.write_text(f'{text}\n[reports]\npersonal_data = "keep"\n', "utf-8")
    return Shown(config, [path for path in NOTEBOOKS if "breaks" in path.stem])


@pytest.mark.parametrize("kind", KINDS)
def test_no_notebook_names_anybody(masked: Shown, lived: Lived, kind: str) -> None:
    assert named(lived.people[kind], masked.texts) == []


def test_whoever_asks_for_people_sees_them(kept: Shown, lived: Lived) -> None:
    """So the search would find them."""
    assert named(_all(lived.people.values()), kept.texts) != []


def test_every_notebook_shows_something(masked: Shown) -> None:
    assert len(masked.texts) == len(NOTEBOOKS)
    assert all(len(text) > 1_000 for _, text in masked.texts)


def test_no_notebook_shows_a_card_or_a_stranger_s_account(
    masked: Shown, lived: Lived
) -> None:
    accounts = (lived.folder / "imports" / "bank_statement.csv").read_text("utf-8")
    own = set(IBAN.findall(accounts))
    own |= set(IBAN.findall((lived.folder / "recon.toml").read_text("utf-8")))
    assert masked.found(IBAN) <= own
    assert masked.found(CARD) == set()


def _all(kinds: Iterable[set[str]]) -> set[str]:
    return {each for kind in kinds for each in kind}
