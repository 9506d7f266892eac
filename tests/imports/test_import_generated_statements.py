"""What is imported of statements made by chance is what they were made of."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from recon.lake import Lake
from tests.imports.generated_statements import WRITERS, drawn, inner_pages
from tests.imports.import_cases import stored, taken

SEEDS = [seed for seed in range(30) if any(drawn(seed).entries)]
FORMS = pytest.mark.parametrize("form", WRITERS)
TEHRAN = ZoneInfo("Asia/Tehran")


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


def doubts(lake: Lake, text: str) -> Sequence[str]:
    """Import a statement; returns what is told of it, but not of what is not booked."""
    path = lake.root.parent / "a.txt"
    path.write_text(text)
    (file,) = taken(lake, "bank_statement", path).files
    return [each for each in file.warnings if not each.startswith("not booked yet")]


@FORMS
@pytest.mark.parametrize("seed", SEEDS)
def test_every_entry_is_imported_as_it_was_made(
    form: str, seed: int, lake: Lake
) -> None:
    made = drawn(seed)
    assert doubts(lake, WRITERS[form](made)) == []
    expected = [
        (account, entry.booked, entry.rials, " ".join(entry.texts) or None)
        for account, entry in made.entries
    ]
    found = [
        (
            row["iban"],
            row["booked_at"].astimezone(TEHRAN).date(),
            row["amount"],
            row["description"],
        )
        for row in stored(lake, "bank_statement")
    ]
    assert found == expected


@FORMS
@pytest.mark.parametrize("seed", SEEDS)
def test_the_balance_after_every_entry_is_kept(
    form: str, seed: int, lake: Lake
) -> None:
    made = drawn(seed)
    doubts(lake, WRITERS[form](made))
    expected = []
    for account, _, pages in made.statements:
        for page in pages:
            sums = accumulate((each.rials for each in page.entries), initial=0)
            after = [page.opening + moved for moved in list(sums)[1:]]
            expected += [(account, each) for each in after]
    found = stored(lake, "bank_balances")
    assert [(row["iban"], row["balance"]) for row in found] == expected
    statements = dict.fromkeys(row["statement"] for row in found)
    filled = [page for *_, pages in made.statements for page in pages if page.entries]
    assert len(statements) == len(filled)


@FORMS
@pytest.mark.parametrize("seed", SEEDS)
def test_each_page_that_is_not_in_the_file_is_told(
    form: str, seed: int, lake: Lake
) -> None:
    for place in inner_pages(drawn(seed))[:3]:
        assert doubts(lake, WRITERS[form](drawn(seed), without=place)) != []


@FORMS
@pytest.mark.parametrize("seed", SEEDS)
def test_each_entry_that_is_not_in_the_file_is_told(
    form: str, seed: int, lake: Lake
) -> None:
    """Its page does not add up, and no other is doubted."""
    made = drawn(seed)
    account, pages, place = next(
        (account, pages, place)
        for account, _, pages in made.statements
        for place, page in enumerate(pages)
        if page.entries
    )
    page = pages[place]
    pages[place] = replace(page, entries=page.entries[1:])
    (told,) = doubts(lake, WRITERS[form](made))
    assert told.startswith(f"the statement of {account} does not add up: ")
    assert told.endswith(f", but it closes at {page.closing:,}")
