"""What no file covers, and days between two statements, on both engines."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from recon.reconcile.disclosures.bank_gaps import gaps
from recon.reconcile.engine import Engine
from recon.reconcile.engines import choosing
from recon.reconcile.engines.duckdb import DuckEngine
from recon.settings import Spark
from tests.builders import lake_tables
from tests.reports.test_report_bank_gaps import GIVEN, NOVEMBER, SETTINGS

SparkEngine = choosing.spark_engine()
MODELS = (
    *("stg_business__bank_balances", "int_bank_balances"),
    "int_bank_jumps",
    *("stg_business__bank_statements", "int_bank_gaps", "int_bank_undecided"),
    *("check_bank_debit_missing", "report_bank_matches", "report_settlements"),
    *("report_coverage", "report_uncovered"),
)
LATER = datetime(2026, 11, 10, tzinfo=UTC)
REST = {
    "books": [
        {"occurred_at": LATER.replace(month=10), "reference": "order-1"},
        {"occurred_at": LATER.replace(month=10), "reference": "1003"},
    ],
    "checkouts": [{"created_at": LATER.replace(day=each)} for each in (1, 2, 3)],
    "payments": [{"paid_at": LATER, "created_at": LATER}],
    "tariff": [{"product": "gateway"}],
    "balances": [{}],
    "deposits": [
        {"requested_at": LATER, "gateway_transaction_id": "late", "track_id": "late"}
    ],
    "adjustments": [{"at": LATER, "amount": -5}],
}
"""Beyond the books, the statements and the tariff; one order has a later record."""

THIRD = "IR350000000000000000000007"


def told(*, is_entry: bool = False) -> list[dict[str, Any]]:
    """Entries of a third account, or balances after them; 30 rials are in no file."""
    days = {1: (-5, 500), 2: (7, 507), 20: (-7, 470), 30: (1, 471)}
    return [
        {
            "booked_at": LATER - timedelta(days=30 - day),
            "amount": amount,
            "iban": THIRD,
            "pull_id": "d" if day < 10 else "e",
            "position": day,
            **({} if is_entry else {"balance": balance}),
        }
        for day, (amount, balance) in days.items()
    ]


def found(engine: Engine) -> dict[str, list[str]]:
    return {
        model: sorted(str(row) for row in engine.table(model).to_pylist())
        for model in MODELS
    }


def test_both_engines_find_the_same_days(sail: str) -> None:
    given = {name: [*GIVEN.get(name, []), *REST.get(name, [])] for name in GIVEN | REST}
    given |= {"bank_balances": told()}
    given["bank_statement"] = [*given["bank_statement"], *told(is_entry=True)]
    raw = lake_tables(given)
    there = replace(SETTINGS, spark=Spark(remote=sail))
    with (
        DuckEngine.open(raw, SETTINGS, NOVEMBER) as duck,
        SparkEngine.open(raw, there, NOVEMBER) as spark,
    ):
        here = found(duck)
        assert found(spark) == here
        assert gaps(spark.query) == gaps(duck.query)
        uncovered = duck.table("report_uncovered").to_pylist()
    assert len(here["int_bank_gaps"]) == 2
    assert len(here["int_bank_undecided"]) == 6
    assert sorted((row["subject"], row["count"]) for row in uncovered) == [
        ("deposits", 1),
        *[("records", 1)] * 2,
        ("settlements", 1),
        ("wages", 1),
    ]


EMPTIED = [[(1, 8, 40, 40), (1, 9, -40, 0)], [(2, 9, 30, 30)], [(4, 9, -5, -5)]]
JUMPS = [
    [(1, 0, -5, 995), (2, 0, -7, 988), (3, 0, -9, 979), (3, 0, 10, 969)],
    [(6, 0, -5, 999), (7, 0, -1, 998), (7, 0, 0, 998)],
]
OF_DAYS = [[(1, 9, -5, 90), (1, 10, -5, 90)], [(2, 9, -5, 85)], [(9, 9, -5, 70)]]
NEWEST_FIRST = [
    [(3, 9, -5, 95), (2, 9, 1, 96), (1, 9, 4, 100)],
    [(9, 9, 1, 93), (8, 9, 2, 95), (7, 9, 3, 98)],
]
RESTATED = [
    [(1, 9, 4, 100), (2, 9, -5, 95), (3, 9, 1, 96)],
    [(1, 9, 4, 100), (2, 9, -7, 93), (3, 9, 1, 94)],
]
"""By file: day, hour, amount and balance; one account each."""


def test_both_engines_find_the_same_jumps(sail: str) -> None:
    """Of an account that comes back to its balance, of days without times, and none.

    Of one the files stand newest first, and their balances follow the rows.
    """
    tables: dict[str, list[dict[str, Any]]] = {
        "bank_statement": [],
        "bank_balances": [],
    }
    of_accounts = ("IR01", EMPTIED), ("IR02", JUMPS), ("IR03", OF_DAYS)
    for iban, files in (*of_accounts, ("IR04", NEWEST_FIRST), ("IR05", RESTATED)):
        for number, file in enumerate(files):
            for position, (day, hour, amount, balance) in enumerate(file):
                at = LATER.replace(month=10, day=day, hour=hour)
                place = {"iban": iban, "pull_id": f"{iban}-{number}"}
                row = {"booked_at": at, "amount": amount, "position": position, **place}
                tables["bank_statement"].append(row | {"record_hash": f"{row}"})
                tables["bank_balances"].append(row | {"balance": balance})
    raw = lake_tables(tables)
    names = (
        "balances",
        "instants",
        "jumps",
        "gaps",
        "unsound_statements",
        "contradictions",
    )
    models = [f"int_bank_{name}" for name in names]
    there = replace(SETTINGS, spark=Spark(remote=sail))
    with (
        DuckEngine.open(raw, SETTINGS, NOVEMBER) as duck,
        SparkEngine.open(raw, there, NOVEMBER) as spark,
    ):
        here, other = (
            {
                model: sorted(str(row) for row in engine.table(model).to_pylist())
                for model in models
            }
            for engine in (duck, spark)
        )
        between = duck.table("int_bank_gaps").to_pylist()
        unsound = duck.table("int_bank_unsound_statements").to_pylist()
        contradicted = duck.table("int_bank_contradictions").to_pylist()
    assert other == here
    told = sorted((row["iban"], row["missing_rial"]) for row in between)
    assert told == [("IR01", -30), ("IR02", 15), ("IR04", -8)]
    assert [(row["iban"], row["last_date"].day) for row in unsound] == [("IR02", 3)]
    assert [(row["iban"], row["booked_date"].day) for row in contradicted] == [
        ("IR05", 2)
    ]
