"""What a run that was killed had spilled goes with the next run, and nothing else."""

import errno
import fcntl
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from recon import scratch
from recon.errors import LakeError
from recon.scratch import Scratch

SPILLING = """
import time
from recon.scratch import Scratch
scratch = Scratch()
(scratch.path / "spilled.tmp").write_text("a mobile")
print(scratch.path, flush=True)
time.sleep(60)
"""
NEXT = "from recon.scratch import Scratch; Scratch().close()"
LONG_AGO = 1_000_000


@contextmanager
def spilling(folder: Path) -> Iterator[Path]:
    """Let a process spill into a folder of its own; it is killed at the end."""
    run = subprocess.Popen(
        [sys.executable, "-c", SPILLING],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(folder)},
    )
    assert run.stdout
    try:
        path = Path(run.stdout.readline().strip())
        os.utime(path.parent, (LONG_AGO, LONG_AGO))
        yield path
    finally:
        run.send_signal(signal.SIGKILL)
        run.communicate()


def the_next_run(folder: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(folder)}
    subprocess.run([sys.executable, "-c", NEXT], check=True, env=environment)


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Make `tmp_path` the temporary folder of this process, which has swept nothing."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    scratch._sweep_once.cache_clear()
    yield tmp_path
    scratch._sweep_once.cache_clear()


def old_folder(path: Path) -> Path:
    path.mkdir()
    (path / "spilled.tmp").write_text("half")
    os.utime(path, (LONG_AGO, LONG_AGO))
    return path


def test_what_a_killed_run_spilled_goes_with_the_next(tmp_path: Path) -> None:
    with spilling(tmp_path) as spilled:
        pass
    assert (spilled / "spilled.tmp").is_file()
    the_next_run(tmp_path)
    assert not list(tmp_path.iterdir())


def test_what_a_run_that_is_at_work_spilled_stays(tmp_path: Path) -> None:
    with spilling(tmp_path) as spilled:
        the_next_run(tmp_path)
        assert list(spilled.iterdir()) == [spilled / "spilled.tmp"]


def test_it_goes_when_it_is_closed_and_is_for_the_owner_alone(own: Path) -> None:
    with Scratch() as found:
        assert found.path.parent.parent == own
        assert found.path.parent.stat().st_mode & 0o777 == 0o700
        (found.path / "spilled.tmp").write_text("half")
    assert not list(own.iterdir())
    found.close()  # again is nothing


def test_one_that_nobody_closes_goes_with_its_process(tmp_path: Path) -> None:
    code = "from recon.scratch import Scratch; kept = Scratch(); print(kept.path)"
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.stdout.startswith(f"{tmp_path}/recon-scratch-")
    assert not list(tmp_path.iterdir())


def test_whoever_uses_it_may_lock_it(own: Path) -> None:
    with Scratch() as found:
        handle = os.open(found.path, os.O_RDONLY)
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.close(handle)


@pytest.mark.parametrize(
    "name",
    ["recon-scratch-of-mine", "recon-scratch-01234567.d", "recon-01234567", "reports"],
)
def test_a_folder_of_another_name_stays(own: Path, name: str) -> None:
    kept = old_folder(own / name)
    Scratch().close()
    assert list(own.iterdir()) == [kept]


def test_a_young_one_stays_for_its_run_may_not_have_locked_it_yet(own: Path) -> None:
    kept = old_folder(own / "recon-scratch-0123abcd")
    then = time.time() - scratch._YOUNG_SECONDS + 30
    os.utime(kept, (then, then))
    Scratch().close()
    assert list(own.iterdir()) == [kept]


def test_of_another_user_it_stays(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = old_folder(own / "recon-scratch-0123abcd")
    monkeypatch.setattr("recon.scratch.os.getuid", lambda: os.geteuid() + 1)
    Scratch().close()
    assert list(own.iterdir()) == [kept]
    monkeypatch.undo()


def test_a_link_of_that_name_and_what_it_points_to_stay(own: Path) -> None:
    there = own / "mine"
    there.mkdir()
    (there / "books.csv").write_text("mine")
    link = own / "recon-scratch-0123abcd"
    link.symlink_to(there)
    os.utime(link, (LONG_AGO, LONG_AGO), follow_symlinks=False)
    Scratch().close()
    assert link.is_symlink()
    assert (there / "books.csv").is_file()


def test_without_locks_nothing_is_taken_from_a_run_at_work(
    own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(handle: int, operation: int) -> None:
        raise OSError("no locks here")

    monkeypatch.setattr("recon.scratch.fcntl.flock", refuse)
    kept = old_folder(own / "recon-scratch-0123abcd")
    Scratch().close()
    assert list(own.iterdir()) == [kept]


@pytest.mark.parametrize("step", [(tempfile, "mkdtemp"), (Path, "mkdir")])
def test_a_full_disk_is_one_clear_error_and_leaves_nothing(
    own: Path, monkeypatch: pytest.MonkeyPatch, step: tuple[object, str]
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(own))

    monkeypatch.setattr(*step, full)
    with pytest.raises(LakeError, match=r"TMPDIR .*: No space left on device$"):
        Scratch()
    assert not list(own.iterdir())


@pytest.mark.parametrize("words", ["sql 'select 1'", "breaks list", "breaks show 0"])
def test_a_temporary_folder_that_takes_nothing_is_told_in_a_line(
    tmp_path: Path, words: str
) -> None:
    """As on a disk that is full, or read-only: matplotlib then ends an import."""
    (tmp_path / "recon.toml").write_text('[business]\nname = "tea-house"\n')
    nowhere = tmp_path / "recon.toml" / "none"
    code = (
        f"import tempfile; tempfile.tempdir = {str(nowhere)!r}\n"
        "from recon.cli.group import main; main()"
    )
    done = subprocess.run(
        ["sh", "-c", f'{sys.executable} -c "$0" {words}', code],
        env=os.environ | {"MPLCONFIGDIR": str(nowhere)},
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    *_, last = done.stderr.splitlines()
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)
    assert last.startswith("recon: the system's temporary folder, which TMPDIR names,")
