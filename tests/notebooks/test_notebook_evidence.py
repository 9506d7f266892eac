"""What a notebook shows of a break's stored answers, as the terminal does."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from recon import notebook
from recon.lake import Page
from recon.reconcile.breaks import break_id
from recon.reconcile.run import reconcile
from tests.notebooks.small_lake import DAYS, FIRST, WALLET, small_lake

CODE_LIKE = 3_581_522_594  # with the check digit of a national code
UNPAID = break_id("checkout_paid_without_payment", "unified", "named")
INTERVAL = break_id("wallet_rollforward", "wallet", f"{WALLET}:2026-03-14T08:30:00Z")
LATER = FIRST + timedelta(days=DAYS + 1)


@pytest.fixture(scope="module", autouse=True)
def seen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A customer's name in an order, and a balance that looks like their code."""
    folder = tmp_path_factory.mktemp("seen")
    settings, lake = small_lake(folder)
    file = f"at,balance\n2026-03-13,1\n2026-03-14,{CODE_LIKE}\n".encode()
    page = Page(url="file:balances.csv", received_at=LATER, body=file)
    balance = {"at": LATER, "iban": WALLET, "balance": CODE_LIKE}
    order = {"id": "named", "status": "paid", "amount": 5, "created_at": FIRST}
    with lake.begin("import", "balances") as made:
        place = {"page_no": made.page(page), "position": 1}
        made.rows("balances", [balance | place])
        made.commit(counts={}, whole=False)
    with lake.begin("pull", "checkouts") as made:
        made.rows("checkouts", [order | {"description": "for Sara Rezaei"}])
        made.commit(counts={}, whole=False)
    with reconcile(lake, settings):
        pass
    notebook.use(str(folder / "recon.toml"))
    yield
    notebook.close()


def test_a_customer_s_name_is_hidden_in_prose() -> None:
    (record,) = notebook.evidence(UNPAID).found["records"]
    assert record["description"] == "for S*** R***"


def test_a_balance_is_shown_though_it_looks_like_a_code() -> None:
    pages = notebook.evidence(INTERVAL).found["pages"]
    assert pages[-1]["excerpt"] == f"2026-03-14,{CODE_LIKE}"
