"""After a void the next pull forgets what only the voided file had told."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from recon.imports.voiding import void
from recon.journal import journal_path
from recon.lake import Lake
from recon.lake.lake import LEAST_SKEW
from recon.pull import taken_back
from recon.records.requests import Operation
from tests.pull.provider_stub import SECONDS, WALLET, deposit
from tests.pull.voiding_shop import LIST, Shop, told
from tests.reconcile.lake_history import History, at

WRONG = told(1, settled_at="2025-01-02T10:00:00Z", requested_amount=77)


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path / "shop")


def test_what_only_a_voided_file_told_is_forgotten(shop: Shop) -> None:
    listed = [deposit(1, track_id="t1", status="DONE", requested_at=SECONDS)]
    shop.pull("deposits", listed)
    before = shop.rows("deposits")
    file = shop.take("deposits", "wrong.csv", [WRONG])
    shop.pull("deposits", listed)
    (row,) = shop.rows("deposits").values()
    assert (row["origin"], row["requested_amount"]) == ("list", 77)
    void("deposits", [file], shop.lake)
    assert shop.pull("deposits", listed).counts.changed == 1
    assert shop.rows("deposits") == before
    assert shop.pull("deposits", listed).counts.changed == 0
    shop.take("deposits", "wrong.csv", [WRONG])  # once more it counts
    shop.pull("deposits", listed)
    assert shop.rows("deposits")["t1", "1"]["requested_amount"] == 77


def test_what_a_list_leaves_out_altogether_is_mended_too(shop: Shop) -> None:
    shop.pull("deposits", [deposit(1, track_id="t1")])
    before = shop.rows("deposits")
    file = shop.take("deposits", "wrong.csv", [WRONG])
    shop.pull("deposits", [deposit(1, track_id="t1")])
    void("deposits", [file], shop.lake)
    shop.pull("deposits", [deposit(2, track_id="t2")])
    assert shop.rows("deposits").pop(("t1", "1")) == before["t1", "1"]


def test_a_list_that_fails_keeps_no_row_from_being_mended(shop: Shop) -> None:
    shop.pull("deposits", [deposit(1, track_id="t1")])
    before = shop.rows("deposits")
    file = shop.take("deposits", "wrong.csv", [WRONG])
    shop.pull("deposits", [deposit(1, track_id="t1")])
    void("deposits", [file], shop.lake)
    shop.stub.answers(f"GET {LIST}", {"message": "no"}, 401)
    assert shop.pull("deposits").status == "incomplete"
    assert shop.rows("deposits") == before


def test_where_the_list_is_asked_no_more_the_journals_pull_mends(shop: Shop) -> None:
    shop.journal(Operation.DEPOSIT, "t2", {"amount": 5}, {"data": {"cash_in": []}})
    shop.pull("deposits", [deposit(1, track_id="t1")])
    before = shop.rows("deposits")
    file = shop.take("deposits", "wrong.csv", [WRONG])
    shop.pull("deposits", [deposit(1, track_id="t1")])
    void("deposits", [file], shop.lake)
    assert shop.settings.cash_in
    cash_in = replace(shop.settings.cash_in, deposit_list_path="")
    shop.settings = replace(shop.settings, cash_in=cash_in)
    assert shop.pull("deposits").counts.pages == 0
    assert shop.rows("deposits") == before


def test_what_a_standing_file_tells_counts_again(shop: Shop) -> None:
    listed = [deposit(1, track_id="t1", status="DONE")]
    right = told(1, settled_at="2026-09-01T10:00:00Z", requested_amount=10_000)
    shop.take("deposits", "right.csv", [right])
    shop.pull("deposits", listed)
    before = shop.rows("deposits")
    file = shop.take("deposits", "wrong.csv", [WRONG])
    shop.pull("deposits", listed)
    void("deposits", [file], shop.lake)
    shop.pull("deposits", listed)
    assert shop.rows("deposits") == before
    assert before["t1", "1"]["requested_amount"] == 10_000


def test_what_the_list_said_itself_stays_whoever_said_it_too(shop: Shop) -> None:
    """It said so while the file counted, and leaves it out now: its page proves it."""
    file = shop.take("deposits", "wrong.csv", [WRONG])
    settled = datetime(2025, 1, 2, 10, tzinfo=UTC)
    says = deposit(1, track_id="t1", settled_at=int(settled.timestamp()))
    shop.pull("deposits", [deposit(9, track_id="t9"), says])
    void("deposits", [file], shop.lake)
    shop.pull("deposits", [deposit(1, track_id="t1")])
    row = shop.rows("deposits")["t1", "1"]
    assert (row["settled_at"], row["requested_amount"]) == (settled, None)


def test_what_the_journal_knows_stays_whoever_said_it_too(shop: Shop) -> None:
    sent = {"iban": WALLET, "amount": 77, "track_id": "t1"}
    said = {"data": {"cash_in": [deposit(1), deposit(2)]}}
    shop.journal(Operation.DEPOSIT, "t1", sent, said)
    file = shop.take("deposits", "wrong.csv", [WRONG, told(2, track_id="t1")])
    shop.pull("deposits", [deposit(1, track_id="t1")])
    void("deposits", [file], shop.lake)
    shop.pull("deposits", [])
    rows = shop.rows("deposits")
    assert {row["requested_amount"] for row in rows.values()} == {77}
    assert {row["settled_at"] for row in rows.values()} == {None}
    assert rows["t1", "2"]["origin"] == "journal"


def test_the_name_that_a_voided_file_gave_a_row_stays(shop: Shop) -> None:
    """The list goes on under it, so that one row stays and is not out of date."""
    shop.pull("deposits", [deposit(1)])
    file = shop.take("deposits", "wrong.csv", [WRONG])
    shop.pull("deposits", [deposit(1)])
    void("deposits", [file], shop.lake)
    shop.pull("deposits", [deposit(1, status="DONE")])
    row = shop.rows("deposits")["t1", "1"]
    assert (row["status"], row["settled_at"], row["requested_amount"]) == (
        "DONE",
        None,
        None,
    )


def test_a_voided_file_that_is_damaged_stops_no_pull(
    shop: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    listed = [deposit(1, track_id="t1")]
    file = shop.take("deposits", "wrong.csv", [WRONG])
    (imported,) = shop.lake.commits()
    void("deposits", [file], shop.lake)
    (stored,) = [each for each in imported.files if each.folder == "records"]
    (shop.lake.root / stored.path).write_bytes(b"x")
    shop.lake = Lake(shop.settings.lake_path)
    assert shop.pull("deposits", listed).status == "complete"
    assert "taken_back.damaged" in caplog.text


def test_without_a_void_since_the_last_pull_nothing_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = History(tmp_path / "lake", monkeypatch)
    history.clock(at(1))
    shop = Shop(tmp_path / "shop")
    read: list[str] = []
    rows_of = Lake.rows_of

    def noted(lake: Lake, table: str, *more: Any) -> Any:
        read.append(table)
        return rows_of(lake, table, *more)

    monkeypatch.setattr(Lake, "rows_of", noted)
    listed = [deposit(1, track_id="t1")]
    file = shop.take("deposits", "wrong.csv", [WRONG])
    shop.pull("deposits", listed)
    assert read == []
    void("deposits", [file], shop.lake)
    for after in (LEAST_SKEW, 2 * LEAST_SKEW, 3 * LEAST_SKEW):
        history.clock(at(1) + after)
        shop.pull("deposits", listed)
    assert read == ["deposits"] * 2
    assert shop.rows("deposits")["t1", "1"]["requested_amount"] is None


def test_a_void_of_another_table_is_no_matter(shop: Shop) -> None:
    balances = [{"at": "2026-10-01", "balance": 1, "available_balance": 1, "iban": "x"}]
    file = shop.take("balances", "balances.csv", balances)
    shop.take("deposits", "right.csv", [WRONG])
    void("balances", [file], shop.lake)
    columns = ("settled_at", "requested_amount")
    assert taken_back.mended(shop.lake, "deposits", "deposits", columns) == {}


@pytest.mark.parametrize("lost", [False, True])
def test_what_a_voided_file_said_was_sent_is_forgotten(lost: bool, shop: Shop) -> None:
    """What the journal told of the token stays, also where that is lost by now."""
    sent = [{"token": "k1", "amount": 5, "factor_number": "F", "sent_at": SECONDS}]
    file = shop.take("gateway_tokens", "wrong.csv", sent)
    shop.pull("gateway_transactions")
    said = {"status": 1, "realAmount": 4_900, "wage": "100"}
    shop.journal(Operation.GATEWAY_VERIFY, "k1", {"token": "k1"}, said)
    shop.pull("gateway_transactions")
    assert shop.rows("gateway_tokens")["k1",]["amount"] == 5
    if lost:
        journal_path(shop.settings).unlink()
    void("gateway_tokens", [file], shop.lake)
    for _ in range(2):
        shop.pull("gateway_transactions")
        row = shop.rows("gateway_tokens")["k1",]
        names = ("amount", "factor_number", "sent_at", "real_amount", "wage")
        assert [row[name] for name in names] == [None, None, None, 4_900, 100]


def test_a_journaled_checkout_is_as_the_journal_has_it_again(shop: Shop) -> None:
    sent = {"amount": 5_000, "checkout_number": "77"}
    shop.journal(Operation.HOSTED_SEND, "", sent, {"data": {"token": "h1"}})
    shop.pull("hosted_checkouts")
    before = shop.rows("hosted_requests")
    wrong = {"checkout_id": "h1", "amount": 6, "checkout_number": "8"}
    file = shop.take("hosted_checkouts", "wrong.csv", [wrong | {"sent_at": SECONDS}])
    shop.pull("hosted_checkouts")
    assert shop.rows("hosted_requests")["h1",]["amount"] == 6
    void("hosted_checkouts", [file], shop.lake)
    shop.pull("hosted_checkouts")
    assert shop.rows("hosted_requests") == before


@pytest.mark.parametrize("day_of_file", [1, 2])
def test_what_the_journal_told_beside_a_voided_file_outlives_the_journal(
    day_of_file: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pull before an import, or begun after its void, has nothing from its file."""
    history = History(tmp_path / "lake", monkeypatch)
    history.clock(at(1))
    shop = Shop(tmp_path / "shop")
    line = {"token": "k1", "amount": 5_000, "factor_number": "F1", "sent_at": SECONDS}

    def take_and_void(token: str) -> None:
        name = f"{token}.csv"
        file = shop.take("gateway_tokens", name, [line | {"token": token}])
        void("gateway_tokens", [file], shop.lake)

    def pull_from_the_journal() -> None:
        sent = {"amount": 5_000, "factorNumber": "F1"}
        said = {"status": 1, "token": "k1"}
        shop.journal(Operation.GATEWAY_SEND, "of k1", sent, said)
        shop.pull("gateway_transactions")

    for day in (1, 2):
        history.clock(at(day))
        if day == day_of_file:
            take_and_void("k1")
        else:
            pull_from_the_journal()
    before = shop.rows("gateway_tokens")
    assert before["k1",]["amount"] == 5_000
    history.clock(at(3))
    take_and_void("k2")
    journal_path(shop.settings).unlink()
    history.clock(at(4))
    shop.pull("gateway_transactions")
    assert shop.rows("gateway_tokens") == before
