"""The table of endpoints is whole, up to date, and names tests that exist."""

import importlib
import inspect

import pytest

from tests import generated_endpoints
from tests.endpoints.contract_endpoints import (
    ENDPOINTS,
    UNDOCUMENTED_ROUTES,
    Endpoint,
)
from tests.generated_endpoints import PATH, cases_of, route_lines, table

CONTROLS = " /sandbox"


def test_the_table_is_up_to_date() -> None:
    told = "run python -m tests.generated_endpoints"
    assert PATH.read_text("utf-8") == table(), told


def test_every_route_is_an_endpoint_or_says_what_it_is_for() -> None:
    documented = {endpoint.line for endpoint in ENDPOINTS}
    served = {line for line in route_lines() if CONTROLS not in line}
    assert documented | set(UNDOCUMENTED_ROUTES) == served
    assert documented.isdisjoint(UNDOCUMENTED_ROUTES)


def test_the_documents_have_so_many_endpoints() -> None:
    """Counted by hand in the documents: 16, 11 and 12, four pages included."""
    counts = [
        sum(each.part.startswith(f"Document {number},") for each in ENDPOINTS)
        for number in (1, 2, 3)
    ]
    assert counts == [16, 11, 12]


@pytest.mark.parametrize("word", generated_endpoints._TESTS)
def test_each_test_that_the_table_names_exists(word: str) -> None:
    module, name = generated_endpoints._TESTS[word]
    found = importlib.import_module(f"tests.endpoints.{module}")
    assert inspect.isfunction(getattr(found, name))


@pytest.mark.parametrize(
    "endpoint",
    [
        Endpoint("x", "GET /no/such/route", ("gateway.send",)),
        Endpoint("x", "POST /api/v3/send", ()),
        Endpoint("x", "POST /api/v3/send", ("gateway.no_such_method",)),
    ],
    ids=["no route", "no client", "no such client"],
)
def test_a_row_with_a_gap_is_refused(endpoint: Endpoint) -> None:
    with pytest.raises(ValueError, match="no "):
        generated_endpoints._row(endpoint)


def test_every_page_is_clicked_through_and_every_call_is_refused() -> None:
    for endpoint in ENDPOINTS:
        words = {name.partition("[")[0] for name in cases_of(endpoint)}
        wanted = {"call", "click"} if endpoint.is_page else {"call", "key"}
        assert wanted <= words, endpoint.line
