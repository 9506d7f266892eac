"""A dry run says how many requests a pull takes, and that is what it then takes."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from recon.cli.group import run
from recon.lake import Lake
from recon.pull import runner
from recon.pull.forecast import Forecast, forecast
from recon.settings import CashIn, Secret, Settings
from tests.pull.provider_stub import ADDRESS, CANARY, Stub, all_products, checkout

NOW = int(datetime.now(UTC).timestamp())
ROOT = "GET /mpg/v1/business/teahouse/checkouts"
GATEWAY = "POST /api/v3/transaction"
COUNT = 300


def made(number: int, **changes: Any) -> dict[str, Any]:
    """Return a checkout of the last weeks; the higher its number, the newer."""
    at = NOW - 600_000 + number * 1000
    return checkout(number, **{"created_at": at, "updated_at": at, **changes})


class Shop:
    """A shop that sends tokens too; `settings` are of every product."""

    def __init__(self, folder: Path) -> None:
        self.settings: Settings = all_products(folder)
        self.stub = Stub()
        self.stub.checkouts = [made(number) for number in range(COUNT, 0, -1)]
        self.stub.endpoints[GATEWAY] = self._transaction
        self.final: set[str] = set()

    def _transaction(self, _: dict[str, str], body: dict[str, Any]) -> tuple[int, Any]:
        if body["token"].startswith("unknown"):
            return 422, {"status": 0, "errors": ["The token is invalid."]}
        code = 2 if body["token"] in self.final else 1
        said = {"status": 1, "amount": "5000", "transId": 77, "code": code}
        return 200, {**said, "createdAt": "2026-01-01 10:00:00", "CID": "AB"}

    def send(self, *tokens: str, days_ago: int = 0) -> None:
        at = datetime.now(UTC) - timedelta(days=days_ago)
        with self.lake().begin("import", "gateway_tokens") as writing:
            rows = [{"token": each, "amount": 5000, "sent_at": at} for each in tokens]
            writing.rows("gateway_tokens", rows)
            writing.commit()

    def lake(self) -> Lake:
        return Lake(self.settings.lake_path)

    def expected(self, *sources: str, **how: Any) -> dict[str, Forecast]:
        found = forecast(self.settings, self.lake(), sources, **how)
        return {each.source: each for each in found}

    def pull(self, *sources: str, **how: Any) -> int:
        """Pull; returns how many requests it took but those for a token."""
        self.stub.asked.clear()
        for row in self.stub.checkouts:
            self.stub.answers(f"{ROOT}/{row['id']}", {"data": {"checkout": row}})
        transport = self.stub.transport
        report = runner.pull(
            self.settings, self.lake(), sources, transport=transport, **how
        )
        assert report.complete
        return sum("oauth" not in each for each in self.stub.asked)


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path)


def test_nothing_is_known_of_a_list_before_its_first_sweep(shop: Shop) -> None:
    expected = shop.expected()
    unknown = {name for name, each in expected.items() if each.requests is None}
    assert unknown == {"checkouts", "mandates", "agreements", "customers"}
    assert all("nothing is known yet" in str(expected[n].reason) for n in unknown)
    assert (expected["deposits"].action, expected["deposits"].requests) == ("skip", 0)
    assert expected["accounts"].requests == 1
    assert not shop.lake().root.exists()  # and nothing is written
    assert shop.stub.asked == []


@pytest.mark.parametrize("full", [False, True])
def test_every_source_takes_what_was_expected(shop: Shop, full: bool) -> None:
    shop.stub.checkouts[40] = made(260, status="not_paid")
    shop.send("done", "waits", "unknown")
    shop.final = {"done"}
    shop.pull()
    expected = shop.expected(full=full)
    assert expected["checkouts"].action == ("whole" if full else "part")
    for name, each in expected.items():
        assert each.requests == shop.pull(*[name], full=full), name
        assert each.requests == (each.pages or 0) + (each.lookups or 0)


def test_open_records_are_counted_one_by_one(shop: Shop) -> None:
    for place in range(100, 107):
        shop.stub.checkouts[place] = made(COUNT - place, status="not_paid")
    shop.pull("checkouts")
    found = shop.expected("checkouts")["checkouts"]
    assert (found.action, found.requests, found.lookups) == ("part", 8, 7)
    assert "7 open records" in str(found.reason)
    assert shop.pull("checkouts") == 8


def test_the_new_end_of_a_list_with_the_oldest_first_is_its_last_pages(
    shop: Shop,
) -> None:
    shop.stub.checkouts = [made(number) for number in range(1, COUNT - 4)]
    shop.pull("checkouts")
    found = shop.expected("checkouts")["checkouts"]
    assert (found.action, found.requests) == ("part", 3)
    assert shop.pull("checkouts") == 3


def test_many_open_records_are_expected_to_cost_the_whole_list(shop: Shop) -> None:
    for place in range(40):
        shop.stub.checkouts[place] = made(COUNT - place, status="not_paid")
    shop.pull("checkouts")
    found = shop.expected("checkouts")["checkouts"]
    assert (found.action, found.lookups) == ("whole", 0)
    assert found.requests == shop.pull("checkouts")


def test_a_list_that_grew_since_its_sweep_is_expected_longer(shop: Shop) -> None:
    shop.pull("checkouts")
    shop.stub.checkouts[:0] = [made(COUNT + 50 - number) for number in range(50)]
    shop.pull("checkouts")
    found = shop.expected("checkouts", full=True)["checkouts"]
    asked = shop.pull("checkouts", full=True)
    assert found.requests is not None
    assert abs(found.requests - asked) <= 1
    assert found.requests >= 38  # 35 pages, and a look at both ends


def test_an_incomplete_sweep_tells_nothing(shop: Shop) -> None:
    honest = shop.stub.endpoints[ROOT]
    shop.stub.endpoints[ROOT] = lambda query, body: (
        (500, b"") if query["page"] == "9" else honest(query, body)
    )
    with pytest.raises(AssertionError):
        shop.pull("checkouts")
    assert shop.expected("checkouts")["checkouts"].requests is None


def test_final_and_refused_tokens_are_not_expected(shop: Shop) -> None:
    shop.send("done", "waits")
    shop.send("unknown1", "unknown2", days_ago=30)
    shop.final = {"done"}
    source = "gateway_transactions"
    found = shop.expected(source)[source]
    assert (found.requests, found.lookups, found.action) == (4, 4, "whole")
    assert shop.pull(source) == 4
    found = shop.expected(source)[source]
    assert (found.requests, found.action) == (1, "part")
    assert "not asked for: 1 final" in str(found.reason)
    assert "left for a whole pull: 2 refused" in str(found.reason)
    assert shop.pull(source) == 1
    found = shop.expected(source, full=True)[source]
    assert (found.requests, found.reason) == (4, "all 4 that were sent")


def test_the_balance_of_an_unnamed_wallet_takes_two_requests(tmp_path: Path) -> None:
    cash_in = CashIn(base_url=ADDRESS, api_key=Secret(CANARY))
    settings = all_products(tmp_path, cash_in=cash_in)
    (found,) = forecast(settings, Lake(settings.lake_path), ["balances"])
    assert found.requests == 2


@pytest.mark.parametrize("command", ["pull", "nightly"])
def test_the_commands_tell_it_and_send_nothing(
    command: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    config = tmp_path / "recon.toml"
    text = '[business]\nname = "teahouse"\n[unified]\nbase_url = "http://127.0.0.1:9"\n'
    config.write_text(text, encoding="utf-8")
    monkeypatch.setenv("RECON_UNIFIED__API_KEY", CANARY)
    told = ["--dry-run", "--config", str(config)]
    assert run([command, *told]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == (
        "at least 1 request, none was sent; not known yet: checkouts, mandates"
    )
    assert run([command, *told, "--json"]) == 0
    rows = {row["source"]: row for row in json.loads(capsys.readouterr().out)}
    assert rows["checkouts"]["requests"] is None
    assert rows["payment_methods"]["requests"] == 1
    assert list(tmp_path.iterdir()) == [config]
