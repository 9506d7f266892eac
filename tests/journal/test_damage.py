"""A damaged journal is damage, never a full disk, a mistake or somebody's name."""

import resource
import signal
import sqlite3
import traceback
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from recon.errors import CorruptLake, LakeError
from recon.journal import Journal, deposit_entries, journal_path, journaled
from recon.journal.damage import as_lake_error
from recon.journal.deliveries import Arrival, Corroboration, Deliveries, Verdict
from recon.journal.schema import STEPS
from recon.records.requests import Outcome
from recon.settings import Business, Settings

DEPOSIT = {"iban": "IR1", "amount": 5_000, "track_id": "t-1"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "lake" / "journal.sqlite3"


def test_a_damaged_file_is_told_as_one(path: Path) -> None:
    """Not as a mistake of the user's: what the lake has is not whole."""
    with Journal(path) as journal:
        for number in range(200):
            journal.begin("gateway_send", "", {"amount": number})
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(CorruptLake, match=r"journal\.sqlite3 is damaged"):
        Journal(path)
    with pytest.raises(CorruptLake, match=r"journal\.sqlite3 is damaged"):
        Deliveries(path)


def test_a_full_disk_is_no_damage(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Journal(path) as journal:
        journal._connection.execute("pragma max_page_count = 1")
        with pytest.raises(LakeError, match="full") as raised:
            journal.begin("deposit", "t-1", {"description": "x" * 4_000_000})
    assert not isinstance(raised.value, CorruptLake)


def test_what_sqlite_rolled_back_by_itself_keeps_its_error(path: Path) -> None:
    with Journal(path) as journal:
        ask = journal._connection.execute
        ask(
            "create trigger full before insert on requests"
            " begin select raise(rollback, 'disk full'); end"
        )
        with pytest.raises(LakeError, match="disk full"):
            journal.begin("deposit", "t-1", DEPOSIT)
        ask("drop trigger full")
        assert journal.begin("deposit", "t-1", DEPOSIT) == 1


def test_damage_of_an_index_is_damage(path: Path) -> None:
    error = sqlite3.DatabaseError("malformed")
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT_INDEX
    with pytest.raises(CorruptLake, match="is damaged"), as_lake_error(path):
        raise error


@pytest.mark.parametrize("opened", [Journal, Deliveries])
def test_a_disk_that_is_full_before_it_is_opened_is_told_as_full(
    path: Path, opened: type[Journal] | type[Deliveries]
) -> None:
    """The file beside it that SQLite shares among processes finds no room."""
    Journal(path).close()
    Deliveries(path).close()
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, usual[1]))
    try:
        with pytest.raises(LakeError, match="disk is full"):
            opened(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)
        signal.signal(signal.SIGXFSZ, ignored)


@pytest.mark.parametrize(
    "change",
    [
        "update requests set body = substr(body, 1, 9)",
        "update requests set body = '[1]'",
        "update requests set began_at = 'yesterday'",
        "update requests set began_at = '2026-10-01 12:00:00'",
        "update requests set began_at = '0001-01-01T00:00:00+03:30'",
        "update answers set at = datetime('now')",
        "update answers set outcome = 'unknowm'",
        "update requests set body = replace(body, '5000', '7000')",
        "update requests set began_at = replace(began_at, '+00:00', '+01:00')",
        "update requests set operation = 'gateway_send'",
        "update requests set subject = 't-3'",
        "update answers set outcome = 'done'",
        "update answers set at = replace(at, '+00:00', '+01:00')",
        "update answers set status = 201",
        "update answers set body = cast('{}' as blob)",
        "update answers set note = 'x'",
    ],
)
def test_a_row_that_cannot_be_read_is_damage(path: Path, change: str) -> None:
    with Journal(path) as journal:
        journal.end(journal.begin("deposit", "t-1", DEPOSIT), Outcome.ANSWERED)
        journal._connection.execute(change)
        with pytest.raises(CorruptLake, match="request 1 cannot be read"):
            list(journal.requests())


def test_an_answer_that_its_index_lost_makes_no_deposit_unanswered(
    tmp_path: Path,
) -> None:
    settings = Settings(folder=tmp_path, business=Business(name="shop"))
    with Journal(place := journal_path(settings)) as journal:
        journal.end(journal.begin("deposit", "t-1", DEPOSIT), Outcome.REFUSED)
        ask = journal._connection.execute
        query = "select rootpage from sqlite_master where name = 'answers_by_request'"
        (page,) = ask(query).fetchone()
        (size,) = ask("pragma page_size").fetchone()
    content = bytearray(place.read_bytes())
    cells = (page - 1) * size + 3  # how many there are, of two bytes
    content[cells : cells + 2] = bytes(2)
    place.write_bytes(content)
    with pytest.raises(CorruptLake, match="is damaged"):
        journaled(settings, deposit_entries)


def test_what_was_cut_is_sealed_as_what_was_answered(path: Path) -> None:
    with Journal(path) as journal:
        journal.begin("deposit", "t-1", DEPOSIT)
    with Journal(path) as journal:
        journal._connection.execute("update answers set outcome = 'done'")
        with pytest.raises(CorruptLake, match=r"request 1 .* SHA-256 is another"):
            list(journal.requests())


def test_rows_of_an_earlier_release_have_no_seal_and_count(path: Path) -> None:
    path.parent.mkdir()
    before = f"'t-1', '{{}}', 's', '{NOW.isoformat()}'"
    with closing(sqlite3.connect(path)) as made, made:
        made.executescript(f"{STEPS[0]}; pragma user_version = 1")
        made.execute(f"insert into requests values (1, 'deposit', {before})")
        made.execute(
            "insert into deliveries values (1, ?, 'e', 1, x'7b7d')", [NOW.isoformat()]
        )
    with Deliveries(path) as deliveries, Journal(path) as journal:
        assert [each.body for each in deliveries.after(0)] == [b"{}"]
        assert [each.outcome for each in journal.requests()] == [Outcome.UNKNOWN]
        journal.end(1, Outcome.DONE)
        assert [each.outcome for each in journal.requests()] == [Outcome.DONE]


NOW = datetime(2026, 10, 1, tzinfo=UTC)
LOOK = Corroboration(
    delivery=1, tracking_code="T1", at=NOW, verdict=Verdict.UNCONFIRMED, reason="open"
)


@pytest.mark.parametrize(
    ("change", "row"),
    [
        ("update deliveries set received_at = 'yesterday'", "delivery 1"),
        ("update deliveries set received_at = datetime('now')", "delivery 1"),
        ("update deliveries set received_at = '2026-10-02 00:00+00:00'", "delivery 1"),
        ("update deliveries set sha256 = 'f'", "delivery 1"),
        ("update deliveries set body = cast('{ }' as blob)", "delivery 1"),
        ("update corroborations set at = ''", "the look at delivery 1"),
        ("update corroborations set again_at = 'soon'", "the look at delivery 1"),
        ("update corroborations set verdict = 'x'", "the look at delivery 1"),
    ],
)
def test_a_delivery_that_cannot_be_read_is_damage(
    path: Path, change: str, row: str
) -> None:
    with Deliveries(path) as deliveries:
        deliveries.add([Arrival(event="e", received_at=NOW, body=b"{}")])
        deliveries.judge([LOOK])
        assert [each.number for each in deliveries.after(0)] == [1]
        deliveries._connection.execute(change)
        told = rf"journal\.sqlite3 is damaged: {row} cannot be read"
        for reads in (
            lambda: (list(deliveries.after(0)), deliveries.verdict(1)),
            lambda: (deliveries.of([1]), deliveries.verdict(1)),
        ):
            with pytest.raises(CorruptLake, match=told):
                reads()


def test_a_verdict_that_is_none_is_damage_for_its_agreement(path: Path) -> None:
    with Deliveries(path) as deliveries:
        deliveries.add([Arrival(event="e", received_at=NOW, body=b"{}")])
        deliveries.judge([LOOK])
        assert deliveries.open_of("T1", 5) == {1: Verdict.UNCONFIRMED}
        deliveries._connection.execute("update corroborations set verdict = 'x'")
        with pytest.raises(CorruptLake, match="a look at T1 cannot be read"):
            deliveries.open_of("T1", 5)


@pytest.mark.parametrize("column", ["body", "subject", "operation"])
def test_a_damaged_text_is_damage_and_is_not_told(path: Path, column: str) -> None:
    with Journal(path) as journal:
        journal.begin("deposit", "t-1", {"description": "Sara Ahmadi"})
        torn = f"cast(x'ff' || cast({column} as blob) as text)"
        journal._connection.execute(f"update requests set {column} = {torn}")
        with pytest.raises(CorruptLake, match="a text is not UTF-8") as raised:
            list(journal.requests())
        assert "Sara" not in "".join(traceback.format_exception(raised.value))
