"""What a closing kept comes back from its pack, or is given up; the nights go on."""

import errno
import os
from pathlib import Path

import pytest

from recon.cli import close as command
from recon.close import Closing, verify
from recon.doctor import Level
from recon.errors import CorruptLake, ExitCode, UsageError
from recon.lake import Lake
from recon.lake.encryption import Key
from recon.nightly import run
from recon.reconcile.restatements import given_up, restatements
from recon.reconcile.run import reconcile
from recon.setting_values import Secret
from tests.close.closed_shop import PERIOD, closed, restate, settings_of, trade
from tests.doctor.doctor_cases import config, examined, of, told
from tests.lake.barred import bar
from tests.reconcile.lake_history import History, at

LOST = "its period stays closed, but what of it is restated is told no more"
UNTOLD = (
    f"whether figures of {PERIOD} are other ones than at their closing is not told: "
    "those of then were written off"
)


@pytest.fixture
def history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> History:
    """A shop beside a recon.toml; its period can be closed."""
    made = History(tmp_path / "data" / "lake", monkeypatch)
    trade(made)
    return made


@pytest.fixture
def closing(history: History) -> Closing:
    return closed(history)


def damaged(lake: Lake) -> Path:
    (file,) = lake.commits(kind="close")[0].files
    path = lake.root / file.path
    path.write_bytes(b"x" + path.read_bytes()[1:])
    return path


def restated(history: History) -> list[tuple[str, int, int]]:
    with reconcile(history.lake, history.settings, dry_run=True) as result:
        rows = restatements(result).to_pylist()
    return [(each["measure"], each["closed"], each["now"]) for each in rows]


def test_what_a_closing_kept_comes_back_from_its_pack(
    tmp_path: Path, history: History, closing: Closing
) -> None:
    restate(history, 7)
    before = restated(history)
    path = damaged(history.lake)
    with pytest.raises(CorruptLake):
        restated(history)
    (problem,) = of(examined(config(tmp_path)), "lake", Level.PROBLEM)
    assert f"recon doctor --rebuild makes it again from {PERIOD}.zip; " in problem.do
    assert f"recon doctor --write-off gives it up: {LOST}; until then" in problem.do
    planned = examined(config(tmp_path), rebuild=True, dry_run=True)
    assert planned.exit_code is ExitCode.INCOMPLETE
    found = examined(config(tmp_path), rebuild=True)
    assert found.exit_code is ExitCode.CLEAN
    name = path.relative_to(history.lake.root).as_posix()
    assert told(found, "lake")[0] == f"{name}: made again from its pack"
    assert restated(history) == before != []
    assert closing.pack.is_file()


@pytest.mark.parametrize("wish", ["rebuild", "write_off"])
def test_no_closing_is_given_up_that_its_pack_brings_back(
    tmp_path: Path, history: History, closing: Closing, wish: str
) -> None:
    path, before = damaged(history.lake), len(history.lake.commits())
    path.unlink()
    assert examined(config(tmp_path), **{wish: True}).exit_code is ExitCode.CLEAN
    assert len(history.lake.commits()) == before
    assert restated(history) == []


@pytest.mark.parametrize("number", [errno.EIO, errno.EACCES])
def test_no_closing_is_given_up_whose_pack_cannot_be_read(
    tmp_path: Path,
    history: History,
    closing: Closing,
    monkeypatch: pytest.MonkeyPatch,
    number: int,
) -> None:
    damaged(history.lake)
    before = len(history.lake.commits())
    with monkeypatch.context() as patch:
        bar(patch, closing.pack, number=number)
        found = examined(config(tmp_path), write_off=True)
    (problem,) = of(found, "lake", Level.PROBLEM)
    assert f"{closing.pack} cannot be read: {os.strerror(number)}" in problem.do
    assert len(history.lake.commits()) == before


def test_a_pack_of_another_closing_brings_nothing_back(
    tmp_path: Path, history: History, closing: Closing
) -> None:
    damaged(history.lake)
    closing.pack.write_bytes(closing.pack.read_bytes() + b"x")
    found = examined(config(tmp_path), rebuild=True)
    (problem,) = of(found, "lake", Level.PROBLEM)
    assert problem.do.startswith(
        f"not restored ({closing.pack} is not the pack that the closing wrote); "
    )
    closing.pack.unlink()
    (problem,) = of(examined(config(tmp_path), rebuild=True), "lake", Level.PROBLEM)
    assert problem.do.startswith(f"not restored ({closing.pack} cannot be read: No ")


def test_a_pack_that_is_lost_or_another_is_told(
    tmp_path: Path, history: History, closing: Closing
) -> None:
    """It proves what was closed, and no command makes it again."""
    whole = examined(config(tmp_path))
    assert not of(whole, "lake", Level.WARNING) + of(whole, "lake", Level.PROBLEM)
    closing.pack.write_bytes(closing.pack.read_bytes() + b"x")
    (problem,) = of(examined(config(tmp_path)), "lake", Level.PROBLEM)
    assert problem.told == f"{closing.pack} is not the pack that the closing wrote"
    assert problem.exit_code is ExitCode.BREAKS_OPEN
    closing.pack.unlink()
    found = examined(config(tmp_path))
    assert found.exit_code is ExitCode.CLEAN
    (lost,) = of(found, "lake", Level.WARNING)
    folder = closing.pack.parent
    assert lost.told == f"1 audit pack is not in {folder}: {PERIOD}.zip"
    assert "from a copy" in lost.do


def test_a_closing_without_its_pack_is_given_up_and_nights_say_so(
    tmp_path: Path,
    history: History,
    closing: Closing,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    damaged(history.lake)
    aside = closing.pack.rename(tmp_path / "aside.zip")
    found = examined(config(tmp_path), write_off=True)
    assert found.exit_code is ExitCode.CLEAN
    assert told(found, "lake")[0] == f"the closing of {PERIOD}: written off; {LOST}"
    (left,) = of(found, "lake", Level.WARNING)
    assert left.told.endswith("it was written off, and nothing reads it as of now")
    restate(history, 7)
    history.clock(at(8))
    assert UNTOLD in run(history.settings, history.lake).notices
    assert restated(history) == []
    with reconcile(history.lake, history.settings, dry_run=True) as result:
        assert given_up(result) == [PERIOD]
    with pytest.raises(UsageError, match="was closed at"):
        closed(history)
    said = verify(aside, history.settings, history.lake).differences
    assert not any("closing" in line for line in said)
    monkeypatch.setattr("recon.cli.options.settings", lambda _: history.settings)
    monkeypatch.setattr("recon.cli.options.lake", lambda _: history.lake)
    command.command.main(["--restatements", "--dry-run"], standalone_mode=False)
    assert capsys.readouterr().out == (
        f"no other closed period says anything else than at its closing\n{UNTOLD}\n"
    )


def test_an_encrypted_closing_is_not_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its bytes would be others, so nothing could be proven."""
    made = History(tmp_path / "data" / "lake", monkeypatch)
    made.lake = Lake(made.lake.root, key=Key.of(Secret("0a" * 32)))
    trade(made)
    made.settings = settings_of(made)
    closed(made)
    damaged(made.lake)
    path = config(tmp_path)
    given = {"RECON_LAKE__ENCRYPTION_KEY": "0a" * 32}
    (problem,) = of(examined(path, None, given), "lake", Level.PROBLEM)
    assert "--rebuild" not in problem.do
    assert "recon doctor --write-off gives it up" in problem.do
