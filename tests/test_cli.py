"""The frame of the command line: help, one-line errors, exit codes."""

import importlib
import json
import os
import subprocess
import sys
from datetime import UTC, date, datetime
from pathlib import Path

import click
import pytest

from recon.cli import group, options
from recon.cli.group import COMMANDS, run
from recon.lake import Lake
from recon.lake.lock import run_lock


def recon(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = run(list(arguments))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "recon.toml"
    path.write_text('[business]\nname = "acme"\n', encoding="utf-8")
    return path


def test_an_empty_lake_is_not_called_free_of_breaks(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = recon(capsys, "reconcile", "--dry-run", "--config", str(config))
    assert code == 0
    assert "nothing is known: no source was ever read" in out
    assert "none" not in out
    code, out, _ = recon(capsys, "breaks", "list", "--config", str(config))
    assert (code, out) == (0, "nothing is known: the lake is empty\n")


@pytest.mark.parametrize(
    "section", ["", "[cash_in]\nbase_url = 'http://127.0.0.1:1'\n"]
)
def test_imports_alone_are_not_called_free_of_breaks(
    config: Path, capsys: pytest.CaptureFixture[str], section: str
) -> None:
    """What the settings name and nobody ever pulled is told, as the page tells it."""
    with config.open("a", encoding="utf-8") as file:
        file.write(section)
    balances = config.parent / "balances.csv"
    rows = "2026-10-01T00:00:00Z,5,5,IR740217876908633198199319\n"
    balances.write_text(f"at,balance,available_balance,iban\n{rows}", encoding="utf-8")
    recon(capsys, "import", "balances", str(balances), "--config", str(config))
    code, out, _ = recon(capsys, "reconcile", "--config", str(config))
    assert (code, "never read: accounts" in out) == (0, bool(section))
    _, out, err = recon(capsys, "breaks", "list", "--config", str(config))
    assert (out, "never read: accounts" in err) == ("no breaks\n", bool(section))


@pytest.mark.parametrize("command", ["reconcile", "report", "nightly"])
def test_a_lake_that_is_lost_is_not_an_empty_one(
    config: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    """Where there are reports of earlier days its disk may not be mounted."""
    old = config.parent / "data" / "reports" / "2026-10-01" / "summary.json"
    old.parent.mkdir(parents=True)
    old.write_text("{}", encoding="utf-8")
    before = sorted(config.parent.rglob("*"))
    code, out, err = recon(capsys, command, "--config", str(config))
    assert (code, out) == (2, "")
    assert "holds nothing, but" in err
    kept = [path for path in sorted(config.parent.rglob("*")) if path not in before]
    assert not [path for path in kept if path.suffix in (".json", ".csv", ".parquet")]


def test_runs_over_a_lost_lake_make_it_no_other(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert recon(capsys, "reconcile", "--config", str(config))[0] == 0
    old = config.parent / "data" / "reports" / "2026-10-01" / "summary.json"
    old.parent.mkdir(parents=True)
    old.write_text("{}", encoding="utf-8")
    assert recon(capsys, "nightly", "--config", str(config))[0] == 2


def test_a_command_that_is_not_named_is_asked_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, err = recon(capsys)
    assert (code, out) == (2, "")
    assert err == "recon: name a command: `recon --help` lists them\n"


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_takes_a_settings_file_and_tells_of_itself(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also one that has no use for it: a script gives it to all alike."""
    code, out, _ = recon(capsys, command, "--help")
    assert code == 0
    assert "--config" in out


def test_a_lake_that_is_a_file_is_not_an_empty_one(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with config.open("a", encoding="utf-8") as file:
        file.write('[lake]\npath = "recon.toml"\n')
    code, out, err = recon(capsys, "breaks", "list", "--config", str(config))
    assert (code, out) == (2, "")
    assert "lake.path: " in err
    assert "is not a folder" in err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["sql", ""], "the query is empty"),
        (["sql", "; -- select"], "the query is empty"),
        (["sql", "select 1 from paymnts"], 'exist! Did you mean "payments"?'),
        (["sql", "select amount from payments"], 'bindings: "amount_rial", '),
        (["report", "--from", "1505-01-01"], "--from 2126-03-21 is in the future"),
        (["report", "--from", "1405-07-31"], "Jalali time: day must be in 1..30\n"),
    ],
)
def test_what_nothing_can_be_said_of_is_one_line_and_exit_2(
    arguments: list[str],
    told: str,
    config: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, err = recon(capsys, *arguments, "--config", str(config))
    assert (code, out) == (2, "")
    assert told in err
    assert err.count("\n") == 1


def test_the_help_of_questions_says_where_tables_and_columns_are_listed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, _ = recon(capsys, "sql", "--help")
    assert code == 0
    assert "`show tables`" in out
    assert "`describe payments`" in " ".join(out.split())


@pytest.mark.parametrize("name", COMMANDS)
def test_every_listed_command_exists_and_has_help(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = importlib.import_module(f"recon.cli.{group._module(name)}").command
    assert isinstance(found, click.Command)
    code, out, err = recon(capsys, name, "--help")
    assert (code, err) == (0, "")
    assert out.startswith(f"Usage: recon {name}")


def test_every_command_module_is_listed() -> None:
    frame = {"__init__", "group", "options", "output", "verdict", "progress"}
    frame |= {"voice", "process", "completion", "columns", "wrapping"}
    frame |= {"values", "query_csv"}
    modules = {path.stem for path in Path(group.__file__).parent.glob("*.py")} - frame
    assert modules == {group._module(name) for name in COMMANDS}


def test_help_imports_none_of_the_heavy_libraries() -> None:
    code = (
        "import sys; from recon.cli.group import run; run(['--help']); "
        "heavy = {'pandas', 'pyarrow', 'duckdb', 'httpx', 'matplotlib', 'rich'}; "
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_a_pull_imports_nothing_that_it_has_no_use_for(tmp_path: Path) -> None:
    (tmp_path / "recon.toml").write_text('[business]\nname = "tea-house"\n')
    code = (
        "import sys; from recon.cli.group import run; code = run(['pull']); "
        "idle = {'pandas', 'duckdb', 'matplotlib', 'openpyxl', 'sqlglot', 'pygments'}; "
        "sys.exit(code or idle & set(sys.modules) or None)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr


def test_a_command_that_used_the_engine_ends_without_complaints(tmp_path: Path) -> None:
    (tmp_path / "recon.toml").write_text('[business]\nname = "tea-house"\n')
    done = subprocess.run(
        [sys.executable, "-m", "recon", "sql", "select 7 as seven"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "seven\n7\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ("nope",),
        ("--nope",),
        ("pull", "--nope"),
        ("import",),
        ("nightly", "--config", "none.toml"),
        ("reconcile", "--engine", "abacus"),
        ("sandbox", "--fault", "earthquake"),
    ],
)
def test_a_user_s_mistake_is_one_line_and_exit_2(
    arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = recon(capsys, *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("recon: ")
    assert err.count("\n") == 1


def test_a_config_is_taken_before_and_after_the_command(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = recon(capsys, "--config", str(config), "pull", "--dry-run", "--json")
    after = recon(capsys, "pull", "--dry-run", "--json", "--config", str(config))
    assert before == after
    assert before[0] == 0


def test_a_product_without_a_section_is_skipped_and_said_so(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = recon(capsys, "pull", "--json", "--config", str(config))
    assert code == 0
    sources = json.loads(out)["sources"]
    assert {source["status"] for source in sources.values()} == {"skipped"}
    assert all(source["error"] for source in sources.values())


@pytest.mark.parametrize(
    "arguments", [["1" * 5_000], ["breaks", "list", "1" * 5_000, "2"]]
)
def test_an_argument_without_end_is_not_repeated_whole(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = recon(capsys, *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("recon: ")
    assert "1111 …" in err
    assert len(err) < 800


@pytest.mark.parametrize(
    ("length", "shown"), [(5_000, "1" * 400 + "…"), (401, "1" * 400 + "…"), (255, "")]
)
def test_a_path_without_end_is_told_with_its_reason(
    length: int, shown: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = recon(capsys, "verify-pack", "1" * length)
    assert (code, out) == (2, "")
    told = shown or "1" * length
    assert err.startswith(f"recon: {told} is no pack: ")


BYTES = "a\udcff"  # as an argument arrives that is no text in UTF-8


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["sql", f"select '{BYTES}'"], "the query is"),
        (["close", "2020-01", "--by", BYTES], "--by is"),
        (["breaks", "note", "0" * 16, BYTES], "the note is"),
        (["breaks", "resolve", "0" * 16, "--reason", BYTES], "the reason is"),
        (["breaks", "assign", "0" * 16, "--to", BYTES], "the name is"),
        (["init", BYTES], "a\N{REPLACEMENT CHARACTER}: a folder's name must be"),
        (["demo", BYTES], "a\N{REPLACEMENT CHARACTER}: a folder's name must be"),
    ],
)
def test_what_is_no_text_is_told_in_one_line_and_leaves_nothing(
    arguments: list[str],
    told: str,
    config: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(config.parent)
    code, out, err = recon(capsys, *arguments)
    assert (code, out) == (2, "")
    assert err.startswith(f"recon: {told}")
    assert err.endswith("a text in UTF-8\n")
    assert list(config.parent.iterdir()) == [config]


def test_an_unknown_source_is_an_error_that_lists_them(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = recon(capsys, "pull", "invoices", "--config", str(config))
    assert code == 2
    assert "invoices" in err
    assert "checkouts" in err


def test_an_as_of_in_the_future_is_an_error(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in ("nightly", "reconcile"):
        code, _, err = recon(
            capsys, command, "--as-of", "2099-01-01", "--config", str(config)
        )
        assert code == 2
        assert "future" in err


def test_a_second_run_says_so_and_exits_4(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with run_lock(Lake(config.parent / "data/lake")):
        for command in ("nightly", "pull", "reconcile"):
            code, _, err = recon(capsys, command, "--config", str(config))
            assert code == 4
            assert "another run" in err
    assert recon(capsys, "reconcile", "--config", str(config))[0] == 0


def test_init_writes_a_folder_and_never_overwrites(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "shop"
    assert recon(capsys, "init", str(folder), "--dry-run")[0] == 0
    assert not folder.exists()
    assert recon(capsys, "init", str(folder))[0] == 0
    settings = folder / "recon.toml"
    settings.write_text('[business]\nname = "mine"\n', encoding="utf-8")
    code, out, _ = recon(capsys, "init", str(folder))
    assert code == 0
    assert "nothing was changed" in out
    assert "mine" in settings.read_text(encoding="utf-8")
    assert list((folder / "notebooks").glob("01_*.ipynb"))
    service = (folder / "schedule/recon-nightly.service").read_text(encoding="utf-8")
    assert f"WorkingDirectory={folder}\n" in service
    assert "{" not in service
    assert "recon nightly" in (folder / "schedule/crontab").read_text("utf-8")
    assert recon(capsys, "nightly", "--config", str(settings))[0] == 0


def test_the_lab_opens_with_the_settings_named_or_not_at_all(
    config: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[dict[str, str]] = []
    monkeypatch.setattr(os, "execve", lambda _, __, given: opened.append(given))
    monkeypatch.chdir(config.parent)
    assert recon(capsys, "lab", "--config", str(config))[0] == 0
    assert [each["RECON_CONFIG"] for each in opened] == [str(config)]
    code, out, err = recon(capsys, "lab", "--config", "missing.toml")
    assert (code, out, err.count("\n"), len(opened)) == (2, "", 1, 1)
    assert "missing.toml does not exist" in err
    config.rename("shop.toml")
    assert recon(capsys, "lab")[0] == 0
    assert "RECON_CONFIG" not in opened[1]


def test_a_date_is_iso_or_jalali_in_any_digits(config: Path) -> None:
    settings = options.settings(str(config))
    for text in ("2026-10-23", "1405-08-01", "۱۴۰۵-۰۸-۰۱", "1405/8/1"):
        assert options.day(text, settings, "--from") == date(2026, 10, 23)
    assert options.instant("1500000000", settings) == datetime(
        2017, 7, 14, 2, 40, tzinfo=UTC
    )


def test_a_dry_run_of_the_demo_is_json_where_that_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "shown"
    code, out, _ = recon(capsys, "demo", str(place), "--dry-run", "--json")
    assert (code, json.loads(out)["folder"]) == (0, str(place))
    assert not place.exists()


def test_a_dry_run_of_the_sandbox_serves_and_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small = ("--days", "3", "--daily", "5", "--files", str(tmp_path / "files"))
    code, out, err = recon(capsys, "sandbox", *small, "--dry-run")
    assert (code, out) == (0, "")
    assert err.startswith("would serve ")
    assert not list(tmp_path.iterdir())
