"""Which rows of an order count: all those of the newest file that has its key."""

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recon.lake.schema import PASSED_OVER
from recon.reconcile.engines import DuckEngine
from tests.builders import AS_OF, book, lake_tables
from tests.raw_rows import raw_table
from tests.reconcile.test_matching import SETTINGS

Row = dict[str, Any]

LINES = st.lists(
    st.fixed_dictionaries(
        {
            "reference": st.sampled_from(["1", "2", None]),
            "product": st.sampled_from([None, "unified", "hosted"]),
            "pull_id": st.sampled_from(["1", "2", "3"]),
            "page_no": st.sampled_from([1, 2]),
            "status": st.sampled_from(["paid", "unpaid", None, PASSED_OVER]),
        }
    ),
    max_size=9,
)


def newest(rows: list[Row]) -> list[Row]:
    """Return the lines of each key's newest file, by plain loops."""
    last: dict[tuple[str | None, str | None], tuple[str, int]] = {}
    for row in rows:
        key, file = key_and_file(row)
        last[key] = max(file, last.get(key, file))
    return [row for row in rows if last[key_and_file(row)[0]] == key_and_file(row)[1]]


def key_and_file(row: Row) -> tuple[tuple[str | None, str | None], tuple[str, int]]:
    return (row["reference"], row["product"]), (row["pull_id"], row["page_no"])


@settings(max_examples=150)
@given(LINES, st.sampled_from(["0", "1", "2", "3"]))
def test_the_newest_file_of_a_key_has_all_lines_of_it(
    lines: list[Row], compacted_to: str
) -> None:
    """Wherever they lie: of what is compacted, only what was the newest counts."""
    rows = [book(**row, position=place) for place, row in enumerate(lines)]
    early = [row for row in rows if row["pull_id"] <= compacted_to]
    parts = {
        "compacted": newest(early),
        "superseded": [row for row in early if row not in newest(early)],
        "later": [row for row in rows if row["pull_id"] > compacted_to],
    }
    tables = {
        f"books_{part}": raw_table(f"books_{part}", held)
        for part, held in parts.items()
    }
    with DuckEngine.open(tables, SETTINGS, AS_OF) as engine:
        found = engine.table("stg_books__orders")["position"].to_pylist()
    assert sorted(found) == [
        row["position"] for row in newest(rows) if row["status"] != PASSED_OVER
    ]


@pytest.mark.parametrize("compacted_to", [0, 1, 2])
def test_what_an_earlier_export_said_is_known_after_a_compaction(
    compacted_to: int,
) -> None:
    """The order was paid before the last good read, whatever came in an outage."""
    read_at, failed_at = AS_OF - timedelta(hours=24), AS_OF - timedelta(hours=1)
    tables = lake_tables(
        {
            "commits": [
                {"source": "checkouts", "started_at": read_at},
                {"source": "checkouts", "started_at": failed_at, "complete": False},
            ],
            "checkouts": [{"status": "not_paid"}],
            "books": [
                {"reference": "1001", "pull_id": "1", "seen_at": read_at},
                {"reference": "1001", "pull_id": "2", "seen_at": failed_at},
            ],
        }
    )
    books = tables.pop("books")
    early = books[:compacted_to]
    parts = (early[-1:], early[:-1], books[compacted_to:])
    names = ("books_compacted", "books_superseded", "books_later")
    tables |= dict(zip(names, parts, strict=True))
    with DuckEngine.open(tables, SETTINGS, AS_OF) as engine:
        assert engine.table("check_book_status_mismatch").num_rows == 1
