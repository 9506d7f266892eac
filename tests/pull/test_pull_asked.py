from pathlib import Path
from typing import Any

import pytest

from recon.lake import Lake
from recon.pull.asked import addressless, asked
from recon.pull.runner import plan
from recon.settings import (
    Business,
    CashIn,
    Escrow,
    Gateway,
    Hosted,
    Secret,
    Settings,
    Unified,
)

URL = "https://provider.example"
LISTED = {"base_url": URL, "deposit_list_path": "/deposits"}


@pytest.mark.parametrize(
    ("sections", "count"),
    [
        ({}, 0),
        ({"unified": Unified(base_url=URL)}, 3),
        ({"cash_in": CashIn()}, 0),
        ({"cash_in": CashIn(base_url=URL)}, 2),
        (
            {
                "unified": Unified(base_url=URL),
                "escrow": Escrow(base_url=URL),
                "cash_in": CashIn(**LISTED),
                "gateway": Gateway(base_url=URL),
                "hosted": Hosted(base_url=URL),
            },
            11,
        ),
    ],
)
def test_what_is_asked_is_what_a_pull_would_not_skip(
    tmp_path: Path, sections: dict[str, Any], count: int
) -> None:
    settings = Settings(business=Business(name="shop"), folder=tmp_path, **sections)
    planned = plan(settings, Lake(tmp_path / "lake"))
    wanted = {each.source for each in planned if each.action != "skip"}
    assert len(asked(settings)) == count
    assert set(asked(settings)) == wanted


@pytest.mark.parametrize(
    ("sections", "named"),
    [
        ({}, []),
        (
            {"unified": Unified(page_url=URL)},
            ["checkouts", "mandates", "payment_methods"],
        ),
        ({"escrow": Escrow(client_id=1)}, ["agreements", "customers", "webhooks"]),
        ({"gateway": Gateway(fee_bearer="customer")}, ["gateway_transactions"]),
        ({"hosted": Hosted(page_url=URL)}, ["hosted_checkouts"]),
        # its wallet and its statuses are of files, too
        ({"cash_in": CashIn(settled_statuses=("SETTLED",))}, []),
        # an environment may have the secrets of all products
        ({"unified": Unified(api_key=Secret("k")), "hosted": Hosted()}, []),
        (
            {"unified": Unified(base_url=URL), "hosted": Hosted(page_url=URL)},
            ["hosted_checkouts"],
        ),
    ],
    ids=str,
)
def test_a_section_without_an_address_names_what_nobody_can_ask_for(
    sections: dict[str, Any], named: list[str]
) -> None:
    settings = Settings(business=Business(name="shop"), **sections)
    assert addressless(settings) == named
    assert not {*asked(settings)} & {*named}
