"""The version of a record that counts was met last: by pull, by page and by place."""

from typing import Any

import pytest

from recon.reconcile.engines import DuckEngine
from tests.builders import AS_OF, AT, lake_tables
from tests.reconcile.test_matching import SETTINGS

Row = dict[str, Any]
PLACES = [
    *[("1", 9, 9), ("2", 1, 9)],
    *[("2", page, 2) for page in range(1, 8)],
    *[("2", 8, 1), ("2", 8, 2)],
]
"""Pull, page and position of some versions: each but the last comes before it."""

KEYS: dict[str, tuple[str, Row]] = {
    "stg_cash_in__accounts": ("accounts", {"iban": "IR1"}),
    "stg_cash_in__balances": ("balances", {"iban": "IR1", "at": AT}),
    "stg_escrow__agreements": ("agreements", {"tracking_code": "a"}),
    "stg_escrow__customers": ("customers", {"uid": "7"}),
    "stg_gateway__requests": ("gateway_tokens", {"token": "t"}),
    "stg_gateway__transactions": ("gateway_transactions", {"token": "t"}),
    "stg_hosted__checkouts": ("hosted_checkouts", {"id": "h"}),
    "stg_hosted__requests": ("hosted_requests", {"checkout_id": "h"}),
    "stg_unified__checkouts": ("checkouts", {"id": "c"}),
    "stg_unified__mandates": ("mandates", {"id": "m"}),
    "stg_unified__met_payments": ("payments", {"id": "p"}),
    "stg_unified__payment_methods": ("payment_methods", {"slug": "card"}),
}
ANSWERS: dict[str, tuple[str, Row, Row]] = {
    "stg_gateway__transactions": (
        "gateway_transactions",
        {"token": "t", "code": 1},
        {"token": "t", "code": None},
    ),
    "stg_hosted__checkouts": (
        "hosted_checkouts",
        {"id": "h", "status": "INIT"},
        {"id": "h", "status": None},
    ),
}
WHOLE_FILES: dict[str, tuple[str, Row]] = {
    "stg_books__orders": ("books", {"reference": "1", "product": "unified"}),
    "stg_business__tariff": (
        "tariff",
        {"product": "unified", "payment_method": "*", "valid_from": AT},
    ),
}
KEYLESS = {
    "stg_business__adjustments": "adjustments",
    "stg_business__bank_entries": "bank_statement",
}


def at(place: tuple[str, int, int], row: Row) -> Row:
    pull_id, page_no, position = place
    return row | {"pull_id": pull_id, "page_no": page_no, "position": position}


def staged(model: str, table: str, rows: list[Row]) -> list[tuple[str, int, int]]:
    """Return where the rows that count lie."""
    with DuckEngine.open(lake_tables({table: rows}), SETTINGS, AS_OF) as engine:
        found = engine.table(model).to_pylist()
    return [(row["pull_id"], row["page_no"], row["position"]) for row in found]


@pytest.mark.parametrize("model", KEYS)
def test_the_version_that_was_met_last_counts(model: str) -> None:
    """Another record may stand at the same place, as payments of one checkout do."""
    table, key = KEYS[model]
    other = key | dict.fromkeys(list(key)[:1], "other")
    later = ("3", 1, 1)
    rows = [at(place, key) for place in PLACES]
    rows += [at(PLACES[-1], other), at(later, other)]
    assert sorted(staged(model, table, rows)) == [PLACES[-1], later]


@pytest.mark.parametrize("model", WHOLE_FILES)
def test_all_rows_of_the_newest_file_that_has_a_key_count(model: str) -> None:
    """A key is told from another by each of its columns."""
    table, key = WHOLE_FILES[model]
    rows = [at(place, key) for place in PLACES[-4:]]
    rows += [at(PLACES[0], key | {name: None}) for name in key]
    assert sorted(staged(model, table, rows)) == [
        *[PLACES[0]] * len(key),
        *PLACES[-2:],
    ]


@pytest.mark.parametrize("model", KEYLESS)
def test_equal_rows_are_told_apart_within_a_file_and_stand_where_met_first(
    model: str,
) -> None:
    places = [("2", 2, 3), ("2", 2, 9), *(("1", page, 9) for page in range(9, 1, -1))]
    rows = [at(place, {"record_hash": "a"}) for place in places]
    others = [("2", 1, 2), ("1", 4, 1)]
    rows += [at(place, {"record_hash": "b"}) for place in others]
    found = staged(model, KEYLESS[model], rows)
    assert sorted(found) == [("1", 2, 9), ("1", 4, 1), ("2", 2, 9)]


def test_of_a_file_the_row_of_an_answer_counts_wherever_it_stands() -> None:
    sent = {"token": "t", "real_amount": None}
    rows = [at(PLACES[-2], {"token": "t"}), at(PLACES[-1], sent)]
    assert staged("stg_gateway__requests", "gateway_tokens", rows) == [PLACES[-2]]


def test_an_event_counts_as_it_was_met_first() -> None:
    event = {"created": AT, "type": "agreement_created", "data": "{}"}
    rows = [at(place, event) for place in reversed(PLACES)]
    assert staged("stg_escrow__events", "events", rows) == [PLACES[0]]


@pytest.mark.parametrize("model", ANSWERS)
def test_the_last_answer_before_a_refusal_counts(model: str) -> None:
    table, answer, refusal = ANSWERS[model]
    rows = [at(place, answer) for place in PLACES]
    refused = at(("3", 1, 1), refusal | {"error": "not found"})
    assert staged(model, table, [*rows, refused]) == [PLACES[-1]]


@pytest.mark.parametrize("model", ANSWERS)
def test_an_answer_without_a_status_is_no_refusal(model: str) -> None:
    table, answer, empty = ANSWERS[model]
    rows = [at(PLACES[0], answer), at(("3", 1, 1), empty | {"error": None})]
    assert staged(model, table, rows) == [("3", 1, 1)]
