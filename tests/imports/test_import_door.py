import json
import os
import re
import tempfile
from pathlib import Path

import pytest

from recon.errors import ExitCode, LakeError, RefusedFile, UsageError
from recon.imports import copies
from recon.imports.importing import take
from recon.imports.kinds import KINDS
from recon.lake import Lake
from recon.settings import Business, Settings
from recon.times import zone
from tests.imports.import_cases import (
    SETTINGS,
    VALID,
    changed,
    stored,
    taken,
    write_csv,
)


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


def test_the_kinds_are_the_interfaces() -> None:
    assert list(KINDS) == [
        "books",
        "balances",
        "deposits",
        "adjustments",
        "bank_statement",
        "tariff",
        "gateway_tokens",
        "hosted_checkouts",
        "events",
    ]


def test_a_file_is_reported_and_its_rows_are_stored(lake: Lake, tmp_path: Path) -> None:
    path = write_csv(tmp_path / "books.csv", [VALID["books"], changed("books")])
    report = taken(lake, "books", path)
    (file,) = report.files
    assert (report.kind, report.dry_run, report.rows) == ("books", False, 2)
    assert (file.name, file.rows, file.taken, file.known) == (
        "books.csv",
        2,
        True,
        False,
    )
    assert file.sha256 == copies.sha256_of(path)
    assert [row["position"] for row in stored(lake, "books")] == [2, 3]
    assert {row["page_no"] for row in stored(lake, "books")} == {1}
    (commit,) = lake.commits()
    assert (commit.id, commit.kind, commit.source) == (
        report.pull_id,
        "import",
        "books",
    )
    assert commit.counts == {"files": 1, "records": 2, "repeated": 1}


def test_a_report_is_plain_json(lake: Lake, tmp_path: Path) -> None:
    path = write_csv(tmp_path / "books.csv", [VALID["books"]])
    found = json.loads(json.dumps(taken(lake, "books", path).as_dict()))
    assert found["files"][0]["taken"] is True


def test_the_files_bytes_are_kept_as_evidence_under_their_name_only(
    lake: Lake, tmp_path: Path
) -> None:
    path = write_csv(tmp_path / "books.csv", [VALID["books"]])
    report = taken(lake, "books", path)
    page = lake.page(report.pull_id or "", 1)
    assert page.body == path.read_bytes()
    assert (page.method, page.url) == ("IMPORT", "file:books.csv")


def test_a_large_file_is_kept_in_parts_and_the_first_stands_for_it(
    lake: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copies, "PART_BYTES", 100)
    first = write_csv(tmp_path / "a.csv", [VALID["books"]] * 5)
    second = write_csv(tmp_path / "b.csv", [changed("books", reference="2")])
    report = taken(lake, "books", first, second)
    count = -(-first.stat().st_size // 100)
    pages = [lake.page(report.pull_id or "", at + 1) for at in range(count)]
    assert b"".join(page.body for page in pages) == first.read_bytes()
    assert [row["page_no"] for row in stored(lake, "books")] == [1] * 5 + [count + 1]


def test_an_unknown_kind_names_the_known_ones(lake: Lake, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="'book' is no kind of import: books, "):
        taken(lake, "book", tmp_path / "books.csv")


def test_no_file_at_all_is_a_wrong_call(lake: Lake) -> None:
    with pytest.raises(UsageError, match="no file is named"):
        taken(lake, "books")


def test_a_missing_file_is_refused_in_one_line(lake: Lake, tmp_path: Path) -> None:
    with pytest.raises(RefusedFile, match=r"^gone\.csv: cannot be read: No such file"):
        taken(lake, "books", tmp_path / "gone.csv")
    assert RefusedFile.exit_code == ExitCode.USAGE
    assert not lake.root.exists()


@pytest.mark.parametrize("what", ["folder", "pipe"])
def test_what_is_no_file_is_refused(lake: Lake, tmp_path: Path, what: str) -> None:
    path = tmp_path / "books.csv"
    os.mkfifo(path) if what == "pipe" else path.mkdir()
    with pytest.raises(RefusedFile, match=r"^books\.csv: is not a file"):
        taken(lake, "books", path)


@pytest.mark.parametrize("folder", [".", "/"])
def test_a_folder_without_a_name_is_refused_as_it_was_given(
    lake: Lake, folder: str
) -> None:
    with pytest.raises(RefusedFile, match=f"^{re.escape(folder)}: is not a file"):
        taken(lake, "books", Path(folder))


def test_a_control_character_in_a_files_name_reaches_no_terminal(
    lake: Lake, tmp_path: Path
) -> None:
    path = write_csv(tmp_path / "bo\x1b[2Joks\n.csv", [changed("books", amount="x")])
    with pytest.raises(RefusedFile) as caught:
        taken(lake, "books", path)
    assert str(caught.value).isprintable()


def test_a_bad_row_in_the_last_file_takes_nothing_of_any(
    lake: Lake, tmp_path: Path
) -> None:
    good = write_csv(tmp_path / "good.csv", [VALID["books"]] * 3)
    bad = write_csv(
        tmp_path / "bad.csv", [VALID["books"], changed("books", amount="1.5")]
    )
    with pytest.raises(RefusedFile, match=r"^bad\.csv, line 3, column amount: '1\.5'"):
        taken(lake, "books", good, bad)
    assert lake.commits() == []
    assert list(lake.root.rglob("*.parquet")) == []


def test_a_dry_run_checks_and_writes_nothing(lake: Lake, tmp_path: Path) -> None:
    good = write_csv(tmp_path / "good.csv", [VALID["books"]] * 2)
    report = taken(lake, "books", good, dry_run=True)
    assert (report.rows, report.pull_id, report.dry_run) == (2, None, True)
    assert [(file.taken, file.known) for file in report.files] == [(False, False)]
    bad = write_csv(tmp_path / "bad.csv", [changed("books", status="maybe")])
    with pytest.raises(RefusedFile, match="column status: 'maybe'"):
        taken(lake, "books", bad, dry_run=True)
    assert not lake.root.exists()


def test_the_same_file_twice_changes_nothing(lake: Lake, tmp_path: Path) -> None:
    path = write_csv(tmp_path / "books.csv", [VALID["books"]] * 2)
    before = taken(lake, "books", path)
    again = taken(lake, "books", path.rename(tmp_path / "renamed.csv"))
    assert len(lake.commits()) == 1
    assert again.pull_id is None
    (file,) = again.files
    assert (file.taken, file.known, file.rows, file.repeated_rows) == (
        False,
        True,
        2,
        1,
    )
    assert file.sha256 == before.files[0].sha256


def test_an_older_file_of_a_kind_with_a_key_counts_again(
    lake: Lake, tmp_path: Path
) -> None:
    first = write_csv(tmp_path / "first.csv", [VALID["books"]])
    second = write_csv(tmp_path / "second.csv", [changed("books", amount="7")])
    for path in (first, second, first):
        assert taken(lake, "books", path).files[0].taken
    current = lake.current("books", ["amount"]).to_pylist()
    assert [row["amount"] for row in current] == [1_200_000]


def test_only_the_new_file_beside_the_newest_one_is_taken(
    lake: Lake, tmp_path: Path
) -> None:
    first = write_csv(tmp_path / "first.csv", [VALID["books"]])
    second = write_csv(tmp_path / "second.csv", [changed("books", reference="2")])
    taken(lake, "books", first)
    report = taken(lake, "books", first, second, second)
    assert [file.taken for file in report.files] == [False, True, False]
    assert len(stored(lake, "books")) == 2
    assert not any(file.taken for file in taken(lake, "books", first, second).files)
    assert not any(file.taken for file in taken(lake, "books", second).files)
    assert len(lake.commits()) == 2


def test_a_file_of_a_kind_without_a_key_is_taken_once_for_all(
    lake: Lake, tmp_path: Path
) -> None:
    first = write_csv(tmp_path / "first.csv", [VALID["adjustments"]])
    second = write_csv(tmp_path / "second.csv", [changed("adjustments", amount="7")])
    results = [
        taken(lake, "adjustments", path).files[0].taken
        for path in (first, second, first, second)
    ]
    assert results == [True, True, False, False]


def test_a_file_read_in_another_time_zone_is_another_file(
    lake: Lake, tmp_path: Path
) -> None:
    path = write_csv(tmp_path / "a.csv", [changed("balances", at="2026-10-02")])
    taken(lake, "balances", path)
    abroad = Settings(business=Business(name="shop", timezone=zone("Europe/Berlin")))
    assert take("balances", [path], abroad, lake).files[0].taken
    assert take("balances", [path], SETTINGS, lake).files[0].taken
    assert not take("balances", [path], SETTINGS, lake).files[0].taken


@pytest.mark.parametrize("kind", ["adjustments", "bank_statement"])
def test_rows_without_a_key_never_count_twice_for_another_time_zone(
    lake: Lake, tmp_path: Path, kind: str
) -> None:
    path = write_csv(tmp_path / "a.csv", [VALID[kind]])
    taken(lake, kind, path)
    abroad = Settings(business=Business(name="shop", timezone=zone("Europe/Berlin")))
    for dry_run in (True, False):
        with pytest.raises(RefusedFile, match=r"a\.csv: .*would count twice"):
            take(kind, [path], abroad, lake, dry_run=dry_run)
    assert not taken(lake, kind, path).files[0].taken
    assert len(stored(lake, kind)) == 1


def test_the_same_bytes_as_another_kind_are_another_import(
    lake: Lake, tmp_path: Path
) -> None:
    row = {**VALID["adjustments"], **VALID["bank_statement"]}
    path = write_csv(tmp_path / "both.csv", [row])
    assert taken(lake, "adjustments", path).files[0].taken
    assert taken(lake, "bank_statement", path).files[0].taken


def test_a_repeated_row_of_a_file_stays_two_and_is_counted(
    lake: Lake, tmp_path: Path
) -> None:
    rows = [changed("adjustments", amount=amount) for amount in ("5", "7", "5", "5")]
    report = taken(lake, "adjustments", write_csv(tmp_path / "a.csv", rows))
    assert report.files[0].repeated_rows == 2
    assert len(stored(lake, "adjustments")) == 4


def test_rows_that_read_alike_are_repeated_however_they_are_written(
    lake: Lake, tmp_path: Path
) -> None:
    rows = [
        changed("adjustments", amount="1,000", currency="rial", calendar=""),
        changed("adjustments", amount="۱۰۰", currency="toman", calendar=""),
        changed(
            "adjustments",
            at="1405-07-10",
            amount="1000",
            currency=" Rial",
            calendar="jalali",
        ),
    ]
    report = taken(lake, "adjustments", write_csv(tmp_path / "a.csv", rows))
    assert report.files[0].repeated_rows == 2
    assert len({row["record_hash"] for row in stored(lake, "adjustments")}) == 1


def test_no_file_is_blamed_for_a_temporary_folder_that_takes_nothing(
    lake: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_csv(tmp_path / "a.csv", [VALID["adjustments"]])
    monkeypatch.setattr(copies, "PART_BYTES", 10)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with pytest.raises(LakeError, match="TMPDIR") as caught:
        taken(lake, "adjustments", path)
    assert path.name not in str(caught.value)
    assert lake.commits() == []


def test_a_file_that_changes_while_it_is_read_is_refused(
    lake: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_csv(tmp_path / "a.csv", [VALID["adjustments"]])
    hashed = copies.sha256_of

    def hash_then_change(file: Path) -> str:
        found = hashed(file)
        write_csv(file, [changed("adjustments", amount="9")])
        return found

    monkeypatch.setattr(copies, "sha256_of", hash_then_change)
    with pytest.raises(RefusedFile, match="changed while it was read"):
        taken(lake, "adjustments", path)
    assert lake.commits() == []


def test_a_file_without_rows_is_taken_and_kept_as_evidence(
    lake: Lake, tmp_path: Path
) -> None:
    path = tmp_path / "a.csv"
    path.write_text("at,amount,kind,description\n")
    report = taken(lake, "adjustments", path)
    assert (report.rows, report.files[0].repeated_rows) == (0, 0)
    assert lake.page(report.pull_id or "", 1).body == path.read_bytes()


def test_more_rows_than_a_batch_keep_their_order_and_lines(
    lake: Lake, tmp_path: Path
) -> None:
    rows = [changed("books", reference=str(at)) for at in range(20_001)]
    report = taken(lake, "books", write_csv(tmp_path / "a.csv", rows))
    assert report.rows == 20_001
    found = lake.versions("books")
    assert found["reference"].to_pylist() == [str(at) for at in range(20_001)]
    assert found["position"].to_pylist() == list(range(2, 20_003))
