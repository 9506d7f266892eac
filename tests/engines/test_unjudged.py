"""Money that no check judges, told alike by both engines."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

from recon.reconcile.disclosures.unjudged import unjudged
from recon.reconcile.engine import Engine
from recon.reconcile.engines import choosing
from recon.reconcile.engines.duckdb import DuckEngine
from recon.settings import Spark
from tests.builders import AT, lake_tables
from tests.reconcile.disclosures.test_unjudged import SETTINGS
from tests.reconcile.disclosures.test_unjudged_chance import pairs

SparkEngine = choosing.spark_engine()
DAY = timedelta(days=1)
AS_OF = AT + 200 * DAY
MIDNIGHT = AT.replace(hour=20, minute=30) - DAY
WHY = (
    *("denied", "shared", "unsized", "short", "unheard", "held"),
    *("untimed", "taken", "before", "after"),
)
EVENTS: list[dict[str, Any]] = [
    {"type": "buyer_paid_agreement", "tracking_code": f"agreement-{number}"}
    | {"amount": amount}
    for number, amount in ((1, 5), (2, 7), (3, None), (4, 10**18 - 1), (8, 9))
]
GIVEN: dict[str, list[dict[str, Any]]] = {
    "agreements": [
        *({}, {"state": None}, {}, {}),
        *({"state": "finalize", "created_at": AT - DAY, "amount": 3},) * 2,
        {"state": "cancelled", "created_at": None, "amount": None},
        {"state": "finalize", "amount": 9},
    ],
    "events": [
        *EVENTS,
        {"type": "seller_checked_out", "tracking_code": "agreement-2"},
        {"type": "seller_checked_out", "tracking_code": "agreement-8", "amount": 4},
        {"type": "payment_refunded_to_buyer", "amount": 1},
        *(
            {"type": "buyer_paid_agreement", "tracking_code": f"agreement-{number}"}
            | {"amount": 2, "data": '{"transaction_ref_id": "R"}'}
            for number in (1, 4)
        ),
    ],
    "gateway_tokens": [{}, {"verified_at": AT + 90 * DAY}],
    "gateway_transactions": [{"code": 0}, {"code": 0}],
    "checkouts": [{}, {}, {}],
    "payments": [
        *({}, {"paid_at": AT + 100 * DAY}),
        {"paid_at": AT - 9 * DAY, "affected_amount": -1},
    ],
    "hosted_checkouts": [{"created_at": None}],
    "balances": [{"at": AT + n * DAY, "balance": -7 * n} for n in (0, 1, 2)],
    "adjustments": [
        {"at": at, "amount": amount}
        for at, amount in ((MIDNIGHT, -7), (AT, -9), (AT + 9 * DAY, 0))
    ],
}


def found(engine: Engine, condition: str) -> list[dict[str, Any]]:
    return unjudged(engine.query, condition)


def test_both_engines_tell_of_the_same_money(sail: str) -> None:
    raw = lake_tables(GIVEN)
    there = replace(SETTINGS, spark=Spark(remote=sail))
    day = (AT + 9 * DAY).date()
    conditions = ("true", f"(business_date is null or business_date <= date '{day}')")
    with (
        DuckEngine.open(raw, SETTINGS, AS_OF) as duck,
        SparkEngine.open(raw, there, AS_OF) as spark,
    ):
        for condition in conditions:
            here = found(duck, condition)
            assert found(spark, condition) == here
        told = found(duck, "true")
    assert tuple(dict.fromkeys(row["why"] for row in told)) == WHY


def test_both_engines_tell_of_what_fits_by_chance(sail: str) -> None:
    balances = [{"at": AT + n * DAY, "balance": 7 * n * 10**6} for n in (0, 1)]
    raw = lake_tables({"balances": balances, "deposits": pairs(1, 2, 3)})
    there = replace(SETTINGS, spark=Spark(remote=sail))
    with (
        DuckEngine.open(raw, SETTINGS, AS_OF) as duck,
        SparkEngine.open(raw, there, AS_OF) as spark,
    ):
        here = found(duck, "true")
        assert found(spark, "true") == here
    assert [row["why"] for row in here] == ["chance"]
