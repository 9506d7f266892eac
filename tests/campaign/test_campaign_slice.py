"""A small fixed slice of the campaign, and whether its instruments tell the truth."""

import asyncio
import json
import shutil
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import httpx
import pytest

from recon.errors import CorruptLake
from recon.lake import Lake, Page, commits
from recon.lake.health import examine
from tests.campaign import corruption, kills, seasons, truth
from tests.campaign.clock import Clock
from tests.campaign.shop import Shop, opened
from tests.campaign.virtual_time import virtual_time
from tests.campaign.weather import Weather


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    shop = opened(tmp_path_factory.mktemp("campaign") / "shop")
    shop.take_files()
    return shop


def test_a_season_ends_with_the_truth_and_with_what_was_planted(
    tmp_path: Path,
) -> None:
    season = seasons.run(6, tmp_path / "season", nights=2, kills=1)
    assert season.wrong == []
    assert season.unexplained == 0
    assert season.fault_count
    assert season.records


def test_a_storm_brings_nothing_untrue(tmp_path: Path) -> None:
    storm = seasons.storm(2, tmp_path / "storm", nights=1)
    assert storm.wrong == []
    assert storm.fault_count > 500


def test_kill_after_kill_loses_nothing_that_was_promised(
    shop: Shop, tmp_path: Path
) -> None:
    told = kills.soak(4, shop, tmp_path, 10)
    assert told.wrong == []
    assert told.kills.total() - told.kills["outran"] >= 8


def test_no_damage_passes_and_copies_bring_it_back(tmp_path: Path) -> None:
    told = [*corruption.trials(3, tmp_path / "rot", count=12)]
    assert len(told) >= 10
    assert [each for one in told for each in one["wrong"]] == []


def test_a_season_plays_again(tmp_path: Path) -> None:
    first, second = (
        seasons.run(9, tmp_path / name, nights=2, kills=0, last=False)
        for name in ("one", "two")
    )
    assert first.faults == second.faults
    assert first.requests == second.requests
    assert first.fault_count > 20


@pytest.fixture
def pulled(shop: Shop, tmp_path: Path) -> Shop:
    copy = shop.at(tmp_path / "pulled")
    shutil.copytree(shop.folder, copy.folder)
    assert copy.pull(full=True).complete
    return copy


def test_the_truth_is_told_from_a_lie(pulled: Shop) -> None:
    lake, facts = pulled.lake(), truth.snapshot(pulled.made.world)
    for source in truth.SOURCES:
        assert not [*truth.contradictions(lake, source, facts, facts, whole=True)]
    lie = {**facts, "payments": dict(facts["payments"])}
    key, fact = next(iter(lie["payments"].items()))
    lie["payments"][key] = (fact[0], fact[1] + 1, *fact[2:])
    lie["mandates"] = {**facts["mandates"], "one more": (1, 1, "active", "x")}
    assert [*truth.contradictions(lake, "checkouts", lie, lie, whole=True)]
    assert [*truth.contradictions(lake, "mandates", lie, lie, whole=True)]


def test_a_record_in_the_place_of_another_is_not_read(pulled: Shop) -> None:
    folder = pulled.root / "commits"
    shutil.copy2(folder / "00000001.json", folder / "00000003.json")
    with pytest.raises(CorruptLake, match="00000003"):
        Lake(pulled.root).commits()


def test_the_closing_of_two_dates_is_no_damage(pulled: Shop) -> None:
    with pulled.lake().begin("close", "2025-10-29..2025-10-31") as made:
        body = b"figures"
        at = datetime(2025, 11, 1, tzinfo=UTC)
        made.page(Page(url="recon:close", received_at=at, body=body))
        made.commit()
    assert examine(pulled.lake(), deep=True).whole


def struck(rate: float, times: int) -> tuple[Weather, Counter[str]]:
    """Ask a provider of one list so often, and count what was not its answer."""
    good = {
        "data": [{"id": str(n), "amount": 1000} for n in range(5)],
        "meta": {"current_page": 1, "total": 5, "per_page": 5},
    }
    provider = httpx.MockTransport(lambda _: httpx.Response(200, json=good))
    weather = Weather(provider, 1, rate, doors=True)
    met: Counter[str] = Counter()

    async def ask() -> None:
        async with httpx.AsyncClient(transport=weather) as client:
            for _ in range(times):
                try:
                    answer = await client.get("http://127.0.0.1/list")
                    # as text: 1000.0 is no 1000, whatever Python says
                    same = json.dumps(answer.json()) == json.dumps(good)
                    same = same and answer.status_code == 200
                except (httpx.HTTPError, ValueError):
                    same = False
                met["right" if same else "struck"] += 1

    with virtual_time():
        asyncio.run(ask())
    return weather, met


def test_only_delivered_faults_are_counted() -> None:
    weather, met = struck(0.4, 1_500)
    assert weather.asked == 1_500
    assert weather.delivered.total() == met["struck"]
    assert len(weather.delivered) == 20


def test_a_calm_provider_is_left_alone() -> None:
    weather, met = struck(0.0, 50)
    assert met == {"right": 50}
    assert not weather.delivered


def test_virtual_time_passes_in_its_order_and_costs_none() -> None:
    order: list[str] = []

    async def wait(seconds: float, name: str) -> None:
        await asyncio.sleep(seconds)
        order.append(name)

    async def all_of_them() -> float:
        loop = asyncio.get_running_loop()
        began = loop.time()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(500):
                await asyncio.gather(wait(600, "c"), wait(300, "b"), wait(20, "a"))
        return loop.time() - began

    began = time.monotonic()
    with virtual_time():
        assert asyncio.run(all_of_them()) >= 500
    assert order == ["a", "b"]
    assert time.monotonic() - began < 60


def test_commits_keep_their_order_whatever_the_clock_does(tmp_path: Path) -> None:
    clock, chance = Clock(), Random(1)
    clock.jitter = Random(2)
    lake = Lake(tmp_path / "lake")
    with clock.moving():
        assert isinstance(datetime(2026, 1, 1, tzinfo=UTC), commits.datetime)
        for number in range(12):
            clock.leap(chance)
            with lake.begin("pull", "accounts") as made:
                made.rows("accounts", [{"iban": "one", "bank_name": str(number)}])
                made.commit()
    kept = Lake(tmp_path / "lake").commits()
    assert [each.id for each in kept] == sorted(each.id for each in kept)
    times = [each.committed_at for each in kept]
    assert times == sorted(times)
    assert lake.current("accounts")["bank_name"].to_pylist() == ["11"]


def test_the_clock_leaps_back_too() -> None:
    clock = Clock()
    clock.shift = timedelta(days=-3)
    with clock.moving():
        assert commits.datetime.now(UTC) < datetime.now(UTC) - timedelta(days=2)
    assert commits.datetime is datetime
