"""An import that is taken back: its rows count no longer, and nothing is removed."""

import json
import re
import shutil
import tempfile
from datetime import timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from recon.cli.import_ import command
from recon.errors import RefusedFile, UsageError
from recon.imports import copies
from recon.imports.importing import take
from recon.imports.voiding import void
from recon.lake import Lake
from recon.lake.compaction import compact
from recon.lake.healing import heal
from recon.lake.health import examine
from recon.lake.inventory import inventory
from recon.lake.storage import record_name
from recon.settings import Engine
from tests.imports.import_cases import (
    IBAN,
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


def books(path: Path, **amounts: int) -> Path:
    """Write orders, each with its amount."""
    rows = [changed("books", reference=k, amount=str(v)) for k, v in amounts.items()]
    return write_csv(path, rows)


def amounts(lake: Lake) -> dict[str, int]:
    rows = lake.current("books", ["reference", "amount"]).to_pylist()
    return {row["reference"]: row["amount"] for row in rows}


def test_rows_of_a_file_without_a_key_are_gone(lake: Lake, tmp_path: Path) -> None:
    right = write_csv(tmp_path / "right.csv", [VALID["bank_statement"]])
    wrong = write_csv(tmp_path / "wrong.csv", [changed("bank_statement", amount="7")])
    taken(lake, "bank_statement", right)
    taken(lake, "bank_statement", wrong)
    report = void("bank_statement", [wrong], lake)
    assert [file.name for file in report.files] == ["wrong.csv"]
    assert [row["amount"] for row in stored(lake, "bank_statement")] == [-1_000_000_000]
    held = inventory(lake, lake.now()).to_pylist()
    versions = {row["table"]: row["versions"] for row in held}
    assert versions["bank_statement"] == 1


def test_what_an_earlier_file_says_of_a_key_counts_again(
    lake: Lake, tmp_path: Path
) -> None:
    first = books(tmp_path / "first.csv", a=1, b=2)
    second = books(tmp_path / "second.csv", b=3, c=4)
    taken(lake, "books", first)
    taken(lake, "books", second)
    second.unlink()
    void("books", [second], lake)
    assert amounts(lake) == {"a": 1, "b": 2}


def test_a_reading_of_an_earlier_time_is_as_it_was(lake: Lake, tmp_path: Path) -> None:
    path = books(tmp_path / "books.csv", a=1)
    taken(lake, "books", path)
    (imported,) = lake.commits()
    before = imported.committed_at
    with lake.begin("run", "reconcile") as run:  # what comes later is a second later
        run.commit(as_of=before)
    void("books", [path], lake)
    assert lake.current("books", ["amount"], before).num_rows == 1
    after = before + timedelta(seconds=1)
    assert lake.current("books", ["amount"], after).num_rows == 0
    pages = [file for file in imported.files if file.folder == "pages"]
    assert [page.body for page in lake.pages(pages[0])] == [path.read_bytes()]


def test_a_voided_file_can_be_imported_again(lake: Lake, tmp_path: Path) -> None:
    path = write_csv(tmp_path / "bank.csv", [VALID["bank_statement"]])
    taken(lake, "bank_statement", path)
    assert taken(lake, "bank_statement", path).files[0].known
    void("bank_statement", [path], lake)
    assert taken(lake, "bank_statement", path).files[0].taken
    assert len(stored(lake, "bank_statement")) == 1


def test_a_voided_file_read_otherwise_can_be_imported(
    lake: Lake, tmp_path: Path
) -> None:
    row = dict(VALID["bank_statement"])
    del row["iban"]
    path = write_csv(tmp_path / "bank.csv", [row])
    taken(lake, "bank_statement", path, values={"iban": IBAN})
    in_toman = {"iban": IBAN, "currency": "toman"}
    with pytest.raises(RefusedFile, match="would count twice"):
        taken(lake, "bank_statement", path, values=in_toman)
    void("bank_statement", [path], lake)
    taken(lake, "bank_statement", path, values=in_toman)
    (stored_row,) = stored(lake, "bank_statement")
    assert stored_row["amount"] == -10_000_000_000


def test_a_voided_row_is_no_lookalike(lake: Lake, tmp_path: Path) -> None:
    rows = [changed("bank_statement", line=str(number)) for number in (1, 2)]
    first = write_csv(tmp_path / "first.csv", rows[:1])
    second = write_csv(tmp_path / "second.csv", rows[1:])
    taken(lake, "bank_statement", first)
    assert taken(lake, "bank_statement", second, dry_run=True).files[0].warnings
    void("bank_statement", [first], lake)
    assert not taken(lake, "bank_statement", second).files[0].warnings


def test_a_dry_run_tells_and_changes_nothing(lake: Lake, tmp_path: Path) -> None:
    path = books(tmp_path / "books.csv", a=1)
    taken(lake, "books", path)
    before = lake.commits()
    report = void("books", [path], lake, dry_run=True)
    assert (report.pull_id, report.voided) == (None, (before[0].id,))
    assert lake.commits() == before


def test_files_of_one_command_go_together(lake: Lake, tmp_path: Path) -> None:
    paths = [books(tmp_path / f"{name}.csv", **{name: 1}) for name in "abc"]
    taken(lake, "books", *paths)
    before = lake.commits()
    told = r"^a\.csv \(\w{12}, of .*\) was imported together with b\.csv .*, c\.csv "
    with pytest.raises(UsageError, match=told):
        void("books", paths[:1], lake)
    assert lake.commits() == before
    report = void("books", paths, lake)
    assert [file.name for file in report.files] == ["a.csv", "b.csv", "c.csv"]
    assert amounts(lake) == {}


def test_files_of_one_name_go_by_their_hashes(lake: Lake, tmp_path: Path) -> None:
    for folder in "ab":
        (tmp_path / folder).mkdir()
    paths = [books(tmp_path / name / "o.csv", **{name: 1}) for name in "ab"]
    taken(lake, "books", *paths)
    for path in paths:
        path.unlink()
    with pytest.raises(UsageError, match="together with") as told:
        void("books", paths, lake)
    hashes = re.findall(r"\((\w{12}), of ", str(told.value))
    assert len(set(hashes)) == 2
    void("books", [Path(each) for each in hashes], lake)
    assert amounts(lake) == {}


def test_files_of_several_commands_go_in_one_commit(lake: Lake, tmp_path: Path) -> None:
    paths = [books(tmp_path / f"{name}.csv", **{name: 1}) for name in "abc"]
    for path in paths:
        taken(lake, "books", path)
    void("books", [paths[2], paths[0]], lake)
    assert amounts(lake) == {"b": 1}
    assert len(lake.commits(kind="void")) == 1


def test_one_that_is_unknown_keeps_all(lake: Lake, tmp_path: Path) -> None:
    path = books(tmp_path / "books.csv", a=1)
    taken(lake, "books", path)
    before = lake.commits()
    label = rf"books\.csv \({copies.sha256_of(path)[:12]}, of 20..-..-..T..:..:..Z\)"
    with pytest.raises(UsageError, match=rf"^other\.csv: no books was .*: {label}$"):
        void("books", [path, tmp_path / "other.csv"], lake)
    assert lake.commits() == before


def test_the_same_command_twice_takes_one_import_back(
    lake: Lake, tmp_path: Path
) -> None:
    path = books(tmp_path / "books.csv", a=1)
    taken(lake, "books", path)
    older = copies.sha256_of(path)
    books(path, a=2)
    taken(lake, "books", path)
    void("books", [path], lake)
    for _ in range(2):
        told = rf"was taken back at .*; what is left, by name or hash: .*{older[:12]}"
        with pytest.raises(UsageError, match=told):
            void("books", [path], lake)
        path.unlink(missing_ok=True)
    assert amounts(lake) == {"a": 1}
    void("books", [Path(older[:12])], lake)
    with pytest.raises(UsageError, match="no import of books is left"):
        void("books", [Path(older)], lake)


def test_bytes_count_before_a_name(lake: Lake, tmp_path: Path) -> None:
    path = books(tmp_path / "books.csv", a=1)
    taken(lake, "books", path)
    kept = path.rename(tmp_path / "kept.csv")
    taken(lake, "books", books(path, a=2))
    void("books", [kept], lake)
    assert amounts(lake) == {"a": 2}


def test_a_corrected_file_that_was_not_imported_means_its_name(
    lake: Lake, tmp_path: Path
) -> None:
    path = books(tmp_path / "books.csv", a=1)
    taken(lake, "books", path)
    void("books", [books(path, a=2)], lake)
    assert amounts(lake) == {}


def test_too_few_digits_are_no_hash(lake: Lake, tmp_path: Path) -> None:
    path = books(tmp_path / "books.csv", a=1)
    taken(lake, "books", path)
    with pytest.raises(UsageError, match="no books was imported"):
        void("books", [Path(copies.sha256_of(path)[:11])], lake)


def test_a_kind_is_not_another(lake: Lake, tmp_path: Path) -> None:
    path = books(tmp_path / "books.csv", a=1)
    taken(lake, "books", path)
    with pytest.raises(UsageError, match="no import of balances is left"):
        void("balances", [path], lake)
    with pytest.raises(UsageError, match="'orders' is no kind of import: books"):
        void("orders", [path], lake)


def test_the_lake_is_as_committed_after_a_void(lake: Lake, tmp_path: Path) -> None:
    path = books(tmp_path / "books.csv", a=1)
    taken(lake, "books", path)
    void("books", [path], lake)
    health = examine(lake, deep=True)
    assert health.whole
    assert health.page_count == 2  # the file, and what was said of it


def test_a_lost_void_is_noticed_and_comes_back_from_a_copy(
    lake: Lake, tmp_path: Path
) -> None:
    path = books(tmp_path / "books.csv", a=1)
    taken(lake, "books", path)
    report = void("books", [path], lake)
    shutil.copytree(lake.root, tmp_path / "copy")
    (lake.root / "commits" / record_name(2)).unlink()
    found = Lake(lake.root)
    assert amounts(found) == {"a": 1}
    assert [left.path.rpartition("/")[2] for left in examine(found).leftovers] == [
        f"{report.pull_id}.parquet"
    ]
    (healed,) = heal(found, [], tmp_path / "copy")
    assert healed.healed
    assert amounts(Lake(lake.root)) == {}


FILES = {
    "one.csv": {"a": 1, "b": 2},
    "two.csv": {"b": 3, "c": 4},
    "six.csv": {"a": 5, "c": 6},
}
steps = st.lists(
    st.tuples(st.sampled_from(["take", "void"]), st.sampled_from(list(FILES)))
    | st.just(("compact", "")),
    max_size=12,
)


@given(steps)
@settings(max_examples=40)
def test_the_lake_reads_as_if_only_what_stands_had_been_taken(
    steps: list[tuple[str, str]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        lake, files = Lake(Path(folder) / "lake"), Path(folder)
        standing: list[str] = []
        for step, name in steps:
            if step == "compact":
                compact(lake, Engine(), ["books"])
                continue
            path = books(files / name, **FILES[name])
            if step == "take":
                if standing[-1:] != [name]:  # the newest again changes nothing
                    standing.append(name)
                take("books", [path], SETTINGS, lake)
            elif name in standing:
                void("books", [path], lake)
                standing.reverse()
                standing.remove(name)
                standing.reverse()
            else:
                with pytest.raises(UsageError):
                    void("books", [path], lake)
        expected: dict[str, int] = {}
        for name in standing:
            expected |= FILES[name]
        assert amounts(lake) == expected
        assert len(stored(lake, "books")) == sum(len(FILES[n]) for n in standing)


def shop(folder: Path) -> str:
    config = folder / "recon.toml"
    config.write_text('[business]\nname = "shop"\n')
    return str(config)


def run(folder: Path, *given: str) -> tuple[int, str]:
    done = CliRunner().invoke(command, [*given, "--config", shop(folder)])
    return done.exit_code, done.output


def test_the_command_says_what_it_took_back(tmp_path: Path) -> None:
    path = str(books(tmp_path / "books.csv", a=1, b=2))
    run(tmp_path, "books", path)
    code, would = run(tmp_path, "books", path, "--void", "--dry-run")
    assert (code, would[:42]) == (0, "would take back 2 rows of books from books")
    code, told = run(tmp_path, "books", path, "--void", "--json")
    report = json.loads(told)
    assert (code, report["dry_run"], report["kind"]) == (0, False, "books")
    assert [file["rows"] for file in report["files"]] == [2]
    run(tmp_path, "books", path)
    code, told = run(tmp_path, "books", path, "--void")
    assert told.startswith("took back 2 rows of books from books.csv, imported 20")


def test_what_the_journal_has_is_told_to_come_with_the_next_pull(
    tmp_path: Path,
) -> None:
    """Until then the lake may have no row at all of what the file told of."""
    for kind, is_told in {"deposits": True, "balances": False}.items():
        path = str(write_csv(tmp_path / f"{kind}.csv", [changed(kind)]))
        run(tmp_path, kind, path)
        assert "recon pull" not in run(tmp_path, kind, path, "--void", "--dry-run")[1]
        code, told = run(tmp_path, kind, path, "--void")
        assert (code, "with the next recon pull" in told) == (0, is_told)


def test_the_command_has_no_use_for_a_value(tmp_path: Path) -> None:
    code, told = run(tmp_path, "books", "a.csv", "--void", "--value", "currency=IRR")
    assert code == 2
    assert "--void takes files back, and has no use for --value" in told
