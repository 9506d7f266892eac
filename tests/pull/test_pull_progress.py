"""What a pull tells while it goes on, where there is no terminal; and its proof."""

import sys

import pytest

from recon import log
from recon.api.proofs import in_words
from recon.cli import progress, voice
from recon.pull.pulling import Tick
from tests.test_cli_columns import Terminal

COUNTED = "its new end and what was known are its total"


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    at = [0.0]
    monkeypatch.setattr("recon.cli.progress.time.monotonic", lambda: at[0])
    return at


def test_a_long_source_is_told_of_now_and_then(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    with progress.shown_progress() as told:
        told(Tick("checkouts"))
        clock[0] = 20.0
        told(Tick("checkouts", "running", 200, 1_000, 20_000))
        assert capsys.readouterr().err == ""
        clock[0] = 40.0
        told(Tick("checkouts", "running", 400, 1_000, 40_000, 3))
        said = capsys.readouterr().err
        clock[0] = 41.0
        told(Tick("checkouts", "running", 410, 1_000, 41_000, 3))
        assert capsys.readouterr().err == ""
        clock[0] = 100.0
        told(Tick("checkouts", "complete", 1_000, 1_000, 100_000, 1))
        end = capsys.readouterr().err
    for part in (
        "checkouts: page 400 of 1,000",
        "40,000 records",
        "10 pages/s",
        "1,000 records/s",
        "3 retries",
        "about 1 min 0 s left",
    ):
        assert part in said
    assert "complete, 100,000 records" in end
    assert end.endswith(", 1 retry\n")
    assert "left" not in end


def test_what_is_skipped_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    with progress.shown_progress() as told:
        told(Tick("checkouts", "skipped", reason="unified.base_url is not set"))
    said = capsys.readouterr().err
    assert said == "checkouts: skipped: unified.base_url is not set\n"


def test_more_pages_than_foreseen_leave_no_time(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    with progress.shown_progress() as told:
        told(Tick("checkouts"))
        clock[0] = 60.0
        told(Tick("checkouts", "running", 12, 10, 100))
    assert "page 12 of 12" in (said := capsys.readouterr().err)
    assert "about 0 s left" in said


@pytest.mark.parametrize(
    ("certificate", "words"),
    [
        ({}, ""),
        ({"reason": "no"}, ""),
        (
            {"proof": "still", "sweeps": 1, "distinct": 1_000},
            "it stood still, 1,000 ids",
        ),
        (
            {"proof": "caught_up", "sweeps": 2, "distinct": 9, "duplicates": 4},
            "what came in meanwhile was read, 2 sweeps, 9 ids, 4 met twice",
        ),
        (
            {"proof": "still", "distinct": 9, "resumed": {"pages": 3}},
            "it stood still, 9 ids, gone on with after a killed pull",
        ),
        ({"proof": "one_answer", "distinct": 1}, "it came in one answer, 1 id"),
        ({"proof": "counted", "known": 7, "fresh": 1}, f"{COUNTED}, 7 known, 1 fresh"),
        ({"proof": "another"}, "another"),
    ],
)
def test_a_certificate_is_said_in_words(
    certificate: dict[str, object], words: str
) -> None:
    assert in_words(certificate) == words


def test_a_log_on_a_terminal_is_written_between_no_bars(
    clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bar that is drawn anew tore its lines, and they the bar."""
    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    with voice.opened("text"):
        log.note("pull.source", source="mandates")
        with progress.shown_progress() as told:
            told(Tick("checkouts"))
            clock[0] = 0.5
            told(Tick("checkouts", "complete", 1, 1, 7))
    lines = shown.lines()
    assert lines[0].endswith("INFO pull.source source=mandates")
    assert lines[1:] == ["checkouts: complete, 7 records"]
