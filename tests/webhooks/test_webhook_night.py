"""What is delivered while the lists are read belongs to the same night."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from recon import nightly
from recon.cli.group import run
from recon.pull import runner
from recon.pull.runner import PullReport
from tests.pull.agreements_shop import COUNT, AgreementsShop, agreement


@pytest.fixture
def shop(tmp_path: Path) -> AgreementsShop:
    made = AgreementsShop(tmp_path)
    reports = replace(made.settings.reports, excel=False, html=False)
    made.settings = replace(made.settings, reports=reports)
    made.deliver("agreement_created", tracking_code=f"T{COUNT}")
    made.pull()
    return made


def trading(shop: AgreementsShop, is_told: bool) -> Callable[..., PullReport]:
    """Return a pull during which a trade begins before the agreements are read."""

    def pull(*_: Any, **__: Any) -> PullReport:
        at = datetime.now(UTC) + timedelta(minutes=2)  # later than the first event
        late = agreement(COUNT + 1) | {"state": "draft", "created_at": f"{at:%FT%TZ}"}
        shop.agreements.insert(0, late)
        if is_told:
            shop.deliver("agreement_created", tracking_code=late["tracking_code"])
        return shop.read()

    return pull


@pytest.mark.parametrize("is_told", [True, False])
def test_a_trade_that_began_while_the_night_read(
    shop: AgreementsShop, monkeypatch: pytest.MonkeyPatch, is_told: bool
) -> None:
    monkeypatch.setattr(nightly, "pull", trading(shop, is_told))
    found = nightly.run(shop.settings, shop.lake).breaks.to_pylist()
    told = [each["record_id"] for each in found if each["check"].startswith("escrow")]
    assert told == ([] if is_told else [f"T{COUNT + 1}"])


def test_a_pull_takes_what_came_while_it_read(
    shop: AgreementsShop, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(runner, "pull", trading(shop, is_told=True))
    config = tmp_path / "recon.toml"
    config.write_text('[business]\nname = "teahouse"\n[lake]\npath = "lake"\n')
    assert run(["--config", str(config), "pull"]) == 0
    codes = shop.lake.versions("events").column("tracking_code").to_pylist()
    assert codes == [f"T{COUNT}", f"T{COUNT + 1}"]
