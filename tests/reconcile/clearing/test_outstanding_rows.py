"""Each reason for which a checkout is read again by every run, and none beyond it.

All are of one lake: checkouts that their payment and their order have plainly, each
with one thing changed. Orders are of ten days, so that those in the middle are far
from both ends of the books.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pyarrow as pa
import pytest

from recon.reconcile.clearing.basis import LARGE
from recon.reconcile.engines.duckdb import DuckEngine
from recon.settings import Business, Settings
from tests import builders
from tests.builders import AS_OF
from tests.raw_rows import AT, Row, raw_table

SETTINGS = Settings(business=Business(name="teahouse"))
SECOND = timedelta(seconds=1)
FIRST, LAST = AT - timedelta(days=5), AT + timedelta(days=5)
TWO_DAYS = timedelta(days=2)
SPAN = (AT + timedelta(hours=10), AT + timedelta(hours=12))


@dataclass(frozen=True)
class Case:
    """What one checkout has otherwise; None of its payment or order: it has none.

    `named` is what a break names, `later` a row that came after the compaction.
    """

    name: str
    stays: bool = True
    checkout: Row = field(default_factory=dict)
    payment: Row | None = field(default_factory=dict)
    order: Row | None = field(default_factory=dict)
    named: str = ""
    later: tuple[str, Row] | None = None


def unsold(name: str, *, checkout: Row | None = None, **changed: Any) -> Case:
    """A case of which nobody paid, and by its order neither: of the books little is
    asked about it."""
    waits = {"status": "not_paid", **(checkout or {})}
    if (order := changed.pop("order", {})) is not None:
        order = {"status": "unpaid", **order}
    return Case(name, checkout=waits, payment=None, order=order, **changed)


CASES = (
    Case("plain", stays=False),
    Case(
        "plain number of other digits",
        stays=False,
        checkout={"checkout_number": "{persian}"},
        order={"reference": "{persian}"},
    ),
    Case("plain request", stays=False, checkout={"checkout_number": None}),
    Case("number with a space", checkout={"checkout_number": "{number} "}),
    Case("request with a space", checkout={"request_id": "{request} "}),
    Case("request of other digits", checkout={"request_id": "{request}۵"}),
    Case("request after a control sign", checkout={"request_id": "\t{request}"}),
    Case("request after an apostrophe", checkout={"request_id": "'{request}"}),
    Case("request before a control sign", checkout={"request_id": "{request}\t"}),
    Case("receipt with a space", payment={"ref_id": "{receipt} "}),
    Case("its payment is named", named="{payment}"),
    Case("its receipt is named", named="{receipt}"),
    Case("its mandate is named", payment={"mandate_id": "m"}, named="m"),
    Case("it is named", named="{checkout}"),
    Case("its request is named", named="{request}"),
    Case("its number is named", named="{number}"),
    Case("paid before the span", stays=False, payment={"paid_at": SPAN[0] - SECOND}),
    Case("paid as it begins", payment={"paid_at": SPAN[0]}),
    Case("paid as it ends", payment={"paid_at": SPAN[1]}),
    Case("paid after it", stays=False, payment={"paid_at": SPAN[1] + SECOND}),
    Case("made before it", stays=False, payment={"created_at": SPAN[0] - SECOND}),
    Case("made as it begins", payment={"created_at": SPAN[0]}),
    Case("made as it ends", payment={"created_at": SPAN[1]}),
    Case("made after it", stays=False, payment={"created_at": SPAN[1] + SECOND}),
    Case("of the first order", order={"occurred_at": FIRST}),
    Case("of the first days", order={"occurred_at": FIRST + TWO_DAYS}),
    Case("after them", stays=False, order={"occurred_at": FIRST + TWO_DAYS + SECOND}),
    Case(
        "before the last days",
        stays=False,
        order={"occurred_at": LAST - TWO_DAYS - SECOND},
    ),
    Case("of the last days", order={"occurred_at": LAST - TWO_DAYS}),
    Case("of the last order", order={"occurred_at": LAST}),
    Case(
        "request of the last order",
        checkout={"checkout_number": None},
        order={"occurred_at": LAST},
    ),
    Case("no such payment", payment=None),
    Case("waiting payment", payment={"status": "pending_redirect"}),
    Case("other amount of the order", order={"amount": 1}),
    Case(
        "other amount of the order of its request",
        checkout={"checkout_number": None},
        order={"amount": 1},
    ),
    Case("of another effect", payment={"wage_amount": 1}),
    Case("paid without an order", order=None),
    unsold("not paid, without an order", stays=False, order=None),
    unsold("not paid, plain", stays=False),
    unsold("its order is of another amount", order={"amount": 1}),
    unsold(
        "that of its request is",
        checkout={"checkout_number": None},
        order={"amount": 1},
    ),
    unsold("its order has a space", order={"reference": " {number}"}),
    unsold("its order has other digits", order={"reference": "{persian}"}),
    unsold(
        "that of its request has",
        checkout={"request_id": "77{number}"},
        order={"reference": "۷۷{persian}"},
    ),
    unsold(
        "it has other digits", checkout={"checkout_number": "{persian}"}, order=None
    ),
    unsold(
        "number with a space, without an order",
        checkout={"checkout_number": "{number} "},
        order=None,
    ),
    Case(
        "far from every order",
        checkout={"created_at": LAST + TWO_DAYS + SECOND, "checkout_number": None},
        order=None,
    ),
)

SPOKEN_OF = tuple(
    Case(f"{name} of a later row of {table}", later=(table, {column: name}))
    for table, column, name in (
        ("checkouts", "id", "{checkout}"),
        ("checkouts", "checkout_number", "{number}"),
        ("checkouts", "checkout_number", " {request}"),
        ("checkouts", "request_id", "{request}"),
        ("checkouts", "request_id", "{number} "),
        ("payments", "id", "{payment}"),
        ("payments", "checkout_id", "{checkout}"),
        ("payments", "ref_id", "{receipt} "),
        ("books", "reference", " {number}"),
        ("books", "reference", "{request}"),
        ("books", "reference", "'{number}"),
        ("books", "reference", "\t{number}"),
        ("books", "reference", "{number}\t"),
        ("books", "reference", "{persian}"),
        ("gateway_tokens", "factor_number", "{number}"),
        ("hosted_requests", "checkout_number", "{number}"),
        ("agreements", "trace_id", "{number}"),
    )
) + tuple(
    Case(
        f"a number of other digits of a later row of {table}",
        checkout={"checkout_number": "{persian}"},
        order={"reference": "{persian}"},
        later=(table, {column: " {persian}"}),
    )
    for table, column in (
        ("books", "reference"),
        ("checkouts", "checkout_number"),
        ("checkouts", "request_id"),
    )
)
UNSPOKEN_OF = (
    Case("of a part of it", stays=False, later=("books", {"reference": "{number}-2"})),
    Case(
        "of a receipt as a number",
        stays=False,
        later=("books", {"reference": "{receipt}"}),
    ),
    Case(
        "of a number as a receipt",
        stays=False,
        later=("payments", {"ref_id": "{number}"}),
    ),
    *CASES,
)
ALL = (*SPOKEN_OF, *UNSPOKEN_OF)
PERSIAN = str.maketrans("0123456789", "۰۱۲۳۴۵۶۷۸۹")


def spelled(changed: Row, number: int) -> Row:
    """Fill in the names of a case's own records."""
    names = {
        "checkout": f"checkout-{number}",
        "payment": f"payment-{number}",
        "request": f"request-{number}",
        "receipt": f"receipt-{number}",
        "number": str(1000 + number),
        "persian": str(1000 + number).translate(PERSIAN),
    }
    return {
        key: value.format(**names) if isinstance(value, str) else value
        for key, value in changed.items()
    }


def compacted(each: Case, number: int) -> Iterator[tuple[str, Row]]:
    """Yield the rows of a case by their tables."""
    checkout = spelled(each.checkout, number)
    if each.payment is None:
        checkout["payment_ids"] = []
    else:
        by_card = {"mandate_id": None, "type": "card"}
        payment = by_card | spelled(each.payment, number)
        yield "payments", builders.payment(number, **payment)
    yield "checkouts", builders.checkout(number, **checkout)
    if each.order is not None:
        has_number = checkout.get("checkout_number", "usual") is not None
        reference = "{number}" if has_number else "{request}"
        order = spelled({"reference": reference} | each.order, number)
        yield "books", builders.book(number, **order)


def later(each: Case, number: int) -> Iterator[tuple[str, Row]]:
    """Yield what came later; it has no other name of any record that is compacted."""
    if each.later:
        table, changed = each.later
        made = spelled(changed, number)
        if table == "payments":
            made = {"checkout_id": None} | made
        yield table, builders.BUILDERS[table](9_000 + number, **made)


def given() -> dict[str, pa.Table]:
    """Return the tables of all cases, each numbered by its place."""
    rows: dict[str, list[Row]] = defaultdict(list)
    for number, each in enumerate(ALL, 1):
        for table, row in compacted(each, number):
            rows[f"{table}_compacted"].append(row)
        for table, row in later(each, number):
            rows[f"{table}_later" if table in LARGE else table].append(row)
        if each.named:
            rows["break_names"].append(spelled({"name": each.named}, number))
    for table in LARGE:
        rows[f"{table}_superseded"] = []
    rows["open_spans"] = [{"from_at": SPAN[0], "until_at": SPAN[1]}]
    return {name: raw_table(name, made) for name, made in rows.items()}


def listed(name: str, tables: dict[str, pa.Table]) -> set[str]:
    """Return the ids of the checkouts that a model lists, each once."""
    with DuckEngine.open(tables, SETTINGS, AS_OF) as engine:
        ids = engine.table(name)["checkout_id"].to_pylist()
    assert None not in ids
    assert len(ids) == len({*ids})
    return {*ids}


@pytest.fixture(scope="module")
def found() -> dict[str, set[str]]:
    """Return the ids of the checkouts that stay, and of those that are spoken of."""
    models = ("int_outstanding_checkouts", "int_touched_checkouts")
    return {name: listed(name, given()) for name in models}


@pytest.mark.parametrize("number", range(1, len(ALL) + 1))
def test_a_checkout_stays_for_each_reason_and_for_no_other(
    number: int, found: dict[str, set[str]]
) -> None:
    case = ALL[number - 1]
    assert (f"checkout-{number}" in found["int_outstanding_checkouts"]) is case.stays, (
        case.name
    )
    is_touched = f"checkout-{number}" in found["int_touched_checkouts"]
    assert is_touched is (case in SPOKEN_OF), case.name


def test_without_books_no_paid_checkout_waits_for_its_order() -> None:
    tables = given()
    for part in ("compacted", "later"):
        tables[f"books_{part}"] = raw_table("books", [])
    plain = ALL.index(CASES[0]) + 1
    assert f"checkout-{plain}" not in listed("int_outstanding_checkouts", tables)
