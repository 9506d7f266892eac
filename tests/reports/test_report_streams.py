"""Reports that are read in parts: the same rows, whole entries, the same period."""

from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recon.errors import ReconError
from recon.reports import journal
from recon.reports.periods import Period
from recon.reports.texts import changed, instants, joined
from recon.times import business_date, format_instant
from tests.reports.lake_rows import engine
from tests.reports.stand_in import ResultStandIn, rows
from tests.reports.test_report_flows_query import payment

DAYS = [None, date(2026, 3, 1), date(2026, 3, 2), date(2026, 3, 3)]
texts = st.lists(st.none() | st.text("abßی٣\n", max_size=4) | st.text(max_size=6))


def leg(entry_id: str | None, number: int, **changed_: Any) -> dict[str, Any]:
    return {
        "entry_id": entry_id,
        "posted_at": datetime(2026, 3, 1, number // 3, tzinfo=UTC),
        "business_date": date(2026, 3, 1),
        "account": f"account {number}",
        "debit": 1,
        "credit": 0,
    } | changed_


@given(
    st.lists(st.integers(1, 4), max_size=6),
    st.lists(st.integers(1, 5), min_size=1, max_size=8),
)
def test_parts_of_a_journal_hold_whole_entries_in_their_order(
    lengths: list[int], cuts: list[int]
) -> None:
    ids = [f"e{n}" for n, length in enumerate(lengths) for _ in range(length)]
    legs = rows(journal.COLUMNS, [leg(each, n) for n, each in enumerate(ids)])
    parts, at = [], 0
    for cut in [*cuts, len(ids)]:
        parts.append(legs.slice(at, cut))
        at += cut
    found = list(journal.entries(parts))
    assert pa.concat_tables([journal.COLUMNS.empty_table(), *found]).equals(legs)
    of_part = [set(part["entry_id"].to_pylist()) for part in found]
    assert all(not one & two for n, one in enumerate(of_part) for two in of_part[:n])


def test_legs_without_an_id_are_one_entry() -> None:
    legs = rows(journal.COLUMNS, [leg(None, 1), leg(None, 2), leg("e", 3)])
    found = list(journal.entries([legs.slice(0, 1), legs.slice(1)]))
    assert [part["entry_id"].to_pylist() for part in found] == [[None, None], ["e"]]


@pytest.mark.parametrize("first", DAYS)
@pytest.mark.parametrize("last", DAYS)
def test_a_period_holds_the_same_in_sql(first: date | None, last: date | None) -> None:
    if first and last and last < first:
        return
    period = Period(first, last)
    each = [leg(str(n), n, business_date=day) for n, day in enumerate(DAYS)]
    table = rows(journal.COLUMNS, each)
    result = ResultStandIn(tables={"report_journal": table})
    kept = pa.concat_tables(journal.stream(result, period).tables())["entry_id"]
    expected = period.of_dates(table)["entry_id"].to_pylist()
    assert sorted(kept.to_pylist()) == sorted(expected)


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Pago_Pago"])
def test_a_period_holds_the_same_however_far_its_zone_is(zone: str) -> None:
    period = Period(date(2026, 3, 2), date(2026, 3, 3))
    begin = datetime(2026, 2, 26, tzinfo=UTC)
    posted = [begin + timedelta(hours=hour) for hour in range(200)]
    each = [
        leg(str(n), 0, posted_at=at, business_date=business_date(at, ZoneInfo(zone)))
        for n, at in enumerate(posted)
    ]
    table = rows(journal.COLUMNS, each)
    result = ResultStandIn(tables={"report_journal": table})
    kept = pa.concat_tables(journal.stream(result, period).tables())
    assert kept.num_rows == 48
    assert kept.equals(period.of_dates(table).sort_by("posted_at"))


@pytest.mark.parametrize("day", [date.min, date.max])
def test_a_period_may_begin_and_end_with_the_calendar(day: date) -> None:
    table = rows(journal.COLUMNS, [leg("e", 1, business_date=day)])
    result = ResultStandIn(tables={"report_journal": table})
    stream = journal.stream(result, Period(date.min, date.max))
    assert stream.table().num_rows == 1


@given(
    st.lists(st.none() | st.integers(0, 200), max_size=12),
    st.lists(st.dates(date(2026, 2, 27), date(2026, 3, 8)), max_size=4, unique=True),
)
def test_a_stream_read_between_dates_is_the_same(
    hours: list[int | None], cuts: list[date]
) -> None:
    begin = datetime(2026, 2, 27, 12, tzinfo=UTC)
    posted = [None if each is None else begin + timedelta(hours=each) for each in hours]
    each = [leg(f"e{n}", n, posted_at=at) for n, at in enumerate(posted)]
    result = ResultStandIn(tables={"report_journal": rows(journal.COLUMNS, each)})
    stream = journal.stream(result, Period())
    found = [journal.COLUMNS.empty_table(), *stream.tables(sorted(cuts))]
    assert pa.concat_tables(found).equals(stream.table())


def test_a_journal_is_read_between_dates_of_many_legs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(journal, "_LEGS_AT_ONCE", 5)
    dates = [date(2026, 3, 1), *[date(2026, 3, 2)] * 2, date(2026, 3, 3), None]
    given_ = [
        {"business_date": day, "legs": legs}
        for day, legs in zip(dates, (6, 4, 1, 7, 2), strict=True)
    ]
    days = rows(journal.DAYS, given_)
    assert journal.cuts(days) == [date(2026, 3, 2), date(2026, 3, 3)]
    assert journal.cuts(days.slice(0, 1)) == []


def test_an_engine_gives_a_stream_in_its_order_and_whole() -> None:
    with engine(payments=[payment(n) for n in range(1, 120)]) as models:
        query = "select payment_id, -amount_rial as amount from stg_unified__payments"
        expected = sorted(f"payment-{n}" for n in range(1, 120))
        for _ in range(2):
            found = pa.concat_tables(models.stream(query, ["amount", "payment_id"]))
            assert found["payment_id"].to_pylist() == expected


def test_another_query_before_a_streams_end_is_refused_and_after_it_is_not() -> None:
    with engine(payments=[payment(n) for n in range(1, 5)]) as models:
        many = "unnest(range(40000)) as n"
        query = f"select payment_id, {many} from stg_unified__payments"
        stream = models.stream(query, ["n"])
        assert next(stream).num_rows
        with pytest.raises(ReconError, match="open result"):
            models.query("select 1 as one")
        stream.close()  # type: ignore[attr-defined]
        assert models.query("select 1 as one").num_rows == 1
        assert sum(part.num_rows for part in models.stream(query, ["n"])) == 160_000


@given(texts)
def test_a_text_is_changed_where_it_is_meant_and_null_stays(given_: list[Any]) -> None:
    column = pa.array(given_, pa.string())
    upper = [each and each.upper() for each in given_]
    assert changed(column, str.upper).to_pylist() == upper
    meant = [each and (each.upper() if "a" in each else each) for each in given_]
    assert changed(column, str.upper, "a").to_pylist() == meant
    pairs = zip(given_, meant, strict=True)
    but = [each if each and "b" in each else made for each, made in pairs]
    assert changed(column, str.upper, "a", "b").to_pylist() == but
    assert changed(pa.chunked_array([column, column]), str.upper).to_pylist() == (
        upper + upper
    )


@given(st.lists(st.text(max_size=6), max_size=8), st.integers(0, 8))
def test_texts_are_joined_as_they_lie(given_: list[str], start: int) -> None:
    column = pa.array(given_, pa.string()).slice(start)
    assert joined(column) == "".join(given_[start:]).encode()


@given(
    st.lists(
        st.none()
        | st.datetimes(
            datetime(1000, 1, 1),  # noqa: DTZ001 - hypothesis adds the zone
            datetime(9999, 12, 31),  # noqa: DTZ001
            timezones=st.just(UTC),
        ),
        max_size=5,
    )
)
def test_instants_are_written_as_everywhere(given_: list[datetime | None]) -> None:
    column = pa.array(given_, pa.timestamp("us", "UTC"))
    written = [each and format_instant(each) for each in given_]
    assert instants(column).to_pylist() == written


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_instants_of_any_unit_are_written(unit: str) -> None:
    given_ = [datetime(1969, 12, 31, 23, 59, 59, tzinfo=UTC), None]
    column = pa.array(given_, pa.timestamp(unit, "UTC"))
    assert instants(column).to_pylist() == ["1969-12-31T23:59:59Z", None]
