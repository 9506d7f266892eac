"""The demo finds what was planted and nothing else, and repeats itself."""

from pathlib import Path

import pytest

from recon import demo
from recon.errors import ExitCode, UsageError


def found_as_planted(outcome: demo.DemoOutcome) -> bool:
    return outcome.exit_code == ExitCode.CLEAN and all(
        each.found == each.planted and not each.besides for each in outcome.findings
    )


def test_every_planted_break_is_found_and_nothing_besides(tmp_path: Path) -> None:
    assert found_as_planted(demo.run(tmp_path / "demo", seed=1))


def test_a_second_demo_reuses_nothing_and_gives_the_same_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    texts = []
    Path("notes.txt").write_text("what I found")
    Path(demo.MARKER).touch()
    for _ in range(2):
        outcome = demo.run(Path(), seed=7)  # the folder that a shell is in
        assert found_as_planted(outcome)
        flows = outcome.night.files["flows.csv"].read_bytes()
        failures = outcome.night.files["failures.csv"].read_bytes()
        texts.append((flows, failures, outcome.findings))
    assert texts[0] == texts[1]
    assert Path("notes.txt").read_text() == "what I found"


def test_a_folder_of_somebody_else_is_never_cleared(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(UsageError, match="not empty"):
        demo.run(tmp_path, seed=1)
    assert (tmp_path / "thesis.txt").read_text() == "years of work"
