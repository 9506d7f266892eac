"""A killed pull is gone on with where it stopped, if what it left surely holds."""

import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from recon.lake import Lake
from recon.pull import drafts, runner
from recon.pull.drafts import Left
from recon.pull.pulling import Tick
from recon.pull.runner import SourceOutcome
from recon.records.gateway import TransactionCode
from recon.settings import Settings
from tests.pull.killed_pulls import COUNT, PAGES, ROOT, long_shop, made
from tests.pull.provider_stub import Stub, all_products

KILLED_AFTER = 90
_CODES = (TransactionCode.CONFIRMED.value, TransactionCode.WAITING.value)
BOTH_ENDS = 2  # are asked for again, to see that they hold
OPEN_PAGE_COUNT = 1  # the page of checkout 1000, which is not paid


class _Stopped(Exception):  # noqa: N818 - no error of the project's
    """The end of a pull that nobody expected."""


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return all_products(tmp_path)


@pytest.fixture(scope="module")
def wreck(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder whose pull was killed after 90 pages."""
    folder = tmp_path_factory.mktemp("wreck")
    command = [sys.executable, "-m", "tests.pull.killed_pulls"]
    ended = subprocess.run([*command, str(folder), str(KILLED_AFTER)], check=False)
    assert ended.returncode == -signal.SIGKILL
    return folder


@pytest.fixture
def killed(wreck: Path, settings: Settings) -> Settings:
    """Return the settings of such a lake, a copy for each test."""
    shutil.copytree(wreck / "lake", settings.lake_path)
    assert Lake(settings.lake_path).commits() == []
    return settings


def pulled(stub: Stub, settings: Settings) -> SourceOutcome:
    lake = Lake(settings.lake_path)
    (found,) = runner.pull(
        settings, lake, ["checkouts"], transport=stub.transport
    ).sources
    assert found.status == "complete"
    return found


def left_behind(settings: Settings) -> list[Path]:
    return sorted((Lake(settings.lake_path).root / "drafts").glob("*"))


def test_a_killed_pull_is_gone_on_with(killed: Settings) -> None:
    stub = long_shop()
    found = pulled(stub, killed)
    taken = found.certificate["resumed"]["pages"]
    assert taken == KILLED_AFTER - 2 - OPEN_PAGE_COUNT
    assert len(stub.asked) == PAGES - taken + BOTH_ENDS
    lake = Lake(killed.lake_path)
    rows = lake.current("checkouts").to_pylist()
    assert {row["id"] for row in rows} == {f"c{n}" for n in range(1, COUNT + 1)}
    assert found.counts.records == len(rows) == COUNT
    assert found.counts.pages == PAGES + BOTH_ENDS
    assert left_behind(killed) == []


def test_what_is_taken_keeps_its_time_and_its_evidence(killed: Settings) -> None:
    found = pulled(long_shop(), killed)
    lake = Lake(killed.lake_path)
    (commit,) = lake.commits()
    rows = lake.current("checkouts").to_pylist()
    earlier = [row for row in rows if row["seen_at"] < commit.started_at]
    assert len(earlier) == 10 * found.certificate["resumed"]["pages"]
    for row in (earlier[0], earlier[-1]):
        page = lake.page(commit.id, row["page_no"])
        assert page.received_at == row["seen_at"]
        assert f'"{row["id"]}"'.encode() in page.body


@pytest.mark.parametrize(
    "moves",
    [
        lambda rows: rows.insert(0, made(COUNT + 1)),
        lambda rows: rows.pop(0),
        lambda rows: rows.pop(),
        lambda rows: rows.pop(600),
        lambda rows: (rows.pop(600), rows.append(made(0))),
        lambda rows: (rows.pop(600), rows.insert(0, made(COUNT + 1))),
    ],
)
def test_a_list_that_moved_is_read_from_the_start(
    killed: Settings, moves: Callable[[list[object]], object]
) -> None:
    stub = long_shop()
    moves(stub.checkouts)  # type: ignore[arg-type]
    found = pulled(stub, killed)
    assert "resumed" not in found.certificate
    assert len(stub.asked) >= found.counts.pages >= PAGES
    rows = Lake(killed.lake_path).current("checkouts").to_pylist()
    assert {row["id"] for row in rows} == {row["id"] for row in stub.checkouts}


def test_an_old_draft_is_not_taken(
    killed: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drafts, "YOUNG", -timedelta(hours=1))
    stub = long_shop()
    assert "resumed" not in pulled(stub, killed).certificate
    assert len(stub.asked) == PAGES + BOTH_ENDS


def test_a_draft_is_of_one_source_and_one_address(killed: Settings) -> None:
    (path,) = left_behind(killed)
    assert path.stat().st_mode & 0o77 == 0
    lake = Lake(killed.lake_path)
    assert Left.find(lake, "checkouts", "another address") is None
    assert Left.find(lake, "mandates", "another address") is None


def test_a_torn_or_changed_draft_counts_up_to_there(killed: Settings) -> None:
    (path,) = left_behind(killed)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    stub = long_shop()
    taken = pulled(stub, killed).certificate["resumed"]["pages"]
    assert 0 < taken < KILLED_AFTER - 3
    assert len(stub.asked) == PAGES - taken + BOTH_ENDS


def test_a_draft_that_is_no_draft_is_left_alone(killed: Settings) -> None:
    for path in left_behind(killed):
        path.write_bytes(b"no draft at all, but long enough to look like one" * 9)
    stub = long_shop()
    assert "resumed" not in pulled(stub, killed).certificate
    assert left_behind(killed) == []


def test_a_full_disk_ends_the_draft_and_not_the_pull(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(28, "no space left")

    monkeypatch.setattr(drafts, "opened", refuse)
    assert pulled(long_shop(), settings).counts.records == COUNT


def test_a_short_list_keeps_no_draft(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[str] = []
    monkeypatch.setattr(drafts, "make_folder", lambda folder: kept.append(folder.name))
    stub = long_shop()
    stub.checkouts = stub.checkouts[:30]
    pulled(stub, settings)
    assert kept == []


def test_a_provider_that_fails_midway_is_gone_on_with(settings: Settings) -> None:
    stub = long_shop()
    whole = stub.endpoints[ROOT]

    def failing(query: dict[str, str], body: dict[str, object]) -> tuple[int, object]:
        if int(query["page"]) in range(80, PAGES):
            return 500, {"message": "later"}
        return whole(query, body)

    stub.endpoints[ROOT] = failing
    lake = Lake(settings.lake_path)
    (first,) = runner.pull(
        settings, lake, ["checkouts"], transport=stub.transport
    ).sources
    assert first.status == "incomplete"
    stub.endpoints[ROOT] = whole
    stub.asked.clear()
    found = pulled(stub, settings)
    taken = found.certificate["resumed"]["pages"]
    assert taken > 60
    assert len(stub.asked) == PAGES - taken + BOTH_ENDS


def test_the_last_page_is_asked_for_again_before_a_list_counts_as_whole(
    settings: Settings,
) -> None:
    """Its full last page lies in the draft, and a row comes while another leaves."""
    stub = long_shop()
    stub.checkouts = stub.checkouts[:1_200][::-1]  # new ones come at the end
    lake = Lake(settings.lake_path)

    def pull_with(progress: Callable[[Tick], None]) -> SourceOutcome:
        (found,) = runner.pull(
            settings, lake, ["checkouts"], transport=stub.transport, progress=progress
        ).sources
        return found

    def stop(tick: Tick) -> None:
        if tick.pages >= KILLED_AFTER:
            raise _Stopped

    def move(tick: Tick) -> None:
        if tick.pages == 120 and len(stub.asked) < 120 and new not in stub.checkouts:
            stub.checkouts.pop(600)
            stub.checkouts.append(new)

    new = made(COUNT + 1)
    with pytest.raises(_Stopped):
        pull_with(stop)
    stub.asked.clear()
    found = pull_with(move)
    assert found.status == "complete"
    assert new in stub.checkouts
    assert found.certificate["resumed"]["pages"] > 60
    assert found.certificate["sweeps"] > 1
    rows = lake.current("checkouts").to_pylist()
    assert new["id"] in {row["id"] for row in rows}


def test_what_another_sweep_read_later_is_not_undone_by_a_draft(
    killed: Settings,
) -> None:
    """An end is refused once, so all is read anew; that is cut, and gone on with."""
    stub = long_shop()
    whole, firsts = stub.endpoints[ROOT], 0

    def failing(query: dict[str, str], body: dict[str, object]) -> tuple[int, object]:
        nonlocal firsts
        page = int(query["page"])
        firsts += page == 1
        if page == 1 and firsts == BOTH_ENDS:
            return 422, {"message": "not now"}
        if firsts > BOTH_ENDS and page in range(70, PAGES):
            return 500, {"message": "later"}
        if firsts > BOTH_ENDS:
            stub.checkouts[300] = made(COUNT - 300, description="restated")
        return whole(query, body)

    stub.endpoints[ROOT] = failing
    lake = Lake(killed.lake_path)
    (first,) = runner.pull(
        killed, lake, ["checkouts"], transport=stub.transport
    ).sources
    assert first.status == "incomplete"

    def restated() -> list[str]:
        rows = lake.current("checkouts").to_pylist()
        return [row["id"] for row in rows if row["description"] == "restated"]

    assert restated() == [f"c{COUNT - 300}"]
    stub.endpoints[ROOT] = whole
    pulled(stub, killed)
    assert restated() == [f"c{COUNT - 300}"]


def test_final_answers_of_a_killed_look_up_are_taken_again(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokens = [f"t{number}" for number in range(60)]
    codes = {token: _CODES[int(token[1:]) % 2] for token in tokens}
    lake = Lake(settings.lake_path)
    with lake.begin("import", "gateway_tokens") as writing:
        rows = [{"token": token, "amount": 5000} for token in tokens]
        writing.rows("gateway_tokens", rows)
        writing.commit()
    stub, asked = Stub(), []

    def transaction(_: dict[str, str], body: dict[str, str]) -> tuple[int, object]:
        asked.append(body["token"])
        return 200, {
            "status": 1,
            "amount": "5000",
            "transId": 77,
            "createdAt": "2026-01-01 10:00:00",
            "code": codes[body["token"]],
            "CID": "AB",
        }

    stub.endpoints["POST /api/v3/transaction"] = transaction

    def pull_once(progress: Callable[[Tick], None] | None = None) -> SourceOutcome:
        (found,) = runner.pull(
            settings,
            Lake(settings.lake_path),
            ["gateway_transactions"],
            transport=stub.transport,
            progress=progress,
        ).sources
        return found

    def stop(tick: Tick) -> None:
        if tick.pages >= 40:
            raise _Stopped

    with pytest.raises(_Stopped):
        pull_once(stop)
    first = set(asked)
    asked.clear()
    found = pull_once()
    assert found.status == "complete"
    taken = found.certificate["resumed"]["answers"]
    assert 15 <= taken <= 24
    assert len(asked) == len(tokens) - taken
    assert first - set(asked) <= {t for t in tokens if codes[t] == _CODES[0]}
    rows = lake.current("gateway_transactions").to_pylist()
    assert {row["token"] for row in rows} == set(tokens)
    assert all(row["page_no"] for row in rows)
    assert left_behind(settings) == []
    asked.clear()
    assert pull_once().counts.records == len(tokens) // 2
