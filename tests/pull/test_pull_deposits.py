"""Deposits: the list's word is newer than the journal's, and neither loses rows."""

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from recon.imports.importing import take
from recon.journal import Journal, journal_path
from recon.lake import Lake
from recon.pull import deposits, runner
from recon.pull.runner import SourceOutcome
from recon.records import cash_in
from recon.records.requests import Operation, Outcome
from recon.settings import CashIn, Limits, Secret, Settings, Unified
from tests.pull.provider_stub import (
    ADDRESS,
    CANARY,
    SECONDS,
    WALLET,
    Stub,
    all_products,
    deposit,
)

LIST = "/v3/business/teahouse/cash-in/deposits"


def settings_of(folder: Path, *, listed: bool) -> Settings:
    path = "/v3/business/{business}/cash-in/deposits" if listed else ""
    cash_in = CashIn(
        base_url=ADDRESS,
        api_key=Secret(CANARY),
        wallet_iban=WALLET,
        deposit_list_path=path,
    )
    return all_products(folder, cash_in=cash_in)


def pull(settings: Settings, entries: list[dict[str, Any]]) -> SourceOutcome:
    stub = Stub()
    stub.lists(f"GET {LIST}", lambda: entries)
    lake = Lake(settings.lake_path)
    report = runner.pull(settings, lake, ["deposits"], transport=stub.transport)
    return report.sources[0]


def rows(settings: Settings) -> list[dict[str, Any]]:
    found = Lake(settings.lake_path).current("deposits").to_pylist()
    return sorted(found, key=lambda row: str(row["gateway_transaction_id"]))


def journal(
    settings: Settings,
    track_id: str,
    entries: list[dict[str, Any]] | None,
    amount: int = 10_000,
) -> None:
    """Journal a deposit; without entries its outcome is unknown."""
    with Journal(journal_path(settings)) as opened:
        sent = {"iban": WALLET, "amount": amount, "track_id": track_id}
        number = opened.begin(Operation.DEPOSIT, track_id, sent)
        if entries is None:
            opened.end(number, Outcome.UNKNOWN, note="cut")
            return
        answer = json.dumps({"data": {"cash_in": entries}}).encode()
        opened.end(number, Outcome.ANSWERED, status=200, answer=answer)


def test_no_answer_is_read_to_know_that_there_are_deposits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is asked several times a night, and there may be very many."""
    settings = settings_of(tmp_path, listed=False)
    assert "no deposit was journaled" in str(deposits.skipped(settings))
    journal(settings, "t1", [deposit(1)])
    journal(settings, "t2", None)
    monkeypatch.setattr(cash_in, "deposit_answer", None)
    assert deposits.skipped(settings) is None


def test_a_list_is_paged_and_its_optional_fields_are_kept(tmp_path: Path) -> None:
    settings = settings_of(tmp_path, listed=True)
    entries = [
        deposit(
            number,
            track_id=f"t{number}",
            requested_at=SECONDS,
            settled_at=None,
            requested_amount="10000",
        )
        for number in range(25)
    ]
    found = pull(settings, entries)
    assert (found.status, found.counts.records, found.counts.pages) == (
        "complete",
        25,
        3 + 2,  # both ends are asked for again, to see that they hold
    )
    row = rows(settings)[0]
    assert (row["track_id"], row["requested_amount"]) == ("t0", 10_000)
    assert (row["origin"], row["outcome"]) == ("list", "")


def test_one_entry_under_two_requests_is_two_rows(tmp_path: Path) -> None:
    settings = settings_of(tmp_path, listed=True)
    entries = [deposit(1, track_id="a"), deposit(1, track_id="b")]
    assert pull(settings, entries).status == "complete"
    assert [row["track_id"] for row in rows(settings)] in (["a", "b"], ["b", "a"])


def test_without_a_list_the_journal_speaks(tmp_path: Path) -> None:
    settings = settings_of(tmp_path, listed=False)
    assert pull(settings, []).status == "skipped"
    journal(settings, "t1", [deposit(1), deposit(2)])
    journal(settings, "t2", None)
    found = pull(settings, [])
    assert (found.status, found.counts.new) == ("complete", 3)
    assert pull(settings, []).counts.new == 0
    first, second, unknown = rows(settings)
    assert {first["origin"], second["origin"]} == {"journal"}
    assert (unknown["track_id"], unknown["outcome"]) == ("t2", "unknown")


@pytest.mark.parametrize("lacking", [{}, *({"track_id": n} for n in (None, "", " "))])
def test_the_list_is_completed_by_what_the_journal_knows(
    tmp_path: Path, lacking: dict[str, str | None]
) -> None:
    settings = settings_of(tmp_path, listed=True)
    journal(settings, "t1", [deposit(1)])
    entry = deposit(1, status="SETTLED") | lacking
    counts = pull(settings, [entry]).counts
    assert (counts.records, counts.new, counts.changed) == (1, 1, 0)
    (row,) = rows(settings)
    assert (row["track_id"], row["status"], row["origin"]) == ("t1", "SETTLED", "list")
    assert row["requested_amount"] == 10_000
    assert row["requested_at"] is not None
    assert pull(settings, [entry]).counts.changed == 0


def test_a_list_that_leaves_out_fee_and_account_takes_back_neither(
    tmp_path: Path,
) -> None:
    """Without them the wallet got more, and no debit is looked for at the bank.

    The newest word on each stays: what a file said, before what the journal has.
    """
    settings = settings_of(tmp_path, listed=True)
    bare = {key: deposit(1)[key] for key in ("gateway_transaction_id", "amount")}
    entries = [
        bare | {"status": "INIT", "track_id": "t1"},
        bare | {"status": "INIT", "track_id": "t2", "gateway_transaction_id": 2},
    ]
    journal(settings, "t1", [deposit(1, wage=500)])
    journal(settings, "t2", [deposit(2, wage=500)])
    pull(settings, entries[1:])
    second = rows(settings)[1]
    said = {"wage": 700, "requested_amount": 12_000, "origin": "import"}
    with Lake(settings.lake_path).begin("import", "deposits") as made:
        made.rows("deposits", [second | said])
        made.commit()
    pull(settings, entries)
    told = ("origin", "wage", "iban", "requested_amount")
    assert [tuple(row[name] for name in told) for row in rows(settings)] == [
        ("list", 500, WALLET, 10_000),
        ("list", 700, WALLET, 12_000),
    ]


def test_an_entry_under_two_requests_is_completed_by_its_own(tmp_path: Path) -> None:
    settings = settings_of(tmp_path, listed=True)
    journal(settings, "t1", [deposit(1)], amount=10_000)
    journal(settings, "t2", [deposit(1)], amount=20_000)
    pull(settings, [deposit(1, track_id="t1"), deposit(1, track_id="t2")])
    found = {row["track_id"]: row["requested_amount"] for row in rows(settings)}
    assert found == {"t1": 10_000, "t2": 20_000}


def test_an_entry_that_only_the_journal_knows_is_kept_beside_the_list(
    tmp_path: Path,
) -> None:
    settings = settings_of(tmp_path, listed=True)
    journal(settings, "t1", [deposit(1)])
    pull(settings, [deposit(2, track_id="t2")])
    assert [row["track_id"] for row in rows(settings)] == ["t1", "t2"]


@pytest.mark.parametrize("listed", [False, True])
def test_the_journal_takes_back_nothing_that_is_known_since(
    listed: bool, tmp_path: Path
) -> None:
    """Its answer is that of the request: what a file or list said later stays."""
    settings = settings_of(tmp_path, listed=listed)
    journal(settings, "t1", [deposit(1), deposit(2)])
    pull(settings, [deposit(2, status="SETTLED")])
    first = rows(settings)[0]
    with Lake(settings.lake_path).begin("import", "deposits") as made:
        made.rows("deposits", [first | {"status": "SETTLED", "origin": "import"}])
        made.commit()
    pull(settings, [])
    assert [row["status"] for row in rows(settings)] == [
        "SETTLED",
        "SETTLED" if listed else "INIT",
    ]


def test_what_was_asked_for_is_kept_where_the_list_knows_the_outcome(
    tmp_path: Path,
) -> None:
    """The list's entry does not say it, and may be a part of it alone."""
    settings = settings_of(tmp_path, listed=True)
    journal(settings, "t1", None)
    pull(settings, [deposit(1, track_id="t1")])
    told = [(row["outcome"], row["requested_amount"]) for row in rows(settings)]
    assert told == [("", None), ("unknown", 10_000)]


@pytest.mark.parametrize("pulled_first", [False, True])
def test_a_file_takes_back_nothing_of_what_was_asked_for(
    pulled_first: bool, tmp_path: Path
) -> None:
    """One that says it keeps its own word; the journal tells what others leave out."""
    settings = settings_of(tmp_path, listed=False)
    journal(settings, "t1", [deposit(1)])
    journal(settings, "t2", [deposit(2)])
    journal(settings, "t3", None)
    if pulled_first:
        pull(settings, [])
    file = tmp_path / "deposits.csv"
    columns = (*deposit(1), "track_id", "requested_at", "requested_amount", "outcome")
    at = "2026-10-10T09:00:00Z"
    lines = [
        columns,
        (*deposit(1, status="SETTLED").values(), "t1", at, "", ""),
        (*deposit(2).values(), "t2", at, 12_000, ""),
        (*("" for _ in deposit(1)), "t3", at, "", "unknown"),
    ]
    file.write_text("".join(",".join(map(str, line)) + "\n" for line in lines))
    take("deposits", [file], settings, Lake(settings.lake_path))
    for _ in range(2):
        told = [(row["status"], row["requested_amount"]) for row in rows(settings)]
        assert told == [("SETTLED", 10_000), ("INIT", 12_000), (None, 10_000)]
        pull(settings, [])


def test_the_list_takes_its_parameters_as_the_unified_lists_do(tmp_path: Path) -> None:
    unified = Unified(list_parameters="body", per_page=7)
    settings = replace(settings_of(tmp_path, listed=True), unified=unified)
    stub = Stub()
    stub.lists(f"GET {LIST}", lambda: [deposit(1)])
    lake = Lake(settings.lake_path)
    runner.pull(settings, lake, ["deposits"], transport=stub.transport)
    assert stub.bodies
    assert all("page" in body and body["per_page"] == 7 for body in stub.bodies)


@pytest.mark.parametrize("path", ["https://evil.test/x", "http://evil.test"])
def test_a_list_elsewhere_is_a_wrong_setting(tmp_path: Path, path: str) -> None:
    cash_in = CashIn(base_url=ADDRESS, api_key=Secret(CANARY), deposit_list_path=path)
    settings = all_products(tmp_path, cash_in=cash_in)
    with pytest.raises(Exception, match="deposit_list_path"):
        pull(settings, [])


@pytest.mark.parametrize("slow", [False, True])
def test_a_list_that_fails_keeps_nothing_of_the_journal_back(
    slow: bool, tmp_path: Path
) -> None:
    """Of a request of unknown outcome the night must know, list or no list."""
    settings = settings_of(tmp_path, listed=True)
    journal(settings, "t1", None)
    journal(settings, "t2", [deposit(2)])
    stub = Stub()
    stub.answers(f"GET {LIST}", {"message": "no"}, status=500 if slow else 401)
    if slow:
        stub.waits = 30
        limits = Limits(source_time=timedelta(milliseconds=20))
        settings = replace(settings, limits=limits)
    lake = Lake(settings.lake_path)
    report = runner.pull(settings, lake, ["deposits"], transport=stub.transport)
    assert report.sources[0].status == "incomplete"
    assert ("took longer" in str(report.sources[0].error)) == slow
    found = {row["track_id"]: row["outcome"] for row in rows(settings)}
    assert found == {"t1": "unknown", "t2": ""}


def test_a_deposit_answered_twice_is_one_row(tmp_path: Path) -> None:
    """Sent again on wish, and answered once more: not two entries in one pull."""
    settings = settings_of(tmp_path, listed=False)
    with Journal(journal_path(settings)) as opened:
        for status in ("INIT", "DONE"):
            sent = {"iban": WALLET, "amount": 10_000, "track_id": "t1"}
            number = opened.begin(Operation.DEPOSIT, "t1", sent, again=True)
            answer = {"data": {"cash_in": [deposit(1, status=status)]}}
            opened.end(
                number, Outcome.ANSWERED, status=200, answer=json.dumps(answer).encode()
            )
        first, _ = list(opened.requests())
    assert pull(settings, []).counts.new == 1
    lake = Lake(settings.lake_path)
    (row,) = lake.current("deposits").to_pylist()
    assert (row["status"], row["requested_at"]) == ("DONE", first.began_at)
    assert pull(settings, []).counts.changed == 0
