"""The log: one line an event, in text or JSON, silent unless asked for."""

import io
import json
import logging
from pathlib import Path

import pytest

from recon import log
from recon.cli import voice
from recon.cli.group import run


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("RECON_LOG", raising=False)
    path = tmp_path / "recon.toml"
    path.write_text('[business]\nname = "acme"\n', encoding="utf-8")
    return path


def noted(*, as_json: bool, level: int = logging.INFO) -> str:
    stream = io.StringIO()
    with log.shown(stream, as_json=as_json, level=level), log.run():
        log.note("pull.source", source="checkouts", records=12, whole=True, error=None)
        log.note("detail", logging.DEBUG)
        log.note("trouble", logging.WARNING, seconds=1.5)
    return stream.getvalue()


def test_a_line_of_text_has_time_level_event_run_and_figures() -> None:
    first, second = noted(as_json=False).splitlines()
    at, level, event, run_id, *figures = first.split(" ")
    assert at.endswith("Z")
    assert (level, event) == ("INFO", "pull.source")
    assert run_id.startswith("run=")
    assert figures == ["source=checkouts", "records=12", "whole=true", "error=none"]
    assert " WARNING trouble " in second


def test_a_line_of_json_is_one_object_with_typed_figures() -> None:
    first, second = map(json.loads, noted(as_json=True).splitlines())
    assert first["run"] == second["run"]
    assert (first["records"], first["whole"], first["error"]) == (12, True, None)
    assert (second["level"], second["seconds"]) == ("warning", 1.5)


def test_a_level_leaves_out_what_is_below_it() -> None:
    assert noted(as_json=False, level=logging.WARNING).count("\n") == 1


def test_what_ends_badly_is_noted_with_the_kind_of_error_alone() -> None:
    stream = io.StringIO()
    with (
        log.shown(stream, as_json=True, level=logging.INFO),
        pytest.raises(ValueError, match="0912"),
        log.timed("night", full=False),
    ):
        raise ValueError("09121234567")
    line = json.loads(stream.getvalue())
    assert (line["event"], line["error"]) == ("night.failed", "ValueError")
    assert "0912" not in stream.getvalue()


def test_nothing_is_written_unless_it_is_asked_for(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["reconcile", "--config", str(config)]) == 0
    assert "INFO" not in capsys.readouterr().err


@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize(
    ("option", "is_json"), [("--verbose", False), ("-v", False), ("--log-json", True)]
)
def test_options_stand_before_and_after_the_command(
    option: str,
    is_json: bool,
    before: bool,
    config: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["pull", "--config", str(config)]
    assert run([option, *words] if before else [*words, option]) == 0
    err = capsys.readouterr().err.splitlines()
    found = [line for line in err if "pull.source" in line]
    assert len(found) == 11
    if is_json:
        assert all(json.loads(line)["run"] for line in err)


def test_the_environment_asks_too_and_a_wrong_word_is_one_line(
    config: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECON_LOG", "json")
    assert run(["pull", "--config", str(config)]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert {"pull.source"} <= {line["event"] for line in lines}
    monkeypatch.setenv("RECON_LOG", "loud")
    assert run(["pull", "--config", str(config)]) == 2
    err = capsys.readouterr().err
    assert err.startswith("recon: RECON_LOG: must be")
    assert err.count("\n") == 1


def test_quiet_leaves_results_and_errors_and_nothing_else(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["pull", "--config", str(config)]) == 0
    loud = capsys.readouterr()
    assert run(["--quiet", "pull", "--config", str(config)]) == 0
    quiet = capsys.readouterr()
    assert loud.err
    assert (quiet.out, quiet.err) == (loud.out, "")
    assert run(["-q", "pull", "--config", "none.toml"]) == 2
    assert capsys.readouterr().err.startswith("recon: none.toml does not exist")


def test_an_error_is_an_object_where_json_was_asked_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["--log-json", "pull", "--config", "none.toml"]) == 2
    line = json.loads(capsys.readouterr().err)
    assert (line["event"], line["level"], line["exit_code"]) == ("failed", "error", 2)
    assert "none.toml" in line["message"]


def test_a_command_leaves_no_handler_behind(config: Path) -> None:
    before = list(logging.getLogger("recon").handlers)
    run(["-v", "pull", "--config", str(config)])
    assert logging.getLogger("recon").handlers == before
    assert voice.is_plain()
