"""No id keeps the others from their answers, and nothing is asked for ever in vain."""

from pathlib import Path

import pytest

from recon.lake import Lake
from recon.pull.patience import MOST_UNREAD
from tests.pull.lookup_shops import GATEWAY, LONG_AGO, Shops
from tests.pull.provider_stub import Answer, all_products

UNREADABLE: Answer = (200, b"<html>")
SILENT: Answer = (500, b"")


@pytest.fixture
def shops(tmp_path: Path) -> Shops:
    return Shops(all_products(tmp_path))


def sent(shops: Shops, tokens: list[str], strange: dict[str, Answer]) -> None:
    """Send tokens; those that are strange get another answer than the others."""
    shops.codes = dict.fromkeys(tokens, 2)
    shops.send("gateway_tokens", "token", tokens, LONG_AGO)
    honest = shops.stub.endpoints[GATEWAY]
    shops.stub.endpoints[GATEWAY] = lambda query, body: (
        strange.get(body["token"]) or honest(query, body)
    )


def numbered(prefix: str, count: int) -> list[str]:
    return [f"{prefix}{number:03}" for number in range(count)]


@pytest.mark.parametrize(
    "answer", [UNREADABLE, (200, {"status": 0}), (404, b"none"), (302, b"")]
)
def test_answers_that_cannot_be_read_hold_up_no_other(
    shops: Shops, answer: Answer
) -> None:
    """They come first, one after the other, on every pull."""
    unreadable = numbered("a", 25)
    sent(shops, unreadable + numbered("b", 40), dict.fromkeys(unreadable, answer))
    found = shops.pull("gateway_transactions")
    assert found.status == "incomplete"
    assert "25 of 65 got no answer: " in str(found.error)
    assert sorted(shops.rows("gateway_transactions")) == numbered("b", 40)


def test_silence_about_the_first_holds_up_the_others_for_one_pull(
    shops: Shops,
) -> None:
    """The next pull begins with those that were not asked."""
    silent = numbered("a", 25)
    sent(shops, silent + numbered("b", 40), dict.fromkeys(silent, SILENT))
    found = shops.pull("gateway_transactions")
    assert "the next pull begins with them" in str(found.error)
    assert set(shops.asked_tokens) < set(silent)
    for _ in range(3):
        assert shops.pull("gateway_transactions").status == "incomplete"
    assert sorted(shops.rows("gateway_transactions")) == numbered("b", 40)


def test_a_provider_that_answers_nonsense_to_all_is_left_in_peace(
    shops: Shops,
) -> None:
    """Each pull asks for others, until all were asked; then it begins anew."""
    tokens = numbered("t", 150)
    sent(shops, tokens, dict.fromkeys(tokens, UNREADABLE))
    asked = []
    for _ in range(4):
        found = shops.pull("gateway_transactions")
        assert "150 of 150 got no answer (" in str(found.error)
        asked.append(set(shops.asked_tokens))
        assert MOST_UNREAD <= len(asked[-1]) < MOST_UNREAD + 20
    assert asked[0] | asked[1] | asked[2] == set(tokens)
    assert not asked[0] & asked[1]
    assert asked[3] & asked[0]


def test_a_readable_answer_between_others_lets_the_asking_go_on(shops: Shops) -> None:
    tokens = numbered("t", 3 * MOST_UNREAD)
    strange = {token: UNREADABLE for token in tokens if not token.endswith("0")}
    sent(shops, tokens, strange)
    found = shops.pull("gateway_transactions")
    assert f"{len(strange)} of {len(tokens)} got no answer: " in str(found.error)
    assert len(shops.rows("gateway_transactions")) == len(tokens) - len(strange)


def test_once_all_were_asked_the_next_pull_begins_at_the_first(shops: Shops) -> None:
    tokens = numbered("t", 60)
    strange = dict.fromkeys(tokens[:40], SILENT)
    sent(shops, tokens, strange)
    shops.pull("gateway_transactions")
    strange.clear()
    assert shops.pull("gateway_transactions").status == "complete"
    assert len(shops.rows("gateway_transactions")) == 60
    found = shops.pull("gateway_transactions", full=True)
    assert "next" not in found.certificate
    assert shops.stub.bodies[0]["token"] == "t000"


def test_the_answers_of_another_checkout_hold_up_no_other(shops: Shops) -> None:
    """They came, too: of each such id alone it is not known what became of it."""
    shops.host("z", "SUCCEED")
    root = "GET /pay-with/v1/checkouts"
    wrong = numbered("a", 25)
    for each in wrong:
        shops.stub.endpoints[f"{root}/{each}"] = shops.stub.endpoints[f"{root}/z"]
    shops.send("hosted_requests", "checkout_id", [*wrong, "z"], LONG_AGO)
    found = shops.pull("hosted_checkouts")
    assert "25 of 26 got no answer: " in str(found.error)
    assert sorted(shops.rows("hosted_checkouts")) == ["z"]


@pytest.mark.parametrize(
    "answer", [(429, {"message": "later"}), (401, {"error": "no"})]
)
def test_where_what_was_paid_is_not_heard_no_refusal_is_an_answer(
    shops: Shops, answer: Answer
) -> None:
    """All was refused, so that it may be the key; nobody knows of what was paid."""
    shops.codes = {"paid": 2}
    shops.send("gateway_tokens", "token", ["paid"], LONG_AGO)
    assert shops.pull("gateway_transactions").certificate["refused"] == 0
    strange = {"paid": answer}
    shops.send(
        "gateway_tokens", "token", ["stray"], Lake(shops.settings.lake_path).now()
    )
    honest = shops.stub.endpoints[GATEWAY]
    shops.stub.endpoints[GATEWAY] = lambda query, body: (
        strange.get(body["token"]) or honest(query, body)
    )
    found = shops.pull("gateway_transactions")
    assert (found.status, str(answer[0]) in str(found.error)) == ("incomplete", True)
    assert "everything was refused" not in str(found.error)
    assert list(shops.rows("gateway_transactions")) == ["paid"]
    strange.clear()
    found = shops.pull("gateway_transactions")
    assert (found.status, found.certificate["refused"]) == ("partial", 1)
    assert sorted(shops.rows("gateway_transactions")) == ["paid", "stray"]
