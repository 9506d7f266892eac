"""A lake takes records of one provider and one business, unless told otherwise."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from recon.cli.group import run
from recon.errors import ExitCode, SettingsError
from recon.lake import Lake
from recon.pull import runner
from recon.pull.origin import ORIGIN, origin_of
from recon.settings import Business, Settings
from tests.pull.provider_stub import Stub, all_products, checkout

OTHER = "https://Staging.provider.test:8443/base"


@pytest.fixture
def stub() -> Stub:
    return Stub()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return all_products(tmp_path)


@pytest.fixture
def lake(settings: Settings) -> Lake:
    return Lake(settings.lake_path)


def moved_to(settings: Settings, base_url: str) -> Settings:
    assert settings.unified
    return replace(settings, unified=replace(settings.unified, base_url=base_url))


def pull(
    stub: Stub, settings: Settings, lake: Lake, *sources: str, **more: Any
) -> runner.PullReport:
    return runner.pull(settings, lake, sources, transport=stub.transport, **more)


def test_another_address_is_refused_before_anything_is_asked(
    stub: Stub, settings: Settings, lake: Lake
) -> None:
    pull(stub, settings, lake, "checkouts")
    before, asked = lake.commits(), len(stub.asked)
    at = before[-1].committed_at.strftime("%Y-%m-%dT%H:%M:%SZ")
    with pytest.raises(SettingsError) as caught:
        pull(stub, moved_to(settings, OTHER), lake)
    assert str(caught.value) == (
        f"unified.base_url or business.name: until {at} this lake's checkouts came "
        "from provider.test, business teahouse; now they would come from "
        "staging.provider.test:8443, business teahouse; give another provider or "
        "business a lake.path of its own; where it is the same one, `recon pull "
        "--moved` goes on"
    )
    assert (lake.commits(), len(stub.asked)) == (before, asked)


def test_another_business_is_refused(
    stub: Stub, settings: Settings, lake: Lake
) -> None:
    pull(stub, settings, lake, "balances")
    other = replace(settings, business=Business(name="bookshop"))
    with pytest.raises(SettingsError, match=r"^cash_in\.base_url or business\.name: "):
        pull(stub, other, lake)


def test_other_sources_are_nobodys_business(
    stub: Stub, settings: Settings, lake: Lake
) -> None:
    pull(stub, settings, lake, "checkouts")
    pull(stub, moved_to(settings, OTHER), lake, "agreements", "accounts")
    pull(stub, moved_to(settings, OTHER), lake, "mandates")


def test_the_path_of_an_address_may_change(
    stub: Stub, settings: Settings, lake: Lake
) -> None:
    origin = origin_of(settings, "unified")
    same = moved_to(settings, "https://someone@PROVIDER.test/v2")
    assert origin_of(same, "unified") == origin


@pytest.mark.parametrize(
    ("address", "host"),
    [
        ("https://provider.test:443/v1", "provider.test"),
        ("http://Provider.test:80", "provider.test"),
        ("https://provider.test:80", "provider.test:80"),
        ("http://provider.test:443", "provider.test:443"),
        ("https://provider.test:8443", "provider.test:8443"),
        ("https://[fd00::443]", "[fd00::443]"),
        ("https://[fd00::1]:443", "[fd00::1]"),
    ],
)
def test_the_port_that_an_address_has_anyway_is_none(
    settings: Settings, address: str, host: str
) -> None:
    found = origin_of(moved_to(settings, address), "unified")
    assert found == f"{host}, business teahouse"


@pytest.mark.parametrize(
    "address", ["http://127.0.0.1:9", "http://localhost:80/x", "http://[::1]:1"]
)
def test_any_port_of_this_machine_is_the_same(settings: Settings, address: str) -> None:
    found = origin_of(moved_to(settings, address), "unified")
    assert found == "this machine, business teahouse"


def test_who_has_moved_goes_on_and_says_so_once(
    stub: Stub, settings: Settings, lake: Lake
) -> None:
    pull(stub, settings, lake, "checkouts")
    other = moved_to(settings, ADDRESS_AFTER)
    stub.checkouts.insert(0, checkout(26))
    report = pull(stub, other, lake, "checkouts", moved=True)
    assert report.complete
    assert pull(stub, other, lake, "checkouts").complete
    with pytest.raises(SettingsError):
        pull(stub, settings, lake, "checkouts")
    assert lake.current("checkouts", ["id"]).num_rows == 26


ADDRESS_AFTER = "https://api.provider.test"


def test_a_night_in_which_nothing_is_new_says_it_too(
    stub: Stub, settings: Settings, lake: Lake
) -> None:
    pull(stub, settings, lake)
    other = moved_to(settings, ADDRESS_AFTER)
    pull(stub, other, lake, moved=True)
    assert pull(stub, other, lake).complete


def test_a_pull_that_read_nothing_binds_nobody(
    stub: Stub, settings: Settings, lake: Lake
) -> None:
    kept = list(stub.checkouts)
    stub.checkouts.clear()
    pull(stub, moved_to(settings, OTHER), lake, "checkouts")  # a slip of the pen
    stub.checkouts.extend(kept)
    assert pull(stub, settings, lake, "checkouts").complete


def test_a_lake_of_before_is_taken_as_it_is(
    stub: Stub, settings: Settings, lake: Lake
) -> None:
    with lake.begin("pull", "checkouts") as writing:
        writing.commit(counts={"records": 3})
    assert pull(stub, settings, lake, "checkouts").complete


def test_the_certificate_says_whom_it_asked(
    stub: Stub, settings: Settings, lake: Lake
) -> None:
    pull(stub, settings, lake)
    said = {commit.certificate[ORIGIN] for commit in lake.commits(kind="pull")}
    assert said == {"provider.test, business teahouse"}


def test_the_command_refuses_and_goes_on_where_it_is_told_to(
    tmp_path: Path,
    stub: Stub,
    settings: Settings,
    lake: Lake,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pull(stub, settings, lake, "checkouts")
    config = tmp_path / "recon.toml"
    config.write_text(
        '[business]\nname = "teahouse"\n[unified]\nbase_url = "https://x.test"\n'
        f'[lake]\npath = "{lake.root}"\n'
    )
    monkeypatch.setenv("RECON_UNIFIED__API_KEY", "k")
    for command in (
        ["pull", "checkouts"],
        ["pull", "checkouts", "--dry-run"],
        ["nightly"],
        ["nightly", "--dry-run"],
    ):
        code = run([*command, "--config", str(config)])
        assert code == ExitCode.USAGE
        assert "`recon pull --moved` goes on" in capsys.readouterr().err
    given = ["checkouts", "--config", str(config), "--dry-run", "--moved"]
    assert run(["pull", *given]) == ExitCode.CLEAN
