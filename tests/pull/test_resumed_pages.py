"""Of what a killed pull left, a page counts only if it is one of the list as it is."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from recon.lake import Lake
from recon.lake.pages import Page
from recon.pull import runner
from recon.pull.drafts import Draft, Left
from tests.pull.killed_pulls import PAGES, ROOT, long_shop
from tests.pull.provider_stub import all_products

STRANGE = 30
"""The page that came otherwise."""


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

    for answer, status in ((first, "incomplete"), (then, "complete")):
        stub.endpoints[ROOT] = answer
        lake = Lake(settings.lake_path)
        report = runner.pull(settings, lake, ["checkouts"], transport=stub.transport)
        assert report.sources[0].status == status
    assert (STRANGE not in asked) == taken
    assert STRANGE - 1 not in asked


def test_the_sweep_after_one_that_took_pages_reads_all_anew(tmp_path: Path) -> None:
    """By its draft a row that changed its place is met twice, and another never."""
    stub, settings = long_shop(), all_products(tmp_path)
    honest = stub.endpoints[ROOT]

    def cut(query: dict[str, str], sent: dict[str, Any]) -> tuple[int, Any]:
        if int(query["page"]) in range(80, PAGES):
            return 500, {"message": "later"}
        return honest(query, sent)

    for answer, status in ((cut, "incomplete"), (honest, "complete")):
        stub.endpoints[ROOT] = answer
        lake = Lake(settings.lake_path)
        report = runner.pull(settings, lake, ["checkouts"], transport=stub.transport)
        (found,) = report.sources
        assert found.status == status
        stub.checkouts.insert(900, stub.checkouts.pop(300))
    assert found.certificate["resumed"]["pages"] > 60
    assert found.certificate["sweeps"] == 2
    rows = Lake(settings.lake_path).current("checkouts").to_pylist()
    assert {row["id"] for row in rows} == {row["id"] for row in stub.checkouts}


def test_of_two_drafts_the_fuller_is_gone_on_with(tmp_path: Path) -> None:
    lake = Lake(tmp_path)
    for pull_id, keys in (("1", "a"), ("2", "abc"), ("3", "ab")):
        draft = Draft(lake, "checkouts", "there", pull_id)
        for key in keys:
            draft.keep(key, Page(url="there", received_at=lake.now(), body=b"{}"))
        draft.close()
    left = Left.find(lake, "checkouts", "there")
    assert left is not None
    assert list(left.keys()) == ["a", "b", "c"]
