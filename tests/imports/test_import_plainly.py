"""Rows of earlier files are found as one row after the other would find them."""

import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch
from zoneinfo import ZoneInfo

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recon.imports.likeness import _even_cell, even_text
from recon.imports.lookalikes import RESPELT, TOPIC, Lookalikes
from recon.imports.repeats import Repeats
from recon.imports.shape import DESCRIBED, Record
from recon.lake import Lake, open_files, writing
from recon.lake.schema import TABLES
from recon.lake.voids import VOID, certificate
from recon.times import business_date
from tests.lake.lake_cases import page

TABLE = "bank_statement"
NAMES = TABLES[TABLE].columns.names
ZONE = ZoneInfo("Asia/Tehran")

TEXTS = ["fee", " fee", "f  ee", "f ee", "کارمزد", "كارمزد\u200c", "", None, "a\tb"]
CELLS = ["7", "007", "7.0", "۷", "1,000", "1000", "", "2026/10/1", "2026-10-01 00:00"]
INSTANTS = [datetime(2026, 10, 1, hour, tzinfo=UTC) for hour in (0, 5, 21)]
ROW = st.fixed_dictionaries(
    {
        "booked_at": st.sampled_from(INSTANTS),
        "amount": st.sampled_from([-1, -2, 5000]),
        "description": st.sampled_from(TEXTS),
        "iban": st.sampled_from(["IR1", "IR2"]),
        "extra": st.dictionaries(
            st.sampled_from(["row", "row "]), st.sampled_from(CELLS), max_size=2
        ),
        "further": st.sampled_from([0, 0, 1, 2]),  # what is read of it beyond the first
    }
)
FILES = st.lists(st.lists(ROW, min_size=1, max_size=5), min_size=1, max_size=3)
COMMANDS = st.lists(st.one_of(FILES, st.integers(0, 5)), min_size=2, max_size=4)
"""The files of an import, or which of the imports so far is taken back."""

Stored = tuple[object, Record, str]


class Plainly:
    """What a command tells of its rows, by looking at every earlier one each time."""

    def __init__(self, stored: Sequence[Stored]) -> None:
        self.earlier: list[tuple[Any, Any, str]] = []
        self.entries: Counter[Any] = Counter()
        self.begin_file()
        file = object()
        for place, record, digest in stored:
            if place != file:
                file = place
                self.begin_file()
            self.take(record, digest, 0)
        self.begin_file()

    def begin_file(self) -> None:
        for row in getattr(self, "rows", []):
            self.earlier.append(row)
        for entry, _ in getattr(self, "own", []):
            self.entries[entry] += 1
        self.rows: list[tuple[Any, Any, str]] = []
        self.own: list[tuple[Any, int]] = []
        self.shared: Counter[Any] = Counter()

    def take(self, record: Record, digest: str, line: int) -> tuple[str, str]:
        topic = ""
        texts = [record[name] for name in NAMES if name != "extra"]
        ours = tuple(even_text(e) if isinstance(e, str) else e for e in texts)
        columns = msgspec.json.decode(record["extra"]).items()
        even = sorted((even_text(name), _even_cell(cell)) for name, cell in columns)
        whole = ours, tuple(each for each in even if each[1])
        known = [digest[:16] == other[:16] for _, _, other in self.earlier]
        is_shared = any(other == ours for other, _, _ in self.earlier)
        if is_shared and not any(known):
            same = {d for _, w, d in self.earlier if w == whole and ":" not in d}
            topic = RESPELT if len(same) == 1 and ":" not in digest else TOPIC
            digest = same.pop() if topic == RESPELT else digest
        self.rows.append((ours, whole, digest))
        day = business_date(record["booked_at"], ZONE)
        entry = record["iban"], day, record["amount"]
        if is_shared:
            self.shared[entry] += 1
        else:
            self.own.append((entry, line))
        return digest, topic

    def duplicates(self) -> list[int]:
        days = {entry[:2] for entry in self.entries}
        left, found, others = self.entries - self.shared, [], 0
        for entry, line in self.own:
            if left[entry] > 0:
                left[entry] -= 1
                found.append(line)
            elif entry[:2] in days:
                others += 1
        return found if len(found) > others else []


@pytest.fixture(scope="module", autouse=True)
def small_groups() -> Iterator[None]:
    """Files have groups of two rows."""
    with (
        patch.object(open_files, "_GROUP_ROWS", 2),
        patch.object(open_files, "_BUFFERED_ROWS", 2),
        patch.object(writing, "_ROWS_AT_ONCE", 2),
    ):
        yield


def record(row: Mapping[str, Any]) -> Record:
    made: Record = dict.fromkeys(NAMES) | {n: row[n] for n in NAMES if n in row}
    made["extra"] = json.dumps(row["extra"], ensure_ascii=False)
    if row["further"]:
        made["description"] = row["description"] or ""
        made[DESCRIBED] = made["description"] + " more" * row["further"]
    return made


def imported(lake: Lake, files: Sequence[Sequence[Mapping[str, Any]]]) -> str:
    """Import files, and compare what is told of each row; returns the commit's id."""
    stored = [
        ((path, row["page_no"]), row, row["record_hash"])
        for path in lake.files(TABLE)
        for row in lake.read(path).to_pylist()
    ]
    plainly, lookalikes = Plainly(stored), Lookalikes(lake, TABLE, ZONE)
    with lake.begin("import", TABLE) as made:
        for number, rows in enumerate(files, start=1):
            plainly.begin_file()
            lookalikes.begin_file(is_last=number == len(files))
            page_no = made.page(page())
            for line, row in enumerate(rows, start=2):
                noted = Repeats(TABLE).note(line, record(row), page_no)
                digest = noted["record_hash"]
                noted["record_hash"] = lookalikes.stored_as(noted, digest, line)
                told = noted["record_hash"], lookalikes.topic
                assert told == plainly.take(noted, digest, line)
                made.rows(TABLE, [noted])
            assert lookalikes.duplicates() == plainly.duplicates()
        return made.commit().id


@settings(max_examples=50)
@given(commands=COMMANDS)
def test_rows_of_earlier_files_are_found_as_each_by_itself(
    commands: list[list[list[dict[str, Any]]] | int],
) -> None:
    """Of several files a command, read further, spelt otherwise, and taken back."""
    folder = tempfile.mkdtemp()
    try:
        lake = Lake(Path(folder) / "lake")
        standing: list[str] = []
        for command in commands:
            if not isinstance(command, int):
                standing.append(imported(lake, command))
            elif standing:
                gone = standing.pop(command % len(standing))
                with lake.begin(VOID, TABLE) as made:
                    made.commit(certificate=certificate([gone]))
    finally:
        shutil.rmtree(folder)
