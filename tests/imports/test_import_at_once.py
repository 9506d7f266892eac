"""Imports of one kind that come at once end as if one had followed the other."""

from collections.abc import Callable
from pathlib import Path

import pytest

from recon.errors import UsageError
from recon.imports import evidence, voiding
from recon.imports.history import imported
from recon.imports.importing import ImportReport, take
from recon.imports.lookalikes import RESPELT
from recon.imports.voiding import void
from recon.lake import Lake
from recon.settings import Business, Settings

SETTINGS = Settings(business=Business(name="shop"))
BOOKS = "reference,amount,status,occurred_at\n7,1000,paid,2026-10-01\n"
HEAD = "booked_at,amount,description,iban,branch\n"
ROW = "2026-10-01,-5000,fee,IR062960000000100324200001,"
KEPT = evidence.keep


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


@pytest.fixture
def meanwhile(
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[[Callable[[], object]], None]:
    """Have something done once, while the next import reads its first file."""

    def do(job: Callable[[], object]) -> None:
        def keep(*args: object) -> int:
            monkeypatch.setattr(evidence, "keep", KEPT)
            job()
            return KEPT(*args)

        monkeypatch.setattr(evidence, "keep", keep)

    return do


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_one_keyed_file_is_taken_once(
    lake: Lake, tmp_path: Path, meanwhile: Callable[[Callable[[], object]], None]
) -> None:
    path = written(tmp_path, "a.csv", BOOKS)
    first: list[ImportReport] = []
    meanwhile(lambda: first.append(take("books", [path], SETTINGS, lake)))
    second = take("books", [path], SETTINGS, lake)
    assert [file.taken for file in first[0].files] == [True]
    assert [file.known for file in second.files] == [True]
    assert imported(lake).num_rows == 1


def test_nothing_is_left_of_the_import_that_began_anew(
    lake: Lake, tmp_path: Path, meanwhile: Callable[[Callable[[], object]], None]
) -> None:
    path = written(tmp_path, "a.csv", BOOKS)
    meanwhile(lambda: take("books", [path], SETTINGS, lake))
    take("books", [path], SETTINGS, lake)
    named = {file.path for commit in lake.commits() for file in commit.files}
    assert set(lake.storage.stored()) == named


def test_rows_that_another_import_spells_otherwise_count_once(
    lake: Lake, tmp_path: Path, meanwhile: Callable[[Callable[[], object]], None]
) -> None:
    first = written(tmp_path, "a.csv", HEAD + ROW + "007\n")
    again = written(tmp_path, "b.csv", HEAD + ROW + "7\n")
    meanwhile(lambda: take("bank_statement", [first], SETTINGS, lake))
    report = take("bank_statement", [again], SETTINGS, lake)
    assert report.files[0].warnings == (f"{RESPELT}: 1 row, first at line 2",)
    assert len({*lake.versions("bank_statement")["record_hash"].to_pylist()}) == 1


def test_an_import_of_another_kind_is_no_concern(
    lake: Lake, tmp_path: Path, meanwhile: Callable[[Callable[[], object]], None]
) -> None:
    path = written(tmp_path, "a.csv", BOOKS)
    other = written(tmp_path, "b.csv", HEAD + ROW + "7\n")
    meanwhile(lambda: take("bank_statement", [other], SETTINGS, lake))
    started = len(lake.commits())
    assert take("books", [path], SETTINGS, lake).pull_id is not None
    assert len(lake.commits()) == started + 2


def test_a_file_that_is_taken_back_meanwhile_is_taken(
    lake: Lake, tmp_path: Path, meanwhile: Callable[[Callable[[], object]], None]
) -> None:
    path = written(tmp_path, "a.csv", BOOKS)
    other = written(tmp_path, "b.csv", BOOKS.replace("7,", "8,"))
    take("books", [path], SETTINGS, lake)
    meanwhile(lambda: void("books", [path], lake))
    report = take("books", [path, other], SETTINGS, lake)
    assert [file.taken for file in report.files] == [True, True]


def test_an_import_is_taken_back_once(
    lake: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, "a.csv", BOOKS)
    take("books", [path], SETTINGS, lake)
    named = voiding.certificate

    def meanwhile(*args: object) -> object:
        monkeypatch.setattr(voiding, "certificate", named)
        void("books", [path], lake)
        return named(*args)

    monkeypatch.setattr(voiding, "certificate", meanwhile)
    with pytest.raises(UsageError, match="its import was taken back at"):
        void("books", [path], lake)
