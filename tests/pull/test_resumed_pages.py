"""Of what a killed pull left, a page counts only if it is one of the list as it is."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from recon.lake import Lake
from recon.pull import runner
from recon.pull.drafts import Draft, Kept, Left
from recon.pull.runner import SourceOutcome
from recon.settings import Settings
from tests.pull.killed_pulls import COUNT, PAGES, ROOT, long_shop, made
from tests.pull.provider_stub import Endpoint, Stub, all_products

STRANGE = 30
"""The page that came otherwise."""


def pulled_twice(
    stub: Stub,
    settings: Settings,
    first: Endpoint,
    then: Endpoint,
    *,
    between: Callable[[], object] = lambda: None,
) -> SourceOutcome:
    """Pull what is cut off, and then the whole list; returns how that ended."""
    for answer, status in ((first, "incomplete"), (then, "complete")):
        stub.endpoints[ROOT] = answer
        lake = Lake(settings.lake_path)
        report = runner.pull(settings, lake, ["checkouts"], transport=stub.transport)
        (found,) = report.sources
        assert found.status == status
        between()
    return found


def cut_short(honest: Endpoint) -> Endpoint:
    """Answer as before, but for the pages from 80 on."""

    def answer(query: dict[str, str], sent: dict[str, Any]) -> tuple[int, Any]:
        if int(query["page"]) in range(80, PAGES):
            return 500, {"message": "later"}
        return honest(query, sent)

    return answer


def of_meta(**changes: int) -> Callable[[Any], object]:
    return lambda body: body["meta"].update(
        {name: body["meta"][name] + more for name, more in changes.items()}
    )


@pytest.mark.parametrize(
    ("change", "taken"),
    [
        (lambda body: None, True),
        (of_meta(total=1), False),
        (of_meta(last_page=1), False),
        (of_meta(per_page=1), False),
        (of_meta(current_page=1), False),
        (lambda body: body["data"].pop(), False),
        (lambda body: body["data"][3].update(status="not_paid"), False),
    ],
    ids=["the same", "total", "last_page", "per_page", "number", "a row less", "open"],
)
def test_a_page_of_another_list_is_asked_for_again(
    tmp_path: Path, change: Callable[[Any], object], taken: bool
) -> None:
    stub, settings, asked = long_shop(), all_products(tmp_path), []
    honest = stub.endpoints[ROOT]

    def first(query: dict[str, str], sent: dict[str, Any]) -> tuple[int, Any]:
        status, body = honest(query, sent)
        if int(query["page"]) in range(80, PAGES):
            return 500, {"message": "later"}
        if int(query["page"]) == STRANGE:
            body = {**body, "data": [dict(each) for each in body["data"]]}
            change(body)
        return status, body

    def then(query: dict[str, str], sent: dict[str, Any]) -> tuple[int, Any]:
        asked.append(int(query["page"]))
        return honest(query, sent)

    pulled_twice(stub, settings, first, then)
    assert (STRANGE not in asked) == taken
    assert STRANGE - 1 not in asked


@pytest.mark.parametrize("stays", [False, True])
def test_the_sweep_after_one_that_took_pages_reads_all_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stays: bool
) -> None:
    """By its draft a row that changed its place is met twice, and another never: that
    holds where the draft cannot be removed, too."""
    stub, settings = long_shop(), all_products(tmp_path)
    if stays:
        monkeypatch.setattr(Draft, "remove", Draft.close)
    honest = stub.endpoints[ROOT]

    def move() -> None:
        stub.checkouts.insert(900, stub.checkouts.pop(300))

    found = pulled_twice(stub, settings, cut_short(honest), honest, between=move)
    assert found.certificate["resumed"]["pages"] > 60
    assert found.certificate["sweeps"] == 2
    rows = Lake(settings.lake_path).current("checkouts").to_pylist()
    assert {row["id"] for row in rows} == {row["id"] for row in stub.checkouts}


@pytest.mark.parametrize("moved", [False, True])
def test_a_pull_whose_last_look_fails_is_gone_on_with_where_the_list_held(
    tmp_path: Path, moved: bool
) -> None:
    """The draft keeps the ends as they were when the pages between them were read."""
    stub, settings, asked = long_shop(), all_products(tmp_path), []
    honest = stub.endpoints[ROOT]

    def cut(query: dict[str, str], sent: dict[str, Any]) -> tuple[int, Any]:
        asked.append(int(query["page"]))
        if moved and asked[-1] == 1 and asked.count(1) == 2:
            stub.checkouts.pop(600)
            stub.checkouts.insert(0, made(COUNT + 1))
        if asked[-1] == PAGES and asked.count(PAGES) > 1:
            return 500, {"message": "later"}
        return honest(query, sent)

    found = pulled_twice(stub, settings, cut, honest)
    assert ("resumed" in found.certificate) is not moved
    lake = Lake(settings.lake_path)
    swept = lake.last_whole_sweep("checkouts")
    assert swept is not None
    ids = lake.read(swept[1])["id"].to_pylist()
    assert set(ids) == {row["id"] for row in stub.checkouts}


@pytest.mark.parametrize("end", [1, PAGES])
def test_without_an_end_of_the_list_no_page_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: int
) -> None:
    """It came more than an hour ago, say, and those between the ends did not."""
    stub, settings, get = long_shop(), all_products(tmp_path), Left.get

    def young(left: Left, key: str) -> Kept | None:
        return None if key == str(end) else get(left, key)

    monkeypatch.setattr(Left, "get", young)
    honest = stub.endpoints[ROOT]
    found = pulled_twice(stub, settings, cut_short(honest), honest)
    assert "resumed" not in found.certificate
