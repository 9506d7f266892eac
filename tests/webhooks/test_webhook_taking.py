"""Deliveries reach the lake once each, whatever happens in between."""

import shutil
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from recon.imports import delivered
from recon.imports.delivered import (
    event_hash,
    read_delivery,
    take_deliveries,
    undelivered,
)
from recon.imports.importing import take
from recon.journal import journal_path
from recon.journal.deliveries import Arrival, Deliveries
from recon.lake import Lake
from recon.lake.writing import Writing
from recon.settings import Settings
from recon.times import format_instant
from tests.webhooks.receiver_cases import envelope, shop

NOW = datetime(2026, 10, 1, 9, 30, tzinfo=UTC)


def deliver(settings: Settings, *bodies: bytes) -> None:
    with Deliveries(journal_path(settings)) as deliveries:
        deliveries.add(
            [
                Arrival(
                    event=event_hash(read_delivery(body)), received_at=NOW, body=body
                )
                for body in bodies
            ]
        )


def payment(code: str) -> bytes:
    return envelope("buyer_paid_agreement", tracking_code=code, amount="5")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return shop(tmp_path)


@pytest.fixture
def lake(settings: Settings) -> Lake:
    return Lake(settings.lake_path)


def codes(lake: Lake) -> list[Any]:
    found: list[Any] = lake.versions("events").column("tracking_code").to_pylist()
    return found


def test_a_delivery_is_a_row_with_its_body_as_evidence(
    settings: Settings, lake: Lake
) -> None:
    deliver(settings, payment("T1"))
    assert take_deliveries(settings, lake) == 1
    (row,) = lake.versions("events").to_pylist()
    assert (row["origin"], row["amount"], row["seen_at"]) == ("delivery", 5, NOW)
    page = lake.page(row["pull_id"], row["page_no"])
    assert (page.method, page.url, page.body) == (
        "DELIVERY",
        "delivery:1",
        payment("T1"),
    )
    assert (page.received_at, row["position"]) == (NOW, 1)
    (commit,) = lake.commits()
    assert (commit.kind, commit.source) == ("import", "events")
    assert commit.counts["records"] == 1


def test_nothing_delivered_commits_nothing(settings: Settings, lake: Lake) -> None:
    assert take_deliveries(settings, lake) == 0
    assert not journal_path(settings).exists()
    deliver(settings)
    assert take_deliveries(settings, lake) == 0
    assert lake.commits() == []


def test_each_delivery_is_taken_once(settings: Settings, lake: Lake) -> None:
    deliver(settings, payment("T1"), payment("T2"))
    assert take_deliveries(settings, lake) == 2
    assert take_deliveries(settings, lake) == 0
    deliver(settings, payment("T1"), payment("T3"))
    assert take_deliveries(settings, Lake(settings.lake_path)) == 1
    assert codes(lake) == ["T1", "T2", "T3"]
    assert len(lake.commits()) == 2


def test_many_are_taken_in_their_order(settings: Settings, lake: Lake) -> None:
    names = [f"T{number}" for number in range(130)]
    deliver(settings, *map(payment, names))
    assert take_deliveries(settings, lake) == 130
    assert codes(lake) == names


def test_a_take_that_is_cut_leaves_nothing_and_is_made_up_for(
    settings: Settings, lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    deliver(settings, payment("T1"))

    def cut(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Writing, "commit", cut)
        with pytest.raises(KeyboardInterrupt):
            take_deliveries(settings, lake)
    assert codes(lake) == []
    assert take_deliveries(settings, lake) == 1
    assert codes(lake) == ["T1"]


def test_two_takes_at_once_take_each_once(settings: Settings, lake: Lake) -> None:
    deliver(settings, *(payment(f"T{number}") for number in range(60)))
    counts: list[int] = []

    def work() -> None:
        counts.append(take_deliveries(settings, Lake(settings.lake_path)))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(counts) == [0, 0, 60]
    assert len(set(codes(lake))) == len(codes(lake)) == 60


def lose(settings: Settings) -> None:
    for file in journal_path(settings).parent.glob("journal.sqlite3*"):
        if file.is_file():
            file.unlink()


def ran(lake: Lake) -> None:
    with lake.begin("run", "run") as writing:
        writing.commit()


@pytest.mark.parametrize("is_older", [False, True])
def test_a_journal_that_is_gone_is_told_until_a_run_knows_the_next(
    settings: Settings, lake: Lake, tmp_path: Path, is_older: bool
) -> None:
    path = journal_path(settings)
    deliver(settings, payment("T1"))
    copy = tmp_path / "copy"
    shutil.copy(path, copy)
    deliver(settings, payment("T2"))
    take_deliveries(settings, lake)
    ran(lake)
    taken = format_instant(lake.commits()[0].committed_at)
    deliver(settings, payment("T3"))
    assert undelivered(settings, lake) is None
    lose(settings)
    if is_older:
        shutil.copy(copy, path)
    for _ in range(2):
        told = undelivered(settings, lake)
        assert told is not None
        assert f"took events until {taken} " in told
        ran(lake)
    deliver(settings, payment("T4"), payment("T5"))
    assert undelivered(settings, lake) == told
    take_deliveries(settings, lake)
    assert undelivered(settings, lake) == told  # nothing by hand hides it
    ran(lake)
    assert undelivered(settings, lake) is None


def test_a_lake_without_deliveries_tells_of_no_journal(
    settings: Settings, lake: Lake
) -> None:
    assert undelivered(settings, lake) is None
    ran(lake)
    deliver(settings, payment("T1"))
    assert undelivered(settings, lake) is None
    assert take_deliveries(settings, lake) == 1
    assert undelivered(settings, lake) is None


def test_a_journal_begun_anew_is_taken_from_its_beginning(
    settings: Settings, lake: Lake
) -> None:
    deliver(settings, payment("T1"), payment("T2"))
    take_deliveries(settings, lake)
    lose(settings)
    deliver(settings, payment("T7"), payment("T2"), payment("T8"))
    assert take_deliveries(settings, lake) == 3
    events = lake.current("events", ["tracking_code"]).column(0).to_pylist()
    assert sorted(events) == ["T1", "T2", "T7", "T8"]


def test_an_event_that_was_imported_too_is_one(
    settings: Settings, lake: Lake, tmp_path: Path
) -> None:
    file = tmp_path / "events.jsonl"
    file.write_bytes(payment("T1") + b"\n" + payment("T2") + b"\n")
    take("events", [file], settings, lake)
    deliver(settings, payment("T2"), payment("T3"))
    assert take_deliveries(settings, lake) == 2
    take("events", [file], settings, lake)
    events = lake.current("events", ["tracking_code", "origin"]).to_pylist()
    assert sorted(each["tracking_code"] for each in events) == ["T1", "T2", "T3"]
    assert {each["tracking_code"]: each["origin"] for each in events}[
        "T2"
    ] == "delivery"


def test_a_stored_body_that_is_no_longer_read_stays_evidence(
    settings: Settings, lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    deliver(settings, payment("T1"), payment("T2"))
    read = delivered.read_delivery

    def stricter(body: bytes) -> Any:
        if b"T1" in body:
            raise delivered.NotAnEnvelope("not any more")
        return read(body)

    monkeypatch.setattr(delivered, "read_delivery", stricter)
    assert take_deliveries(settings, lake) == 1
    assert take_deliveries(settings, lake) == 0
    (commit,) = lake.commits()
    assert lake.page(commit.id, 1).body == payment("T1")
    assert codes(lake) == ["T2"]
