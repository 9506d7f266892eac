"""Closing a period: when it may be, what is frozen, and only once."""

import csv
import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from recon.close import Closing, close
from recon.close.closing import NotClosable, NotWhole
from recon.errors import ExitCode, LockHeld, UsageError
from recon.lake.lock import run_lock
from recon.reconcile.run import reconcile
from recon.settings import Secret, Unified
from tests.close.closed_shop import PERIOD, WALLET, closed, copied, settings_of, trade
from tests.reconcile.lake_history import History, at, unpaid


def entry(closing: Closing, name: str) -> bytes:
    with zipfile.ZipFile(closing.pack) as pack:
        return pack.read(name)


def rows(closing: Closing, name: str) -> list[dict[str, str]]:
    text = entry(closing, name).decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text)))


def kinds(history: History) -> list[str]:
    return [commit.kind for commit in history.lake.commits()]


Sealed = tuple[History, Closing]


@pytest.fixture(scope="module")
def sealed(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[History, Closing]]:
    """A lake with a closed period, on the ninth; not to be touched."""
    folder = tmp_path_factory.mktemp("sealed")
    with pytest.MonkeyPatch.context() as patch:
        history = History(folder / "lake", patch)
        trade(history)
        yield history, closed(history)


def test_a_closing_has_both_balances_and_what_moved(sealed: Sealed) -> None:
    _, closing = sealed
    (wallet,) = closing.balances
    assert (wallet["opening_at"], wallet["closing_at"]) == (at(1), at(6))
    figures = [wallet[name] for name in ("opening", "moved", "closing", "difference")]
    assert figures == [100, 5, 105, 0]
    (packed,) = rows(closing, "balances.csv")
    assert (packed["wallet"], packed["opening"], packed["closing"]) == (
        WALLET,
        "100",
        "105",
    )


def test_a_closing_is_a_row_of_the_lake_with_the_pack_s_hash(sealed: Sealed) -> None:
    history, closing = sealed
    assert kinds(history)[-2:] == ["run", "close"]
    commit = history.lake.commits(kind="close")[0]
    assert (commit.source, commit.as_of) == (PERIOD, closing.as_of)
    assert commit.certificate["pack_sha256"] == closing.pack_sha256
    assert commit.certificate["by"] == "sara"
    assert commit.committed_at > closing.as_of


def test_the_pack_is_where_packs_are_and_holds_what_it_must(sealed: Sealed) -> None:
    history, closing = sealed
    expected = history.settings.reports_path / "closed" / f"{PERIOD}.zip"
    assert closing.pack == expected
    with zipfile.ZipFile(closing.pack) as pack:
        names = set(pack.namelist())
    assert {
        *("manifest.json", "README.txt", "balances.csv", "carried_forward.csv"),
        *(
            "books.csv",
            "in_transit.csv",
            "figures.json",
            "inputs.json",
            "settings.json",
        ),
        *("reports/breaks.csv", "reports/rollforward.csv", "reports/flows.csv"),
        *("reports/journal.csv", "reports/summary.json"),
        "queries/checks/wallet_rollforward.sql",
    } <= names
    assert closing.entries == len(names)


def test_the_pack_says_what_each_of_its_entries_is(sealed: Sealed) -> None:
    _, closing = sealed
    told = entry(closing, "README.txt").decode()
    with zipfile.ZipFile(closing.pack) as pack:
        roots = {name.partition("/")[0] for name in pack.namelist()}
    assert {each for each in roots if each not in told} == {"README.txt"}
    assert f"{PERIOD}: 2026-10-01 to 2026-10-05" in told


def test_the_pack_names_every_input_with_its_hash(sealed: Sealed) -> None:
    history, closing = sealed
    listed = json.loads(entry(closing, "inputs.json"))
    files = {f["path"]: f["sha256"] for each in listed for f in each["files"]}
    expected = {
        file.path: file.sha256
        for commit in history.lake.commits()
        for file in commit.files
        if commit.kind in ("pull", "import")
    }
    assert files == expected
    assert files


def test_the_pack_holds_no_secret_and_no_place(history: History) -> None:
    trade(history)
    history.settings = settings_of(
        history,
        unified=Unified(
            api_key=Secret("hush-hush"), base_url="https://provider.example"
        ),
    )
    history.clock(at(7))
    for source in ("customers", "webhooks", "checkouts", "mandates"):
        history.pull(source, {})
    history.pull("payment_methods", {})
    closing = closed(history)
    with zipfile.ZipFile(closing.pack) as pack:
        text = b"".join(pack.read(name) for name in pack.namelist())
    assert b"hush-hush" not in text
    assert str(history.lake.root).encode() not in text
    shown = json.loads(entry(closing, "settings.json"))
    assert shown["unified"]["base_url"] == "https://provider.example"
    assert "api_key" not in shown["unified"]


def test_a_period_that_was_closed_in_part_is_told_so(sealed: Sealed) -> None:
    history, _ = sealed
    history.clock(at(9))
    period = "2026-10-05..2026-10-06"
    told = rf"^the period {period} has days of .*\(2026-10-.*\), which was closed at "
    with pytest.raises(UsageError, match=told):
        close(history.settings, history.lake, period, by="omid")


@pytest.mark.parametrize(
    "period", [PERIOD, "2026-10-05..2026-10-06", "2026-10-03..2026-10-03"]
)
def test_what_was_closed_is_not_closed_again(sealed: Sealed, period: str) -> None:
    history, closing = sealed
    before = closing.pack.read_bytes()
    history.clock(at(9))
    with pytest.raises(UsageError, match=r"was closed .*2026-10-07T00:00:01Z by sara"):
        close(history.settings, history.lake, period, by="omid")
    assert closing.pack.read_bytes() == before
    assert len(history.lake.commits(kind="close")) == 1


def test_the_next_period_can_be_closed(
    sealed: Sealed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = copied(sealed[0].lake.root.parent, tmp_path, monkeypatch)
    history.clock(at(9))
    history.pull("checkouts", {})
    following = close(
        history.settings, history.lake, "2026-10-06..2026-10-08", by="sara"
    )
    (wallet,) = following.balances
    assert (wallet["opening"], wallet["moved"], wallet["closing"]) == (105, 0, 105)


@pytest.mark.parametrize("period", ["2026-10", "2026-10-01..2026-10-07"])
def test_a_period_that_has_not_ended_is_refused(history: History, period: str) -> None:
    trade(history)
    with pytest.raises(UsageError, match="has not ended"):
        close(history.settings, history.lake, period, by="sara")
    assert "run" not in kinds(history)


def test_open_breaks_stand_against_it_until_they_are_carried_forward(
    history: History,
) -> None:
    trade(history)
    history.pull("checkouts", unpaid("b"))
    with pytest.raises(NotClosable, match="checkout_paid_without_payment") as error:
        closed(history)
    assert error.value.exit_code == ExitCode.BREAKS_OPEN
    assert "closed: 1 break of error or critical is open in it" in str(error.value)
    assert "close" not in kinds(history)
    closing = closed(history, carry_forward=True)
    assert closing.carried_forward == 1
    (carried,) = rows(closing, "carried_forward.csv")
    assert (carried["record_id"], carried["status"]) == ("b", "open")


def test_a_decided_break_does_not_stand_against_it(history: History) -> None:
    trade(history)
    history.pull("checkouts", unpaid("b"))
    with reconcile(history.lake, history.settings) as result:
        (identity,) = result.breaks["break_id"].to_pylist()
    history.decide(identity, "acknowledge", at(7))
    history.clock(at(7, 1))
    closing = closed(history)
    assert [row["status"] for row in rows(closing, "carried_forward.csv")] == [
        "acknowledged"
    ]


def test_a_break_of_another_period_does_not_stand_against_it(history: History) -> None:
    trade(history)
    earlier, later = unpaid("b"), unpaid("c")
    earlier["checkouts"][0]["created_at"] = at(1).replace(month=9)  # type: ignore[index]
    later["checkouts"][0]["created_at"] = at(6, 1)  # type: ignore[index]
    history.pull("checkouts", earlier)
    history.pull("checkouts", later)
    closing = closed(history)
    carried = [row["record_id"] for row in rows(closing, "carried_forward.csv")]
    assert carried == ["b"]


def test_a_rest_of_the_last_day_stands_against_it(history: History) -> None:
    """Its snapshot is of the midnight after, and so of the next business date."""
    trade(history, {1: 100, 5: 105, 6: 95})
    with pytest.raises(NotClosable, match="wallet_rollforward"):
        closed(history)


def shown(history: History, day: int, hour: int, balance: int) -> None:
    """A further snapshot of the wallet."""
    row = {"at": at(day, hour), "iban": WALLET, "balance": balance, "origin": "import"}
    history.pull("balances", {"balances": [row]}, kind="import")


def test_a_rest_over_the_end_may_be_of_the_period_and_stands_against_it(
    history: History,
) -> None:
    """The snapshot of the sixth, 01:00, is of the evening of the fifth as well."""
    trade(history, {1: 100, 5: 105})
    shown(history, 6, 1, 95)
    with pytest.raises(NotClosable, match="wallet_rollforward"):
        closed(history)
    closing = closed(history, carry_forward=True)
    (carried,) = rows(closing, "carried_forward.csv")
    assert carried["record_id"] == f"{WALLET}:2026-10-06T01:00:00Z"
    assert rows(closing, "balances.csv")[0]["closing"] == "105"


@pytest.mark.parametrize(
    "evening",
    [105, None],  # the rest is of the time after that midnight, or there is none
)
def test_a_rest_after_the_end_and_an_interval_over_it_that_adds_up_do_not(
    history: History, evening: int | None
) -> None:
    trade(history, {1: 100, 5: 105} | ({6: evening} if evening else {}))
    shown(history, 6, 1, 95 if evening else 105)
    closing = closed(history)
    assert rows(closing, "carried_forward.csv") == []


def test_a_rest_that_ends_with_the_first_midnight_is_of_the_period_before(
    history: History,
) -> None:
    trade(history, {1: 100, 6: 105})
    before = {"at": at(1).replace(month=9), "iban": WALLET, "balance": 1}
    history.pull("balances", {"balances": [before | {"origin": "import"}]})
    closing = closed(history)
    assert [row["check"] for row in rows(closing, "carried_forward.csv")] == [
        "wallet_rollforward"
    ]


def test_a_source_that_failed_makes_it_incomplete(history: History) -> None:
    trade(history)
    history.pull("mandates", {}, complete=False, error="the provider was silent")
    with pytest.raises(NotWhole, match="mandates: the provider was silent") as error:
        closed(history, carry_forward=True)
    assert error.value.exit_code == ExitCode.INCOMPLETE


def test_a_night_of_a_clock_that_was_ahead_ends_no_period_and_reads_nothing(
    history: History,
) -> None:
    """Else a month would be closed before its end, or without its last days."""
    trade(history)
    unified = Unified(base_url="https://provider.example")
    history.settings = settings_of(history, unified=unified)
    history.clock(at(31))
    for source in ("checkouts", "mandates", "payment_methods"):
        history.pull(source, {})
    history.clock(at(9))
    with pytest.raises(UsageError, match="has not ended"):
        close(history.settings, history.lake, "2026-10-06..2026-10-20", by="sara")
    with pytest.raises(NotWhole, match="mandates: it was not read since the period"):
        close(history.settings, history.lake, "2026-10-06..2026-10-08", by="sara")


def test_a_source_not_read_since_the_period_ended_makes_it_incomplete(
    history: History,
) -> None:
    trade(history)
    history.settings = settings_of(
        history, unified=Unified(base_url="https://provider.example")
    )
    with pytest.raises(NotWhole) as error:
        close(history.settings, history.lake, PERIOD.replace("05", "04"), by="sara")
    text = str(error.value)
    assert "mandates: it was not read since the period ended" in text
    assert "checkouts: " not in text


@pytest.mark.parametrize("runs", [0, 1])
def test_an_empty_lake_has_nothing_to_close(history: History, runs: int) -> None:
    history.settings = settings_of(history)
    history.clock(at(7))
    for _ in range(runs):  # a night that reads nothing, either
        reconcile(history.lake, history.settings).close()
    history.clock(at(8))
    with pytest.raises(NotWhole, match="empty"):
        closed(history)


def test_a_source_that_the_settings_left_out_within_a_period_makes_it_incomplete(
    history: History,
) -> None:
    """A night that lost its settings stays green, but closes no month."""
    trade(history)  # read on the sixth, and never since
    for days in ("05..2026-10-06", "06..2026-10-06"):
        with pytest.raises(NotWhole, match=r"checkouts: .* leave it out by now"):
            close(history.settings, history.lake, f"2026-10-{days}", by="sara")
    history.clock(at(9))
    given_up = close(
        history.settings, history.lake, "2026-10-07..2026-10-08", by="sara"
    )
    assert given_up.entries


def test_a_closing_waits_for_no_other_run(history: History) -> None:
    trade(history)
    with run_lock(history.lake), pytest.raises(LockHeld):
        closed(history)


@pytest.mark.parametrize("by", ["", "  ", "x" * 201])
def test_a_closing_has_an_author(history: History, by: str) -> None:
    trade(history)
    with pytest.raises(UsageError, match="--by"):
        closed(history, by=by)


def test_a_dry_run_judges_and_writes_nothing(history: History) -> None:
    trade(history)
    before = kinds(history)
    closing = closed(history, dry_run=True)
    assert closing.pack_sha256 == ""
    assert not closing.pack.parent.exists()
    assert kinds(history) == before
    history.pull("checkouts", unpaid("b"))
    with pytest.raises(NotClosable):
        closed(history, dry_run=True)


def test_a_pack_without_its_row_is_of_a_killed_closing_and_replaced(
    history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    trade(history)

    def killed(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("recon.close.closing._keep", killed)
        with pytest.raises(KeyboardInterrupt):
            closed(history)
    left = history.settings.reports_path / "closed" / f"{PERIOD}.zip"
    assert left.is_file()
    history.clock(at(8))
    closing = closed(history)
    assert closing.pack == left
    assert json.loads(entry(closing, "manifest.json"))["as_of"].startswith("2026-10-08")


def test_a_folder_that_cannot_be_written_is_one_clear_error(
    history: History, tmp_path: Path
) -> None:
    trade(history)
    (tmp_path / "reports").write_text("a file", encoding="utf-8")
    with pytest.raises(UsageError, match="cannot be written"):
        closed(history)
    assert "close" not in kinds(history)
