"""What `recon close` says of itself: that it starts, and is sealed or refused."""

import io
import json
import logging
from pathlib import Path
from typing import Any

import pytest

from recon import log
from recon.close.closing import NotClosable
from recon.errors import LakeError, LockHeld, UsageError
from recon.lake.lock import run_lock
from tests.close.closed_shop import PERIOD, closed, trade
from tests.reconcile.lake_history import History


@pytest.fixture
def history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> History:
    return History(tmp_path / "lake", monkeypatch)


def logged(history: History, **said: Any) -> tuple[list[dict[str, Any]], Any]:
    """Close; returns the lines of the log, and the closing or its error."""
    stream = io.StringIO()
    with log.shown(stream, as_json=True, level=logging.INFO):
        try:
            ended: Any = closed(history, **said)
        except Exception as error:  # noqa: BLE001 - whatever ended it is looked at
            ended = error
    return [json.loads(line) for line in stream.getvalue().splitlines()], ended


def of(lines: list[dict[str, Any]], event: str) -> dict[str, Any]:
    (line,) = [line for line in lines if line["event"] == event]
    return line


def events(lines: list[dict[str, Any]]) -> list[str]:
    found = [line["event"] for line in lines]
    return [event for event in found if event.startswith("close")]


def test_a_closing_is_started_and_sealed_in_one_run(history: History) -> None:
    trade(history)
    lines, closing = logged(history)
    assert events(lines) == ["close.started", "close.sealed", "close"]
    assert "reconcile" in {line["event"] for line in lines}
    assert len({line["run"] for line in lines}) == 1
    sealed = of(lines, "close.sealed")
    assert (sealed["period"], sealed["dry_run"]) == (PERIOD, False)
    assert (sealed["entries"], sealed["carried"]) == (closing.entries, 0)
    assert of(lines, "close")["seconds"] >= 0


def test_a_rehearsal_seals_nothing(history: History) -> None:
    trade(history)
    lines, _ = logged(history, dry_run=True)
    assert events(lines) == ["close.started", "close"]
    assert of(lines, "close.started")["dry_run"] is True


def test_a_refusal_is_a_warning_with_its_kind_and_exit_code(history: History) -> None:
    trade(history, {1: 100, 6: 999})  # an unexplained rest: a critical break
    lines, error = logged(history)
    assert isinstance(error, NotClosable)
    assert events(lines) == ["close.started", "close.refused", "close.failed"]
    refused = of(lines, "close.refused")
    assert refused["level"] == "warning"
    assert (refused["reason"], refused["exit_code"]) == ("NotClosable", 1)
    assert refused["run"] == of(lines, "close.started")["run"]


def test_a_second_closing_and_a_held_lock_are_refused(history: History) -> None:
    trade(history)
    closed(history)
    lines, error = logged(history)
    assert isinstance(error, UsageError)
    assert of(lines, "close.refused")["exit_code"] == 2
    with run_lock(history.lake):
        lines, error = logged(history)
    assert isinstance(error, LockHeld)
    assert of(lines, "close.refused")["reason"] == "LockHeld"


def test_a_disk_that_fails_is_no_refusal(
    history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    trade(history)

    def full(*_: object) -> str:
        raise LakeError("no space left")

    monkeypatch.setattr("recon.close.packs.write", full)
    lines, error = logged(history)
    assert isinstance(error, LakeError)
    assert events(lines) == ["close.started", "close.failed"]
    assert of(lines, "close.failed")["error"] == "LakeError"
