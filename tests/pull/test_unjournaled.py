"""A journal that was lost or put back: what the lake has of it bears witness."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from recon.errors import LakeError
from recon.imports.importing import take
from recon.journal import Journal, journal_path
from recon.lake import Lake
from recon.pull.unjournaled import of_journal, unjournaled
from recon.records.requests import Operation, Outcome
from recon.settings import Settings
from tests.pull.provider_stub import WALLET, deposit
from tests.pull.test_pull_deposits import journal, pull, settings_of


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A business whose lake has one deposit of known outcome and one of unknown."""
    made = settings_of(tmp_path, listed=False)
    journal(made, "t1", [deposit(1), deposit(2)])
    shutil.copytree(journal_path(made).parent, tmp_path / "copy")
    journal(made, "t2", None)
    assert pull(made, []).counts.new == 3
    return made


def told(settings: Settings) -> str | None:
    return unjournaled(settings, of_journal(Lake(settings.lake_path)))


def lose(settings: Settings) -> Path:
    path = journal_path(settings)
    for part in path.parent.glob(f"{path.name}*"):
        part.unlink()
    return path


def imported(settings: Settings, **cells: Any) -> None:
    file = settings.folder / "deposits.csv"
    file.write_text(",".join(cells) + "\n" + ",".join(cells.values()) + "\n")
    take("deposits", [file], settings, Lake(settings.lake_path))


def test_a_journal_that_has_what_the_lake_has_lacks_nothing(settings: Settings) -> None:
    assert told(settings) is None
    journal(settings, "t3", None)  # the lake being older is nothing to tell
    assert told(settings) is None


def test_an_older_journal_lacks_what_was_sent_since(
    settings: Settings, tmp_path: Path
) -> None:
    path = lose(settings)
    shutil.copy(tmp_path / "copy" / path.name, path)
    assert told(settings) == (
        "the lake has 1 deposit that the journal has not: t2 (of unknown outcome)"
    )


@pytest.mark.parametrize("begun_anew", [False, True])
def test_a_lost_journal_lacks_everything(settings: Settings, begun_anew: bool) -> None:
    path = lose(settings)
    if begun_anew:
        path.touch()
    assert told(settings) == (
        "the lake has 2 deposits that the journal has not: t1, t2 (of unknown outcome)"
    )


def test_sent_again_with_an_older_journal_and_refused_it_is_lacking_still(
    settings: Settings,
) -> None:
    """The journal then knows of a refusal, and not of what was refused for it."""
    with Journal(lose(settings)) as opened:
        number = opened.begin(Operation.DEPOSIT, "t2", {"track_id": "t2"})
        opened.end(number, Outcome.REFUSED, status=422)
    assert "t2 (of unknown outcome)" in str(told(settings))


def test_what_an_import_or_the_list_tells_is_known_without_the_journal(
    settings: Settings,
) -> None:
    lose(settings)
    imported(
        settings,
        track_id="t2",
        requested_at="2026-11-01T10:00:00Z",
        gateway_transaction_id="7",
        amount="10000",
        amount_toman="1000",
        wage="0",
        wage_toman="0",
        status="SETTLED",
        iban=WALLET,
        receipt_url="https://receipts.test/7",
        outcome="",
    )
    assert told(settings) == "the lake has 1 deposit that the journal has not: t1"
    listed = settings_of(settings.folder, listed=True)
    entries = [deposit(number, track_id="t1") for number in (1, 2)]
    pull(listed, [*entries, deposit(9)])
    assert told(listed) is None


def test_a_listed_deposit_without_a_request_hides_none(settings: Settings) -> None:
    lose(settings)
    lake = Lake(settings.lake_path)
    entry = {"gateway_transaction_id": "9", "outcome": ""}
    rows = [
        entry | {"origin": "list"},
        {"track_id": "t8", "gateway_transaction_id": "8"},
    ]
    with lake.begin("pull", "deposits") as writing:
        writing.rows("deposits", rows, seen_at=lake.now())
        writing.commit(counts={"records": 2})
    assert told(settings) == (
        "the lake has 2 deposits that the journal has not: t1, t2 (of unknown outcome)"
    )


def test_a_deposit_that_was_sent_again_and_answered_is_lacking_nowhere(
    settings: Settings,
) -> None:
    """The first request is then known to have had no effect; the lake has both."""
    with Journal(journal_path(settings)) as opened:
        (first,) = opened.unknown()
        opened.end(first.number, Outcome.UNDONE)
    journal(settings, "t2", [deposit(3)])
    assert told(settings) is None


def test_a_lake_without_deposits_has_no_witness(tmp_path: Path) -> None:
    assert told(settings_of(tmp_path, listed=False)) is None


def test_a_journal_that_cannot_be_read_is_an_error(settings: Settings) -> None:
    lose(settings).write_bytes(b"no database at all" * 100)
    with pytest.raises(LakeError):
        told(settings)
