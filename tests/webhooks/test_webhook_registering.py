"""The provider's webhook records follow what is asked; twice is as good as once."""

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest

from recon.errors import SettingsError, Unavailable, UsageError
from recon.records.limits import WrongInput
from recon.records.orders import EVENT_SLUGS
from recon.sandbox.app import create_app
from recon.sandbox.world import World
from recon.settings import Settings
from recon.webhooks.registering import Change, list_all, register, remove
from tests.api_writes.sandbox_shop import shop_settings
from tests.sandbox.small_world import small_world
from tests.webhooks.receiver_cases import shop

URL = "https://shop.example/escrow-events"
OTHER = "https://shop.example/other"


def hook(number: int, url: str = URL, **changes: Any) -> dict[str, Any]:
    slugs = changes.pop("slugs", sorted(EVENT_SLUGS))
    events = [{"slug": slug, "title": slug} for slug in slugs]
    return {"id": number, "url": url, "is_active": True, "events": events, **changes}


def world_with(*hooks: dict[str, Any]) -> World:
    return small_world(webhooks={each["id"]: each for each in hooks})


def settings() -> Settings:
    return shop_settings("http://127.0.0.1:9")


def call(work: Any, world: World, *arguments: Any, **options: Any) -> Any:
    transport = httpx.ASGITransport(app=create_app(world))
    return asyncio.run(work(settings(), *arguments, transport=transport, **options))


def test_a_missing_webhook_is_made_with_all_thirteen_events() -> None:
    world = world_with(hook(4, OTHER))
    assert call(register, world, URL) == [Change("create", "5", URL, False)]
    made = world.webhooks[5]
    assert (made["url"], made["is_active"]) == (URL, True)
    assert {event["slug"] for event in made["events"]} == EVENT_SLUGS
    assert len(made["events"]) == 13
    assert world.webhooks[4] == hook(4, OTHER)


@pytest.mark.parametrize(
    "lacking", [{"is_active": False}, {"slugs": ["agreement_created"]}, {"slugs": []}]
)
def test_a_webhook_that_lacks_something_is_mended(lacking: dict[str, Any]) -> None:
    world = world_with(hook(4, **lacking))
    assert call(register, world, URL) == [Change("update", "4", URL, False)]
    assert world.webhooks[4]["is_active"]
    assert {each["slug"] for each in world.webhooks[4]["events"]} == EVENT_SLUGS
    assert call(register, world, URL) == [Change("none", "4", URL, False)]


def test_one_that_fits_is_left_whatever_stands_before_it() -> None:
    world = world_with(hook(3, is_active=False), hook(4))
    assert call(register, world, URL) == [Change("none", "4", URL, False)]
    assert not world.webhooks[3]["is_active"]


@pytest.mark.parametrize("hooks", [(), (hook(4, is_active=False),)])
def test_a_dry_run_of_register_changes_nothing(hooks: Any) -> None:
    world = world_with(*hooks)
    (change,) = call(register, world, URL, dry_run=True)
    assert change.action == ("update" if hooks else "create")
    assert world.webhooks == world_with(*hooks).webhooks
    assert "would" in change.line()


@pytest.mark.parametrize(
    "url", ["http://shop.example/x", "shop.example", "", "https://"]
)
def test_only_an_https_address_is_registered(url: str) -> None:
    with pytest.raises(WrongInput, match="url: must be an https address"):
        call(register, world_with(), url)


def test_a_provider_that_does_not_keep_it_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        "recon.sandbox.routes.webhooks._titled", lambda slugs: [{"slug": slugs[0]}]
    )
    with pytest.raises(Unavailable, match="agreement_created"):
        call(register, world_with(), URL)


@pytest.mark.parametrize("changed", [{"is_active": False}, {"url": OTHER}])
def test_one_that_is_kept_switched_off_or_elsewhere_is_told(
    changed: dict[str, Any],
) -> None:
    class Changed(dict[int, dict[str, Any]]):
        def __setitem__(self, number: int, webhook: dict[str, Any]) -> None:
            super().__setitem__(number, webhook | changed)

    world = world_with()
    world.webhooks = Changed()
    with pytest.raises(Unavailable, match="is switched off or has another address"):
        call(register, world, URL)


def test_the_list_tells_what_is_missing() -> None:
    world = world_with(hook(1), hook(2, OTHER, slugs=["agreement_created"]))
    first, second = call(list_all, world)
    assert (first.id, first.missing) == ("1", [])
    assert second.events == ["agreement_created"]
    assert len(second.missing) == 12


def test_a_webhook_is_removed_by_its_id_or_its_address() -> None:
    world = world_with(hook(1), hook(2, OTHER), hook(3, OTHER))
    assert call(remove, world, webhook_id="1") == [Change("remove", "1", URL, False)]
    assert [each.id for each in call(remove, world, url=OTHER)] == ["2", "3"]
    assert world.webhooks == {}


def test_a_dry_run_of_remove_changes_nothing() -> None:
    world = world_with(hook(1))
    assert call(remove, world, url=URL, dry_run=True) == [
        Change("remove", "1", URL, True)
    ]
    assert list(world.webhooks) == [1]


@pytest.mark.parametrize(
    "options",
    [{}, {"webhook_id": "1", "url": URL}, {"webhook_id": "9"}, {"url": OTHER}],
)
def test_what_names_no_webhook_is_a_mistake(options: dict[str, str]) -> None:
    world = world_with(hook(1))
    with pytest.raises(UsageError):
        call(remove, world, **options)
    assert list(world.webhooks) == [1]


def test_without_an_escrow_section_it_says_so(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="escrow"):
        asyncio.run(list_all(shop(tmp_path)))
