import json
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from threading import Thread
from typing import Any

import pyarrow as pa
import pytest

from recon.errors import UsageError
from recon.reports import csv_text, failures, flows, journal, writing
from recon.reports.rendering import Part, Rendering
from recon.reports.writing import write
from recon.settings import Business, Reports, Settings
from recon.times import format_instant
from tests.reports.stand_in import (
    AS_OF,
    DATED_MATCHES,
    ResultStandIn,
    SourceStandIn,
    a_break,
    a_failure,
    a_flow,
    an_interval,
    rows,
)

CSV_FILES = {f"{name}.csv" for name in writing.REPORTS}


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(
        business=Business(name="shop"),
        reports=Reports(path=str(tmp_path / "reports")),
    )


@pytest.fixture
def plain(settings: Settings) -> Settings:
    """The same without the page and the workbook, which take longer than all else."""
    reports = replace(settings.reports, excel=False, html=False)
    return replace(settings, reports=reports)


@pytest.fixture
def paged(settings: Settings) -> Settings:
    """The same with the page and without the workbook."""
    return replace(settings, reports=replace(settings.reports, excel=False))


def result(**changed: object) -> ResultStandIn:
    tables = {
        "report_flows": rows(flows.COLUMNS, [a_flow()]),
        "report_failures": rows(failures.COLUMNS, [a_failure()]),
    }
    return ResultStandIn(
        **{
            "tables": tables,
            "break_rows": [a_break()],
            "interval_rows": [an_interval()],
        }
        | changed
    )


def test_the_same_bytes_go_to_the_folder_of_the_business_date_of_as_of(
    settings: Settings,
) -> None:
    late = datetime(2026, 3, 2, 21, 0, tzinfo=UTC)  # already the 3rd in Tehran
    paths = write(result(as_of=late), settings)
    first = {name: path.read_bytes() for name, path in paths.items()}
    again = write(result(as_of=late), settings)
    assert {name: path.read_bytes() for name, path in again.items()} == first
    assert {path.parent for path in paths.values()} == {
        settings.reports_path / "2026-03-03"
    }
    assert CSV_FILES | {"summary.json"} <= paths.keys()
    assert all(path.is_file() for path in paths.values())


def test_no_draft_stays_beside_the_reports(plain: Settings) -> None:
    write(result(), plain)
    assert [path.name for path in plain.reports_path.iterdir()] == ["2026-03-02"]


def test_a_csv_begins_with_a_byte_order_mark_and_ends_its_lines_with_lf(
    plain: Settings,
) -> None:
    for name, path in write(result(), plain).items():
        if name.endswith(".csv"):
            content = path.read_bytes()
            assert content.startswith(b"\xef\xbb\xbf")
            assert b"\r" not in content
            assert content.endswith(b"\n")


def test_breaks_csv_to_the_byte(plain: Settings) -> None:
    content = write(result(), plain)["breaks.csv"].read_text("utf-8-sig")
    assert content == (
        "break_id,check,severity,product,record_id,related_id,occurred_at,"
        "business_date,expected,actual,difference,detail,first_seen,age_days,status\n"
        "0123456789abcdef,payment_wallet_identity,critical,unified,"
        "5e0d1f5c-0000-4000-8000-000000000001,,2026-03-01T10:00:00Z,2026-03-01,"
        '990000,980000,-10000,"1,000,000 less the wage of 10,000 is 990,000",'
        "2026-03-02T03:00:00Z,0,open\n"
    )


def test_a_complete_run_has_no_mark_and_an_incomplete_one_says_which_source(
    plain: Settings,
) -> None:
    broken = SourceStandIn(complete=False, error="503 after 5 attempts, 09123456789")
    paths = write(result(complete=False, sources={"checkouts": broken}), plain)
    text = paths["INCOMPLETE.txt"].read_text()
    assert "checkouts: 503 after 5 attempts, 0912*****89" in text
    assert json.loads(paths["summary.json"].read_text())["complete"] is False
    again = write(result(), plain)
    assert "INCOMPLETE.txt" not in again
    assert not paths["INCOMPLETE.txt"].exists()


def test_no_file_repeats_what_a_provider_said_of_a_person(paged: Settings) -> None:
    said = "refused: the card of 09123456789 is blocked"
    certificate = {"reason": said, "not_in_part": said, "unfamiliar": {said: 1}}
    part = SourceStandIn(certificate={**certificate, "sweeps": 2})
    paths = write(result(sources={"mandates": part}), paged)
    told = json.loads(paths["summary.json"].read_text())["sources"]["mandates"]
    assert told["certificate"]["reason"].startswith("refused: the card of 0912")
    assert told["certificate"]["sweeps"] == 2
    assert "report.html" in paths
    assert all("09123456789" not in path.read_text() for path in paths.values())


def test_a_file_of_somebody_else_in_the_folder_stays(plain: Settings) -> None:
    folder = write(result(), plain)["summary.json"].parent
    note = folder / "notes of the accountant.txt"
    note.write_text("keep")
    write(result(), plain)
    assert note.read_text() == "keep"


def test_two_reports_at_once_do_not_mix_their_files(
    plain: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`recon report` beside a night: all files are those of one of them."""
    later = result(break_rows=[], run_id="later")
    other = Thread(target=write, args=(later, plain))
    move = Path.replace

    def moved(path: Path, target: Path) -> Path:
        if target.name == "flows.csv" and not other.ident:
            other.start()
            other.join(0.3)
        return move(path, target)

    monkeypatch.setattr(Path, "replace", moved)
    found = write(result(), plain)
    other.join()
    is_later = json.loads(found["summary.json"].read_bytes())["run_id"] == "later"
    has_break = a_break()["break_id"] in found["breaks.csv"].read_text("utf-8")
    assert is_later is not has_break


def test_a_report_that_fails_leaves_the_earlier_files_as_they_were(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = write(result(), settings)
    before = {name: path.read_bytes() for name, path in paths.items()}

    def full_disk(table: pa.Table) -> Iterator[bytes]:
        yield b"some"
        if "affected" in table.column_names:
            raise OSError("no space left")

    monkeypatch.setattr(csv_text, "chunks", full_disk)
    with pytest.raises(UsageError, match=r"reports\.path: .* no space left"):
        write(result(break_rows=[]), settings)
    assert {name: path.read_bytes() for name, path in paths.items()} == before


def test_a_period_restricts_each_report_to_its_business_dates(
    plain: Settings,
) -> None:
    tables = {
        "report_flows": rows(
            flows.COLUMNS, [a_flow(), a_flow(business_date=date(2026, 3, 2))]
        ),
        "report_failures": rows(
            failures.COLUMNS, [a_failure(), a_failure(business_date=date(2026, 2, 28))]
        ),
    }
    given = result(
        tables=tables,
        break_rows=[
            a_break(),
            a_break(business_date=date(2026, 3, 2), break_id="b" * 16),
            a_break(business_date=None, break_id="c" * 16),
            _of_wallet("d" * 16, datetime(2026, 2, 28, 20, 30, tzinfo=UTC)),
            _of_wallet("e" * 16, datetime(2026, 3, 1, 20, 30, tzinfo=UTC)),
        ],
        # 20:30 UTC is midnight in Tehran, which ends the day before
        interval_rows=[
            an_interval(to_at=datetime(2026, 2, 28, 20, 30, tzinfo=UTC)),
            an_interval(to_at=datetime(2026, 3, 1, 20, 29, 59, tzinfo=UTC)),
            an_interval(to_at=datetime(2026, 3, 1, 20, 30, tzinfo=UTC)),
            an_interval(to_at=datetime(2026, 3, 1, 20, 30, 1, tzinfo=UTC)),
        ],
    )
    day = date(2026, 3, 1)
    paths = write(given, plain, from_=day, to=day)
    lines = {name: paths[name].read_text().splitlines() for name in CSV_FILES}
    assert [line[:16] for line in lines["breaks.csv"][1:]] == [
        "0123456789abcdef",
        "c" * 16,
        "e" * 16,
    ]
    assert len(lines["flows.csv"]) == 2
    assert len(lines["failures.csv"]) == 2
    assert [line.split(",")[2] for line in lines["rollforward.csv"][1:]] == [
        "2026-03-01T20:29:59Z",
        "2026-03-01T20:30:00Z",
    ]
    assert json.loads(paths["summary.json"].read_text())["period"] == {
        "from": "2026-03-01",
        "to": "2026-03-01",
    }


def _of_wallet(identity: str, occurred_at: datetime) -> dict[str, Any]:
    """A break of the wallet at a midnight of Tehran, which ends the day before."""
    dated = {"business_date": occurred_at.date()}
    said = {"break_id": identity, "occurred_at": occurred_at, "product": "wallet"}
    return a_break(**said, **dated)


def test_long_reports_may_begin_later_than_the_others(plain: Settings) -> None:
    days = [date(2026, 2, 28), date(2026, 3, 1), date(2026, 3, 2)]
    leg = {"account": "assets:wallet", "debit": 7, "credit": 0}
    tables = {
        "report_flows": rows(
            flows.COLUMNS, [a_flow(business_date=day) for day in days]
        ),
        "report_matches": rows(
            DATED_MATCHES,
            [{"reference": f"F{day.day}", "business_date": day} for day in days],
        ),
        "report_journal": rows(
            journal.COLUMNS,
            [leg | {"entry_id": f"e{day.day}", "business_date": day} for day in days],
        ),
    }
    given = result(tables=tables)
    whole = write(given, plain)
    before = {name: path.read_bytes() for name, path in whole.items()}
    paths = write(given, plain, journal_from=days[1])
    lines = {name: paths[name].read_text().splitlines() for name in CSV_FILES}
    assert [line[:2] for line in lines["matches.csv"][1:]] == ["F1", "F2"]
    assert [line[:2] for line in lines["journal.csv"][1:]] == ["e1", "e2"]
    brought = '2026-03-01 * "Brought forward"'
    assert brought in paths["journal.beancount"].read_text()
    assert "2026-02-28" not in paths["journal.hledger"].read_text()
    for name in CSV_FILES - {"matches.csv", "journal.csv"}:
        assert paths[name].read_bytes() == before[name]


def test_a_period_that_ends_before_it_begins_is_refused(plain: Settings) -> None:
    with pytest.raises(UsageError, match="before it begins"):
        write(result(), plain, from_=date(2026, 3, 2), to=date(2026, 3, 1))


def test_an_empty_lake_still_gives_every_file_with_its_header(
    settings: Settings,
) -> None:
    paths = write(ResultStandIn(sources={}), settings)
    for name in CSV_FILES:
        assert len(paths[name].read_text().splitlines()) == 1
    summary = json.loads(paths["summary.json"].read_text())
    assert summary["wallet"] == {
        "closing": None,
        "unexplained": None,
        "unexplained_intervals": 0,
    }


@pytest.mark.parametrize(
    ("calendar", "day"), [("gregorian", "2026-02-28"), ("jalali", "1404/12/09")]
)
@pytest.mark.parametrize(("hours", "is_told"), [(35, False), (36, True)])
def test_a_balance_of_long_ago_is_not_told_as_the_present_one(
    paged: Settings,
    plain: Settings,
    hours: int,
    is_told: bool,
    calendar: str,
    day: str,
) -> None:
    paged = replace(paged, business=replace(paged.business, calendar=calendar))
    at = AS_OF - timedelta(hours=hours)
    given = ResultStandIn(interval_rows=[an_interval(to_at=at)])
    paths = write(given, paged)
    wallet = json.loads(paths["summary.json"].read_text())["wallet"]
    assert wallet.get("closing_at") == (format_instant(at) if is_told else None)
    found = re.findall("That balance is of ([^<]*)", paths["report.html"].read_text())
    said = f"{day} at 18:30 local time (2026-02-28T15:00:00Z)."
    assert found == ([said] if is_told else [])
    paths = write(given, plain, to=date(2026, 3, 1))  # that of the period's end
    assert "closing_at" not in paths["summary.json"].read_text()


@pytest.mark.parametrize(("hour", "is_told"), [(9, False), (8, True)])
def test_a_balance_of_long_before_a_periods_end_is_not_told_as_that_of_its_end(
    plain: Settings, hour: int, is_told: bool
) -> None:
    """The period ends at 20:30 UTC, long before the run; the balance is of the 19th."""
    at = datetime(2026, 1, 19, hour, 0, tzinfo=UTC)
    given = ResultStandIn(interval_rows=[an_interval(to_at=at)])
    paths = write(given, plain, to=date(2026, 1, 20))
    wallet = json.loads(paths["summary.json"].read_text())["wallet"]
    assert wallet.get("closing_at") == (format_instant(at) if is_told else None)


def test_the_summary_counts_open_breaks_and_sums_the_wallet(plain: Settings) -> None:
    given = result(
        break_rows=[
            a_break(difference=-7),
            a_break(severity="info", check="payment_redirect_stale", difference=None),
            a_break(severity="info", status="acknowledged", difference=50),
            a_break(severity="info", status="gone"),
        ],
        interval_rows=[
            an_interval(unexplained=7),
            an_interval(
                from_at=datetime(2026, 3, 1, 20, 30, tzinfo=UTC),
                to_at=AS_OF,
                closing=6_000_000,
                unexplained=-7,
            ),
        ],
    )
    summary = json.loads(write(given, plain)["summary.json"].read_text())
    assert summary["as_of"] == "2026-03-02T03:00:00Z"
    assert summary["breaks"]["open"]["by_severity"] == {
        "critical": 1,
        "error": 0,
        "warning": 0,
        "info": 1,
    }
    assert summary["breaks"]["open"]["by_check"] == {
        "payment_redirect_stale": 1,
        "payment_wallet_identity": 1,
    }
    assert summary["breaks"]["open"]["rials_by_check"] == {"payment_wallet_identity": 7}
    assert summary["wallet"] == {
        "closing": 6_000_000,
        "unexplained": 0,
        "unexplained_gross": 14,
        "unexplained_intervals": 2,
    }
    assert summary["exit_code"] == 1
    assert summary["sources"]["checkouts"]["records"] == 10


@pytest.mark.parametrize("complete", [True, False])
def test_what_is_planned_is_what_is_written(settings: Settings, complete: bool) -> None:
    given = result(complete=complete)
    expected = writing.planned(given, settings)
    assert not settings.reports_path.exists()
    assert write(given, settings) == expected


def test_what_was_being_read_is_let_go_before_a_full_disk_is_told(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The engine was closed first, and a traceback stood beside the message."""
    ended: list[bool] = []

    def parts(_: Rendering) -> Iterator[Part]:
        try:
            yield "no such folder/breaks.csv", b""
            yield "summary.json", b""
        finally:
            ended.append(True)

    monkeypatch.setattr(Rendering, "parts", parts)
    try:
        write(result(), settings)
    except UsageError as error:
        told = str(error)
        assert ended  # though the error still holds on to where it was raised
    assert told.endswith("cannot be written: No such file or directory")
