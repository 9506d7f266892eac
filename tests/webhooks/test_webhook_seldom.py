"""The receiver's log: one line a minute, and nothing in it is passed over."""

import pytest

from recon.webhooks import seldom
from recon.webhooks.seldom import Seldom


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [1000.0]
    monkeypatch.setattr(seldom.time, "monotonic", lambda: now[0])
    return now


def test_what_recurs_is_counted_and_said_once_a_minute(clock: list[float]) -> None:
    said: list[str] = []
    log = Seldom("refused", said.append)
    for what in ("401", "401", "400", "401"):
        log.note(what)
    assert said == ["refused: 1 × 401"]
    clock[0] += 59.9
    log.note("400")
    assert len(said) == 1
    clock[0] += 0.1
    log.note("413")
    assert said[1:] == ["refused: 2 × 401; 2 × 400; 1 × 413"]


@pytest.mark.parametrize(("count", "others"), [(120, "69 others"), (52, "1 other")])
def test_what_a_line_has_no_place_for_is_counted_in_it(
    clock: list[float], count: int, others: str
) -> None:
    said: list[str] = []
    log = Seldom("contradicted", said.append)
    for number in range(count):
        log.note(f"delivery {number}")
    clock[0] += 60
    log.note("delivery 50")
    log.note("delivery 7")
    (first, line) = said
    told = line.removeprefix("contradicted: ").split("; ")
    assert first == "contradicted: 1 × delivery 0"
    assert told[:-1] == [
        *(f"1 × delivery {number}" for number in range(1, 50)),
        "2 × delivery 50",
    ]
    assert told[-1] == others
    clock[0] += 60
    log.note("delivery 8")
    assert said[2:] == ["contradicted: 1 × delivery 7; 1 × delivery 8"]
