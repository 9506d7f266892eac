"""A notebook's first cell run once more, as whoever changes the period does."""

from pathlib import Path

from IPython.utils.capture import capture_output

from recon import notebook
from tests.notebooks.shells import own_shell
from tests.notebooks.small_lake import empty_lake


def test_the_first_cell_run_again_says_nothing_and_draws_tables(tmp_path: Path) -> None:
    """IPython told every time that the extension is already loaded."""
    empty_lake(tmp_path)
    config = tmp_path / "recon.toml"
    cell = f"%load_ext recon\nfrom recon import notebook\nnotebook.use({str(config)!r})"
    scripts = []
    try:
        with own_shell() as shell:
            for _ in range(3):
                with capture_output() as said:
                    shell.run_cell(cell, store_history=True).raise_error()
                assert (said.stdout, said.stderr) == ("", "")
                scripts.append(len(said.outputs))
    finally:
        notebook.close()
    assert scripts[0] > 0
    assert set(scripts) == {scripts[0]}
