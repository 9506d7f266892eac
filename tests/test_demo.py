"""The demo finds what was planted and nothing else, and repeats itself."""

from pathlib import Path

import msgspec
import pytest

from recon import demo, setting_files, workspace
from recon.cli import sandbox
from recon.errors import ExitCode, UsageError
from recon.sandbox import history
from tests.night_shop import WITHOUT_PAGE
from tests.summary_keys import Summary


def found_as_planted(outcome: demo.DemoOutcome) -> bool:
    return outcome.exit_code == ExitCode.CLEAN and all(
        each.found == each.planted and not each.besides for each in outcome.findings
    )


SETTINGS = demo._SETTINGS + WITHOUT_PAGE
Seen = tuple[bytes, bytes, list[demo.Finding]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which somebody keeps notes, and had a demo before."""
    made = tmp_path_factory.mktemp("demo")
    (made / "notes.txt").write_text("what I found")
    (made / demo.MARKER).touch()
    return made


def run(folder: Path, patch: pytest.MonkeyPatch) -> tuple[demo.DemoOutcome, Seen]:
    patch.chdir(folder)
    patch.setattr(demo, "_SETTINGS", SETTINGS)
    here = Path()  # the folder that a shell is in; test_wheel has the demo's own size
    outcome = demo.run(here, seed=7, days=20, daily=40)
    files = outcome.night.files
    flows, failures = (files[f"{name}.csv"] for name in ("flows", "failures"))
    return outcome, (flows.read_bytes(), failures.read_bytes(), outcome.findings)


@pytest.fixture(scope="module")
def first(folder: Path) -> tuple[demo.DemoOutcome, Seen]:
    with pytest.MonkeyPatch.context() as patch:
        return run(folder, patch)


def test_every_planted_break_is_found_and_nothing_besides(
    first: tuple[demo.DemoOutcome, Seen],
) -> None:
    assert found_as_planted(first[0])
    msgspec.convert(first[0].night.summary, Summary)


def test_a_second_demo_reuses_nothing_and_gives_the_same_figures(
    folder: Path,
    first: tuple[demo.DemoOutcome, Seen],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    outcome, seen = run(folder, monkeypatch)
    assert found_as_planted(outcome)
    assert seen == first[1]
    assert (folder / "notes.txt").read_text() == "what I found"


def test_a_folder_of_somebody_else_is_never_cleared(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(UsageError, match="not empty"):
        demo.run(tmp_path, seed=1)
    assert (tmp_path / "thesis.txt").read_text() == "years of work"


def test_what_the_sandbox_prints_is_all_that_the_demo_tells_of_it(
    tmp_path: Path,
) -> None:
    """Without the status of a landed deposit a sound history had critical breaks."""
    made = history.generate(1, days=1, daily=1)
    address = "http://127.0.0.1:8700"
    wanted = demo._prepare(tmp_path / "demo", made, address)
    workspace.write(tmp_path / "shop")
    printed = sandbox._settings(made.world, address)
    read = setting_files.load(tmp_path / "shop" / "recon.toml", printed)
    assert read.business.name == wanted.business.name
    for name in ("unified", "escrow", "cash_in", "gateway", "hosted", "checks"):
        assert getattr(read, name) == getattr(wanted, name), name
