"""Money that no check judges, by its figures; and what is judged, which is not told."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from recon.reconcile.checks import run_checks, shipped_checks
from recon.reconcile.disclosures.unjudged import unjudged
from recon.reconcile.engines import DuckEngine
from recon.settings import Business, Settings
from tests.builders import AT, lake_tables

SETTINGS = Settings(business=Business(name="shop"))
LATER = AT + timedelta(days=20)
LONG_AFTER = AT + timedelta(days=60)
SUM = 1_200_000_000
Row = dict[str, Any]
NEVER = {"real_amount": None, "wage": None, "verified_at": None, "amount": SUM}
REFUSED = {
    **dict.fromkeys(("code", "amount", "created_at", "payment_date", "trans_id")),
    "error": "token invalid",
}
UNKNOWN = {**dict.fromkeys(("status", "amount", "wage", "created_at")), "error": "404"}
SENT = {"amount": SUM}
DATED = {"shared", "unsized", "short", "held", "before", "after"}


def asked(
    as_of: datetime = LATER, **tables: list[Row]
) -> tuple[list[tuple[Any, ...]], set[str]]:
    """Return what is told, and the checks that fire."""
    with DuckEngine.open(lake_tables(tables), SETTINGS, as_of) as engine:
        found = unjudged(engine.query)
        fired = run_checks(engine, shipped_checks(), SETTINGS)["check"].to_pylist()
    return [shown(row) for row in found], set(fired)


def shown(row: Row) -> tuple[Any, ...]:
    """Return its values; `first` is in the name's place where it is what is told."""
    name = row["first"] if row["why"] in DATED else row["name"]
    return row["why"], row["subject"], name, row["count"], row["amount"]


def told(as_of: datetime = LATER, **tables: list[Row]) -> list[tuple[Any, ...]]:
    """Return what is told, whatever any check says."""
    with DuckEngine.open(lake_tables(tables), SETTINGS, as_of) as engine:
        return [shown(row) for row in unjudged(engine.query)]


def silent(**given: Any) -> list[tuple[Any, ...]]:
    """Return what is told where no check says anything."""
    found, fired = asked(**given)
    assert not fired
    return found


def test_a_checkout_of_another_status_with_a_done_payment() -> None:
    rows = {"checkouts": [{"status": "settled"}], "payments": [{}]}
    (row,) = silent(**rows)
    assert row[:4] == ("status", "checkouts", "settled", 1)
    assert row[4] > 0


def test_of_a_checkout_whose_payments_lack_an_amount_the_known_ones_are_told() -> None:
    payments = [{"checkout_id": "checkout-1", "amount": each} for each in (SUM, None)]
    found, _ = asked(checkouts=[{"status": "settled"}], payments=payments)
    assert found == [("status", "checkouts", "settled", 1, SUM)]


NOBODY_SAYS = {"status": "settled", "affected_amount": None, "amount": SUM}


def test_a_payment_of_another_status_whose_checkout_does_not_tell_either() -> None:
    rows = {"checkouts": [{"status": "other"}], "payments": [NOBODY_SAYS]}
    assert silent(**rows) == [("status", "payments", "settled", 1, SUM)]


@pytest.mark.parametrize(
    ("status", "payment"),
    [
        ("not_paid", {}),
        (None, {}),
        ("other", {"status": "Failed"}),
        ("other", {"status": "pending_redirect", "created_at": LATER}),
        ("other", {"affected_amount": 0}),
        ("other", {"error_code": "NO_MONEY"}),
        ("other", {"error_message": "no money"}),
        ("other", {"checkout_id": "checkout-2"}),
    ],
)
def test_a_payment_of_which_something_tells_that_it_was_not_done(
    status: str | None, payment: Row
) -> None:
    checkouts = [{"status": status}, {"status": "not_paid", "payment_ids": []}]
    assert not told(checkouts=checkouts, payments=[NOBODY_SAYS | payment])


@pytest.mark.parametrize(
    ("status", "payments"),
    [("paid", [{}]), ("expired", []), ("not_paid", [{}]), (None, [{}])],
)
def test_a_checkout_that_is_judged_or_took_no_money(
    status: str | None, payments: list[Row]
) -> None:
    assert not told(checkouts=[{"status": status}], payments=payments)


def test_a_gateway_code_that_is_not_shown() -> None:
    answer = {"code": 7, "amount": SUM}
    given = {"gateway_tokens": [NEVER], "gateway_transactions": [answer]}
    assert silent(**given) == [("status", "gateway_tokens", "7", 1, SUM)]


@pytest.mark.parametrize("code", [0, 1, 2, 3, 4])
def test_a_gateway_code_that_is_shown(code: int) -> None:
    given = {"gateway_tokens": [NEVER], "gateway_transactions": [{"code": code}]}
    assert not told(**given)


def test_a_token_whose_verify_result_is_kept_is_paid_whatever_its_code() -> None:
    assert not told(gateway_tokens=[{}], gateway_transactions=[{"code": 7}])


def test_a_verified_token_of_which_the_provider_says_that_its_data_are_wrong() -> None:
    given = {"gateway_tokens": [{}], "gateway_transactions": [{"code": 0}]}
    assert silent(**given) == [("denied", "gateway_tokens", "0", 1, 1_000_000)]
    assert not told(as_of=AT + timedelta(hours=36), **given)


@pytest.mark.parametrize(
    ("answer", "check"),
    [
        ({"code": 3}, "gateway_unverified"),
        ({"code": 4}, "record_restated"),
        (REFUSED, "gateway_amount_mismatch"),
        (REFUSED | {"error": "Transaction failed"}, "gateway_wallet_identity"),
    ],
)
def test_a_verified_token_of_which_a_check_speaks(answer: Row, check: str) -> None:
    found, fired = asked(gateway_tokens=[{}], gateway_transactions=[answer])
    assert not found
    assert check in fired


def test_a_token_that_was_never_verified_and_whose_data_are_wrong_is_a_cart() -> None:
    given = {"gateway_tokens": [NEVER], "gateway_transactions": [{"code": 0}]}
    assert not told(**given)


@pytest.mark.parametrize(
    ("status", "is_told"),
    [
        ("REVERSED", True),
        ("INIT", False),
        ("PENDING_VERIFY", False),
        ("SUCCEED", False),
        ("FAILED", False),
    ],
)
def test_the_status_of_a_hosted_checkout(status: str, is_told: bool) -> None:
    given = {"hosted_requests": [SENT], "hosted_checkouts": [{"status": status}]}
    expected = [("status", "hosted_checkouts", status, 1, SUM)] if is_told else []
    assert told(**given) == expected


def test_what_was_sent_without_an_amount_is_of_that_of_the_answer() -> None:
    token = {
        "gateway_tokens": [NEVER | {"amount": None}],
        "gateway_transactions": [{"code": 7, "amount": SUM}],
    }
    assert told(**token) == [("status", "gateway_tokens", "7", 1, SUM)]
    hosted = {
        "hosted_requests": [{"amount": None}],
        "hosted_checkouts": [{"status": "REVERSED", "amount": SUM}],
    }
    assert told(**hosted) == [("status", "hosted_checkouts", "REVERSED", 1, SUM)]


PAID = {"type": "buyer_paid_agreement"}


@pytest.mark.parametrize(
    ("state", "as_of", "is_told"),
    [
        ("closed", AT + timedelta(days=35, seconds=1), True),
        ("closed", AT + timedelta(days=35), False),
        ("contract", LONG_AFTER, False),
        ("finalize", LONG_AFTER, False),
        ("cancelled", LONG_AFTER, False),
    ],
)
def test_money_of_a_buyer_in_a_state_that_is_not_shown(
    state: str, as_of: datetime, is_told: bool
) -> None:
    given = {"agreements": [{"state": state, "amount": SUM}]}
    found = told(as_of=as_of, events=[PAID | {"amount": SUM}], **given)
    assert found == ([("status", "agreements", "closed", 1, SUM)] if is_told else [])


@pytest.mark.parametrize(
    "event", [{"amount": None}, {"created": LONG_AFTER, "seen_at": AT, "amount": SUM}]
)
def test_money_of_such_a_buyer_whose_event_lacks_its_amount_or_is_dated_ahead(
    event: Row,
) -> None:
    given = {"agreements": [{"state": "closed", "amount": SUM}]}
    found = told(as_of=LONG_AFTER, events=[PAID | event], **given)
    assert found == [("status", "agreements", "closed", 1, SUM)]


def test_only_what_such_a_buyer_has_left_is_told() -> None:
    given = {"agreements": [{"state": "closed", "amount": SUM}]}
    out = {"type": "seller_checked_out", "amount": SUM - 7}
    back = {"type": "payment_refunded_to_buyer", "amount": 4}
    found = told(as_of=LONG_AFTER, events=[PAID | {"amount": SUM}, out, back], **given)
    assert found == [("status", "agreements", "closed", 1, 3)]


def test_an_agreement_that_gave_its_money_out_is_not_told() -> None:
    out = {"type": "seller_checked_out", "amount": SUM}
    given = {"agreements": [{"state": "closed", "amount": SUM}]}
    assert not told(as_of=LONG_AFTER, events=[PAID | {"amount": SUM}, out], **given)


@pytest.mark.parametrize("count", [1, 3])
def test_look_ups_that_were_all_refused(count: int) -> None:
    given = {"gateway_tokens": [NEVER], "gateway_transactions": [REFUSED]}
    found = silent(**{name: rows * count for name, rows in given.items()})
    assert found == [("refused", "gateway_tokens", "", count, count * SUM)]
    hosted = {"hosted_requests": [SENT], "hosted_checkouts": [UNKNOWN]}
    assert silent(**hosted) == [("refused", "hosted_checkouts", "", 1, SUM)]


@pytest.mark.parametrize(
    "other", [{"code": 4}, REFUSED | {"error": "Transaction failed"}]
)
def test_one_answer_shows_that_the_provider_knows_the_tokens(other: Row) -> None:
    given = {"gateway_tokens": [NEVER, NEVER], "gateway_transactions": [REFUSED, other]}
    assert not told(**given)


def test_a_refusal_of_last_night_may_be_answered_tonight() -> None:
    given = {"gateway_tokens": [NEVER], "gateway_transactions": [REFUSED]}
    assert not told(as_of=AT + timedelta(hours=36), **given)
    assert told(as_of=AT + timedelta(hours=37), **given)


ORDER = {"reference": "factor-1", "amount": SUM}


def test_what_the_books_have_as_paid_and_nobody_asked_for() -> None:
    found = silent(gateway_tokens=[NEVER], books=[ORDER])
    assert found == [("unasked", "gateway_tokens", "", 1, SUM)]
    cart = NEVER | {"factor_number": "cart", "amount": 5}
    assert told(gateway_tokens=[NEVER, cart], books=[ORDER]) == found
    order = ORDER | {"reference": "3001"}
    hosted = silent(hosted_requests=[SENT], books=[order])
    assert hosted == [("unasked", "hosted_checkouts", "", 1, SUM)]


def test_what_was_asked_for_and_refused_is_not_told_as_never_asked_for() -> None:
    given = {"gateway_tokens": [NEVER], "gateway_transactions": [REFUSED]}
    assert told(books=[ORDER], **given) == [("refused", "gateway_tokens", "", 1, SUM)]


@pytest.mark.parametrize("book", [[], [ORDER | {"status": "unpaid"}]])
def test_a_cart_that_was_left_is_not_missed(book: list[Row]) -> None:
    assert not told(gateway_tokens=[NEVER], books=book)


def test_an_order_that_was_asked_for_is_its_check_s() -> None:
    given = {"gateway_tokens": [NEVER], "gateway_transactions": [{"code": 4}]}
    found, fired = asked(books=[ORDER], **given)
    assert not found
    assert "book_status_mismatch" in fired


def test_each_date_is_its_own() -> None:
    given = {"gateway_tokens": [NEVER], "gateway_transactions": [{"code": 7}]}
    with DuckEngine.open(lake_tables(given), SETTINGS, LATER) as engine:
        day = AT.astimezone(SETTINGS.business.timezone).date()
        assert unjudged(engine.query, f"business_date = date '{day}'")
        assert not unjudged(engine.query, f"business_date <> date '{day}'")


def test_a_lake_without_any_row_tells_nothing() -> None:
    assert not told(as_of=datetime(2026, 10, 1, tzinfo=UTC))
