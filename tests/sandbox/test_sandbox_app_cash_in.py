"""Cash-in of the sandbox: accounts, balance, deposits, and its own list of them."""

from typing import Any

import pytest

from recon.sandbox.terms import Terms
from tests.sandbox.small_world import (
    BANK_IBAN,
    CASH_IN,
    NOW,
    WALLET,
    WALLET_IBAN,
    client_of,
    clock,
    get,
    post,
    run,
    small_world,
)


def test_accounts_are_listed_in_data_alone() -> None:
    body = get(small_world(), f"{WALLET}/account", CASH_IN).json()
    assert list(body) == ["data"]
    assert body["data"][0]["IBAN"] == BANK_IBAN
    assert body["data"][0]["id"] is None


def test_balance_is_that_of_the_wallet() -> None:
    body = post(small_world(), f"{WALLET}/account/balance", {"iban": BANK_IBAN}).json()
    assert body == {"balance": 50_000_000, "available_balance": 40_000_000}


@pytest.mark.parametrize("body", [{}, {"iban": "IR00"}, {"iban": 7}])
def test_an_iban_that_is_not_active_is_refused(body: Any) -> None:
    answer = post(small_world(), f"{WALLET}/account/balance", body)
    assert answer.status_code == 422
    assert answer.json()["message"] == "The given data was invalid."
    assert isinstance(answer.json()["errors"]["iban"], list)


def test_cash_in_without_its_key_is_401() -> None:
    answer = get(small_world(), f"{WALLET}/account", {})
    assert answer.status_code == 401
    assert answer.json() == {"status": 0, "error": "Unauthenticated"}


def test_cash_in_that_is_not_active_is_422() -> None:
    off = Terms(cash_in_active=False)
    answer = get(small_world(), f"{WALLET}/account", CASH_IN, terms=off)
    assert answer.status_code == 422
    assert answer.json() == {
        "status": 0,
        "errors": {"error": "The cash-in tool is not active for this business."},
    }


def deposit(amount: Any, track_id: str = "d-1") -> Any:
    return {"iban": BANK_IBAN, "amount": amount, "track_id": track_id}


@pytest.mark.parametrize(
    ("amount", "parts"),
    [
        (1, [1]),
        ("1000", [1000]),
        (1_000_000_000, [1_000_000_000]),
        (1_000_000_001, [1_000_000_000, 1]),
        (1_200_000_000, [1_000_000_000, 200_000_000]),
        (2_000_000_000, [1_000_000_000] * 2),
    ],
)
def test_a_deposit_is_split_above_a_thousand_million(
    amount: Any, parts: list[int]
) -> None:
    answer = post(small_world(), f"{WALLET}/account/deposit", deposit(amount))
    body = answer.json()
    entries = body["data"]["cash_in"]
    assert body["status"] == 1
    assert [entry["amount"] for entry in entries] == parts
    assert {entry["status"] for entry in entries} == {"INIT"}
    assert len({entry["gateway_transaction_id"] for entry in entries}) == len(parts)
    assert set(entries[0]) == {
        "gateway_transaction_id",
        *("amount", "amount_toman", "wage", "wage_toman"),
        *("status", "iban", "receipt_url"),
    }


def test_no_deposit_comes_from_the_wallet_itself_whose_balance_is_shown() -> None:
    world = small_world()
    asked = deposit(1000) | {"iban": WALLET_IBAN}
    shown = post(world, f"{WALLET}/account/balance", {"iban": WALLET_IBAN})
    answer = post(world, f"{WALLET}/account/deposit", asked)
    assert shown.status_code == 200
    assert answer.status_code == 422
    assert list(answer.json()["errors"]) == ["iban"]
    assert world.deposits == {}


def test_a_deposit_is_split_into_a_thousand_entries_at_most() -> None:
    path, most = f"{WALLET}/account/deposit", 1000 * 10**9
    answer = post(small_world(), path, deposit(most))
    assert len(answer.json()["data"]["cash_in"]) == 1000
    answer = post(small_world(), path, deposit(most + 1))
    assert answer.status_code == 422
    assert list(answer.json()["errors"]) == ["amount"]


@pytest.mark.parametrize("amount", [0, -5, 1.5, True, "1.5", None, "ten"])
def test_a_deposit_of_no_whole_amount_is_refused(amount: Any) -> None:
    world = small_world()
    answer = post(world, f"{WALLET}/account/deposit", deposit(amount))
    assert answer.status_code == 422
    assert list(answer.json()["errors"]) == ["amount"]
    assert world.deposits == {}


def test_a_track_id_is_taken_once_and_is_case_sensitive() -> None:
    world = small_world()
    path = f"{WALLET}/account/deposit"
    assert post(world, path, deposit(1000, "a")).status_code == 200
    again = post(world, path, deposit(1000, "a"))
    assert again.status_code == 422
    assert list(again.json()["errors"]) == ["track_id"]
    assert post(world, path, deposit(1000, "A")).status_code == 200
    assert list(world.deposits) == ["a", "A"]


def test_a_deposit_lands_in_the_wallet_after_its_time_in_the_queue() -> None:
    world = small_world()
    terms = Terms(deposit_seconds=60, wage=lambda *_: 500)

    async def ask() -> list[int]:
        async with client_of(world, terms=terms) as client:
            path = f"{WALLET}/account"
            await client.post(f"{path}/deposit", json=deposit(9000), headers=CASH_IN)
            balances = []
            for seconds in (59, 60, 61):
                world.now = clock(NOW + seconds)
                answer = await client.post(
                    f"{path}/balance", json={"iban": BANK_IBAN}, headers=CASH_IN
                )
                balances.append(answer.json()["balance"])
            return balances

    assert run(ask()) == [50_000_000, 50_008_500, 50_008_500]
    assert world.deposits["d-1"][0]["settled_at"] == NOW + 60


def test_deposits_are_listed_with_what_the_contract_keeps_silent() -> None:
    world = small_world()
    post(world, f"{WALLET}/account/deposit", deposit(1_000_000_001))
    body = get(world, f"{WALLET}/deposits?per_page=1", CASH_IN).json()
    assert body["meta"]["total"] == 2
    row = body["data"][0]
    assert row["amount"] == 1
    assert row["track_id"] == "d-1"
    assert row["requested_at"] == NOW
    assert row["settled_at"] is None
    assert row["requested_amount"] == 1_000_000_001
    assert "_settles_at" not in row
