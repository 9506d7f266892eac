"""Mandates that may still be revoked are read again one by one."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from recon.lake import Lake
from recon.pull import runner
from recon.pull.runner import SourceOutcome
from recon.settings import Settings
from tests.api.list_server import mandate
from tests.pull.provider_stub import Stub, all_products

ROOT = "GET /mpg/v1/business/teahouse/mandates"
COUNT = 60
REVOKED = {"status": "revoked", "revoked_at": 1_790_000_000}


class Shop:
    """A shop of which two mandates, none of the newest, may be revoked still."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.stub = Stub()
        now = int(time.time())
        self.rows = [
            mandate(number, created_at=now - 1_000_000 + number * 100)
            for number in range(COUNT, 0, -1)
        ]
        self.open = self.rows[30:32]
        for row in self.rows[:30] + self.rows[32:]:
            row.update(REVOKED)
        self.stub.lists(ROOT, lambda: self.rows)

    def pull(self, shown: list[dict[str, Any]]) -> SourceOutcome:
        """Pull, where each of the two is asked for, as it is shown then."""
        for row, said in zip(self.open, shown, strict=True):
            body = {"message": "", "data": {"mandate": said}}
            self.stub.answers(f"{ROOT}/{row['id']}", body)
        lake = Lake(self.settings.lake_path)
        report = runner.pull(
            self.settings, lake, ["mandates"], transport=self.stub.transport
        )
        return report.sources[0]

    def statuses(self) -> dict[str, Any]:
        rows = Lake(self.settings.lake_path).current("mandates").to_pylist()
        return {row["id"]: row["status"] for row in rows}


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    made = Shop(all_products(tmp_path))
    found = made.pull(made.open)
    assert (found.status, found.certificate["order"]) == ("complete", "newest_first")
    return made


def test_every_row_points_at_its_place_on_its_page(shop: Shop) -> None:
    lake = Lake(shop.settings.lake_path)
    rows = lake.current("mandates").to_pylist()
    assert len(rows) == COUNT
    for row in rows:
        page = json.loads(lake.page(row["pull_id"], row["page_no"]).body)
        assert page["data"][row["position"] - 1]["id"] == row["id"]


def test_a_revocation_is_heard_of_without_the_list(shop: Shop) -> None:
    newer, older = shop.open
    found = shop.pull([newer, older | REVOKED])
    assert (found.status, found.certificate["reread"]) == ("partial", 2)
    assert (found.counts.new, found.counts.changed) == (0, 1)
    assert shop.statuses()[older["id"]] == "revoked"
    assert shop.statuses()[newer["id"]] == "active"


def test_the_detail_of_another_mandate_is_no_answer(shop: Shop) -> None:
    newer, _ = shop.open
    found = shop.pull([newer, newer | REVOKED])
    assert found.status == "incomplete"
    assert f"it is about {newer['id']}" in str(found.error)
    assert shop.statuses()[newer["id"]] == "active"


def test_a_detail_that_writes_the_id_otherwise_makes_no_second_mandate(
    shop: Shop,
) -> None:
    newer, older = shop.open
    found = shop.pull([newer, older | REVOKED | {"id": older["id"].upper()}])
    assert found.status == "complete"
    assert older["id"].upper() in found.certificate["not_in_part"]
    assert shop.statuses().keys() == {row["id"] for row in shop.rows}
