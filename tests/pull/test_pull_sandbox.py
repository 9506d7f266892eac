"""A pull over a real socket from the sandbox brings exactly what its world holds."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from recon.lake import Lake
from recon.pull.runner import PullReport, pull
from recon.sandbox import history
from recon.sandbox.history import History
from recon.sandbox.server import serve
from recon.sandbox.terms import SANDBOX_KEYS
from recon.settings import Business, CashIn, Escrow, Secret, Settings, Unified

SAME = ("amount", "wage_amount", "affected_amount", "status", "ref_id")


@pytest.fixture(scope="module")
def made() -> History:
    return history.generate(3)


@pytest.fixture
def settings(made: History, tmp_path: Path) -> Iterator[Settings]:
    with serve(made.world) as running:
        address = running.base_url
        yield Settings(
            business=Business(name=made.world.business),
            unified=Unified(base_url=address, api_key=Secret(SANDBOX_KEYS.unified_key)),
            escrow=Escrow(
                base_url=address,
                client_id=SANDBOX_KEYS.escrow_client_id,
                client_secret=Secret(SANDBOX_KEYS.escrow_client_secret),
            ),
            cash_in=CashIn(
                base_url=address,
                api_key=Secret(SANDBOX_KEYS.cash_in_key),
                wallet_iban=made.world.wallet_iban,
                deposit_list_path="/v3/business/{business}/cash-in/deposits",
            ),
            folder=tmp_path,
        )


def complete(report: PullReport) -> bool:
    ended = {each.status for each in report.sources}
    return report.complete and ended == {"complete", "skipped"}


def test_a_pull_brings_what_the_world_holds(made: History, settings: Settings) -> None:
    lake, world = Lake(settings.lake_path), made.world
    assert complete(pull(settings, lake))
    checkouts = {row["id"]: row for row in lake.current("checkouts").to_pylist()}
    assert checkouts.keys() == world.checkouts.keys()
    for checkout_id, record in world.checkouts.items():
        row = checkouts[checkout_id]
        assert row["amount"] == int(record["amount"])
        assert row["status"] == record["status"]
        assert int(row["created_at"].timestamp()) == record["created_at"]
        assert row["payment_ids"] == [each["id"] for each in record["payments"]]
    payments = {row["id"]: row for row in lake.current("payments").to_pylist()}
    for record in world.checkouts.values():
        for sent in record["payments"]:
            row = payments.pop(sent["id"])
            for name in (
                "amount",
                "wage_amount",
                "affected_amount",
                "status",
                "ref_id",
            ):
                assert row[name] == sent[name]
    assert not payments
    counts = {
        "mandates": len(world.mandates),
        "agreements": len(world.agreements),
        "customers": len(world.escrow_customers),
        "accounts": len(world.accounts),
        "payment_methods": len(world.payment_methods),
        "deposits": sum(map(len, world.deposits.values())),
    }
    assert {name: lake.current(name).num_rows for name in counts} == counts
    (balance,) = lake.current("balances").to_pylist()
    assert balance["balance"] == world.wallet_balance


def test_a_second_pull_of_an_unchanged_world_writes_a_balance_only(
    settings: Settings,
) -> None:
    lake = Lake(settings.lake_path)
    pull(settings, lake)
    report = pull(settings, lake, full=True)
    assert complete(report)
    news = {
        each.source: each.counts.new + each.counts.changed for each in report.sources
    }
    assert {name for name, count in news.items() if count} <= {"balances"}
