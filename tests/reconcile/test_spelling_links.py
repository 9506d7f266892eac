"""Which numbers of the books and the provider are one that is spelled otherwise."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from random import Random
from typing import Any

import duckdb
import pyarrow as pa
import pytest
import sqlglot
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sqlglot import exp

from recon.imports.spelling import in_ascii, without_text_mark
from recon.reconcile.checks import run_checks, shipped_checks
from recon.reconcile.engines import DuckEngine
from recon.reconcile.models import shipped_catalogue
from tests.builders import AS_OF, lake_tables
from tests.reconcile.test_book_references import slow_links, trimmed
from tests.reconcile.test_matching import SETTINGS

CHECKS = tuple(
    each for each in shipped_checks() if each.name.startswith(("book_", "provider_"))
)
IN_PERSIAN, IN_ARABIC = "۱۰۰۱", "١٠٠١"
IN_PERSIAN_2002 = "۲۰۰۲"
WITH_PERSIAN, WITH_ARABIC = "ف-کی۱۲", "ف-كي12"
WITH_OTHERS = "ف-كى۱۲"
MISSING = {"book_missing_at_provider": 1}
UNKNOWN = {"provider_missing_in_books": 1}


@pytest.mark.parametrize(
    ("books", "provider", "found"),
    [
        (["1001"], [IN_PERSIAN], {}),
        (["1001"], ["1001", IN_PERSIAN], UNKNOWN),
        (
            ["1001"],
            [IN_PERSIAN, IN_ARABIC],
            {**MISSING, "provider_missing_in_books": 2},
        ),
        (["1001", IN_PERSIAN], ["\u200f1001"], MISSING),
        (["1001", IN_PERSIAN], ["1001\t", "\u200f" + IN_PERSIAN], {}),
        (["\u200f1001", "'1001"], ["1001"], {**UNKNOWN, "book_missing_at_provider": 2}),
        (["1001", IN_PERSIAN], [IN_PERSIAN], MISSING),
        (["1001", IN_PERSIAN], ["\u200f1001", IN_PERSIAN], {}),
        (["1001"], [IN_PERSIAN_2002], MISSING | UNKNOWN),
        (["1001"], ["1\u200c001"], MISSING | UNKNOWN),
        (["A-1001"], ["'A-1001"], {}),
        ([IN_PERSIAN], [IN_ARABIC], {}),
        (["1001"], ["\u200f"], MISSING | UNKNOWN),
        ([WITH_PERSIAN], [WITH_ARABIC], {}),
        ([WITH_ARABIC], [WITH_PERSIAN], {}),
        ([WITH_ARABIC], [WITH_OTHERS], {}),
        (["کی"], ["\u200fكي"], {}),
        ([WITH_PERSIAN], [WITH_PERSIAN, WITH_ARABIC], UNKNOWN),
        (
            [WITH_PERSIAN, WITH_ARABIC],
            [WITH_OTHERS],
            {**UNKNOWN, "book_missing_at_provider": 2},
        ),
        (["ف-ک"], ["ف-گ"], MISSING | UNKNOWN),
    ],
)
@pytest.mark.parametrize("column", ["request_id", "checkout_number"])
def test_a_spelling_is_the_others_only_where_both_are_alone(
    column: str, books: list[str], provider: list[str], found: dict[str, int]
) -> None:
    orders = [{"reference": each} for each in books]
    records = [
        {"checkout_number": None, "request_id": None, column: each} for each in provider
    ]
    assert breaks(orders, records) == found


@pytest.mark.parametrize("column", ["request_id", "checkout_number"])
def test_without_a_number_nothing_is_spelled_otherwise(column: str) -> None:
    nothing: dict[str, Any] = {"checkout_number": None, "request_id": None}
    persian = nothing | {column: IN_PERSIAN}
    order = {"reference": "1001"}
    assert breaks([order], [persian, nothing]) == UNKNOWN
    assert breaks([order, {"reference": None}], [persian]) == MISSING
    assert breaks([order, {"reference": "\u200f"}], [persian]) == MISSING
    assert breaks([order], [persian | {"id": None}]) == MISSING | UNKNOWN


def test_a_record_may_have_both_its_numbers_of_an_order() -> None:
    record = {"checkout_number": f"\u200f{IN_PERSIAN}", "request_id": "1001\t"}
    assert not breaks([{"reference": "1001"}], [record])
    other = {"checkout_number": "7", "request_id": "'1001"}
    found = breaks([{"reference": "1001"}], [record, other])
    assert found == MISSING | {"provider_missing_in_books": 2}


def test_a_number_that_is_spelled_otherwise_is_of_its_product_first() -> None:
    tables = lake_tables(
        {
            "books": [
                {"reference": "1001", "product": "hosted"},
                {"reference": "1001", "product": "unified"},
            ],
            "checkouts": [{"checkout_number": IN_PERSIAN}],
            "hosted_checkouts": [{"checkout_number": IN_PERSIAN}],
        }
    )
    with DuckEngine.open(tables, SETTINGS, AS_OF) as engine:
        matches = engine.table("report_matches").to_pylist()
    assert {(row["reference"], row["product"]) for row in matches} == {
        ("1001", "hosted"),
        ("1001", "unified"),
    }
    assert all(row["confidence"] == "certain" for row in matches)


def breaks(
    orders: Sequence[dict[str, Any]], checkouts: Sequence[dict[str, Any]]
) -> Counter[str]:
    """Return how many breaks of the books there are, by check."""
    tables = lake_tables({"books": orders, "checkouts": checkouts})
    with DuckEngine.open(tables, SETTINGS, AS_OF) as engine:
        found = run_checks(engine, CHECKS, SETTINGS)
    return Counter(found["check"].to_pylist())


NAMES = st.sampled_from(
    [
        *("1001", IN_PERSIAN, IN_ARABIC, "\u200f1001", f"{IN_PERSIAN}\u200c", "1001\t"),
        *("'1001", "1001\xa0", " 1001", "2002", IN_PERSIAN_2002, "\u200f"),
        *("", "\xa0", None, WITH_PERSIAN, WITH_ARABIC, WITH_OTHERS),
    ]
)
ORDERS = st.lists(
    st.fixed_dictionaries(
        {"reference": NAMES, "product": st.sampled_from([None, "unified", "hosted"])}
    ),
    max_size=4,
)
RECORDS = st.lists(
    st.fixed_dictionaries({"checkout_number": NAMES, "request_id": NAMES}), max_size=4
)
HOSTED = st.lists(st.fixed_dictionaries({"checkout_number": NAMES}), max_size=2)


def bare(text: str) -> str:
    plain = in_ascii(without_text_mark(text)).strip("\u200f")
    return plain.translate(str.maketrans("يىك", "ییک"))


def spelled_as_in_books(
    orders: list[dict[str, Any]], records: dict[tuple[str, str], dict[str, Any]]
) -> dict[str, str]:
    """Return how the books spell what they spell otherwise, by plain loops."""
    holders = defaultdict(set)
    for record, row in records.items():
        for name in ("checkout_number", "request_id"):
            if number := trimmed(row.get(name)):
                holders[number].add(record)
    ours = {trimmed(row["reference"]) for row in orders} - {None, *holders}
    theirs = {*holders} - {trimmed(row["reference"]) for row in orders}
    found = {}
    for even in (without_text_mark, bare):
        for key in {*map(even, ours)}:
            orders_left = [name for name in ours if even(name) == key]
            numbers_left = [name for name in theirs if even(name) == key]
            records_left = set().union(*(holders[name] for name in numbers_left))
            is_alone = len(numbers_left) == 1 or len(records_left) == 1
            if bare(key) and len(orders_left) == 1 and is_alone:
                found |= dict.fromkeys(numbers_left, orders_left[0])
        ours -= {*found.values()}
        theirs -= {*found}
    return found


@settings(max_examples=80)
@given(ORDERS, RECORDS, HOSTED)
@example(
    [{"reference": "1001", "product": None}],
    [{"checkout_number": "2002", "request_id": IN_PERSIAN}],
    [{"checkout_number": IN_ARABIC}],
)
def test_links_by_spelling_are_those_of_a_slow_reading(
    orders: list[dict[str, Any]],
    checkouts: list[dict[str, Any]],
    hosted: list[dict[str, Any]],
) -> None:
    paid = [row | {"id": f"c{n}"} for n, row in enumerate(checkouts)]
    cards = [row | {"id": f"h{n}"} for n, row in enumerate(hosted)]
    lines = [row | {"position": n} for n, row in enumerate(orders)]
    tables = lake_tables({"books": lines, "checkouts": paid, "hosted_checkouts": cards})
    with DuckEngine.open(tables, SETTINGS, AS_OF) as engine:
        matches = engine.table("int_book_matches").to_pylist()
    records = {("unified", row["id"]): row for row in paid}
    records |= {("hosted", row["id"]): row for row in cards}
    spelled = spelled_as_in_books(lines, records)
    read = {
        record: {
            name: spelled.get(trimmed(row[name]) or "", row[name])
            for name in ("checkout_number", "request_id")
            if name in row
        }
        for record, row in records.items()
    }
    links = slow_links(lines, read)
    assert {((r["reference"], r["book_product"])) for r in matches} == {
        key for key, _ in links
    }
    assert {
        ((r["reference"], r["book_product"]), (r["product"], r["record_id"]))
        for r in matches
    } <= links


MODELS = shipped_catalogue().models


def bare_as_in(model: str) -> tuple[str, str]:
    """Return how a model makes a number x bare, and the condition under which."""
    query = sqlglot.parse_one(MODELS[model].sql, read="duckdb")
    (rule,) = query.find_all(exp.Translate)
    (signs,) = query.find_all(exp.RegexpReplace)
    (column,) = signs.find_all(exp.Column)
    if rule.find(exp.RegexpReplace) is None:
        rule.this.replace(signs.copy())
    (length,) = (
        each.find_ancestor(exp.If, exp.Where)
        for each in query.find_all(exp.BitLength)
        if "raw_checkouts" not in each.find_ancestor(exp.Select).sql()
    )
    found = (each.sql(dialect="duckdb") for each in (rule, length.this))
    rule, condition = (each.replace(column.sql(), "x") for each in found)
    return rule, condition


BARE, UNEVEN = bare_as_in("int_book_spellings")


@pytest.mark.parametrize(
    "model",
    ["int_book_odd_references", "int_book_open_records", "int_touched_checkouts"],
)
def test_a_number_is_made_bare_in_one_way_only(model: str) -> None:
    assert bare_as_in(model) == (BARE, UNEVEN)


def test_what_imports_make_even_is_bare_alike() -> None:
    """So what a file has in the provider's bytes is never another number than that.

    And nothing becomes another one that does not look uneven.
    """
    chance = Random(1)
    signs = "117۱٧१A-'\"# \t\x1f\xa0\u200f\u200c\ufeff\u2028"
    texts = [
        "".join(chance.choices(signs, k=chance.randint(1, 6))) for _ in range(5000)
    ]
    even = [without_text_mark(text.strip()) for text in texts]
    spelled = [*texts, *map(str.strip, texts), *even, *map(in_ascii, even)]
    given = pa.table({"x": spelled, "place": [*range(len(texts))] * 4})
    assert given.num_rows == len(spelled)
    sql = f"select place, x, {BARE}, {UNEVEN} from given"
    by_place = defaultdict(set)
    for place, text, bare_number, is_uneven in duckdb.sql(sql).fetchall():
        by_place[place].add(bare_number)
        assert is_uneven or bare_number == text
    assert all(len(numbers) == 1 for numbers in by_place.values())
    assert len({*map(tuple, by_place.values())}) > 1000
