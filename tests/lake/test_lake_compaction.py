"""Compaction changes no reading, loses no commit, and can be done without."""

import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recon.errors import LakeError
from recon.lake import Lake, commits, compaction, writing
from recon.lake import lake as lake_module
from recon.lake.encryption import Key
from recon.lake.health import Kind, examine
from recon.lake.leftovers import sweep_orphans
from recon.lake.parts import COMPACTION, Parts
from recon.lake.schema import COMPACTED
from recon.settings import Secret
from tests.lake.bucket_cases import bucket_lake
from tests.lake.compaction_cases import (
    BOUNDS,
    assert_reads_as_before,
    compacted,
    counted,
    newest,
    parts,
    rows,
)
from tests.lake.lake_cases import committed, ids, mandate
from tests.lake.s3_server import serving
from tests.reconcile.lake_history import MovingClock, at

KEY = Key.of(Secret("5e" * 32))


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    """Make a lake of three pulls: b and c changed, c twice."""
    made = Lake(tmp_path / "lake")
    committed(made, ["a", "b", "c"])
    committed(made, ["b", "c"], status="revoked")
    committed(made, ["c"], status="expired")
    return made


def status_of(lake: Lake, as_of: datetime | None = None) -> dict[str, str]:
    found = lake.current("mandates", ["id", "status"], as_of).to_pylist()
    assert len(found) == len({row["id"] for row in found})
    return {row["id"]: row["status"] for row in found}


STANDING = {"a": "active", "b": "revoked", "c": "expired"}


def test_the_newest_versions_stand_in_one_file_and_the_others_in_another(
    lake: Lake,
) -> None:
    made = compacted(lake)
    assert (made.kind, made.certificate["covers"]) == (COMPACTION, 3)
    found = parts(lake)
    assert found.later == ()
    kept, aside = rows(lake, found.compacted), rows(lake, found.superseded)
    assert {row["id"]: row["status"] for row in kept} == STANDING
    assert sorted(row["id"] for row in aside) == ["b", "c", "c"]
    assert status_of(lake) == STANDING
    assert_reads_as_before(lake, "mandates")


def test_a_table_without_repeated_keys_has_no_file_of_others(tmp_path: Path) -> None:
    lake = Lake(tmp_path)
    committed(lake, ["a", "b"])
    made = compacted(lake)
    assert [file.folder for file in made.files] == ["compacted"]
    assert_reads_as_before(lake, "mandates")


def test_what_comes_later_is_read_beside_the_compacted(lake: Lake) -> None:
    compacted(lake)
    committed(lake, ["a", "d"], status="later")
    assert status_of(lake) == {**STANDING, "a": "later", "d": "later"}
    assert len(ids(lake)) == 8
    assert [file.rows for file in parts(lake).later] == [2]
    assert_reads_as_before(lake, "mandates")


def test_the_next_one_copies_only_what_stands(lake: Lake) -> None:
    first = compacted(lake)
    committed(lake, ["a", "d"], status="later")
    second = compacted(lake)
    assert second.certificate["upon"] == {"mandates": first.sequence}
    found = parts(lake)
    assert [file.rows for file in found.superseded] == [1, 3]
    assert_reads_as_before(lake, "mandates")


def test_as_of_a_time_before_it_nothing_of_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (commits, lake_module, writing):
        monkeypatch.setattr(module, "datetime", MovingClock)
    made = Lake(tmp_path)
    for day in (1, 2, 3):
        MovingClock.present = at(day)
        committed(made, ["a"], status=f"day {day}")
    MovingClock.present = at(4)
    compacted(made)
    for instant, status in ((at(1), "day 1"), (at(2), "day 2"), (at(3), "day 3")):
        assert parts(made, as_of=instant).made_by == 0
        assert status_of(made, instant) == {"a": status}
    assert parts(made, as_of=at(4)).made_by == 4
    assert status_of(made, at(4)) == {"a": "day 3"}


def test_a_commit_that_began_earlier_and_ends_later_is_no_newer(lake: Lake) -> None:
    slow = lake.begin("pull", "mandates")
    slow.rows("mandates", [mandate("c", status="old news")])
    committed(lake, ["c"], status="newest")
    compacted(lake)
    slow.commit()
    assert status_of(lake)["c"] == "newest"
    assert_reads_as_before(lake, "mandates")
    compacted(lake)
    assert status_of(lake)["c"] == "newest"
    assert_reads_as_before(lake, "mandates")


def test_a_commit_that_comes_meanwhile_is_not_lost(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = compaction._put_together

    def interrupted(*given: Any) -> int:
        committed(lake, ["a", "e"], status="meanwhile")
        return real(*given)

    monkeypatch.setattr(compaction, "_put_together", interrupted)
    made = compacted(lake, "mandates")
    assert (made.certificate["covers"], made.sequence) == (3, 5)
    assert status_of(lake) == {**STANDING, "a": "meanwhile", "e": "meanwhile"}
    assert_reads_as_before(lake, "mandates")


def test_of_two_at_once_one_counts_and_the_next_goes_on_from_it(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    compacted(lake)
    committed(lake, ["a"], status="later")
    real = compaction._put_together

    def interrupted(*given: Any) -> int:
        monkeypatch.setattr(compaction, "_put_together", real)
        compacted(lake)
        return real(*given)

    monkeypatch.setattr(compaction, "_put_together", interrupted)
    compacted(lake)
    assert_reads_as_before(lake, "mandates")
    committed(lake, ["b"], status="latest")
    compacted(lake)
    assert parts(lake).later == ()
    assert_reads_as_before(lake, "mandates")


def test_a_reading_that_leaves_commits_out_does_without_it(lake: Lake) -> None:
    compacted(lake)
    some = [each for each in lake.commits() if each.sequence != 2]
    assert lake.parts("mandates", some).made_by == 0


@pytest.mark.parametrize("folder", ["compacted", "superseded"])
def test_a_damaged_one_is_passed_over_and_named(lake: Lake, folder: str) -> None:
    compacted(lake)
    committed(lake, ["d"])
    (path,) = (lake.root / folder / "mandates").glob("*.parquet")
    path.write_bytes(path.read_bytes()[:-1] + b"!")
    fresh = Lake(lake.root)
    assert status_of(fresh) == {**STANDING, "d": "active"}
    assert_reads_as_before(fresh, "mandates")
    (damage,) = examine(fresh).damages
    assert (damage.kind, damage.table) == (Kind(folder), "mandates")
    compacted(fresh)
    found = parts(fresh)
    assert (found.made_by, found.later) == (6, ())
    assert_reads_as_before(fresh, "mandates")


def test_without_its_record_the_lake_reads_as_before(lake: Lake) -> None:
    made = compacted(lake)
    (lake.root / f"commits/{made.sequence:08d}.json").unlink()
    fresh = Lake(lake.root)
    assert parts(fresh).made_by == 0
    assert status_of(fresh) == STANDING
    assert {left.path for left in examine(fresh).leftovers} == {
        file.path for file in made.files
    }


def test_its_files_are_examined_and_never_swept(lake: Lake) -> None:
    made = compacted(lake)
    health = examine(lake, deep=True)
    assert health.whole
    assert health.leftovers == []
    assert health.file_count == 6 + len(made.files)
    assert sweep_orphans(lake) == []


def test_the_rows_of_a_key_that_is_replaced_whole_stay_together(tmp_path: Path) -> None:
    lake = Lake(tmp_path)
    for amounts in ((1, 2), (3, 3, 4), (5,)):
        with lake.begin("import", "books") as made:
            lines = [{"reference": "r", "amount": each} for each in amounts]
            made.rows("books", [{**line, "page_no": 1} for line in lines])
            if len(amounts) == 3:
                made.rows("books", [{"reference": "s", "amount": 7, "page_no": 1}] * 2)
            made.commit()
        compacted(lake)
        assert_reads_as_before(lake, "books")
    kept = rows(lake, parts(lake, "books").compacted)
    assert sorted(row["amount"] for row in kept) == [5, 7, 7]
    assert_reads_as_before(lake, "books")
    assert lake.current("books").num_rows == 2


def file_of(count: int) -> Any:
    return commits.StoredFile(
        folder="records", table="x", path="", rows=count, size=0, sha256=""
    )


@pytest.mark.parametrize(
    ("later", "known", "due"),
    [
        ([99_999], 0, False),
        ([100_000], 0, True),
        ([100_000], 1_000_000, True),
        ([100_000], 1_000_001, False),
        ([1] * 99, 0, False),
        ([1] * 100, 10_000_000, True),
    ],
)
def test_a_table_is_due_by_what_came_since(
    later: list[int], known: int, due: bool
) -> None:
    files = tuple(map(file_of, later))
    assert compaction.is_due(Parts(files, (file_of(known),))) is due


def test_nothing_is_written_where_nothing_is_due(lake: Lake) -> None:
    assert compaction.compact(lake, BOUNDS) is None
    compacted(lake)
    assert compaction.compact(lake, BOUNDS, COMPACTED) is None
    assert len(lake.commits()) == 4


def test_one_that_does_not_add_up_is_refused(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = compaction._copy

    def losing(*given: Any) -> int:
        return real(*given) - 1

    monkeypatch.setattr(compaction, "_copy", losing)
    with pytest.raises(LakeError, match="mandates cannot be compacted"):
        compacted(lake)
    assert len(lake.commits()) == 3
    assert not list(lake.root.glob("compacted/*/*"))


@pytest.mark.parametrize(
    "error",
    [
        duckdb.OutOfMemoryException("no room\nfor it"),
        pa.ArrowInvalid("no room"),
        OSError("no room"),
    ],
)
def test_one_that_has_no_room_is_told_and_leaves_nothing(
    lake: Lake, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def full(*_: Any) -> int:
        raise error

    monkeypatch.setattr(compaction, "_copy", full)
    with pytest.raises(LakeError, match=r"mandates cannot be compacted: no room$"):
        compacted(lake)
    assert examine(lake).leftovers == []
    assert len(lake.commits()) == 3


@pytest.fixture(params=["folder", "encrypted", "bucket", "encrypted bucket"])
def shared(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    """Open a lake of each kind, as often as wanted."""
    key = Secret("5e" * 32 if "encrypted" in request.param else "")
    if "bucket" not in request.param:
        yield lambda _: Lake(tmp_path / "lake", key=Key.of(key))
        return
    with serving() as store:
        yield lambda name: bucket_lake(store.url, tmp_path / name, encryption_key=key)


def test_every_kind_of_lake_is_compacted_alike(shared: Any) -> None:
    one = shared("one")
    for status in ("active", "revoked"):
        committed(one, ["a", "b"], status=status)
        with one.begin("pull", "checkouts") as made:
            lists = {"payment_ids": ["p", status]}
            made.rows("checkouts", [{"id": "c", "amount": 5, **lists}])
            made.rows("checkouts", [{"id": None, "status": status}])
            made.commit()
    compacted(one)
    committed(one, ["b", "c"], status="later")
    other = shared("two")
    assert status_of(other) == {"a": "revoked", "b": "later", "c": "later"}
    for table in ("mandates", "checkouts", "payments"):
        assert_reads_as_before(other, table)
    assert parts(other, "checkouts").made_by == 5
    assert examine(other, deep=True).whole


ROW = st.tuples(st.sampled_from(["a", "b", "c", None]), st.integers(1, 3))
NIGHT = st.lists(ROW, max_size=4)
STEP = st.one_of(NIGHT, NIGHT, st.integers(0, 9))
"""A night's rows, or a compaction of what was known so many commits ago."""


@settings(max_examples=60)
@given(
    history=st.lists(STEP, min_size=2, max_size=7),
    table=st.sampled_from(["mandates", "tariff"]),
)
def test_any_history_reads_the_same_with_and_without(
    history: list[Any], table: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("history")
    lake = Lake(folder)
    present = datetime(2026, 10, 1, tzinfo=UTC)
    with pytest.MonkeyPatch.context() as patch:
        for module in (commits, lake_module, writing):
            patch.setattr(module, "datetime", MovingClock)
        instants = []
        for number, step in enumerate(history):
            MovingClock.present = present + timedelta(hours=number)
            instants.append(MovingClock.present)
            if isinstance(step, int):
                back = instants[max(0, number - step)]
                compaction.compact(lake, BOUNDS, [table], as_of=back)
            else:
                night(lake, table, step)
        for instant in instants:
            assert_reads_as_before(lake, table, instant)
            versions = lake.versions(table, instant).to_pylist()
            if table == "mandates":
                current = lake.current(table, as_of=instant).to_pylist()
                assert counted(current) == counted(newest(table, versions))
    shutil.rmtree(folder)


def night(lake: Lake, table: str, found: list[Any]) -> None:
    own = "id" if table == "mandates" else "product"
    with lake.begin("pull", table) as made:
        made.rows(
            table,
            [
                {own: name, "page_no": page_no, "position": place}
                for place, (name, page_no) in enumerate(found)
            ],
        )
        made.commit()
