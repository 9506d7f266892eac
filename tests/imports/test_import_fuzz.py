"""Whatever bytes a file has: it is taken, or refused in one line. Nothing else."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recon.errors import RefusedFile
from recon.imports.kinds import KINDS
from recon.lake import Lake
from tests.imports.import_cases import VALID, WRITERS, taken

NAMES = ["a", "a.csv", "a.xlsx", "a.parquet", "a.jsonl", "a.xml", "a.sta"]
HEADER = b"at,amount,kind,description\n"
EVENT = b'{"created": 1760000000, "type": "x", "data": {"tracking_code": "t"}}\n'

SAMPLES = Path(__file__).parents[2] / "data" / "samples"
WORDS = [
    *("at", "amount", "kind", "description", "currency", "calendar", "jalali"),
    *("2026-10-01", "1405/07/01", "5", "-7", "۵", ",", ",", "\n", '"', ";", "\r"),
    *("\x00", "\ufeff", "ی", " "),
]
near_csv = st.lists(st.sampled_from(WORDS), max_size=40).map(
    lambda words: "".join(words).encode()
)


@cache
def sound(suffix: str) -> bytes:
    """Return a valid file's bytes; made once, since workbooks hold their time."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"made{suffix}"
        return WRITERS[suffix](path, [VALID["adjustments"]] * 3).read_bytes()


def try_to_take(kind: str, name: str, content: bytes, folder: Path) -> None:
    path = folder / name
    path.write_bytes(content)
    lake = Lake(folder / "lake")
    try:
        taken(lake, kind, path, dry_run=True)
    except RefusedFile as refused:
        assert str(refused).isprintable()  # noqa: PT017 - a success is right as well
        assert len(str(refused)) < 1_000  # noqa: PT017
    assert not lake.root.exists()


@given(
    kind=st.sampled_from(list(KINDS)),
    name=st.sampled_from(NAMES),
    content=st.binary(max_size=200) | near_csv,
)
@settings(
    max_examples=150,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_arbitrary_bytes_are_taken_or_refused(
    kind: str, name: str, content: bytes, tmp_path: Path
) -> None:
    try_to_take(kind, name, content, tmp_path)


@given(content=near_csv | st.binary(max_size=60))
@settings(
    max_examples=100,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_arbitrary_rows_under_a_valid_header_are_taken_or_refused(
    content: bytes, tmp_path: Path
) -> None:
    try_to_take("adjustments", "a.csv", HEADER + content, tmp_path)


@pytest.mark.parametrize("suffix", WRITERS)
@given(data=st.data())
@settings(
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_a_damaged_file_is_taken_or_refused(
    suffix: str, data: Any, tmp_path: Path
) -> None:
    """Valid files with bytes changed, cut away or put in."""
    content = bytearray(sound(suffix))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content) - 1))
        content[at : at + data.draw(st.integers(0, 3))] = data.draw(
            st.binary(max_size=3)
        )
    try_to_take("adjustments", f"a{suffix}", bytes(content), tmp_path)


@given(data=st.data())
@settings(
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_a_damaged_event_is_taken_or_refused(data: Any, tmp_path: Path) -> None:
    content = bytearray(EVENT * 2)
    at = data.draw(st.integers(0, len(content) - 1))
    content[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    try_to_take("events", "a.jsonl", bytes(content), tmp_path)


@pytest.mark.parametrize("suffix", [".mt940", ".xml"])
@given(data=st.data())
@settings(
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_a_damaged_statement_is_taken_or_refused(
    suffix: str, data: Any, tmp_path: Path
) -> None:
    content = bytearray((SAMPLES / f"bank_statement{suffix}").read_bytes())
    at = data.draw(st.integers(0, len(content) - 1))
    content[at : at + data.draw(st.integers(0, 9))] = data.draw(st.binary(max_size=3))
    try_to_take("bank_statement", f"a{suffix}", bytes(content), tmp_path)


def test_the_fuzzed_seeds_are_valid_by_themselves(tmp_path: Path) -> None:
    lake = Lake(tmp_path / "lake")
    for suffix, write in WRITERS.items():
        path = write(tmp_path / f"made{suffix}", [VALID["adjustments"]] * 3)
        assert taken(lake, "adjustments", path, dry_run=True).rows == 3
    (tmp_path / "a.jsonl").write_bytes(EVENT)
    assert taken(lake, "events", tmp_path / "a.jsonl", dry_run=True).rows == 1
