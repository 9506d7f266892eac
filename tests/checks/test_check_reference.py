"""The checks in SQL against the same rules in slow, plain Python, on random rows.

The rows are drawn from few values that lie on and beside every limit, nulls among
them, so that records collide, nearly miss and lack what a rule reads.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from recon.reconcile.checks import run_checks, shipped_checks
from recon.reconcile.engines.duckdb import DuckEngine
from recon.settings import Business, CashIn, Checks, Gateway, Hosted, Settings, Unified
from tests import builders
from tests.checks import plain_checks
from tests.checks.plain_checks import Rule, World
from tests.own_builders import commit
from tests.raw_rows import AT, Row, raw_table

AS_OF = datetime(2026, 10, 31, 21, 0, tzinfo=UTC)
SECOND = timedelta(seconds=1)
MONTH_ENDS = datetime(2026, 9, 30, 20, 30, tzinfo=UTC)  # midnight in Tehran
NEAR = (-1, 0, 1)

AMOUNTS = st.sampled_from([999_999, 1_000_000, 1_000_001, 990_000, 10_000, 0, None])
TIMES = st.sampled_from(
    [
        None,
        AT,
        *(MONTH_ENDS + n * SECOND for n in NEAR),
        *(AS_OF - timedelta(minutes=m) + n * SECOND for m in (20, 60) for n in NEAR),
    ]
)
TEXTS = st.sampled_from(["a", "a", "b", "B", "", " ", None])


def rows(
    build: Callable[..., Row], most: int, /, **columns: st.SearchStrategy[Any]
) -> st.SearchStrategy[list[Row]]:
    """Draw up to so many valid rows, each with some of these columns at random."""
    changes = st.fixed_dictionaries({}, optional=columns)
    return st.lists(changes, max_size=most).map(
        lambda drawn: [build(n, **changed) for n, changed in enumerate(drawn, start=1)]
    )


CHECKOUTS = rows(
    builders.checkout,
    3,
    status=st.sampled_from(["paid", "not_paid", "other", None]),
    amount=AMOUNTS,
    request_id=TEXTS,
    checkout_number=TEXTS,
)
PAYMENTS = rows(
    builders.payment,
    6,
    checkout_id=st.sampled_from(["checkout-1", "checkout-2"]),
    status=st.sampled_from(["done", "failed", "pending_redirect", None]),
    amount=AMOUNTS,
    wage_amount=st.sampled_from([0, 10_000, 9_999, None]),
    affected_amount=AMOUNTS,
    ref_id=TEXTS,
    error_code=st.sampled_from([None, "WITHDRAWAL_TIMEOUT", "OTHER"]),
    created_at=TIMES,
    updated_at=TIMES,
    paid_at=TIMES,
    type=st.sampled_from(["debit", "card", None]),
    mandate_id=st.sampled_from(["mandate-1", "mandate-2", "mandate-9", None]),
    payment_method=st.sampled_from(["debit-bank-a", "debit-bank-b", None]),
)
MANDATES = rows(
    builders.mandate,
    2,
    payment_method=st.sampled_from(["debit-bank-a", "debit-bank-b", None]),
    count=st.sampled_from([0, 1, 2, None]),
    limit=AMOUNTS,
    expires_at=TIMES,
    revoked_at=TIMES,
)
DEPOSITS = rows(
    builders.deposit,
    5,
    track_id=st.sampled_from(["track-1", "track-2"]),
    amount=st.sampled_from([10**9, 10**9 + 1, 100, 101, None]),
    amount_toman=st.sampled_from([10**8, 10, 11, None]),
    wage=st.sampled_from([0, 10, None]),
    wage_toman=st.sampled_from([0, 1, None]),
    outcome=st.sampled_from(["", "", "unknown"]),
)
TOKENS = rows(
    builders.gateway_token,
    3,
    sent_at=TIMES,
    real_amount=AMOUNTS,
    wage=st.sampled_from([10_000, 0, None]),
    verified_at=TIMES,
)
TRANSACTIONS = rows(
    builders.gateway_transaction,
    4,
    amount=AMOUNTS,
    refnumber=TEXTS,
    code=st.sampled_from([1, 2, 3, 4, None]),
    created_at=TIMES,
    payment_date=TIMES,
)
HOSTED = rows(
    builders.hosted_checkout,
    3,
    status=st.sampled_from(["SUCCEED", "PENDING_VERIFY", "FAILED", None]),
    checkout_number=TEXTS,
    created_at=TIMES,
)
BALANCES = rows(builders.balance, 3, balance=AMOUNTS, available_balance=AMOUNTS)


@st.composite
def unified(draw: st.DrawFn) -> dict[str, list[Row]]:
    """Draw checkouts, the payments that they list, and mandates."""
    checkouts, payments = draw(CHECKOUTS), draw(PAYMENTS)
    known = {row["id"] for row in checkouts}
    for row in payments:
        if row["checkout_id"] not in known:
            row["checkout_id"] = f"checkout-{len(checkouts)}"
    payments = payments if checkouts else []
    for checkout in checkouts:
        own = (row["id"] for row in payments if row["checkout_id"] == checkout["id"])
        checkout["payment_ids"] = list(own)
    return {
        "checkouts": checkouts,
        "payments": payments,
        "mandates": draw(MANDATES),
        "commits": [commit(1, source="mandates")],
    }


@st.composite
def deposits(draw: st.DrawFn) -> list[Row]:
    """Draw entries; a request's amount is the same on every row of its track_id."""
    found = draw(DEPOSITS)
    asked = st.sampled_from([100, 201, 202, 10**9, None])
    requested = {"track-1": draw(asked), "track-2": draw(asked)}
    for row in found:
        row["requested_amount"] = requested.get(row["track_id"])
    return found


OTHERS = st.fixed_dictionaries(
    {
        "deposits": deposits(),
        "gateway_tokens": TOKENS,
        "gateway_transactions": TRANSACTIONS,
        "hosted_checkouts": HOSTED,
        "balances": BALANCES,
    }
)


def by_sql(world: World, rules: Mapping[str, Rule]) -> dict[str, list[str]]:
    """Return the record ids that the queries find, by check."""
    since = {str(each): world.bearer_of(each) for each in world.changes}
    chosen = Settings(
        business=Business(name="shop"),
        unified=Unified(fee_bearer=world.bearer, fee_bearer_since=since),
        gateway=Gateway(fee_bearer=world.bearer),
        hosted=Hosted(fee_bearer=world.bearer),
        cash_in=CashIn(wallet_iban=builders.WALLET, settled_statuses=("DONE",)),
        checks=Checks(tolerance=world.tolerance),
    )
    tables = {name: raw_table(name, rows) for name, rows in world.rows.items()}
    checks = tuple(check for check in shipped_checks() if check.name in rules)
    with DuckEngine.open(tables, chosen, world.as_of) as engine:
        found = run_checks(engine, checks, chosen).to_pylist()
    return {
        name: sorted(row["record_id"] for row in found if row["check"] == name)
        for name in rules
    }


def by_hand(world: World, rules: Mapping[str, Rule]) -> dict[str, list[str]]:
    return {name: sorted(rule(world)) for name, rule in rules.items()}


BEARERS = st.sampled_from(["business", "customer"])
CHANGES = st.sampled_from([(), (MONTH_ENDS,), (MONTH_ENDS, AT)])
TOLERANCES = st.sampled_from([0, 0, 1])
SLOWLY = examples(max_examples=12, suppress_health_check=list(HealthCheck))


@SLOWLY
@given(unified(), BEARERS, TOLERANCES, CHANGES)
def test_the_rules_of_payments_are_those_of_a_slow_reading(
    rows: dict[str, list[Row]],
    bearer: str,
    tolerance: int,
    changes: tuple[datetime, ...],
) -> None:
    world = World(rows, AS_OF, bearer, tolerance, changes)
    assert by_sql(world, plain_checks.UNIFIED) == by_hand(world, plain_checks.UNIFIED)


@SLOWLY
@given(OTHERS, BEARERS, TOLERANCES)
def test_the_rules_of_other_products_are_those_of_a_slow_reading(
    rows: dict[str, list[Row]], bearer: str, tolerance: int
) -> None:
    world = World(rows, AS_OF, bearer, tolerance)
    assert by_sql(world, plain_checks.OTHERS) == by_hand(world, plain_checks.OTHERS)


@pytest.mark.parametrize("rules", [plain_checks.UNIFIED, plain_checks.OTHERS])
def test_every_rule_is_a_check(rules: dict[str, Rule]) -> None:
    assert set(rules) <= {check.name for check in shipped_checks()}
