"""What the words of a file mean: `[imports.words.<kind>.<column>]`."""

import json
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from recon.cli.group import run
from recon.errors import RefusedFile, SettingsError
from recon.imports.importing import ImportReport, take
from recon.imports.kinds import KINDS
from recon.lake import Lake
from recon.setting_files import load
from recon.settings import Business, Imports, Settings
from tests.imports.import_cases import (
    WRITERS,
    changed,
    stored,
    write_csv,
    write_excel,
    write_json_lines,
)

Words = Mapping[str, Mapping[str, str]]
STATUS = {
    "status": {
        "completed": "paid",
        "در انتظار پرداخت": "unpaid",
        "on-hold": "unpaid",
        "لغو شده": "refunded",
    }
}


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


def read(
    lake: Lake, path: Path, words: Words, kind: str = "books", **options: Any
) -> ImportReport:
    said = {column: dict(each) for column, each in words.items()}
    settings = Settings(
        business=Business(name="shop"), imports=Imports(words={kind: said})
    )
    return take(kind, [path], settings, lake, **options)


def statuses(lake: Lake) -> list[str]:
    return [row["status"] for row in stored(lake, "books")]


@pytest.mark.parametrize("ending", WRITERS)
def test_a_shops_own_words_are_taken_for_ours(
    lake: Lake, tmp_path: Path, ending: str
) -> None:
    said = ["completed", "در انتظار پرداخت", "on-hold", "لغو شده"]
    rows = [
        changed("books", reference=str(number), status=word)
        for number, word in enumerate(said, start=1)
    ]
    WRITERS[ending](tmp_path / f"orders.{ending}", rows)
    read(lake, tmp_path / f"orders.{ending}", STATUS)
    assert statuses(lake) == ["paid", "unpaid", "unpaid", "refunded"]


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("Completed", "paid"),
        ("  COMPLETED ", "paid"),
        ("در\u200cانتظار پرداخت", "unpaid"),
        ("در انتظار  پرداخـت", "unpaid"),
        ("paid", "paid"),
        ("refunded", "refunded"),
    ],
)
def test_a_word_is_known_by_its_letters_and_ours_stay_what_they_are(
    lake: Lake, tmp_path: Path, word: str, meant: str
) -> None:
    read(lake, write_csv(tmp_path / "b.csv", [changed("books", status=word)]), STATUS)
    assert statuses(lake) == [meant]


@pytest.mark.parametrize("word", ["processing", "complete", "completed?", "Paid"])
def test_a_word_that_is_not_among_them_is_refused(
    lake: Lake, tmp_path: Path, word: str
) -> None:
    path = write_csv(tmp_path / "b.csv", [changed("books", status=word)])
    with pytest.raises(RefusedFile) as caught:
        read(lake, path, STATUS)
    assert str(caught.value) == (
        f"b.csv, line 2, column status: {word!r} is not allowed: paid, unpaid, "
        "refunded; [imports.words.books.status] says what other words mean"
    )
    assert not lake.commits()


def test_the_letters_of_arabic_keyboards_are_the_persian_ones(
    lake: Lake, tmp_path: Path
) -> None:
    path = write_csv(tmp_path / "b.csv", [changed("books", status="تكميل شده")])
    read(lake, path, {"status": {"تکمیل شده": "paid"}})
    assert statuses(lake) == ["paid"]


def test_our_own_word_may_mean_another_to_the_file(lake: Lake, tmp_path: Path) -> None:
    path = write_csv(tmp_path / "b.csv", [changed("books", status="refunded")])
    read(lake, path, {"status": {"refunded": "unpaid"}})
    assert statuses(lake) == ["unpaid"]


def test_an_empty_cell_has_a_meaning_where_it_is_given(
    lake: Lake, tmp_path: Path
) -> None:
    rows = [changed("books", reference=each, status=" ") for each in "12"]
    path = write_csv(tmp_path / "b.csv", rows)
    with pytest.raises(RefusedFile, match="line 2, column status: is empty"):
        read(lake, path, STATUS)
    read(lake, path, {"status": {"": "unpaid"}})
    assert statuses(lake) == ["unpaid", "unpaid"]


def test_a_word_may_mean_that_there_is_nothing(lake: Lake, tmp_path: Path) -> None:
    rows = [changed("deposits", settled_at="-", outcome="N/A")]
    path = write_csv(tmp_path / "d.csv", rows)
    read(lake, path, {"settled_at": {"-": ""}, "outcome": {"n/a": ""}}, "deposits")
    (row,) = stored(lake, "deposits")
    assert (row["settled_at"], row["outcome"]) == (None, None)


def test_what_must_be_filled_stays_to_be_filled(lake: Lake, tmp_path: Path) -> None:
    path = write_csv(tmp_path / "b.csv", [changed("books", amount="-")])
    with pytest.raises(RefusedFile, match="line 2, column amount: is empty"):
        read(lake, path, {"amount": {"-": ""}})


def test_a_dash_in_a_side_of_a_statement_is_no_amount(
    lake: Lake, tmp_path: Path
) -> None:
    row = changed("bank_statement", debit="5", credit="-")
    del row["amount"]
    path = write_csv(tmp_path / "s.csv", [row])
    with pytest.raises(RefusedFile, match="line 2, column credit: '-'"):
        read(lake, path, {}, "bank_statement")
    read(lake, path, {"credit": {"-": ""}}, "bank_statement")
    assert [each["amount"] for each in stored(lake, "bank_statement")] == [-5]


def test_words_of_currency_and_calendar(lake: Lake, tmp_path: Path) -> None:
    row = changed("books", occurred_at="1405/07/09", currency="تومان", calendar="شمسی")
    path = write_csv(tmp_path / "b.csv", [row])
    with pytest.raises(RefusedFile) as caught:
        read(lake, path, {"calendar": {"شمسی": "jalali"}})
    assert str(caught.value) == (
        "b.csv, line 2, column currency: 'تومان' is not allowed: rial, toman; "
        "[imports.words.books.currency] says what other words mean"
    )
    words = {"calendar": {"شمسی": "jalali"}, "currency": {"تومان": "toman"}}
    read(lake, path, words)
    (stored_row,) = stored(lake, "books")
    assert stored_row["amount"] == 12_000_000
    assert stored_row["occurred_at"].isoformat() == "2026-09-30T20:30:00+00:00"


def test_values_of_settings_are_no_words_of_the_file(
    lake: Lake, tmp_path: Path
) -> None:
    row = changed("books")
    del row["status"]
    path = write_csv(tmp_path / "b.csv", [row])
    words = {"status": {"paid": "unpaid"}}
    report = read(lake, path, words, values={"status": "paid"})
    assert statuses(lake) == ["paid"]
    assert report.files[0].words == {}


def test_numbers_and_dates_of_a_sheet_are_words_in_plain_text(
    lake: Lake, tmp_path: Path
) -> None:
    row: dict[str, Any] = dict(changed("deposits"))
    row |= {"settled_at": datetime(1900, 1, 1), "outcome": 0}  # noqa: DTZ001
    path = write_excel(tmp_path / "d.xlsx", [row])
    words = {"outcome": {"0": ""}, "settled_at": {"1900-01-01T00:00:00": ""}}
    read(lake, path, words, "deposits")
    assert stored(lake, "deposits")[0]["settled_at"] is None


def test_rows_of_json_lines_may_leave_the_column_out(
    lake: Lake, tmp_path: Path
) -> None:
    bare = changed("books", reference="2")
    del bare["product"]
    rows = [changed("books", product="درگاه"), bare]
    path = write_json_lines(tmp_path / "b.jsonl", rows)
    read(lake, path, {"product": {"درگاه": "gateway"}})
    assert [row["product"] for row in stored(lake, "books")] == ["gateway", None]


def test_words_belong_to_the_column_under_the_files_name(
    lake: Lake, tmp_path: Path
) -> None:
    row = changed("books", state="Completed")
    path = write_csv(tmp_path / "b.csv", [row])
    imports = Imports(
        columns={"books": {"status": "state"}},
        words={"books": {"status": {"completed": "refunded"}}},
    )
    settings = Settings(business=Business(name="shop"), imports=imports)
    report = take("books", [path], settings, lake)
    assert statuses(lake) == ["refunded"]
    assert report.files[0].words == {"status": {"Completed": "refunded"}}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            {"state": {"done": "paid"}},
            r"^imports\.words\.books: there is no column 'state'; it may be reference,",
        ),
        (
            {"status": {"done": "payed"}},
            r"^imports\.words\.books\.status: 'payed' is not allowed: paid, unpaid,",
        ),
        ({"status": {"done": ""}}, r"books\.status: '' is not allowed: paid, unpaid"),
        ({"product": {"x": "card"}}, r"'card' is not allowed: unified, .*, or empty$"),
        ({"currency": {"T": "tooman"}}, r"currency: 'tooman' is not allowed: rial"),
        ({"calendar": {"x": "lunar"}}, r"calendar: 'lunar' is not allowed: jalali"),
        (
            {"status": {"Done": "paid", "done ": "unpaid"}},
            r"^imports\.words\.books\.status: 'done ' is 'unpaid' and 'paid'$",
        ),
    ],
)
def test_bad_words_in_settings_are_said_before_any_file(
    lake: Lake, tmp_path: Path, words: Words, told: str
) -> None:
    with pytest.raises(SettingsError, match=told):
        read(lake, tmp_path / "none.csv", words)


def test_one_word_written_twice_with_one_meaning_is_no_doubt(
    lake: Lake, tmp_path: Path
) -> None:
    path = write_csv(tmp_path / "b.csv", [changed("books", status="DONE")])
    read(lake, path, {"status": {"Done": "paid", "done": "paid"}})
    assert statuses(lake) == ["paid"]


def test_events_have_the_providers_words_alone(lake: Lake, tmp_path: Path) -> None:
    told = r"imports\.words\.events: events are no table"
    with pytest.raises(SettingsError, match=told):
        read(lake, tmp_path / "e", {"type": {"a": "b"}}, "events")


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ("words = 1", "imports.words: must be a table [imports.words.<kind>.<column>]"),
        ("words.book.status = {}", "'book'"),
        ("words.books = 1", "<column>"),
        ('words.books.status = "paid"', 'a table of <word> = "what it means"'),
        ("words.books.status = { done = 1 }", "a text"),
    ],
)
def test_words_that_are_no_tables_are_told(
    tmp_path: Path, lines: str, told: str
) -> None:
    path = tmp_path / "recon.toml"
    path.write_text(f'[business]\nname = "shop"\n[imports]\n{lines}\n')
    with pytest.raises(SettingsError) as caught:
        load(path, {})
    assert told in str(caught.value)


def test_words_come_from_the_environment_too(tmp_path: Path) -> None:
    path = tmp_path / "recon.toml"
    path.write_text('[business]\nname = "shop"\n')
    words = {"books": {"status": {"done": "paid"}}}
    told = {"RECON_IMPORTS__WORDS": json.dumps(words)}
    assert load(path, told).imports.words == words


def test_the_same_file_with_other_words_is_another_file(
    lake: Lake, tmp_path: Path
) -> None:
    path = write_csv(tmp_path / "b.csv", [changed("books", status="done")])
    meant = ["paid", "paid", "unpaid", "paid"]
    known = [
        read(lake, path, {"status": {"done": word}}).files[0].known for word in meant
    ]
    assert known == [False, True, False, False]
    assert statuses(lake) == ["paid", "unpaid", "paid"]


def test_rows_without_a_key_never_count_twice_under_other_words(
    lake: Lake, tmp_path: Path
) -> None:
    row = changed("adjustments", kind="برداشت")
    path = write_csv(tmp_path / "a.csv", [row])
    read(lake, path, {"kind": {"برداشت": "withdrawal"}}, "adjustments")
    with pytest.raises(RefusedFile, match=r"imports\.words or .* would count twice"):
        read(lake, path, {"kind": {"برداشت": "fee"}}, "adjustments")
    assert [each["kind"] for each in stored(lake, "adjustments")] == ["withdrawal"]


def test_a_preview_says_what_the_words_were_taken_to_mean(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "recon.toml").write_text(
        '[business]\nname = "shop"\n'
        "[imports.words.books.status]\n"
        'completed = "paid"\n"on-hold" = "unpaid"\nfailed = "unpaid"\n'
        "[imports.words.books.product]\n"
        '"any" = ""\n'
    )
    rows = [
        changed("books", reference=str(number), status=word, product="any")
        for number, word in enumerate(["Completed", "on-hold", "Completed", "paid"])
    ]
    path = write_csv(tmp_path / "b.csv", rows)
    config = ["--config", str(tmp_path / "recon.toml")]
    assert run(["import", "books", str(path), *config, "--dry-run"]) == 0
    shown = capsys.readouterr().out
    assert "  status: Completed is paid, on-hold is unpaid\n" in shown
    assert "  product: any is empty\n" in shown
    assert "failed" not in shown


def test_a_preview_keeps_no_more_words_than_one_can_read(
    lake: Lake, tmp_path: Path
) -> None:
    words = {"description": {f"w{number}": "same" for number in range(150)}}
    rows = [
        changed("books", reference=str(number), description=f"w{number}")
        for number in range(150)
    ]
    path = write_csv(tmp_path / "b.csv", rows)
    (file,) = read(lake, path, words).files
    assert len(file.words["description"]) == 100
    assert {row["description"] for row in stored(lake, "books")} == {"same"}


@pytest.mark.parametrize("kind", [name for name in KINDS if name != "events"])
def test_every_column_of_every_kind_may_have_words(kind: str) -> None:
    columns = [*KINDS[kind].columns]
    words = {each.name: {"x": each.among[0] if each.among else "y"} for each in columns}
    assert set(KINDS[kind].naming({}, None, words).words) == set(words)
