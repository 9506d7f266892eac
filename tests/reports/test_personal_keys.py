"""People in files of the business: known by the headers that they stand under."""

import csv
import json
from pathlib import Path

import pytest

from recon import notebook
from recon.cli.group import run
from recon.reports.personal_keys import cells_of_people, kind_of

SETTINGS = """
[business]
name = "shop"
[unified]
base_url = "http://127.0.0.1:9"
page_url = "http://127.0.0.1:9"
"""


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        ("first_name", "name"),
        ("lastName", "name"),
        ("Full Name", "name"),
        ("customer_name", "name"),
        ("customer_first_name", "name"),
        ("birthDate", "name"),
        ("نام", "name"),
        ("نام خانوادگی", "name"),
        ("نام و نام خانوادگي خريدار", "name"),
        ("نام\u200cمشتری", "name"),
        ("آدرس", "name"),
        ("payer_mobile", "mobile"),
        ("phone number", "mobile"),
        ("شماره تلفن همراه", "mobile"),
        ("nationalCode", "code"),
        ("کدملی", "code"),
        ("ایمیل", "email"),
        ("شماره کارت", "card"),
    ],
)
def test_a_key_of_a_person_is_known(key: str, kind: str) -> None:
    assert kind_of(key) == kind


@pytest.mark.parametrize(
    "key",
    ["name", "bank_name", "نام کالا", "نام بانک", "کد پیگیری", "شماره", "", "url"],
)
def test_a_key_of_a_thing_is_none(key: str) -> None:
    assert kind_of(key) is None


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_cells_under_a_person_s_header_are_found(separator: str) -> None:
    rows = [
        ["گزارش", "", ""],
        ["reference", "نام خانوادگی", "phone"],
        ["A1", f'"Zand{separator} Sara"', "02188776655"],
        ["A2", "x", "12"],
    ]
    text = "\ufeff" + "\r\n".join(map(separator.join, rows))
    found = [*cells_of_people(text)]
    assert found == [(f"Zand{separator} Sara", "name"), ("02188776655", "mobile")]


@pytest.mark.parametrize("cell", ["x" * 140_000, "a\u2028b", "a\x0bb\x85c"])
def test_no_cell_hides_the_people_beside_and_below_it(cell: str) -> None:
    before = csv.field_size_limit(131_072)  # as a process has it that imported nothing
    text = f"reference,note,last_name\nA1,{cell},Zand\nA2,,Karimi\n"
    try:
        assert [*cells_of_people(text)] == [("Zand", "name"), ("Karimi", "name")]
    finally:
        csv.field_size_limit(before)


@pytest.mark.parametrize(
    "text", ["", "a,b\n1,2\n", "last_name\nZand\n", "\0PK,last_name"]
)
def test_a_file_without_such_headers_has_none(text: str) -> None:
    assert [*cells_of_people(text)] == []


@pytest.mark.parametrize("personal_data", ["mask", "keep"])
def test_nobody_of_a_file_is_named_in_the_evidence_of_a_break(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    personal_data: str,
) -> None:
    """The provider never heard of them, so the lake knows no such customer."""
    config = tmp_path / "recon.toml"
    config.write_text(f'{SETTINGS}[reports]\npersonal_data = "{personal_data}"\n')
    books = tmp_path / "books.csv"
    books.write_text(
        "reference,amount,status,occurred_at,firstName,نام خانوادگی,phone,note\n"
        'A1,1000,paid,2026-10-01,Zohreh,"زند, پور",02188776655,red\n'
        "A2,2000,unpaid,2026-10-01,Manizheh,کاووسی,02188776644,blue\n"
    )
    at = ["--config", str(config)]
    assert run(["import", "books", str(books), *at]) == 0
    assert run(["reconcile", *at]) == 1
    capsys.readouterr()
    assert run(["breaks", "list", "--json", *at]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    pack = tmp_path / "pack"
    assert run(["breaks", "show", found["break_id"], "--pack", str(pack), *at]) == 0
    assert run(["breaks", "show", found["break_id"], *at]) == 0
    (body,) = (pack / "bodies").iterdir()
    monkeypatch.setenv("RECON_CONFIG", str(config))
    proof = notebook.evidence(found["break_id"])
    shown = str(proof) + body.read_text() + (pack / "evidence.json").read_text()
    shown += capsys.readouterr().out
    named = ("Zohreh", "زند", "02188776655", "Manizheh", "کاووسی", "02188776644")
    kept = [each for each in named if each in shown]
    assert kept == ([] if personal_data == "mask" else [*named])
    assert "red" in shown
    assert body.read_text().splitlines()[1].count(",") >= 7


@pytest.mark.parametrize("personal_data", ["mask", "keep"])
def test_a_notebook_hides_a_key_that_a_file_had_before_it_was_one(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    personal_data: str,
) -> None:
    """A shop's own log of its requests may have it; the terminal hides it, too."""
    config = tmp_path / "recon.toml"
    config.write_text(f'{SETTINGS}[reports]\npersonal_data = "{personal_data}"\n')
    books = tmp_path / "books.csv"
    books.write_text(
        "reference,amount,status,occurred_at,note\n"
        "A1,1000,paid,2026-10-01,red canary-key-12345\n"
    )
    at = ["--config", str(config)]
    assert run(["import", "books", str(books), *at]) == 0
    monkeypatch.setenv("RECON_UNIFIED__API_KEY", "canary-key-12345")
    assert run(["reconcile", *at]) == 1
    capsys.readouterr()
    monkeypatch.setenv("RECON_CONFIG", str(config))
    shown = str(notebook.evidence())
    assert "red" in shown
    assert "canary" not in shown
