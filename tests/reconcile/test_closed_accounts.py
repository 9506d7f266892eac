"""An account that was closed: deposits of before stay those of an active account."""

from datetime import timedelta
from pathlib import Path

import pyarrow as pa
import pytest

from recon.lake import Commit, Lake
from recon.pull import runner
from recon.reconcile.closed_accounts import closed_accounts
from recon.reconcile.run import reconcile
from recon.settings import Settings
from tests.builders import deposit
from tests.pull.provider_stub import Stub, all_products

OURS, SOLD = "IR000000000000000000000001", "IR000000000000000000000002"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return all_products(tmp_path)


@pytest.fixture
def lake(settings: Settings) -> Lake:
    return Lake(settings.lake_path)


def read(settings: Settings, lake: Lake, *ibans: str, status: int = 200) -> Commit:
    stub = Stub()
    accounts = {"data": [{"IBAN": iban} for iban in ibans]}
    stub.answers("GET /v3/business/teahouse/cash-in/account", accounts, status)
    runner.pull(settings, lake, ("accounts",), transport=stub.transport)
    return lake.commits(kind="pull")[-1]


def found(lake: Lake) -> dict[str, Commit]:
    rows = closed_accounts(lake, lake.commits()).to_pylist()
    began = {commit.started_at: commit for commit in lake.commits()}
    return {row["iban"]: began[row["closed_by"]] for row in rows}


def spoil(lake: Lake, pull: Commit) -> None:
    (seen,) = pull.files_of("seen", "accounts")
    (lake.root / seen.path).write_bytes(b"other bytes")


def test_an_account_is_closed_by_the_first_whole_list_without_it(
    settings: Settings, lake: Lake
) -> None:
    read(settings, lake, OURS, SOLD)
    assert found(lake) == {}
    read(settings, lake, OURS, SOLD)
    assert not read(settings, lake, status=400).complete
    without = read(settings, lake, OURS)
    read(settings, lake, OURS)
    assert found(lake) == {SOLD: without}


def test_an_account_that_came_back_is_closed_by_the_last_list_that_lost_it(
    settings: Settings, lake: Lake
) -> None:
    read(settings, lake, OURS, SOLD)
    first = read(settings, lake, SOLD)
    read(settings, lake, OURS, SOLD)
    second = read(settings, lake)
    read(settings, lake, OURS)
    assert found(lake) == {OURS: second, SOLD: second}
    before = [each for each in lake.commits() if each.sequence <= first.sequence]
    assert closed_accounts(lake, before)["iban"].to_pylist() == [OURS]


def test_a_damaged_list_is_no_list_without_accounts(
    settings: Settings, lake: Lake
) -> None:
    """What nobody can read any more does not make a deposit quiet."""
    read(settings, lake, OURS, SOLD)
    first, second = read(settings, lake, OURS), read(settings, lake)
    assert found(lake) == {SOLD: first, OURS: second}
    spoil(lake, second)
    assert found(lake) == {SOLD: first}
    spoil(lake, first)
    assert found(lake) == {}


def test_only_deposits_after_the_account_was_closed_are_told(
    settings: Settings, lake: Lake
) -> None:
    read(settings, lake, OURS, SOLD)
    at = read(settings, lake, OURS).started_at
    read(settings, lake, OURS)
    spans = (timedelta(days=-400), timedelta(0), timedelta(microseconds=1))
    rows = [
        deposit(
            number,
            iban=SOLD,
            track_id=f"track-{number}",
            gateway_transaction_id=f"{number}",
            requested_at=at + span,
            seen_at=at + timedelta(days=1),
        )
        for number, span in enumerate(spans, 1)
    ]
    with lake.begin("import", "deposits") as writing:
        writing.rows("deposits", rows)
        writing.commit(whole=False)
    with reconcile(lake, settings, dry_run=True) as result:
        breaks: pa.Table = result.breaks
    told = [
        row["record_id"]
        for row in breaks.to_pylist()
        if row["check"] == "deposit_iban_unknown"
    ]
    assert told == ["3"]
