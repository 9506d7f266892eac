"""The engine: every model runs, amounts stay exact, errors name their file."""

import errno
import os
from datetime import UTC, date, datetime
from pathlib import Path

import duckdb as library
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from persiantools.jdatetime import JalaliDate

from recon.errors import CorruptLake, ExitCode, LakeError, UsageError
from recon.lake.schema import TABLES
from recon.reconcile.engine import Part, RawTable
from recon.reconcile.engines import DuckEngine, duckdb
from recon.reconcile.engines.telling import in_words
from recon.reconcile.models import Catalogue
from recon.settings import Business, Checks, Engine, Settings
from recon.times import zone
from tests import builders
from tests.reconcile.test_models import folder

T = datetime(2026, 10, 31, 21, tzinfo=UTC)
SETTINGS = Settings(business=Business(name="shop"))


def engine(
    tables: dict[str, RawTable] | None = None,
    settings: Settings = SETTINGS,
    catalogue: Catalogue | None = None,
) -> DuckEngine:
    return DuckEngine.open(tables or {}, settings, T, catalogue=catalogue)


def test_every_model_runs_on_an_empty_lake() -> None:
    with engine() as empty:
        for model in sorted(empty.known()):
            assert isinstance(empty.table(model), pa.Table)


@pytest.mark.parametrize(
    ("limit", "memory"),
    [
        (1_000_000_000, "667.5 MiB"),  # seventy in a hundred
        (2**32, "3.3 GiB"),  # all but 640 MiB, which Python and files take
        (2**33, "6.7 GiB"),  # eighty-five in a hundred
    ],
)
def test_memory_and_threads_are_those_of_the_settings(limit: int, memory: str) -> None:
    bounds = Engine(memory_limit=limit, threads=3)
    bounded = Settings(business=Business(name="shop"), engine=bounds)
    wanted = (
        "select current_setting('memory_limit') as memory, "
        "cast(current_setting('threads') as bigint) as threads"
    )
    with engine(settings=bounded) as one:
        (found,) = one.query(wanted).to_pylist()
    assert found == {"memory": memory, "threads": 3}


@pytest.mark.parametrize("books", [(), [pa.table({"reference": ["1"]})]])
def test_what_reads_a_table_without_files_is_planned_as_nothing(
    books: list[pa.Table], tmp_path: Path
) -> None:
    paths = [tmp_path / f"{number}.parquet" for number, _ in enumerate(books)]
    for rows, path in zip(books, paths, strict=True):
        pq.write_table(rows, path)
    with engine({"books": paths}) as one:
        (plan,) = one.query(
            "explain select * from raw_books as orders inner join stg_settings "
            "on orders.amount > stg_settings.tolerance_rial"
        ).to_pylist()
    assert ("Empty Result" in plan["explain_value"]) is not bool(books)


def test_a_light_lake_is_read_by_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = "select cast(current_setting('threads') as bigint) as threads"
    tables: dict[str, RawTable] = {"books": pa.table({"reference": ["1"]})}
    with engine(tables) as light:
        assert light.query(wanted)["threads"].to_pylist() == [1]
    monkeypatch.setattr(duckdb, "LIGHT_LAKE", 0)
    with library.connect() as usual, engine(tables) as large:
        (usually,) = usual.execute(wanted).fetchall()
        assert large.query(wanted)["threads"].to_pylist() == list(usually)


@pytest.mark.parametrize("light_lake", [-1, duckdb.LIGHT_LAKE])
@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("count", [3_000, 100_000])
def test_rows_come_in_the_order_that_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, light_lake: int, threads: int, count: int
) -> None:
    """Also after models were stored, in whatever order their rows lie."""
    monkeypatch.setattr(duckdb, "LIGHT_LAKE", light_lake)
    bounds = Settings(business=Business(name="shop"), engine=Engine(threads=threads))
    sql = (
        "select range as number, cast(range * 7_919 % 1_000 as bigint) as part "
        f"from range({count})"
    )
    wanted = sorted((-(number * 7_919 % 1_000), number) for number in range(count))
    with engine(settings=bounds) as one:
        for model in one.catalogue.kept:
            one.table(model)
        rows = one.query(f"{sql} order by part desc, number").to_pylist()
        negative = f"select -part as part, number from ({sql})"
        parts = [*one.stream(negative, ["part", "number"])]
        unsorted = [*one.stream(negative)]
        next(one.stream(negative)).validate()  # what is left is not read
        again = one.query(f"{sql} order by part desc, number").to_pylist()
    assert [(-row["part"], row["number"]) for row in rows] == wanted
    assert again == rows
    assert told(parts) == wanted
    assert sorted(told(unsorted)) == wanted


def told(parts: list[pa.Table]) -> list[tuple[int, ...]]:
    return [tuple(row.values()) for part in parts for row in part.to_pylist()]


def test_a_query_that_wants_more_memory_says_which_setting_allows_it() -> None:
    bounds = Engine(memory_limit=30_000_000, threads=1)
    bounded = Settings(business=Business(name="shop"), engine=bounds)
    with (
        engine(settings=bounded) as one,
        pytest.raises(UsageError, match=r"Out of Memory.* engine\.memory_limit"),
    ):
        one.query("select list(n) as every from (select unnest(range(9000000)) as n)")


def test_sums_are_64_bit_integers_and_instants_utc() -> None:
    rows = pa.Table.from_pylist(
        [builders.payment(n, amount=2**62 // 10**9 * 10**9) for n in range(1)],
        TABLES["payments"].schema,
    )
    with engine({"payments": rows}) as one:
        found = one.query("select sum(amount) as total, min(paid_at) from raw_payments")
    assert found.schema.types == [pa.int64(), pa.timestamp("us", "UTC")]
    assert found["total"].to_pylist() == [2**62 // 10**9 * 10**9]


def test_a_sum_beyond_64_bits_is_an_error_not_a_wrong_figure() -> None:
    rows = pa.table({"at": [T, T], "amount": [2**63 - 1, 1]})
    with (
        engine({"adjustments": rows}) as one,
        pytest.raises(UsageError, match="total is beyond 64 bits"),
    ):
        one.query("select sum(amount) as total from raw_adjustments")


def test_files_of_an_older_shape_have_nulls_in_new_columns(tmp_path: Path) -> None:
    older = TABLES["accounts"].schema.empty_table().drop_columns(["bank_name"])
    columns = [["IR1"] if name == "iban" else [None] for name in older.column_names]
    path = tmp_path / "it's old.parquet"
    pq.write_table(pa.table(columns, schema=_nullable(older.schema)), path)
    with engine({"accounts": [path]}) as one:
        (row,) = one.table("stg_cash_in__accounts").to_pylist()
    assert (row["iban"], row["bank_name"]) == ("IR1", None)


def test_a_part_has_its_fixed_columns(tmp_path: Path) -> None:
    path = tmp_path / "ids.parquet"
    pq.write_table(pa.table({"id": ["a", "b"]}), path)
    part = Part(path, {"source_table": "checkouts", "pull_id": "p"})
    with engine({"seen_ids": [part]}) as one:
        rows = one.query("select * from raw_seen_ids order by id").to_pylist()
    assert rows[1] == {"source_table": "checkouts", "id": "b", "pull_id": "p"}


def test_settings_are_one_row_with_defaults_for_absent_products() -> None:
    settings = Settings(
        business=Business(name="shop", timezone=zone("Europe/Berlin")),
        checks=Checks(tolerance=7),
    )
    with engine(settings=settings) as one:
        (row,) = one.table("stg_settings").to_pylist()
        (payer,) = one.table("stg_wage_payers").to_pylist()
    assert row["timezone"] == row["gateway_timezone"] == "Europe/Berlin"
    assert (row["tolerance_rial"], row["clock_skew_seconds"]) == (7, 300)
    assert row["balance_of"] == payer["wage_from"] == "wallet"
    assert row["as_of"] == T


@pytest.mark.parametrize("calendar", ["gregorian", "jalali"])
def test_dates_have_their_month_and_jalali_date(calendar: str) -> None:
    settings = Settings(business=Business(name="shop", calendar=calendar))
    days = [date(1972, 3, 20), date(2021, 3, 20), date(2025, 3, 20), date(2026, 3, 21)]
    with engine(settings=settings) as one:
        rows = {row["business_date"]: row for row in one.table("stg_dates").to_pylist()}
    for day in days:
        jalali = JalaliDate(day).isoformat()
        month = jalali[:7] if calendar == "jalali" else day.isoformat()[:7]
        assert (rows[day]["jalali"], rows[day]["month"]) == (jalali, month)


def test_a_name_that_is_none_is_refused() -> None:
    with engine() as one:
        with pytest.raises(UsageError, match="no table or model 'nowhere'"):
            one.table("nowhere")
        with pytest.raises(UsageError, match="the query:1: Catalog Error"):
            one.query("select * from nowhere")
    with pytest.raises(UsageError, match="'nowhere' is no table of the lake"):
        engine({"nowhere": []})


def test_a_column_that_is_none_of_the_table_is_refused() -> None:
    with (
        engine({"accounts": pa.table({"ibann": ["IR1"]})}) as one,
        pytest.raises(UsageError, match="accounts has no column 'ibann'"),
    ):
        one.table("stg_cash_in__accounts")


@pytest.mark.parametrize("query", ["", " ;", "-- nothing"])
def test_an_empty_query_is_a_mistake(query: str) -> None:
    with engine() as one, pytest.raises(UsageError, match="the query is empty"):
        one.query(query)


def test_a_wrong_query_in_a_file_names_the_file(tmp_path: Path) -> None:
    root = folder(
        tmp_path,
        staging__stg_a="select 1 as n",
        checks__bad="select\n    m\nfrom stg_a",
        checks__late="select cast('x' || n as bigint) as n from stg_a",
    )
    with engine(catalogue=Catalogue.of(root)) as one:
        with pytest.raises(UsageError, match=r"checks/bad\.sql.*\"m\" not found"):
            one.table("check_bad")
        with pytest.raises(UsageError, match=r"checks/late\.sql.*Conversion Error"):
            one.table("check_late")


def test_of_a_query_in_a_file_names_are_suggested_and_nothing_is_repeated(
    tmp_path: Path,
) -> None:
    root = folder(
        tmp_path,
        staging__stg_a="select 1 as amount_rial",
        checks__bad="select amount, 'inner' as said from stg_a",
        checks__none="select 'inner' as said from stg_aa",
    )
    with engine(catalogue=Catalogue.of(root)) as one:
        for name, told in (
            (
                "check_bad",
                'not found in FROM clause! Candidate bindings: "amount_rial"',
            ),
            ("check_none", 'does not exist! Did you mean "stg_a"?'),
        ):
            with pytest.raises(UsageError) as refused:
                one.table(name)
            assert str(refused.value).endswith(told)


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ('select "\x1b[31m\x9b" from stg_settings', '"\ufffd[31m\ufffd" not found'),
        (f'select "{"x" * 9_000}" from stg_settings', "…"),
        (
            "select nothing from (select "
            + ", ".join(f'1 as "nothing{"g" * 300}{n}"' for n in range(9))
            + ") as wide",
            'Candidate bindings: "nothinggg',
        ),
    ],
    ids=["steering", "a long name", "many long candidates"],
)
def test_what_is_told_of_a_query_is_one_line_of_bounded_length(
    sql: str, told: str
) -> None:
    with engine() as one, pytest.raises(UsageError) as refused:
        one.query(sql)
    assert told in str(refused.value)
    assert str(refused.value).isprintable()
    assert len(str(refused.value)) < 1_000


def test_a_row_suggests_no_name() -> None:
    rows = pa.table({"reference": ['x\nDid you mean "09121112233"?']})
    with (
        engine({"books": rows}) as one,
        pytest.raises(UsageError, match="Conversion Error") as refused,
    ):
        one.query("select cast(reference as bigint) from raw_books")
    assert "0912" not in str(refused.value)


def test_a_file_that_is_gone_is_a_corrupt_lake(tmp_path: Path) -> None:
    with (
        engine({"accounts": [tmp_path / "gone.parquet"]}) as one,
        pytest.raises(CorruptLake, match=r"accounts: .*gone\.parquet"),
    ):
        one.table("stg_cash_in__accounts")


def test_a_file_that_the_system_opens_no_more_is_no_damage() -> None:
    text = f'IO Error: Cannot open file "a.parquet": {os.strerror(errno.EMFILE)}'
    told = in_words(library.IOException(text), "the query", list)
    assert (type(told), told.exit_code) == (LakeError, ExitCode.USAGE)
    assert "raise its limit (ulimit -n" in str(told)


def test_a_join_with_a_kept_model_that_has_no_rows_is_not_planned(
    tmp_path: Path,
) -> None:
    root = folder(
        tmp_path,
        staging__stg_again="-- kept: few.\nselect id from raw_payments where id = 'x'",
        intermediate__int_rest="select raw_payments.amount from raw_payments "
        "anti join stg_again on raw_payments.id = stg_again.id",
    )
    for ids, planned in ((["p-1", "p-2"], False), (["p-1", "x"], True)):
        rows = pa.Table.from_pylist(
            [builders.payment(n, id=each) for n, each in enumerate(ids)],
            TABLES["payments"].schema,
        )
        with engine({"payments": rows}, catalogue=Catalogue.of(root)) as one:
            assert one.query("select * from int_rest").num_rows == 2 - planned
            plan = str(one.query("explain select * from int_rest").to_pylist())
            assert ("ANTI" in plan) is planned
            assert one.table("stg_again")["id"].to_pylist() == ["x"] * planned


def test_short_names_and_results_can_be_asked_for() -> None:
    with engine({"accounts": pa.table({"iban": ["IR1"]})}) as one:
        named = one.named(
            {"accounts": "stg_cash_in__accounts"}, {"breaks": pa.table({"n": [1]})}
        )
        found = named.query("select iban, n from accounts join breaks on true")
    assert found.to_pylist() == [{"iban": "IR1", "n": 1}]


def test_nothing_is_loaded_from_elsewhere() -> None:
    with engine() as one:
        options = one.query(
            "select name, value from duckdb_settings() where name in "
            "('autoinstall_known_extensions', 'autoload_known_extensions', 'TimeZone')"
        ).to_pylist()
    assert {row["name"]: row["value"] for row in options} == {
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "TimeZone": "UTC",
    }


def _nullable(schema: pa.Schema) -> pa.Schema:
    return pa.schema([field.with_nullable(True) for field in schema])
