"""A pull: every source ends as complete, incomplete or skipped, and says why."""

import asyncio
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest

from recon.errors import ExitCode, SettingsError, UsageError
from recon.lake import Lake
from recon.pull import runner
from recon.pull.keeping import Keeper
from recon.pull.runner import PullReport, SourceOutcome, Tick, plan
from recon.settings import CashIn, Checks, Secret, Settings, Unified
from tests.pull.provider_stub import (
    ADDRESS,
    CANARY,
    SECONDS,
    WALLET,
    Stub,
    all_products,
    checkout,
    payment,
)

UNIFIED = "/mpg/v1/business/teahouse"


@pytest.fixture
def stub() -> Stub:
    return Stub()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return all_products(tmp_path)


@pytest.fixture
def lake(settings: Settings) -> Lake:
    return Lake(settings.lake_path)


def pull(
    stub: Stub, settings: Settings, lake: Lake, *sources: str, **more: Any
) -> PullReport:
    return runner.pull(settings, lake, sources, transport=stub.transport, **more)


def outcome(report: PullReport, source: str) -> SourceOutcome:
    (found,) = [each for each in report.sources if each.source == source]
    return found


def test_every_source_is_pulled_and_committed_once(
    stub: Stub, settings: Settings, lake: Lake
) -> None:
    report = pull(stub, settings, lake)
    assert report.complete
    assert report.exit_code == ExitCode.CLEAN
    ended = {each.source: each.status for each in report.sources}
    assert ended.pop("deposits") == "skipped"
    assert set(ended.values()) == {"complete"}
    committed = [commit.source for commit in lake.commits(kind="pull")]
    assert sorted(committed) == sorted(ended)
    assert committed.index("balances") < committed.index("checkouts")
    assert committed.index("checkouts") < committed.index("mandates")


def test_checkouts_and_payments_become_rows_that_point_at_their_page(
    stub: Stub, settings: Settings, lake: Lake
) -> None:
    pull(stub, settings, lake, "checkouts")
    rows = {row["id"]: row for row in lake.versions("checkouts").to_pylist()}
    assert len(rows) == 25
    row = rows["c7"]
    assert (row["amount"], row["payment_ids"]) == (1007, ["p7"])
    assert row["created_at"] == datetime.fromtimestamp(SECONDS + 7, UTC)
    page = json.loads(lake.page(row["pull_id"], row["page_no"]).body)
    assert page["data"][row["position"] - 1]["id"] == "c7"
    payments = {row["id"]: row for row in lake.versions("payments").to_pylist()}
    paid = payments["p7"]
    assert (paid["checkout_id"], paid["mandate_id"]) == ("c7", "m1")
    assert (paid["wage_amount"], paid["affected_amount"]) == (10, 997)


def test_a_second_pull_writes_only_what_is_new_or_changed(
    stub: Stub, settings: Settings, lake: Lake
) -> None:
    pull(stub, settings, lake, "checkouts")
    stub.checkouts[3] = checkout(22, status="not_paid")
    stub.checkouts[4] = checkout(21, payments=[payment(21, wage_amount=11)])
    stub.checkouts.insert(0, checkout(26))
    del stub.checkouts[-1]
    report = pull(stub, settings, lake, "checkouts")
    counts = outcome(report, "checkouts").counts
    assert (counts.records, counts.new, counts.changed, counts.vanished) == (
        25,
        1,
        1,
        1,
    )
    assert lake.versions("checkouts").num_rows == 27
    assert lake.versions("payments").num_rows == 27
    again = outcome(pull(stub, settings, lake, "checkouts"), "checkouts").counts
    assert (again.new, again.changed, again.vanished) == (0, 0, 0)


def test_a_record_that_changes_back_is_a_change(
    stub: Stub, settings: Settings, lake: Lake
) -> None:
    for status in ("paid", "not_paid", "paid"):
        stub.checkouts[0] = checkout(25, status=status)
        pull(stub, settings, lake, "checkouts")
    rows = lake.current("checkouts").to_pylist()
    assert next(row["status"] for row in rows if row["id"] == "c25") == "paid"
    assert lake.versions("checkouts").num_rows == 27


def test_the_ids_of_a_whole_sweep_are_kept(
    stub: Stub, settings: Settings, lake: Lake
) -> None:
    pull(stub, settings, lake, "checkouts")
    found = lake.last_whole_sweep("checkouts")
    assert found is not None
    commit, _ = found
    assert commit.certificate["proof"] == "still"
    assert commit.certificate["distinct"] == 25


def test_an_empty_list_is_a_whole_sweep_too(
    stub: Stub, settings: Settings, lake: Lake
) -> None:
    pull(stub, settings, lake, "checkouts")
    stub.checkouts.clear()
    found = outcome(pull(stub, settings, lake, "checkouts", full=True), "checkouts")
    assert (found.status, found.counts.vanished) == ("complete", 25)
    swept = lake.last_whole_sweep("checkouts")
    assert swept is not None
    assert swept[0].id == found.pull_id


def test_one_source_that_fails_stops_no_other_and_keeps_what_it_got(
    stub: Stub, settings: Settings, lake: Lake
) -> None:
    honest = stub.endpoints[f"GET {UNIFIED}/checkouts"]
    stub.endpoints[f"GET {UNIFIED}/checkouts"] = lambda query, body: (
        (502, b"<html>") if query["page"] == "2" else honest(query, body)
    )
    report = pull(stub, settings, lake)
    failed = outcome(report, "checkouts")
    assert failed.status == "incomplete"
    assert "502" in str(failed.error)
    assert report.exit_code == ExitCode.INCOMPLETE
    assert outcome(report, "agreements").status == "complete"
    (commit,) = lake.commits(kind="pull", source="checkouts")
    assert not commit.complete
    assert commit.error == failed.error
    assert 0 < lake.versions("checkouts").num_rows < 25
    assert lake.last_whole_sweep("checkouts") is None
    assert lake.page(commit.id, failed.counts.pages).body  # evidence of the failure


@pytest.mark.parametrize("nameless", [{}, {"id": None}])
def test_a_webhook_without_an_id_makes_the_source_incomplete(
    stub: Stub, settings: Settings, lake: Lake, nameless: dict[str, Any]
) -> None:
    listed = {"url": "https://shop.test/events", "is_active": True, **nameless}
    stub.answers("GET /escrow/api/v1/webhooks", {"data": [{**listed, "id": 7}, listed]})
    report = pull(stub, settings, lake, "webhooks", "agreements")
    failed = outcome(report, "webhooks")
    assert failed.status == "incomplete"
    assert "a webhook without an id" in str(failed.error)
    assert outcome(report, "agreements").status == "complete"
    assert lake.page(str(failed.pull_id), failed.counts.pages).body


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_credential_makes_the_source_incomplete(
    stub: Stub, settings: Settings, lake: Lake, status: int
) -> None:
    stub.answers(f"GET {UNIFIED}/payment-methods", {"error": "Unauthenticated"}, status)
    failed = outcome(pull(stub, settings, lake, "payment_methods"), "payment_methods")
    assert failed.status == "incomplete"
    assert "Unauthenticated" in str(failed.error)


def test_absent_sections_and_addresses_are_skipped_and_said_so(
    stub: Stub, tmp_path: Path
) -> None:
    settings = all_products(tmp_path, escrow=None, unified=Unified())
    report = pull(stub, settings, Lake(settings.lake_path))
    assert report.complete
    assert outcome(report, "agreements").error == "there is no section [escrow]"
    assert outcome(report, "checkouts").error == "unified.base_url is not set"
    assert "deposit_list_path" in str(outcome(report, "deposits").error)
    assert outcome(report, "accounts").status == "complete"


def test_an_address_without_a_credential_is_an_error_before_anything_is_asked(
    stub: Stub, tmp_path: Path
) -> None:
    settings = all_products(tmp_path, cash_in=CashIn(base_url=ADDRESS))
    lake = Lake(settings.lake_path)
    with pytest.raises(SettingsError, match="RECON_CASH_IN__API_KEY"):
        pull(stub, settings, lake)
    assert stub.asked == []
    assert pull(stub, settings, lake, "checkouts").complete


def test_an_unknown_source_is_refused(
    stub: Stub, settings: Settings, lake: Lake
) -> None:
    with pytest.raises(UsageError, match="'chekouts' is not a source: accounts"):
        pull(stub, settings, lake, "chekouts")


def test_the_balance_is_that_of_the_wallet_at_the_second_of_the_answer(
    stub: Stub, settings: Settings, lake: Lake
) -> None:
    pull(stub, settings, lake, "balances")
    (row,) = lake.versions("balances").to_pylist()
    assert (row["iban"], row["balance"], row["available_balance"]) == (WALLET, 70, 50)
    assert row["at"].microsecond == 0
    assert row["at"] <= row["seen_at"]
    assert row["origin"] == "provider"


@pytest.mark.parametrize(
    ("seconds", "status"),
    [(-3600, "incomplete"), (30, "complete"), (86400, "incomplete")],
)
def test_a_balance_is_not_dated_by_a_clock_that_its_answer_contradicts(
    stub: Stub, settings: Settings, lake: Lake, seconds: int, status: str
) -> None:
    settings = replace(settings, checks=Checks(clock_skew=timedelta()))
    theirs = datetime.now(UTC) + timedelta(seconds=seconds)
    stub.headers = [(b"date", format_datetime(theirs, usegmt=True).encode())]
    found = outcome(pull(stub, settings, lake, "balances"), "balances")
    assert found.status == status
    is_wrong = status == "incomplete"
    assert bool(found.error and "clock" in found.error) == is_wrong
    assert lake.versions("balances").num_rows == (0 if is_wrong else 1)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_without_a_wallet_iban_only_a_single_account_is_the_wallet(
    stub: Stub, tmp_path: Path, count: int
) -> None:
    cash_in = CashIn(base_url=ADDRESS, api_key=Secret(CANARY))
    settings = all_products(tmp_path, cash_in=cash_in)
    accounts = [{"IBAN": f"IR{number}"} for number in range(count)]
    stub.answers("GET /v3/business/teahouse/cash-in/account", {"data": accounts})
    found = outcome(
        pull(stub, settings, Lake(settings.lake_path), "balances"), "balances"
    )
    assert found.status == ("complete" if count == 1 else "incomplete")
    assert bool(found.error and "cash_in.wallet_iban" in found.error) == (count != 1)


@pytest.mark.parametrize(("days", "asked"), [(-1, "IR9"), (1, WALLET)])
def test_the_iban_that_is_the_wallet_by_now_is_asked_for(
    stub: Stub, tmp_path: Path, days: int, asked: str
) -> None:
    """A change that is still to come is written down before its day."""
    day = (datetime.now(UTC) + timedelta(days=days)).isoformat()
    cash_in = CashIn(
        base_url=ADDRESS,
        api_key=Secret(CANARY),
        wallet_iban=WALLET,
        wallet_iban_since={day: "IR9"},
    )
    settings = all_products(tmp_path, cash_in=cash_in)
    lake = Lake(settings.lake_path)
    found = outcome(pull(stub, settings, lake, "balances"), "balances")
    assert found.status == "complete"
    assert lake.versions("balances")["iban"].to_pylist() == [asked]


def test_unknown_fields_and_states_are_counted_in_the_certificate(
    stub: Stub, settings: Settings, lake: Lake
) -> None:
    stub.checkouts[0] = checkout(25, status="frozen", loyalty=3)
    report = pull(stub, settings, lake, "checkouts")
    noted = outcome(report, "checkouts").certificate["unfamiliar"]
    assert noted == {"checkout.status=frozen": 1, "Checkout.loyalty": 1}


def test_progress_tells_pages_records_and_the_end(
    stub: Stub, settings: Settings, lake: Lake
) -> None:
    ticks: list[Tick] = []
    pull(stub, settings, lake, "checkouts", progress=ticks.append)
    assert ticks[0] == Tick("checkouts")
    assert ticks[-1] == Tick("checkouts", "complete", 5, 5, 25)
    assert [tick.records for tick in ticks] == sorted(tick.records for tick in ticks)


def test_a_plan_asks_nobody_and_writes_nothing(settings: Settings, lake: Lake) -> None:
    planned = {each.source: each for each in plan(settings, lake)}
    assert planned["checkouts"].action == "whole"
    assert planned["deposits"].action == "skip"
    assert "deposit_list_path" in str(planned["deposits"].reason)
    assert not lake.root.exists()


def test_a_pull_works_beside_a_running_loop(
    stub: Stub, settings: Settings, lake: Lake
) -> None:
    async def notebook() -> PullReport:
        return pull(stub, settings, lake, "checkouts")

    assert asyncio.run(notebook()).complete


def test_a_pull_that_is_interrupted_leaves_nothing(
    stub: Stub, settings: Settings, lake: Lake
) -> None:
    def stop(tick: Tick) -> None:
        if tick.records:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pull(stub, settings, lake, "checkouts", progress=stop)
    assert lake.commits() == []
    assert lake.versions("checkouts").num_rows == 0
    assert not list((lake.root / "records").rglob("*.parquet"))


def test_a_time_out_of_the_disk_is_not_told_as_the_sources(
    stub: Stub, settings: Settings, lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise TimeoutError("the disk did not answer")

    monkeypatch.setattr(Keeper, "capture", refuse)
    with pytest.raises(TimeoutError, match="the disk"):
        runner.pull(settings, lake, ["checkouts"], transport=stub.transport)
    assert lake.commits() == []


def test_no_secret_reaches_the_lake(stub: Stub, settings: Settings, lake: Lake) -> None:
    echoed = {"message": f"your key {CANARY} is fine", "data": []}
    stub.answers(f"GET {UNIFIED}/payment-methods", echoed)
    pull(stub, settings, lake)
    assert "POST /sso/oauth/token" in stub.asked
    urls = []
    for commit in lake.commits(kind="pull"):
        for number in range(1, commit.counts["pages"] + 1):
            page = lake.page(commit.id, number)
            urls.append(page.url)
            assert CANARY.encode() not in page.body
            assert CANARY not in repr(page.headers) + page.url
    assert not any("oauth" in url for url in urls)
    for path in lake.root.rglob("*.json"):
        assert CANARY not in path.read_text()
