"""A run: what it says of its sources, its exit code, and the same bytes again."""

import io
from dataclasses import replace
from datetime import datetime
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from recon.errors import CorruptLake, ExitCode, UsageError
from recon.reconcile.engines.choosing import AnyEngine
from recon.reconcile.opening import open_engine
from recon.reconcile.result import Result
from recon.reconcile.run import last_result, reconcile
from recon.settings import Checks
from tests.reconcile.lake_history import COUNTS, History, at, only, unpaid


@pytest.fixture
def history(history: History) -> History:
    """The lake of a shop that asks only for what the cases here bring about."""
    asked = only("checkout_paid_without_payment", "record_vanished")
    history.settings = replace(history.settings, checks=asked)
    return history


@pytest.fixture
def asking_all(history: History) -> History:
    """The same lake, asked every check."""
    history.settings = replace(history.settings, checks=Checks())
    return history


def file_bytes(result: Result) -> tuple[str, bytes, bytes]:
    """All that a run found, as bytes."""
    files = []
    for table in (result.breaks, result.rollforward):
        buffer = io.BytesIO()
        pq.write_table(table, buffer)
        files.append(buffer.getvalue())
    return result.run_id, files[0], files[1]


def test_an_empty_lake_is_clean(asking_all: History) -> None:
    with reconcile(asking_all.lake, asking_all.settings) as result:
        assert result.breaks.num_rows == result.rollforward.num_rows == 0
        assert (result.complete, result.sources) == (True, {})
        assert result.exit_code() is ExitCode.CLEAN


def test_breaks_have_the_columns_of_their_report(asking_all: History) -> None:
    asking_all.pull("checkouts", unpaid("c"))
    with reconcile(asking_all.lake, asking_all.settings) as result:
        (row,) = result.breaks.to_pylist()
    assert ",".join(row) == (
        "break_id,check,severity,product,record_id,related_id,occurred_at,"
        "business_date,expected,actual,difference,detail,first_seen,age_days,status"
    )
    assert row["break_id"] == "797c086a59fc46b5"
    assert row["check"] == "checkout_paid_without_payment"
    assert row["business_date"].isoformat() == "2026-10-02"  # in Tehran
    assert (row["first_seen"], row["age_days"], row["status"]) == (at(1), 0, "open")


def test_the_rollforward_has_the_columns_of_its_report(history: History) -> None:
    snapshots = [{"at": at(d), "iban": "IR1", "balance": 10 * d} for d in (1, 2)]
    history.pull("balances", {"balances": snapshots})
    with reconcile(history.lake, history.settings) as result:
        (row,) = result.rollforward.to_pylist()
    assert ",".join(row) == (
        "wallet,from_at,to_at,opening,payments,gateway,hosted,deposits,adjustments,"
        "expected_closing,closing,difference,explained,unexplained"
    )
    assert row["unexplained"] == 10


@pytest.mark.parametrize("sign", [1, -1])
def test_amounts_of_18_digits_are_figures_of_a_run_and_stop_none(
    asking_all: History, sign: int
) -> None:
    most = sign * (10**18 - 1)
    rows = {name: list(of) for name, of in unpaid(*"abcd", paid=True).items()}
    for each in (*rows["checkouts"], *rows["payments"]):
        each.update({key: most for key in each if key.endswith("amount")})
    asking_all.pull("checkouts", rows)
    snapshots = [{"at": at(d), "iban": "IR1", "balance": 0} for d in (1, 3)]
    asking_all.pull("balances", {"balances": snapshots})
    with reconcile(asking_all.lake, asking_all.settings) as result:
        (row,) = result.rollforward.to_pylist()
    assert (row["payments"], row["difference"]) == (4 * most, -4 * most)


@pytest.mark.parametrize(
    ("severity", "code"),
    [
        ("critical", ExitCode.BREAKS_OPEN),
        ("error", ExitCode.BREAKS_OPEN),
        ("warning", ExitCode.CLEAN),
        ("info", ExitCode.CLEAN),
    ],
)
def test_the_exit_code_follows_the_worst_open_break(
    history: History, severity: str, code: ExitCode
) -> None:
    history.pull("checkouts", unpaid("c"))
    history.settings.checks.severity["checkout_paid_without_payment"] = severity
    try:
        with reconcile(history.lake, history.settings) as result:
            assert result.exit_code() is code
    finally:
        history.settings.checks.severity.clear()


def test_incomplete_data_comes_before_open_breaks(history: History) -> None:
    history.pull("checkouts", unpaid("c"))
    history.pull("mandates", {}, complete=False, error="the list kept moving")
    with reconcile(history.lake, history.settings) as result:
        assert result.exit_code() is ExitCode.INCOMPLETE
        state = result.sources["mandates"]
        assert (state.complete, state.error) == (False, "the list kept moving")
        assert result.sources["checkouts"].complete


def test_a_source_is_as_its_newest_pull_left_it(history: History) -> None:
    counts = COUNTS | {"records": 9}
    whole = history.pull("checkouts", {}, whole=True, counts=counts)
    history.clock(at(2))
    history.pull("checkouts", {}, counts=COUNTS | {"pages": 7})
    with reconcile(history.lake, history.settings) as result:
        state = result.sources["checkouts"]
    assert (state.partial, state.complete, state.pages) == (True, True, 7)
    assert state.last_whole_sweep == whole.committed_at
    with reconcile(history.lake, history.settings, as_of=at(1)) as earlier:
        state = earlier.sources["checkouts"]
    assert (state.partial, state.records) == (False, 9)


def test_a_time_in_the_future_is_refused(history: History) -> None:
    with pytest.raises(UsageError, match="2026-10-02T00:00:00Z is in the future"):
        reconcile(history.lake, history.settings, as_of=at(2))


def test_the_same_time_gives_the_same_bytes_whatever_came_later(
    history: History,
) -> None:
    history.pull("checkouts", unpaid("a", "b"))
    history.clock(at(2))
    with reconcile(history.lake, history.settings) as result:
        first = file_bytes(result)
    history.pull("checkouts", unpaid("b", paid=True))
    history.decide("797c086a59fc46b5", "acknowledge", at(2))
    history.clock(at(5))
    history.pull("checkouts", unpaid("c"))
    with reconcile(history.lake, history.settings) as later:
        assert file_bytes(later) != first
    with reconcile(history.lake, history.settings, as_of=at(2)) as again:
        assert file_bytes(again) == first


def test_a_run_of_an_earlier_time_in_between_changes_nothing(history: History) -> None:
    history.pull("checkouts", unpaid("a"))
    history.clock(at(3))
    with reconcile(history.lake, history.settings) as result:
        first = file_bytes(result)
    reconcile(history.lake, history.settings, as_of=at(2)).close()
    with reconcile(history.lake, history.settings, as_of=at(3)) as again:
        assert file_bytes(again) == first


def test_the_same_run_is_kept_once(history: History) -> None:
    history.pull("checkouts", unpaid("a"))
    for _ in range(2):
        reconcile(history.lake, history.settings, as_of=at(1)).close()
    (kept,) = history.lake.commits(kind="run")
    assert kept.as_of == at(1)
    assert history.lake.versions("runs").num_rows == 1
    assert history.lake.versions("run_breaks").num_rows == 1


def test_a_run_is_kept_once_more_where_other_settings_were_tried_since(
    history: History,
) -> None:
    """Else the next night would tell what the trial found as gone, and not what was."""
    history.pull("checkouts", unpaid("a"))
    asked = history.settings.checks
    quiet = replace(asked, severity={"checkout_paid_without_payment": "info"})
    for checks in (asked, quiet, asked, asked):
        settings = replace(history.settings, checks=checks)
        reconcile(history.lake, settings, as_of=at(1)).close()
    assert len(history.lake.commits(kind="run")) == 3
    history.clock(at(2))
    history.pull("checkouts", unpaid("a", paid=True))
    with reconcile(history.lake, history.settings) as result:
        (row,) = result.breaks.to_pylist()
    assert (row["status"], row["severity"]) == ("gone", "critical")


def test_a_dry_run_writes_nothing(history: History) -> None:
    history.pull("checkouts", unpaid("a"))
    with reconcile(history.lake, history.settings, dry_run=True) as result:
        assert result.breaks.num_rows == 1
    assert history.lake.commits(kind="run") == []


def test_the_last_result_is_that_of_the_last_run(history: History) -> None:
    history.pull("checkouts", unpaid("a"))
    reconcile(history.lake, history.settings).close()
    history.clock(at(4))
    history.pull("checkouts", unpaid("b"))
    with last_result(history.lake, history.settings) as result:
        assert (result.as_of, result.breaks.num_rows) == (at(1), 1)
    assert len(history.lake.commits(kind="run")) == 1


def test_the_last_result_knows_what_was_decided_since(history: History) -> None:
    history.pull("checkouts", unpaid("c"))
    reconcile(history.lake, history.settings).close()
    history.clock(at(1, 9))
    history.decide("797c086a59fc46b5", "acknowledge", at(1, 9))
    with last_result(history.lake, history.settings) as result:
        assert result.breaks["status"].to_pylist() == ["acknowledged"]
    with last_result(history.lake, history.settings, as_of=at(1)) as result:
        assert result.breaks["status"].to_pylist() == ["open"]


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[datetime]:
    """The instants of which a lake's tables were opened."""
    asked: list[datetime] = []

    def noted(*given: Any, **further: Any) -> AnyEngine:
        asked.append(given[2])
        return open_engine(*given, **further)

    monkeypatch.setattr("recon.reconcile.result.open_engine", noted)
    return asked


def test_the_breaks_of_a_kept_run_are_read_not_found_again(
    history: History, opened: list[datetime]
) -> None:
    history.pull("checkouts", unpaid("a", "b"))
    reconcile(history.lake, history.settings).close()
    history.clock(at(3))
    with reconcile(history.lake, history.settings) as found:
        breaks = found.breaks
    opened.clear()
    with last_result(history.lake, history.settings) as result:
        assert result.breaks.equals(breaks)
        assert (result.run_id, opened) == (found.run_id, [])
        assert result.rollforward.equals(found.rollforward)
        assert opened == [at(3)]


def test_a_run_that_went_by_other_rules_is_found_again(
    history: History, opened: list[datetime]
) -> None:
    history.pull("checkouts", unpaid("a"))
    reconcile(history.lake, history.settings).close()
    opened.clear()
    asked, name = history.settings.checks, "checkout_paid_without_payment"
    for changed, severities in (
        ({"disabled": (*asked.disabled, name)}, []),
        ({"severity": {name: "info"}}, ["info"]),
        ({"tolerance": 1}, ["critical"]),
    ):
        settings = replace(history.settings, checks=replace(asked, **changed))
        with last_result(history.lake, settings) as result:
            assert result.breaks["severity"].to_pylist() == severities
    assert opened == [at(1)] * 3


def test_a_run_that_other_code_made_is_made_again(
    history: History, opened: list[datetime], monkeypatch: pytest.MonkeyPatch
) -> None:
    history.pull("checkouts", unpaid("a"))
    reconcile(history.lake, history.settings).close()
    opened.clear()
    monkeypatch.setattr("recon.reconcile.rules.code_hash", lambda: "another")
    with last_result(history.lake, history.settings) as result:
        assert result.breaks.num_rows == 1
    assert opened == [at(1)]


def come_late(history: History, patch: pytest.MonkeyPatch, *names: str) -> None:
    """Let a pull come in while the next run looks, in the second that it speaks of."""
    to_come = [*names]

    def opened_late(*given: Any, **further: Any) -> AnyEngine:
        while to_come:
            history.pull("checkouts", unpaid(to_come.pop()))
        return open_engine(*given, **further)

    patch.setattr("recon.reconcile.result.open_engine", opened_late)


def test_what_came_in_while_a_run_looked_is_in_the_last_result(
    history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    history.pull("checkouts", unpaid("a"))
    come_late(history, monkeypatch, "b")
    with reconcile(history.lake, history.settings) as found:
        assert found.breaks.num_rows == 2
    assert len(history.lake.commits(kind="run")) == 2
    with last_result(history.lake, history.settings) as result:
        assert (result.run_id, result.breaks) == (found.run_id, found.breaks)


def test_what_came_in_while_a_report_was_made_is_in_it(
    history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a run that is not kept a repetition as of its time says the same, too."""
    history.pull("checkouts", unpaid("a"))
    come_late(history, monkeypatch, "b")
    with reconcile(history.lake, history.settings, dry_run=True) as found:
        once, at = file_bytes(found), found.as_of
    with reconcile(history.lake, history.settings, as_of=at, dry_run=True) as again:
        assert file_bytes(again) == once
        assert again.breaks.num_rows == 2
    assert history.lake.commits(kind="run") == []


def test_without_a_run_the_lake_is_looked_at_as_it_is(history: History) -> None:
    history.pull("checkouts", unpaid("a"))
    with last_result(history.lake, history.settings) as result:
        assert result.breaks.num_rows == 1


def test_a_missing_file_is_a_corrupt_lake(history: History) -> None:
    commit = history.pull("checkouts", unpaid("a"))
    (history.lake.root / commit.files[0].path).unlink()
    with pytest.raises(CorruptLake, match="a committed file is missing"):
        reconcile(history.lake, history.settings)


def test_a_damaged_file_is_a_corrupt_lake(history: History) -> None:
    commit = history.pull("checkouts", unpaid("a"))
    path = history.lake.root / commit.files[0].path
    path.write_bytes(b"x" * path.stat().st_size)
    with pytest.raises(CorruptLake, match="its SHA-256 is another"):
        reconcile(history.lake, history.settings)


def test_a_vanished_record_is_found_from_the_newest_whole_sweep(
    history: History,
) -> None:
    with history.lake.begin("pull", "checkouts") as made:
        made.rows("checkouts", unpaid("a", "b", paid=True)["checkouts"])
        made.seen("checkouts", ["a", "b"])
        made.commit(counts=COUNTS)
    history.clock(at(2))
    with history.lake.begin("pull", "checkouts") as made:
        made.seen("checkouts", ["b"])
        made.commit(counts=COUNTS)
    with reconcile(history.lake, history.settings) as result:
        found = result.breaks.filter(pa.compute.field("check") == "record_vanished")
        assert found["record_id"].to_pylist() == ["a"]
    with reconcile(history.lake, history.settings, as_of=at(1)) as earlier:
        assert "record_vanished" not in earlier.breaks["check"].to_pylist()
