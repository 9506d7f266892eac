"""Products without a list: asked id by id, never again for what is final."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from recon.imports.importing import take
from recon.imports.voiding import void
from recon.journal import Journal, journal_path
from recon.lake import Lake
from recon.pull.forecast import forecast
from recon.records.requests import Operation, Outcome
from recon.settings import Settings
from tests.pull.lookup_shops import GATEWAY, LONG_AGO, Shops
from tests.pull.provider_stub import all_products


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return all_products(tmp_path)


@pytest.fixture
def shops(settings: Settings) -> Shops:
    return Shops(settings)


def test_every_token_sent_is_asked_and_its_answer_kept(shops: Shops) -> None:
    shops.codes = {f"t{number}": 2 for number in range(30)}
    shops.send("gateway_tokens", "token", [*shops.codes, "stray"], LONG_AGO)
    found = shops.pull("gateway_transactions")
    assert (found.status, found.counts.new) == ("complete", 31)
    rows = shops.rows("gateway_transactions")
    assert (rows["t3"]["amount"], rows["t3"]["code"]) == (5000, 2)
    assert rows["t3"]["created_at"] == datetime(2026, 1, 1, 6, 30, tzinfo=UTC)
    assert rows["stray"]["error"] == "The token is invalid."
    page = Lake(shops.settings.lake_path).page(
        rows["stray"]["pull_id"], rows["stray"]["page_no"]
    )
    assert b"The token is invalid." in page.body


def test_what_is_final_is_never_asked_again_unless_all_is(shops: Shops) -> None:
    shops.codes = {"wrong": 0, "waits": 1, "done": 2, "late": 3, "failed": 4}
    shops.send("gateway_tokens", "token", list(shops.codes), LONG_AGO)
    shops.pull("gateway_transactions")
    shops.codes["waits"] = 2
    assert shops.pull("gateway_transactions").counts.changed == 1
    assert shops.asked_tokens == ["late", "waits", "wrong"]
    shops.pull("gateway_transactions")
    assert shops.asked_tokens == ["late", "wrong"]
    shops.pull("gateway_transactions", full=True)
    assert len(shops.asked_tokens) == 5


def test_a_code_that_the_contract_does_not_show_is_kept_and_counted(
    shops: Shops,
) -> None:
    shops.codes = {"new": 7, "wrong": 0, "failed": 4}
    shops.send("gateway_tokens", "token", [*shops.codes, "stray"], LONG_AGO)
    found = shops.pull("gateway_transactions")
    assert found.status == "complete"
    assert found.certificate["unfamiliar"] == {"gateway.code=7": 1}
    assert shops.rows("gateway_transactions")["new"]["code"] == 7


def test_an_old_refusal_is_left_to_whole_pulls(shops: Shops) -> None:
    now = Lake(shops.settings.lake_path).now()
    shops.send("gateway_tokens", "token", ["old"], LONG_AGO)
    shops.send("gateway_tokens", "token", ["new"], now - timedelta(hours=1))
    assert shops.pull("gateway_transactions").status == "complete"
    assert shops.asked_tokens == ["new", "old"]
    assert shops.pull("gateway_transactions").status == "partial"
    assert shops.asked_tokens == ["new"]


def test_what_was_taken_back_is_asked_for_until_it_is_final(
    shops: Shops, tmp_path: Path
) -> None:
    """What the provider said of it once stands: it waits still, or was paid since."""
    shops.codes = {"waits": 1, "done": 2, "other": 1}
    lake = Lake(shops.settings.lake_path)
    file = tmp_path / "wrong.csv"
    lines = [f"{token},5,F,2026-01-01T10:00:00Z" for token in ("waits", "done", "gone")]
    file.write_text("\n".join(["token,amount,factor_number,sent_at", *lines]))
    take("gateway_tokens", [file], shops.settings, lake)
    shops.send("gateway_tokens", "token", ["other"], LONG_AGO)
    shops.pull("gateway_transactions")
    void("gateway_tokens", [file], lake)
    assert shops.pull("gateway_transactions").status == "partial"
    assert shops.asked_tokens == ["other", "waits"]
    (expected,) = forecast(shops.settings, lake, ["gateway_transactions"], full=True)
    shops.pull("gateway_transactions", full=True)
    assert shops.asked_tokens == ["gone", "other", "waits"]
    assert expected.lookups == 3
    shops.codes["waits"] = 2
    assert shops.pull("gateway_transactions").counts.changed == 1
    shops.pull("gateway_transactions")
    assert shops.asked_tokens == ["other"]


def test_what_is_no_identifier_is_refused_without_a_page(shops: Shops) -> None:
    before = [f"-{number}" for number in range(20)]  # asked first, by every worker
    for checkout_id in (*before, "a"):
        shops.host(checkout_id, "SUCCEED")
    shops.send("hosted_requests", "checkout_id", [*before, "..", "a"], LONG_AGO)
    assert shops.pull("hosted_checkouts").status == "complete"
    rows = shops.rows("hosted_checkouts")
    assert [rows[each]["status"] for each in (*before, "a")] == ["SUCCEED"] * 21
    assert (rows[".."]["error"], rows[".."]["page_no"]) == (
        "'..' is not an identifier",
        None,
    )


@pytest.mark.parametrize(
    "words", ["The api_key is invalid.", "API key required", "merchant IP invalid"]
)
def test_a_refused_key_is_not_the_answer_of_a_token(shops: Shops, words: str) -> None:
    shops.refusal = (422, {"status": 0, "errors": [words]})
    shops.send("gateway_tokens", "token", ["a", "b"], LONG_AGO)
    found = shops.pull("gateway_transactions")
    assert found.status == "incomplete"
    assert words in str(found.error)
    assert shops.rows("gateway_transactions") == {}


@pytest.mark.parametrize("full", [False, True])
def test_a_refusal_of_all_and_of_what_was_paid_is_no_answer_of_a_token(
    shops: Shops, full: bool
) -> None:
    """A key that is refused in words that nobody knows: again and again, not once."""
    now = Lake(shops.settings.lake_path).now()
    shops.codes = {"paid": 2, "failed": 4}
    shops.send("gateway_tokens", "token", list(shops.codes), LONG_AGO)
    shops.pull("gateway_transactions")
    before = shops.rows("gateway_transactions")
    codes, shops.codes = shops.codes, {}
    shops.refusal = (422, {"status": 0, "errors": ["کلید نامعتبر است"]})
    shops.send("gateway_tokens", "token", ["new"], now - timedelta(hours=1))
    for _ in range(2):
        found = shops.pull("gateway_transactions", full=full)
        assert found.status == "incomplete"
        assert "کلید نامعتبر است" in str(found.error)
        assert shops.rows("gateway_transactions") == before
    shops.codes = {**codes, "new": 2}
    assert shops.pull("gateway_transactions").counts.new == 1


def test_a_token_that_is_refused_alone_is_its_own_answer(shops: Shops) -> None:
    now = Lake(shops.settings.lake_path).now()
    shops.codes = {"paid": 2}
    shops.send("gateway_tokens", "token", ["paid"], LONG_AGO)
    shops.pull("gateway_transactions")
    shops.send("gateway_tokens", "token", ["stray"], now - timedelta(hours=1))
    assert shops.pull("gateway_transactions").status != "incomplete"
    assert shops.asked_tokens == ["paid", "stray"]
    row = shops.rows("gateway_transactions")["stray"]
    assert (row["error"], row["page_no"]) == ("The token is invalid.", 1)


def test_ids_without_an_answer_make_it_incomplete_and_are_asked_next_time(
    shops: Shops,
) -> None:
    shops.codes = {f"t{number}": 2 for number in range(20)}
    shops.send("gateway_tokens", "token", list(shops.codes), LONG_AGO)
    honest = shops.stub.endpoints[GATEWAY]
    shops.stub.endpoints[GATEWAY] = lambda query, body: (
        (500, b"") if body["token"] == "t7" else honest(query, body)
    )
    found = shops.pull("gateway_transactions")
    assert found.status == "incomplete"
    assert "1 of 20 got no answer" in str(found.error)
    assert len(shops.rows("gateway_transactions")) == 19
    shops.stub.endpoints[GATEWAY] = honest
    assert shops.pull("gateway_transactions").status == "complete"
    assert shops.asked_tokens == ["t7"]


def test_a_provider_that_is_down_is_left_in_peace(shops: Shops) -> None:
    tokens = [f"t{number}" for number in range(500)]
    shops.send("gateway_tokens", "token", tokens, LONG_AGO)
    shops.refusal = (503, {"message": "down"})
    found = shops.pull("gateway_transactions")
    assert "500 of 500 got no answer" in str(found.error)
    assert len(shops.stub.asked) < 50


def test_some_ids_without_an_answer_keep_no_other_from_its_own(shops: Shops) -> None:
    """Else the first three in their order hold up all behind them, every night."""
    shops.codes = {f"t{number:02}": 2 for number in range(60)}
    shops.send("gateway_tokens", "token", list(shops.codes), LONG_AGO)
    honest = shops.stub.endpoints[GATEWAY]
    shops.stub.endpoints[GATEWAY] = lambda query, body: (
        (200, b"<html>") if body["token"][-1] in "05" else honest(query, body)
    )
    found = shops.pull("gateway_transactions")
    assert "12 of 60 got no answer" in str(found.error)
    assert len(shops.rows("gateway_transactions")) == 48


def test_the_answer_of_another_checkout_of_ours_is_no_answer(shops: Shops) -> None:
    """Its figures are not those that were asked for; it is asked for again."""
    shops.host("a", "SUCCEED")
    root = "GET /pay-with/v1/checkouts"
    shops.stub.endpoints[f"{root}/b"] = shops.stub.endpoints[f"{root}/a"]
    shops.stub.endpoints[f"{root}/c"] = lambda query, body: (
        200,
        {"data": {"checkout": {"id": "inner", "amount": "7", "status": "SUCCEED"}}},
    )
    shops.send("hosted_requests", "checkout_id", ["a", "b", "c"], LONG_AGO)
    found = shops.pull("hosted_checkouts")
    assert found.status == "incomplete"
    assert "1 of 3 got no answer" in str(found.error)
    assert sorted(shops.rows("hosted_checkouts")) == ["a", "c"]
    shops.host("b", "FAILED")
    assert shops.pull("hosted_checkouts").status == "complete"
    assert shops.rows("hosted_checkouts")["b"]["status"] == "FAILED"


def test_an_answer_about_another_shape_is_no_answer(shops: Shops) -> None:
    shops.send("gateway_tokens", "token", ["a"], LONG_AGO)
    shops.refusal = (200, {"status": 1, "message": "busy"})
    assert shops.pull("gateway_transactions").status == "incomplete"
    assert shops.rows("gateway_transactions") == {}


def test_hosted_checkouts_are_looked_up_until_they_are_final(shops: Shops) -> None:
    statuses = {"a": "INIT", "b": "PENDING_VERIFY", "c": "SUCCEED", "d": "FAILED"}
    for checkout_id, status in statuses.items():
        shops.host(checkout_id, status)
    shops.send("hosted_requests", "checkout_id", [*statuses, "lost"], LONG_AGO)
    assert shops.pull("hosted_checkouts").status == "complete"
    rows = shops.rows("hosted_checkouts")
    assert {key: row["status"] for key, row in rows.items()} == {
        **statuses,
        "lost": None,
    }
    assert rows["lost"]["error"]
    shops.host("b", "SUCCEED")
    assert shops.pull("hosted_checkouts").counts.changed == 1
    assert sorted(each[-1] for each in shops.stub.asked) == ["a", "b"]


def test_what_was_journaled_is_looked_up_too(shops: Shops) -> None:
    shops.codes = {"t1": 2}
    with Journal(journal_path(shops.settings)) as journal:
        sent = {"amount": 5000, "factorNumber": "F1"}
        number = journal.begin(Operation.GATEWAY_SEND, "", sent)
        answer = json.dumps({"status": 1, "token": "t1"}).encode()
        journal.end(number, Outcome.ANSWERED, status=200, answer=answer)
    found = shops.pull("gateway_transactions")
    assert (found.status, found.counts.new) == ("complete", 1)
    sent_row = shops.rows("gateway_tokens")["t1"]
    assert (sent_row["amount"], sent_row["factor_number"]) == (5000, "F1")


def test_an_import_fills_what_the_journal_does_not_know(shops: Shops) -> None:
    shops.codes = {"t1": 2}
    shops.send("gateway_tokens", "token", ["t1"], LONG_AGO)
    with Journal(journal_path(shops.settings)) as journal:
        number = journal.begin(Operation.GATEWAY_VERIFY, "t1", {"token": "t1"})
        answer = json.dumps({"status": 1, "realAmount": 4900, "wage": "100"}).encode()
        journal.end(number, Outcome.ANSWERED, status=200, answer=answer)
    shops.pull("gateway_transactions")
    row = shops.rows("gateway_tokens")["t1"]
    assert (row["amount"], row["sent_at"]) == (5000, LONG_AGO)
    assert (row["real_amount"], row["wage"]) == (4900, 100)
    assert shops.pull("gateway_transactions").counts.changed == 0


VERIFIED = {"status": 1, "realAmount": 4900, "wage": "100"}


def _journal_token(settings: Settings, *, verified: bool = True) -> None:
    """Journal what was sent to the gateway for t1, and the answer of its verify."""
    with Journal(journal_path(settings)) as journal:
        sent = {"amount": 5000, "factorNumber": "F1"}
        number = journal.begin(Operation.GATEWAY_SEND, "", sent)
        answer = json.dumps({"status": 1, "token": "t1"}).encode()
        journal.end(number, Outcome.ANSWERED, status=200, answer=answer)
        if verified:
            number = journal.begin(Operation.GATEWAY_VERIFY, "t1", {"token": "t1"})
            answer = json.dumps(VERIFIED).encode()
            journal.end(number, Outcome.ANSWERED, status=200, answer=answer)


@pytest.mark.parametrize("further", ["", ",real_amount,wage,verified_at"])
def test_an_import_without_verify_takes_no_journaled_answer_back(
    further: str, shops: Shops, tmp_path: Path
) -> None:
    """Not even until the next pull, and no pull after it writes another version."""
    shops.codes = {"t1": 2}
    _journal_token(shops.settings)
    shops.pull("gateway_transactions")
    file = tmp_path / "tokens.csv"
    file.write_text(
        f"token,amount,factor_number,sent_at{further}\n"
        f"t1,5000,,2026-01-01T10:00:00Z{',' * further.count(',')}\n"
    )
    take("gateway_tokens", [file], shops.settings, Lake(shops.settings.lake_path))
    imported = shops.rows("gateway_tokens")["t1"]
    assert (imported["real_amount"], imported["wage"]) == (4900, 100)
    assert imported["verified_at"] is not None
    assert imported["factor_number"] == "F1"
    shops.pull("gateway_transactions")
    assert shops.rows("gateway_tokens")["t1"] == imported


def test_what_an_import_says_of_a_journaled_token_stays(
    shops: Shops, tmp_path: Path
) -> None:
    """Its rows replace earlier ones: a pull puts no older word over them."""
    shops.codes = {"t1": 2}
    _journal_token(shops.settings, verified=False)
    shops.pull("gateway_transactions")
    file = tmp_path / "tokens.csv"
    file.write_text(
        "token,amount,factor_number,sent_at,real_amount,wage,verified_at\n"
        "t1,6000,F2,2026-01-01T10:00:00Z,5900,100,2026-01-01T10:05:00Z\n"
    )
    take("gateway_tokens", [file], shops.settings, Lake(shops.settings.lake_path))
    imported = shops.rows("gateway_tokens")["t1"]
    shops.pull("gateway_transactions")
    assert imported["amount"] == 6000
    assert shops.rows("gateway_tokens")["t1"] == imported


def test_an_import_of_a_hosted_checkout_stands_beside_the_journal(
    shops: Shops, tmp_path: Path
) -> None:
    shops.host("h1", "SUCCEED")
    with Journal(journal_path(shops.settings)) as journal:
        sent = {"amount": 5000, "checkout_number": "77"}
        number = journal.begin(Operation.HOSTED_SEND, "", sent)
        answer = json.dumps({"data": {"token": "h1"}}).encode()
        journal.end(number, Outcome.ANSWERED, status=200, answer=answer)
    shops.pull("hosted_checkouts")
    file = tmp_path / "hosted.csv"
    file.write_text(
        "checkout_id,amount,checkout_number,sent_at\nh1,6000,,2026-01-01T10:00:00Z\n"
    )
    take("hosted_checkouts", [file], shops.settings, Lake(shops.settings.lake_path))
    for _ in range(2):
        (row,) = Lake(shops.settings.lake_path).current("hosted_requests").to_pylist()
        assert (row["amount"], row["checkout_number"]) == (6000, "77")
        shops.pull("hosted_checkouts")


def test_nothing_sent_is_nothing_asked(shops: Shops) -> None:
    assert shops.pull("gateway_transactions").status == "complete"
    assert shops.stub.asked == []
