"""A record that its list had lost and has again: it is received, so it is there."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from recon.lake import Lake
from recon.pull.forecast import Forecast, forecast
from recon.pull.runner import SourceOutcome, pull
from recon.reconcile.checks import run_checks, shipped_checks
from recon.reconcile.run import present_result, reconcile
from tests.pull import agreements_shop
from tests.pull.provider_stub import Stub, all_products, checkout, payment

COUNT = 300
NOW = int(datetime.now(UTC).timestamp())
UNIFIED = "GET /mpg/v1/business/teahouse"


def made(number: int) -> int:
    """Return when the record of a number was made; the higher, the newer."""
    return NOW - 600_000 + number * 1000


def checkout_row(number: int, **changes: Any) -> dict[str, Any]:
    return checkout(number, created_at=made(number), **changes)


def agreement_row(number: int, **changes: Any) -> dict[str, Any]:
    at = datetime.fromtimestamp(made(number), UTC)
    row = agreements_shop.agreement(number)
    return row | {"created_at": f"{at:%Y-%m-%dT%H:%M:%S}.000000Z"} | changes


def mandate_row(number: int, **changes: Any) -> dict[str, Any]:
    return {
        "id": f"m{number}",
        "payment_method": "debit-alvand",
        "count": 10,
        "limit": 5_000_000,
        "customer": {"id": "u1"},
        "status": "revoked",
        "created_at": made(number),
        "revoked_at": made(number) + 1,
        **changes,
    }


VANISHED = tuple(each for each in shipped_checks() if each.name == "record_vanished")

OPEN_CHECKOUT = {
    "status": "not_paid",
    "payments": [payment(COUNT, status="pending_redirect", paid_at=None)],
}


@dataclass
class Shop:
    """A shop with one long list, newest first, of rows that `row` makes."""

    source: str
    endpoint: str
    row: Callable[..., dict[str, Any]]
    key: str
    open: dict[str, Any]  # what makes a record one that may go on
    folder: Path = Path()
    stub: Stub = field(default_factory=Stub)
    rows: list[dict[str, Any]] = field(default_factory=list)

    def begin(self, folder: Path) -> "Shop":
        self.folder = folder
        self.rows = [self.row(number) for number in range(COUNT, 0, -1)]
        self.stub.lists(self.endpoint, lambda: self.rows)
        return self

    @property
    def lake(self) -> Lake:
        return Lake(all_products(self.folder).lake_path)

    def pull(self) -> SourceOutcome:
        self.stub.asked.clear()
        for row in self.rows:
            body = {"checkout": row} if self.source == "checkouts" else row
            if self.source == "mandates":
                body = {"mandate": row}
            self.stub.answers(f"{self.endpoint}/{row[self.key]}", {"data": body})
        settings = all_products(self.folder)
        transport = self.stub.transport
        return pull(settings, self.lake, [self.source], transport=transport).sources[0]

    def expected(self) -> Forecast:
        return forecast(all_products(self.folder), self.lake, [self.source])[0]

    @property
    def asked_count(self) -> int:
        return sum("oauth" not in each for each in self.stub.asked)

    def vanished(self, as_of: datetime | None = None) -> list[str]:
        settings = all_products(self.folder)
        with present_result(self.lake, settings, as_of=as_of) as result:
            found = run_checks(result.engine, VANISHED, settings).to_pylist()
        return sorted(row["record_id"] for row in found)

    def run(self) -> datetime:
        """Run, so that what is committed next is later; returns of what instant."""
        with reconcile(self.lake, all_products(self.folder)) as result:
            return result.as_of


LISTS = (
    Shop("checkouts", f"{UNIFIED}/checkouts", checkout_row, "id", OPEN_CHECKOUT),
    Shop(
        *("mandates", f"{UNIFIED}/mandates", mandate_row, "id"),
        {"status": "active", "revoked_at": None},
    ),
    Shop(
        *("agreements", agreements_shop.ROOT, agreement_row),
        *("tracking_code", {"state": "contract"}),
    ),
)


@pytest.fixture(params=LISTS, ids=lambda shop: shop.source)
def shop(request: pytest.FixtureRequest, tmp_path: Path) -> Shop:
    found: Shop = request.param
    fresh = Shop(found.source, found.endpoint, found.row, found.key, found.open)
    return fresh.begin(tmp_path)


def test_one_that_is_back_unchanged_is_there_though_the_list_was_read_in_part(
    shop: Shop,
) -> None:
    name = shop.rows[0][shop.key]
    assert shop.pull().status == "complete"
    gone = shop.rows.pop(0)
    found = shop.pull()
    assert (found.status, found.counts.vanished) == ("complete", 1)
    assert shop.vanished() == [name]
    without = shop.run()
    shop.rows.insert(0, gone)
    found = shop.pull()
    assert (found.status, found.counts.new, found.counts.changed) == ("partial", 1, 0)
    assert shop.vanished() == []
    assert shop.vanished(as_of=without) == [name]
    found = shop.pull()
    assert (found.status, found.counts.new) == ("partial", 0)


def test_one_that_is_gone_again_has_vanished_again(shop: Shop) -> None:
    name = shop.rows[0][shop.key]
    shop.pull()
    gone = shop.rows.pop(0)
    shop.pull()
    shop.rows.insert(0, gone)
    assert shop.pull().status == "partial"
    shop.rows.pop(0)
    found = shop.pull()
    assert (found.status, found.counts.vanished) == ("complete", 1)
    assert shop.vanished() == [name]


def test_one_of_two_that_vanished_is_not_there_because_the_other_is(
    shop: Shop,
) -> None:
    shop.pull()
    gone = [shop.rows.pop(0), shop.rows.pop(0)]
    shop.pull()
    shop.rows.insert(0, gone[0])
    assert shop.pull().status == "partial"
    assert shop.vanished() == [gone[1][shop.key]]


def test_one_that_a_sweep_meets_which_is_not_whole_is_there(shop: Shop) -> None:
    """The list does not add up, and a later page of it cannot be read."""
    shop.pull()
    gone = shop.rows.pop(150)
    shop.pull()
    assert shop.vanished() == [gone[shop.key]]
    shop.rows.insert(150, gone)
    honest = shop.stub.endpoints[shop.endpoint]
    later = "18" if shop.source == "agreements" else "28"
    shop.stub.endpoints[shop.endpoint] = lambda query, body: (
        (500, b"") if query["page"] == later else honest(query, body)
    )
    assert shop.pull().status == "incomplete"
    assert shop.vanished() == []


def test_open_ones_that_vanished_are_neither_asked_for_nor_expected(
    shop: Shop,
) -> None:
    for place in (40, 41, 42):
        shop.rows[place] |= shop.open
    shop.pull()
    del shop.rows[41]
    assert shop.pull().status == "complete"
    expected = shop.expected()
    assert shop.pull().status == "partial"
    assert (expected.lookups, expected.requests) == (2, 3)
    assert shop.asked_count == 3


def test_many_open_ones_that_vanished_do_not_make_it_read_whole(shop: Shop) -> None:
    for place in range(100, 140):
        shop.rows[place] |= shop.open
    shop.pull()
    del shop.rows[100:139]
    assert shop.pull().status == "complete"
    expected = shop.expected()
    found = shop.pull()
    assert (found.status, expected.action) == ("partial", "part")
    assert (expected.lookups, expected.requests) == (1, 2)
    assert shop.asked_count == 2
