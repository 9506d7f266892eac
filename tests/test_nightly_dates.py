"""Page, message and terminal tell one thing in the hours when UTC has another date."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from recon import nightly
from recon.cli.group import run
from tests.night_shop import shop_in
from tests.reconcile.lake_history import at, unpaid

NIGHT = datetime(2026, 11, 5, 22, tzinfo=UTC)
"""In Tehran it is November 6, 36 days after October 1; by UTC 35 days are in time."""


def test_a_file_is_late_by_the_date_of_the_business_for_everybody_who_tells_it(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    shop = shop_in(tmp_path, monkeypatch)
    shop.clock(at(1))
    order = {"reference": "b", "amount": 5, "status": "paid", "occurred_at": at(1)}
    shop.pull("books", {"books": [order]}, kind="import")
    shop.clock(NIGHT)
    shop.pull("checkouts", unpaid("a", paid=True))
    found = nightly.run(shop.settings, shop.lake)
    written = json.loads(found.files["summary.json"].read_bytes())
    (books,) = (each for each in written["uncovered"] if each["kind"] == "books")
    assert (books["covered_to"], books["late"]) == ("2026-10-01", True)
    assert found.summary["uncovered"] == written["uncovered"]
    run(["reconcile", "--dry-run", "--json"])
    told = json.loads(capsys.readouterr().out)
    assert told["uncovered"] == written["uncovered"]
