"""A lake takes records of one provider and one business, unless told otherwise."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from recon import nightly
from recon.cli.group import run
from recon.errors import ExitCode, SettingsError
from recon.journal import journal_path
from recon.journal.deliveries import Arrival, Deliveries
from recon.lake import Lake
from recon.pull import runner
from recon.pull.origin import MOVED_FROM, ORIGIN, origin_of
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


def deliver(settings: Settings) -> None:
    """Let an event wait in the journal."""
    body = b'{"created": 1790000000, "type": "a", "data": {"tracking_code": "T1"}}'
    at = datetime(2026, 10, 1, tzinfo=UTC)
    with Deliveries(journal_path(settings)) as deliveries:
        deliveries.add([Arrival(event="a", received_at=at, body=body)])


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


def test_a_night_that_is_refused_takes_no_event_into_the_lake(
    stub: Stub, settings: Settings, lake: Lake
) -> None:
    pull(stub, settings, lake, "checkouts")
    deliver(settings)
    before = lake.commits()
    with pytest.raises(SettingsError, match="teahouse"):
        nightly.run(moved_to(settings, OTHER), lake)
    assert lake.commits() == before


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


def final_token(stub: Stub, settings: Settings, lake: Lake) -> None:
    """Send one token, and look it up until it is final."""
    with lake.begin("import", "gateway_tokens") as writing:
        writing.rows("gateway_tokens", [{"token": "t1", "amount": 5}])
        writing.commit()
    answer = {"status": 1, "amount": "5", "transId": 7, "code": 2}
    stub.answers("POST /api/v3/transaction", answer)
    pull(stub, settings, lake, "gateway_transactions")


def test_what_moved_and_has_nothing_to_say_is_settled_too(
    stub: Stub, settings: Settings, lake: Lake
) -> None:
    final_token(stub, settings, lake)
    pull(stub, settings, lake, "mandates")
    assert settings.gateway
    gateway = replace(settings.gateway, base_url=ADDRESS_AFTER)
    other = replace(moved_to(settings, ADDRESS_AFTER), gateway=gateway)
    stub.checkouts.clear()  # of a list that became empty nothing is asked any more
    both = ("checkouts", "gateway_transactions")
    pull(stub, settings, lake, "checkouts")
    with pytest.raises(SettingsError, match="gateway_transactions came from"):
        pull(stub, other, lake, *both)
    for _ in range(2):  # said once more, it is no other move
        report = pull(stub, other, lake, *both, moved=True)
        assert [each.counts.records for each in report.sources] == [0, 0]
    commits = lake.commits(kind="pull", source="gateway_transactions")
    assert [each.certificate.get(MOVED_FROM) for each in commits] == [
        None,
        "provider.test, business teahouse",
        None,
    ]
    assert pull(stub, other, lake, *both).complete
    with pytest.raises(SettingsError, match=r"came from api\.provider\.test, .* now"):
        pull(stub, settings, lake, *both)
    third = replace(other, gateway=replace(gateway, base_url=OTHER))
    with pytest.raises(SettingsError, match="now they would come from staging"):
        pull(stub, third, lake, *both)


def test_a_list_that_became_empty_is_settled_by_a_move(
    stub: Stub, settings: Settings, lake: Lake
) -> None:
    pull(stub, settings, lake, "checkouts")
    stub.checkouts.clear()
    other = moved_to(settings, ADDRESS_AFTER)
    report = pull(stub, other, lake, "checkouts", moved=True)
    assert (report.complete, report.sources[0].counts.records) == (True, 0)
    assert pull(stub, other, lake, "checkouts").complete
    with pytest.raises(SettingsError):
        pull(stub, settings, lake, "checkouts")


def test_who_did_not_answer_is_not_settled(
    stub: Stub, settings: Settings, lake: Lake
) -> None:
    pull(stub, settings, lake, "checkouts", "payment_methods")
    other = moved_to(settings, ADDRESS_AFTER)
    endpoint = "GET /mpg/v1/business/teahouse/checkouts"
    honest = stub.endpoints[endpoint]
    for refused in (401, 500):
        stub.answers(endpoint, {"message": "no"}, refused)
        report = pull(stub, other, lake, moved=True)
        assert not report.complete
        assert pull(stub, other, lake, "payment_methods").complete
        with pytest.raises(SettingsError, match="this lake's checkouts came from"):
            pull(stub, other, lake)
    stub.endpoints[endpoint] = honest
    assert pull(stub, settings, lake, "checkouts").complete


def test_a_move_from_nowhere_binds_nobody(
    stub: Stub, settings: Settings, lake: Lake
) -> None:
    """Nothing was known of another address: a slip of the pen is one still."""
    kept = list(stub.checkouts)
    stub.checkouts.clear()
    pull(stub, moved_to(settings, OTHER), lake, "checkouts", moved=True)
    stub.checkouts.extend(kept)
    assert pull(stub, settings, lake, "checkouts").complete


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
    deliver(settings)
    before = lake.commits()
    for command in (
        ["pull", "checkouts"],
        ["pull", "checkouts", "--dry-run"],
        ["nightly"],
        ["nightly", "--dry-run"],
    ):
        code = run([*command, "--config", str(config)])
        assert code == ExitCode.USAGE
        assert "`recon pull --moved` goes on" in capsys.readouterr().err
    for told in ([], ["--moved"]):
        wrong = ["pull", "no-source", *told, "--config", str(config)]
        assert run(wrong) == ExitCode.USAGE
    assert Lake(lake.root).commits() == before  # no event was taken by any of them
    given = ["checkouts", "--config", str(config), "--dry-run", "--moved"]
    assert run(["pull", *given]) == ExitCode.CLEAN


def test_a_file_is_not_taken_into_another_business_s_lake(
    tmp_path: Path, stub: Stub, settings: Settings, lake: Lake
) -> None:
    """Its rows would count there; to take one back is always possible."""
    pull(stub, settings, lake, "checkouts")
    file = tmp_path / "out.csv"
    file.write_text("at,amount,kind,description\n2026-10-01,-5,settlement,x\n")
    config = tmp_path / "other.toml"

    def imported(business: str, *more: str) -> int:
        said = f'[business]\nname = "{business}"\n[lake]\npath = "{lake.root}"\n'
        config.write_text(f'{said}[unified]\nbase_url = "https://provider.test"\n')
        return run(["import", "adjustments", str(file), "--config", str(config), *more])

    before = lake.commits()
    assert imported("bookshop", "--dry-run") == ExitCode.USAGE
    assert imported("bookshop") == ExitCode.USAGE
    assert lake.commits() == before
    assert imported("teahouse") == ExitCode.CLEAN
    assert imported("bookshop", "--void") == ExitCode.CLEAN


@pytest.mark.parametrize("given", [["reconcile"], ["close", "2020-01"]])
def test_another_business_s_lake_gets_neither_a_run_nor_a_closing(
    tmp_path: Path,
    stub: Stub,
    settings: Settings,
    lake: Lake,
    given: list[str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    pull(stub, settings, lake, "checkouts")
    config = tmp_path / "other.toml"
    config.write_text(
        f'[business]\nname = "bookshop"\n[lake]\npath = "{lake.root}"\n'
        '[unified]\nbase_url = "https://provider.test"\n'
    )
    before = lake.commits()
    assert run([*given, "--config", str(config)]) == ExitCode.USAGE
    assert lake.commits() == before
    assert "this lake's checkouts came from" in capsys.readouterr().err
