"""`recon breaks`: listing, showing, explaining and deciding from the command line."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from recon.cli.group import run
from recon.lake import Lake, Page
from recon.reconcile.breaks import break_id
from recon.reconcile.run import reconcile
from tests.reconcile.lake_history import History, at, unpaid

A = break_id("checkout_paid_without_payment", "unified", "a")
B = break_id("checkout_paid_without_payment", "unified", "b")
BODY = {
    "data": [
        {
            "id": "a",
            "customer": {
                "first_name": "سارا",
                "last_name": "احمدی",
                "mobile": "09121234567",
                "national_code": "0012345679",
                "email": "sara@shop.example",
            },
            "description": "سفارش سارا احمدی",
            "ref_id": "5022291234567890",
        }
    ]
}
PERSONAL = ("سارا", "احمدی", "09121234567", "0012345679", "sara@shop")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two breaks found on the first of October; people stand in the answer."""
    folder = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        history = History(folder / "lake", patch)
        history.clock(at(1))
        _find_two(history)
    return folder


@pytest.fixture
def shop(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> History:
    """A copy of that lake on the second of October."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    history = History(tmp_path / "lake", monkeypatch)
    history.clock(at(2))
    return history


def _find_two(history: History) -> None:
    rows = unpaid("a", "b")
    rows["checkouts"][0].update(  # type: ignore[attr-defined]
        customer_first_name="سارا",
        customer_last_name="احمدی",
        customer_mobile="09121234567",
        customer_national_code="0012345679",
        customer_email="sara@shop.example",
        description="سفارش سارا احمدی",
    )
    body = json.dumps(BODY, ensure_ascii=False).encode()
    page = Page(url="https://provider.example/checkouts", received_at=at(1), body=body)
    history.pull("checkouts", rows, page=page)
    history.clock(at(1, 20))
    reconcile(history.lake, history.settings).close()


class Shell:
    """Runs `recon breaks` and keeps what it said."""

    def __init__(self, config: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.config = config
        self.capsys = capsys
        self.err = ""

    def __call__(self, *arguments: str, code: int = 0) -> str:
        found = run(["--config", str(self.config), "breaks", *arguments])
        said = self.capsys.readouterr()
        self.err = said.err
        assert found == code, said.err
        return said.out

    def json(self, *arguments: str) -> Any:
        return json.loads(self(*arguments, "--json"))

    def status(self) -> dict[str, str]:
        return {row["record_id"]: row["status"] for row in self.json("list")}


@pytest.fixture
def breaks(shop: History, config: Path, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(config, capsys)


def test_a_decision_is_made_shown_and_attributed(breaks: Shell) -> None:
    breaks("resolve", A[:8], "--reason", "paid by hand", "--by", "sara")
    breaks("assign", A, B, "--to", "omid", "--by", "lead")
    breaks("note", A, B, "asked the bank", "--by", "omid")
    listed = {row["record_id"]: row for row in breaks.json("list")}
    assert [listed[name]["status"] for name in "ab"] == ["resolved", "open"]
    assert [listed[name]["assignee"] for name in "ab"] == ["omid", "omid"]
    assert [listed[name]["note"] for name in "ab"] == ["asked the bank"] * 2
    made = breaks.json("show", A)["decisions"]
    assert [(row["action"], row["by"]) for row in made] == [
        ("resolve", "sara"),
        ("assign", "lead"),
        ("note", "omid"),
    ]
    assert f"decided_at: {made[0]['decided_at']}\n" in breaks("show", A)


def test_breaks_of_a_person_are_found_by_a_name_that_is_masked(breaks: Shell) -> None:
    breaks("assign", A, "--to", "omid@shop.example")
    rows = breaks.json("list", "--assignee", "omid@shop.example")
    assert [(row["break_id"], row["assignee"]) for row in rows] == [(A, "o***@***")]
    assert breaks("list", "--assignee", "omid") == "no breaks\n"


def test_the_system_s_user_decides_by_default(
    breaks: Shell, shop: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("getpass.getuser", lambda: "nasrin")
    breaks("acknowledge", B)
    (row,) = shop.lake.versions("decisions").to_pylist()
    assert row["by"] == "nasrin"
    assert breaks.status() == {"a": "open", "b": "acknowledged"}


def test_a_dry_run_decides_nothing(breaks: Shell, shop: History) -> None:
    before = len(shop.lake.commits())
    out = breaks("acknowledge", A, "--dry-run", "--by", "sara")
    assert "1 decision would be made by sara" in out
    assert len(shop.lake.commits()) == before
    assert breaks.status() == {"a": "open", "b": "open"}


WRONG = (
    ("acknowledge", "zz", A),
    ("resolve", A),
    ("resolve", A, "--reason", " "),
    ("assign", A, "--to", ""),
    ("note", A, ""),
    ("note", A),
    ("acknowledge",),
    ("acknowledge", A, "--by", ""),
    ("show", "zz"),
    ("explain", "zz"),
    ("apply", "none.csv"),
)


def test_a_wrong_decision_is_one_line_and_nothing_is_made(
    breaks: Shell, shop: History
) -> None:
    for arguments in WRONG:
        assert breaks(*arguments, code=2) == "", arguments
        assert breaks.err.count("\n") == 1, arguments
    assert shop.lake.commits(kind="decision") == []


def test_an_edited_file_is_applied_once(
    breaks: Shell, shop: History, tmp_path: Path
) -> None:
    file = tmp_path / "breaks.csv"
    file.write_text(
        f"break_id,status,reason,note\n{A},resolved,paid,\n{B},open,,later\n",
        encoding="utf-8",
    )
    rows = breaks.json("apply", str(file), "--by", "sara")
    assert [(row["break_id"], row["action"]) for row in rows] == [
        (A, "resolve"),
        (B, "note"),
    ]
    assert breaks.status() == {"a": "resolved", "b": "open"}
    assert "nothing to decide" in breaks("apply", str(file))
    assert len(shop.lake.commits(kind="decision")) == 1


def test_a_decision_is_undone_and_stays_on_record(
    breaks: Shell, shop: History, tmp_path: Path
) -> None:
    breaks("resolve", A, "--reason", "paid", "--by", "sara")
    shop.clock(at(2, 1))
    assert "1 decision would be made" in breaks("reopen", A, "--dry-run")
    assert breaks.status() == {"a": "resolved", "b": "open"}
    breaks("reopen", A[:8], "--reason", "came back", "--by", "omid")
    assert breaks.status() == {"a": "open", "b": "open"}
    made = breaks.json("show", A)["decisions"]
    assert [(row["action"], row["by"], row["reason"]) for row in made] == [
        ("resolve", "sara", "paid"),
        ("reopen", "omid", "came back"),
    ]
    shop.clock(at(2, 2))
    breaks("acknowledge", B)
    shop.clock(at(2, 3))
    file = tmp_path / "breaks.csv"
    file.write_text(f"break_id,status\n{A},open\n{B},reopened\n", encoding="utf-8")
    assert [row["action"] for row in breaks.json("apply", str(file))] == ["reopen"]
    assert breaks.status() == {"a": "open", "b": "open"}
    assert "nothing to decide" in breaks("apply", str(file))


def test_of_a_file_with_a_bad_row_nothing_is_applied(
    breaks: Shell, shop: History, tmp_path: Path
) -> None:
    file = tmp_path / "breaks.csv"
    file.write_text(f"break_id,status\n{A},acknowledged\nzz,open\n", encoding="utf-8")
    breaks("apply", str(file), code=2)
    assert "breaks.csv, line 3, column break_id" in breaks.err
    assert shop.lake.commits(kind="decision") == []


def test_ageing_counts_by_severity(breaks: Shell, shop: History) -> None:
    shop.clock(at(6))
    reconcile(shop.lake, shop.settings).close()
    rows = {row["severity"]: row for row in breaks.json("list", "--ageing")}
    counts = {"0-1": 0, "2-7": 2, "8-30": 0, "31+": 0, "all": 2}
    assert rows["critical"] == {"severity": "critical"} | counts
    breaks("list", "--ageing", "--status", "gone", code=2)
    assert "what is gone does not" in breaks.err


@pytest.mark.parametrize(
    ("option", "value", "hint"),
    [
        ("--check", "checkout_paid_without_paymnt", "checkout_paid_without_payment"),
        ("--status", "closed", "'resolved'"),
    ],
)
def test_a_misspelt_filter_is_refused(
    breaks: Shell, option: str, value: str, hint: str
) -> None:
    """A list without breaks would say that all is well."""
    assert breaks("list", option, value, code=2) == ""
    assert hint in breaks.err
    assert breaks("list", "--check", "wallet_rollforward") == "no breaks\n"


def test_a_list_says_of_what_instant_it_is_and_what_it_does_not_know(
    breaks: Shell, shop: History
) -> None:
    """A list without breaks, of a week ago, is no all-clear."""
    breaks("list")
    assert breaks.err == "as of 2026-10-01T20:00:00Z\n"
    shop.clock(at(8))
    shop.pull("mandates", {}, complete=False, error="silent")
    reconcile(shop.lake, shop.settings).close()
    assert breaks("list", "--check", "wallet_rollforward") == "no breaks\n"
    assert breaks.err.splitlines() == [
        "as of 2026-10-08T00:00:00Z",
        "could not be read whole: mandates",
        "checkouts: last read at 2026-10-01T00:00:00Z, and shown as it was then",
    ]


def test_a_list_names_the_sources_that_were_never_read(breaks: Shell) -> None:
    with breaks.config.open("a", encoding="utf-8") as file:
        file.write('[escrow]\nbase_url = "https://escrow.example"\nclient_id = 1\n')
    breaks("list")
    assert breaks.err.splitlines()[1:] == [
        "never read: agreements, customers, webhooks"
    ]


def test_a_list_of_nothing_known_is_no_list_without_breaks(
    breaks: Shell, shop: History, tmp_path: Path
) -> None:
    shutil.rmtree(tmp_path / "lake")
    reconcile(Lake(tmp_path / "lake"), shop.settings).close()
    assert breaks("list") == "nothing is known: the lake is empty\n"


def test_a_group_without_a_command_lists_by_its_own_config(breaks: Shell) -> None:
    assert A in breaks()


def test_the_group_takes_the_options_that_every_command_has(
    breaks: Shell, config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = ["--config", str(config)]
    for words in (["--json"], [*where, "list", "--json"], ["--json", *where, "list"]):
        assert run(["breaks", "--config", str(config), *words]) == 0
        found = json.loads(capsys.readouterr().out)
        assert {row["break_id"] for row in found} == {A, B}
    shown = breaks.json("show", A)
    assert json.loads(breaks("--json", "show", A)) == shown


def test_a_list_names_the_checks_that_were_not_run(breaks: Shell) -> None:
    breaks("list")
    assert "not run" not in breaks.err
    with breaks.config.open("a", encoding="utf-8") as file:
        file.write('[checks]\ndisabled = ["record_vanished"]\n')
    breaks("list")
    assert "not run, by checks.disabled: record_vanished\n" in breaks.err


def test_showing_and_packing_mask_people_and_keep_ids(
    breaks: Shell, tmp_path: Path
) -> None:
    folder = tmp_path / "sent"
    shown = breaks("show", A, "--pack", str(folder))
    packed = "".join(
        path.read_text("utf-8") for path in folder.rglob("*") if path.is_file()
    )
    for text in (shown, packed):
        assert not [name for name in PERSONAL if name in text]
        assert "0912*****67" in text
        assert "5022291234567890" in text
    (body,) = (folder / "bodies").iterdir()
    masked = json.loads(body.read_text("utf-8"))["data"][0]
    assert masked["id"] == "a"
    assert masked["customer"]["first_name"] == "س***"
    assert masked["description"] == "سفارش س*** ا***"


def test_a_figure_that_looks_like_a_code_is_shown(
    breaks: Shell, shop: History, tmp_path: Path
) -> None:
    """Every eleventh balance has the check digit of a national code."""
    figure, other, code = 3_581_522_594, 1_000_000_079, "0012345679"
    rows = [
        {"at": at(1), "iban": "IR1", "balance": 1, "available_balance": 0},
        {"at": at(2), "iban": "IR1", "balance": figure, "available_balance": figure},
    ]
    text = f"at,balance,note\n1,1,\n2,{figure},of {other}\n3,4,{code}\n"
    file = Page(url="file:b.csv", received_at=at(2), body=text.encode())
    shop.pull("balances", {"balances": rows}, page=file, kind="import")
    with reconcile(shop.lake, shop.settings):
        pass
    found = break_id("wallet_rollforward", "wallet", "IR1:2026-10-02T00:00:00Z")
    folder = tmp_path / "sent"
    shown = breaks("show", found, "--pack", str(folder))
    (body,) = (folder / "bodies").iterdir()
    assert f"excerpt: 1,1,\n2,{figure},of ********79\n" in shown
    assert body.read_text("utf-8") == text.replace(str(other), "********79").replace(
        code, "********79"
    )


def test_the_balance_beside_an_entry_of_the_bank_is_shown(
    breaks: Shell, shop: History
) -> None:
    figure = 3_581_522_594  # with the check digit of a national code
    line = {"booked_at": at(2), "amount": -7, "iban": "IR2", "position": 2}
    entry, balance = line | {"description": "MEHRPAY"}, line | {"balance": figure}
    text = f"booked_at,amount,description,iban,balance\n1,-7,MEHRPAY,IR2,{figure}\n"
    file = Page(url="file:s.csv", received_at=at(2), body=text.encode())
    rows = {"bank_statement": [entry], "bank_balances": [balance]}
    shop.pull("bank_statement", rows, page=file, kind="import")
    checks = replace(shop.settings.checks, provider_names=("MEHRPAY",))
    with reconcile(shop.lake, replace(shop.settings, checks=checks)):
        pass
    with breaks.config.open("a", encoding="utf-8") as config:
        config.write('[checks]\nprovider_names = ["MEHRPAY"]\n')
    record = "IR2:2026-10-02T00:00:00Z:-7:1"
    shown = breaks("show", break_id("bank_debit_unexplained", "cash_in", record))
    assert f"1,-7,MEHRPAY,IR2,{figure}\n" in shown


def test_with_personal_data_kept_the_bodies_are_those_received(
    breaks: Shell, tmp_path: Path
) -> None:
    with breaks.config.open("a", encoding="utf-8") as file:
        file.write('personal_data = "keep"\n')
    folder = tmp_path / "sent"
    assert "09121234567" in breaks("show", A, "--pack", str(folder))
    (body,) = (folder / "bodies").iterdir()
    assert json.loads(body.read_bytes()) == BODY
    page = json.loads((folder / "evidence.json").read_bytes())["pages"][0]
    assert page["masked"] is False
    assert page["file_sha256"] == page["sha256"]


def test_a_pack_never_goes_into_a_folder_that_holds_something(
    breaks: Shell, tmp_path: Path
) -> None:
    (tmp_path / "mine.txt").write_text("x", encoding="utf-8")
    breaks("show", A, "--pack", str(tmp_path), code=2)
    assert not (tmp_path / "evidence.json").exists()
    breaks("show", A, "--pack", str(tmp_path / "new"), "--dry-run")
    assert not (tmp_path / "new").exists()


def test_explaining_speaks_of_the_rule(breaks: Shell) -> None:
    assert "Why: " in breaks("explain", A[:6])
    told = breaks.json("explain", A)
    assert told["break_id"] == A
    assert told["items"] == []
