"""How a command ends where its output, an interrupt, a file or a defect ends it."""

import contextlib
import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import click
import duckdb
import pytest

from recon.cli import group, process
from recon.cli.group import run
from recon.errors import UsageError
from recon.lake import Lake
from tests.lake.lake_cases import committed


def recon(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = run(list(arguments))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.mark.parametrize(
    ("redirected", "code", "told"),
    [
        (">&-", 0, ""),
        ("2>&- >/dev/null", 0, ""),
        (
            "> /dev/full",
            2,
            "recon: standard output cannot be written: No space left on device\n",
        ),
        ("> /dev/null", 0, ""),
    ],
)
def test_an_output_that_takes_nothing_is_no_defect(
    tmp_path: Path, redirected: str, code: int, told: str
) -> None:
    (tmp_path / "recon.toml").write_text('[business]\nname = "tea-house"\n')
    done = subprocess.run(
        ["sh", "-c", f"{sys.executable} -m recon pull --dry-run {redirected}"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert (done.returncode, done.stderr) == (code, told)


@pytest.mark.parametrize("words", [["--help"], ["sql", "select 1"]])
def test_an_output_that_nobody_reads_ends_quietly_and_is_no_verdict(
    tmp_path: Path, words: list[str]
) -> None:
    """As `recon sql … | head -1` may; 141 is what other tools end with."""
    (tmp_path / "recon.toml").write_text('[business]\nname = "tea-house"\n')
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "recon", *words],
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
        cwd=tmp_path,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")


def test_a_mistake_that_nobody_reads_of_keeps_its_exit_code(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    called = [sys.executable, "-m", "recon", "sql"]
    done = subprocess.run(called, stderr=writing, check=False, cwd=tmp_path)
    os.close(writing)
    assert done.returncode == 2


LOGS = ("2>/dev/full", "2</dev/null", "2>&{pipe}")
WORDS = {
    "pull -v": 0,
    "pull --config nope": 2,
    "no-such-command": 2,
}
NIGHTS = [("nightly", LOGS[0]), ("nightly --log-json", LOGS[1]), ("nightly", LOGS[2])]
"""A whole night over each log: text and JSON are written to the same place."""


@pytest.mark.parametrize(
    ("words", "code", "log"),
    [
        *((words, 0, log) for words, log in NIGHTS),
        *((words, code, log) for words, code in WORDS.items() for log in LOGS),
    ],
)
def test_a_log_that_takes_no_line_stops_nothing(
    tmp_path: Path, words: str, code: int, log: str
) -> None:
    """Its disk is full, it cannot be written to, or its reader went away."""
    (tmp_path / "recon.toml").write_text(
        '[business]\nname = "tea-house"\n[reports]\nexcel = false\n'
    )
    reading, writing = os.pipe()
    os.close(reading)
    called = f"{sys.executable} -m recon {words} {log.format(pipe=writing)}"
    done = subprocess.run(
        ["bash", "-c", called],
        stdout=subprocess.PIPE,
        check=False,
        cwd=tmp_path,
        pass_fds=[writing],
    )
    os.close(writing)
    assert done.returncode == code
    if words.startswith("nightly") and code == 0:
        assert b"report.html" in done.stdout
        assert list(tmp_path.glob("data/reports/*/summary.json"))


def test_both_outputs_full_are_the_code_of_what_was_not_told(tmp_path: Path) -> None:
    (tmp_path / "recon.toml").write_text('[business]\nname = "tea-house"\n')
    called = f"{sys.executable} -m recon pull --dry-run >/dev/full 2>/dev/full"
    done = subprocess.run(["sh", "-c", called], check=False, cwd=tmp_path)
    assert done.returncode == 2


def test_a_full_output_changes_no_code_of_what_failed_after_it(tmp_path: Path) -> None:
    """What was printed first is still held: the interpreter would end with 120."""
    program = (
        "from recon.cli import group\n"
        "from recon.errors import LockHeld\n"
        "def fails(*_, **__):\n    print('begun')\n    raise LockHeld('held')\n"
        "group.recon.main = fails\ngroup.main([])\n"
    )
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-c", program],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            cwd=tmp_path,
            env={**os.environ, "PYTHONUNBUFFERED": ""},
        )
    assert (done.returncode, done.stderr) == (4, b"recon: held\n")


def test_another_pipe_that_broke_is_a_defect(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")

    monkeypatch.setattr(click.Group, "invoke", broken)
    code, _, err = recon(capsys, "pull")
    assert (code, err.splitlines()[-1][:30]) == (3, "recon: this is a defect of rec")


@pytest.mark.parametrize(
    "environment",
    [
        {"PYTHONIOENCODING": "ascii"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    ],
)
def test_letters_that_an_output_lacks_are_escaped(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    (tmp_path / "recon.toml").write_text('[business]\nname = "tea-house"\n')
    done = subprocess.run(
        [sys.executable, "-m", "recon", "sql", "select chr(1670) as tea"],
        capture_output=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, **environment},
    )
    assert (done.returncode, done.stdout) == (0, b"tea\n\\u0686\n")


@pytest.mark.parametrize("error", [UsageError("the query: x"), RuntimeError("stopped")])
def test_what_an_engine_makes_of_an_interrupt_is_one(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
) -> None:
    """DuckDB tells Ctrl-C as a query's own error, or as one that is no error of its."""

    def broken(*_: object, **__: object) -> None:
        with contextlib.suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        raise error

    monkeypatch.setattr(group.recon, "main", broken)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # if in a job
    try:
        assert recon(capsys, "report") == (130, "", "recon: interrupted\n")
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_defect_is_never_taken_for_a_verdict(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(group.recon, "main", broken)
    code, out, err = recon(capsys, "nightly")
    assert (code, out) == (3, "")
    assert "ZeroDivisionError" in err
    assert err.splitlines()[-1].startswith("recon: this is a defect")


NO_THREAD = RuntimeError("can't start new thread")
NO_FILE = OSError(errno.EMFILE, os.strerror(errno.EMFILE), "/lake/pages")
UNMAPPED = ImportError("libtiff.so.6: failed to map segment from shared object")


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (NO_THREAD, "recon: the system starts no further thread"),
        (ExceptionGroup("tasks", [NO_THREAD]), "recon: the system starts no further"),
        (duckdb.OutOfMemoryException("x"), "recon: the system gives this process no"),
        (MemoryError(), "recon: the system gives this process no further memory"),
        (UNMAPPED, "recon: the system gives this process no further memory"),
        (NO_FILE, "recon: the system lets this process open no further file"),
    ],
)
def test_what_the_system_does_not_give_is_no_defect(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    told: str,
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(group.recon, "main", broken)
    code, out, err = recon(capsys, "nightly")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(told)
    assert "(ulimit -" in err


def test_memory_that_is_lacking_again_while_it_is_told_is_no_verdict(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What escapes ends the process with 1, which is a night that did its work."""

    def broken(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(group.recon, "main", broken)
    monkeypatch.setattr(process.Interrupts, "heard", broken)
    code, out, err = recon(capsys, "nightly")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("recon: the system gives this process no further memory")


@pytest.mark.parametrize("path", ["/lake/journal.sqlite3", None])
def test_what_this_user_may_not_read_is_told_in_a_line(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    path: str | None,
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", path)

    monkeypatch.setattr(group.recon, "main", broken)
    code, out, err = recon(capsys, "breaks", "list")
    if path is None:  # of no file: nobody knows what it was
        assert (code, err.splitlines()[-1][:30]) == (
            3,
            "recon: this is a defect of rec",
        )
        return
    assert (code, out) == (2, "")
    assert err == (
        "recon: /lake/journal.sqlite3: Permission denied: "
        "let this user read and write it, or run recon as its owner\n"
    )


@pytest.mark.parametrize(
    ("before", "code"), [("default_int_handler", -signal.SIGINT), ("SIG_IGN", 1)]
)
def test_ctrl_c_while_a_command_tidies_up_ends_it_without_a_traceback(
    tmp_path: Path, before: str, code: int
) -> None:
    """Where it was ignored, as in a job of the background, it stays so."""
    program = (
        "import atexit, signal\nfrom recon.cli import group\n"
        f"signal.signal(signal.SIGINT, signal.{before})\n"
        "atexit.register(signal.raise_signal, signal.SIGINT)\n"
        "group.recon.main = lambda *_, **__: 1\ngroup.main([])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        check=False,
        cwd=tmp_path,
    )
    assert (done.returncode, done.stderr) == (code, b"")


def test_who_meets_a_damaged_lake_is_told_whom_to_ask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "recon.toml"
    config.write_text('[business]\nname = "tea-house"\n')
    monkeypatch.delenv("RECON_CONFIG", raising=False)
    lake = Lake(tmp_path / "data" / "lake")
    committed(lake, ["a"])
    lake.files("mandates")[0].write_bytes(b"x")
    code, out, told = recon(capsys, "reconcile", "--config", str(config))
    assert (code, out) == (3, "")
    assert told.endswith(" (`recon doctor` says what to do)\n")
    assert told.count("\n") == 1


def test_a_user_without_a_name_is_asked_who_decides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "recon.toml"
    config.write_text('[business]\nname = "tea-house"\n')
    monkeypatch.setattr("getpass.getuser", lambda: {}["no such uid"])
    told = "recon: --by: name one; the system's user has no name\n"
    assert recon(capsys, "close", "2020-01", "--config", str(config)) == (2, "", told)


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("log", ["", "2>/dev/full", "2>&-"])
@pytest.mark.parametrize(
    "program", ["import recon.cli; recon.cli.main()", "import recon.__main__"]
)
def test_a_broken_installation_is_never_taken_for_a_verdict(
    tmp_path: Path, program: str, log: str, unbuffered: str
) -> None:
    """The timer counts 1 as a night that did its work."""
    lacking = "raise ImportError('libz.so.1: cannot open shared object file')"
    (tmp_path / "click.py").write_text(lacking)
    called = f'{sys.executable} -c "{program}" {log}'
    done = subprocess.run(
        ["sh", "-c", called],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path]),
            "PYTHONUNBUFFERED": unbuffered,
        },
    )
    assert (done.returncode, done.stdout) == (3, "")
    if not log:
        assert "libz.so.1" in done.stderr
        assert done.stderr.endswith("installed; nothing is proven\n")
