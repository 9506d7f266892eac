"""The engine past one machine answers as the engine here does, and refuses plainly."""

import socket
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Any, Self

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from recon.errors import CorruptLake, UsageError
from recon.lake import Lake
from recon.lake.schema import TABLES
from recon.reconcile import opening
from recon.reconcile.engine import Engine, Part
from recon.reconcile.engines import choosing
from recon.reconcile.engines.duckdb import DuckEngine
from recon.settings import Business, Settings, Spark
from tests.builders import lake_tables

SparkEngine = choosing.spark_engine()
CONNECTING = "recon.reconcile.engines.connecting"
AS_OF = datetime(2026, 10, 31, 20, tzinfo=UTC)
HERE = Settings(business=Business(name="shop"))
MOST = 2**63 - 1


def settings_for(remote: str) -> Settings:
    return replace(HERE, spark=Spark(remote=remote))


@pytest.fixture(scope="module")
def both(sail: str) -> Iterator[tuple[Engine, Engine]]:
    """Both engines, over a lake with nothing in it."""
    with (
        DuckEngine.open({}, HERE, AS_OF) as here,
        SparkEngine.open({}, settings_for(sail), AS_OF) as there,
    ):
        yield here, there


def rows_of(engine: Engine, sql: str) -> list[dict[str, Any]]:
    return list(engine.query(sql).to_pylist())


SAME = {
    "spaces": "select trim('\t\u00a0\u2003 a\u200c\u3000 ') as x",
    "letters": "select translate(lower('بانك ملي ABC'), 'يك', 'یک') as x",
    "digits": "select translate('۰۹۱۲', '۰۱۲۳۴۵۶۷۸۹', '0123456789') as x",
    "order of texts": "select string_agg(x, '<' order by x) as x from "
    "(values ('ی'), ('a'), ('B'), ('ا'), ('a b')) as t (x)",
    "lists": "select array_to_string(list_sort(list(x)), ' ') as x from "
    "(values ('b'), (null), ('a')) as t (x)",
    "lists of some": "select array_to_string(list_sort("
    "list(x) filter (where x < 'c')), ' ') as x "
    "from (values ('b'), ('c'), (null), ('a')) as t (x)",
    "lengths": "select length('سلام 😀 ') as a, length('') as b, length(null) as c",
    "bounds of days": "select least(greatest(cast('1950-01-02' as date), "
    "cast('1970-01-01' as date)), cast('2147-12-18' as date)) as x",
    "division": f"select -7 // 2 as a, 7 // -2 as b, -7 % 2 as c, {MOST} // 10 as d",
    "numbers beside others": "select case when x < 0 then 0 else x end as x "
    "from (values (5000000000), (-1)) as t (x) order by x",
    "a wide sum that comes back": f"select cast(sum(x) - {MOST} as bigint) as x "
    f"from (values ({MOST}), ({MOST}), (-{MOST} + 1)) as t (x)",
    "a sum of nothing": "select sum(x) as x from (values (1)) as t (x) where x > 1",
    "seconds by boundary": "select date_diff('second', "
    "timestamptz '2026-01-01 00:00:00.9+00', timestamptz '2026-01-01 00:00:01+00') x",
    "summer time": "select cast(timestamptz '2022-03-21 20:29:59+00' at time zone "
    "'Asia/Tehran' as date) as a, cast(timestamptz '2022-03-22 19:29:59+00' at time "
    "zone 'Asia/Tehran' as date) as b, cast(timestamptz '2023-07-01 20:30:00+00' "
    "at time zone 'Asia/Tehran' as date) as c, extract(hour from timestamptz "
    "'2022-07-01 20:00:00+00' at time zone 'Asia/Tehran') as d",
    "before 1970": "select cast(timestamptz '1969-12-31 20:29:59.999999+00' at time "
    "zone 'Asia/Tehran' as date) as x",
    "written instants": "select strftime(timestamptz '2026-01-02 03:04:05.006007+00' "
    "at time zone 'UTC', '%Y-%m-%d %H:%M:%S.%f') as x",
    "nulls in order": "select x, row_number() over (order by x) as up, "
    "row_number() over (order by x desc) as down "
    "from (values (1), (null), (2)) as t (x) order by up",
    "qualify beside a star": "select * from (values (1, 'a'), (1, 'b'), (2, 'c')) "
    "as t (k, v) qualify row_number() over (partition by k order by v desc) = 1 "
    "or k is null order by k",
    "a filter": "select count(*) filter (where x > 1) as a, sum(x) filter (where "
    "x > 9) as b from (values (1), (2)) as t (x)",
    "nulls compared": "select x is distinct from y as d, x <> y as n, x = y or x is "
    "null as o from (values (1, null), (null, null), (1, 1)) as t (x, y) order by d, n",
    "patterns": "select regexp_matches('+989121234567', "
    "'^(0|98|\\+98|0098)?9[0-9]{9}$') as a, "
    "regexp_extract('ab-c-1', '^(.*[^-_/.#: ])[-_/.#: ]+[^-_/.#: ]{1,3}$', 1)"
    " as b, regexp_extract('ab', '^(.*)-(.*)$', 1) as c",
    "letters taken out": "select regexp_replace(lower(x), "
    "'[\\p{Mn}\\p{Cf}\\x{640}]', '', 'g') as a, regexp_replace(x, "
    "'[\\p{Z}\\x{9}-\\x{d}]{2,}|[^\\P{Z} ]|[\\x{9}-\\x{d}]', ' ', 'g') as b from "
    "(values ('پرداخـت\u200c\u200fیا\u00adرِ'), "
    "(' a\u00a0\u00a0b\u2003c  d \t e\u202f'), "
    "('\u2066e\u0301\u2069 İ \ufeff'), (''), (null)) as t (x) order by a, b",
    "letters of names": "select case when regexp_matches(x, '[^ابی]') then "
    "lower(translate(regexp_replace(x, '[^\\p{L}]+', '', 'g'), 'يئآ\u0640', 'ییا')) "
    "else x end as a from (values ('ابی'), ('اب\u064eي\u0640'), ('Ali-Reza'), "
    "('Neil''s'), ('آب‌یئ'), ('1'), (''), (null)) as t (x) order by x",
    "what is around a number": "select x, bit_length(x) <> 8 * length(x) as wide, "
    "x < '(' as first, right(x, 1) < '!' as last, regexp_replace(x, "
    "'^[\\p{Z}\\p{Cc}\\p{Cf}'']+|[\\p{Z}\\p{Cc}\\p{Cf}]+$', '', 'g') as bare from "
    "(values ('17'), ('\u200f۱۷\u200f'), ('17\u00a0'), ('\t\u200c ''17\t\n'), "
    "('\ufeff1 7\u202c\x1f'), ('''a'), ('a'''), ('17\u2028\u200e\x85'), "
    "('1\u200c7'), ('\u200f'), ('😀7'), (''), (' '), (null)) as t (x) order by x",
    "patterns of rows": "with t as (select x, '(^|[^\\p{L}])' || y || '([^\\p{L}]|$)' "
    "as y from (values ('(پرداخت  یار)', 'پ *ر *د *ا *خ *ت *  *ی *ا *ر'), "
    "('پرداخت یارانه', 'پ *ر *د *ا *خ *ت *ی *ا *ر'), ('7a.b- c&d#e~f{g|', "
    "'a *\\. *b *\\- *c *\\& *d *\\# *e *\\~ *f *\\{ *g *\\|'), (null, 'a'), "
    "('a', null)) as t (x, y)) select x, regexp_matches(x, y) as m from t "
    "order by x, m",
    "json": 'select json_extract_string(\'{"a": "\\u06f1", "b": null, "c": 12}\', '
    "'$.a') as a, json_extract_string('{\"b\": null}', '$.b') as b, "
    "json_extract_string('{\"c\": 12}', '$.c') as c, json_extract_string('{}', '$.d') "
    "as d",
    "line breaks": "select replace('a\nb', chr(10), '') as x, replace(x, chr(10), ' ') "
    "as y from (values ('\nی\n\n'), (null), ('')) as t (x) order by y",
    "hashes": "select substr(md5('رسید'), 1, 8) as x",
    "hashes compared": "with t as (select x, y, hash(x) as x_hash, hash(y) as y_hash "
    "from (values ('a', 'a'), ('a', 'b'), (null, 'a'), (null, null), ('', null), "
    "('رسید', 'رسید')) as t (x, y)) select x, y, x_hash = y_hash as same, "
    "x_hash is null as a, y_hash is null as b from t order by x, y",
    "windows of time": "select x, sum(n) over (partition by k order by x range between "
    "interval 24 hours preceding and interval 24 hours following) as s from (values "
    "(1, timestamptz '2026-01-01 00:00:00+00', 1), "
    "(1, timestamptz '2026-01-02 00:00:00+00', 2), "
    "(1, timestamptz '2026-01-03 00:00:01+00', 4), (1, null, 8)) as t (k, x, n) "
    "order by x",
    "the least": "select least(null, 2) as a, greatest(1, null) as b",
}


@pytest.mark.parametrize("sql", SAME.values(), ids=SAME)
def test_both_engines_answer_alike(both: tuple[Engine, Engine], sql: str) -> None:
    here, there = both
    assert rows_of(there, sql) == rows_of(here, sql)


BEYOND = {
    "a sum": f"select {MOST} + x as x from (values (1)) as t (x)",
    "a difference": f"select -{MOST} - x as x from (values (2)) as t (x)",
    "a product": f"select {MOST} * x as x from (values (2)) as t (x)",
    "a sum of rows": f"select sum(x) as x from (values ({MOST}), (1)) as t (x)",
    "a cast": f"select cast(sum(x) as bigint) as y from (values ({MOST}), (1)) t (x)",
}


@pytest.mark.parametrize("sql", BEYOND.values(), ids=BEYOND)
def test_an_amount_beyond_64_bits_is_refused_and_never_wrapped(
    both: tuple[Engine, Engine], sql: str
) -> None:
    for engine in both:
        with pytest.raises(UsageError, match="the query"):
            engine.query(sql)


def test_parameters_are_values_and_never_words(
    both: tuple[Engine, Engine],
) -> None:
    given = {"text": "it's '; drop \\ ی", "number": -5, "instant": AS_OF}
    sql = "select $text as a, $number as b, $instant as c"
    here, there = (engine.query(sql, **given).to_pylist() for engine in both)
    assert there == here == [{"a": given["text"], "b": -5, "c": AS_OF}]
    with pytest.raises(UsageError, match=r"the parameter \$other has no value"):
        both[1].query("select $other as x")


def test_a_column_that_a_file_lacks_is_null(tmp_path: Path, sail: str) -> None:
    old, new = tmp_path / "old.parquet", tmp_path / "new.parquet"
    full = lake_tables({"payments": [{"id": "p-1"}]})["payments"]
    pq.write_table(full.drop_columns(["mandate_id", "position"]), old)
    pq.write_table(full.set_column(0, "id", [["p-2"]]), new)
    ids = tmp_path / "ids.parquet"
    pq.write_table(pa.table({"id": ["a"]}), ids)
    files = {
        "payments": [old, new],
        "seen_ids": [Part(ids, {"source_table": "accounts", "pull_id": "1"})],
    }
    answers = []
    for engine in (DuckEngine, SparkEngine):
        with engine.open(files, settings_for(sail), AS_OF) as opened:
            rows = opened.query("select * from raw_payments order by id")
            seen = opened.query("select * from raw_seen_ids")
            answers.append((rows.to_pylist(), seen.to_pylist()))
    assert answers[0] == answers[1]
    (first, second), seen = answers[1]
    assert (first["id"], first["position"], second["position"]) == ("p-1", None, 1)
    assert set(first) == set(TABLES["payments"].schema.names)
    assert seen == [{"source_table": "accounts", "id": "a", "pull_id": "1"}]


def test_a_file_that_is_damaged_there_is_a_corrupt_lake(
    tmp_path: Path, sail: str
) -> None:
    damaged = tmp_path / "damaged.parquet"
    damaged.write_bytes(b"no such file" * 10)
    with (
        SparkEngine.open({"payments": [damaged]}, settings_for(sail), AS_OF) as engine,
        pytest.raises(CorruptLake, match="payments: "),
    ):
        engine.table("raw_payments")


def test_a_file_that_is_missing_there_is_a_corrupt_lake(
    tmp_path: Path, sail: str
) -> None:
    kept = tmp_path / "kept.parquet"
    pq.write_table(lake_tables({"payments": [{}]})["payments"], kept)
    files = {"payments": [kept, tmp_path / "gone.parquet"]}
    with (
        SparkEngine.open(
            files, settings_for(sail), AS_OF, stored={"payments": 3}
        ) as engine,
        pytest.raises(CorruptLake, match=r"payments: .*(1 rows of 3|PATH_NOT_FOUND)"),
    ):
        engine.table("raw_payments")


def test_a_folder_whose_name_is_a_pattern_is_refused(tmp_path: Path, sail: str) -> None:
    files = {"payments": [tmp_path / "a[b]" / "x.parquet"]}
    with (
        SparkEngine.open(files, settings_for(sail), AS_OF) as engine,
        pytest.raises(UsageError, match=r"reads no folder with one of \*"),
    ):
        engine.table("raw_payments")


def test_unknown_names_are_told(both: tuple[Engine, Engine]) -> None:
    for engine in both:
        with pytest.raises(UsageError, match="no table or model 'int_nothing'"):
            engine.table("int_nothing")
    with pytest.raises(UsageError, match="'int_nothing'"):
        SparkEngine.open({"int_nothing": []}, HERE, AS_OF)


@pytest.mark.parametrize(
    ("remote", "words"),
    [
        ("", "needs spark.remote, the address of a Spark Connect endpoint"),
        ("http://host", "must be the address of a Spark Connect endpoint"),
        ("sc://", "must be the address of a Spark Connect endpoint"),
        ("sc://host:many", "its port is no number"),
    ],
)
def test_a_remote_that_is_no_address_is_one_clear_line(remote: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        SparkEngine.open({}, settings_for(remote), AS_OF)


def test_an_endpoint_that_does_not_answer_is_named_without_its_token(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(f"{CONNECTING}.ANSWER_SECONDS", 0.3)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # taken, and nobody listens
        place = f"sc://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(UsageError) as told:
            SparkEngine.open({}, settings_for(f"{place}/;token=secret"), AS_OF)
    assert str(told.value) == f"spark.remote: no Spark engine answers at {place}"


class InUtc(datetime):
    """An instant of a machine that knows of no other zone."""

    def astimezone(self, zone: tzinfo | None = None) -> Self:
        del zone
        return self


def test_an_endpoint_with_other_time_zones_is_refused(
    monkeypatch: pytest.MonkeyPatch, sail: str
) -> None:
    monkeypatch.setattr(f"{CONNECTING}.datetime", InUtc)
    with pytest.raises(UsageError, match="has other rules for Asia/Tehran"):
        SparkEngine.open({}, settings_for(sail), AS_OF)


def test_without_the_client_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "recon.reconcile.engines.spark", None)
    with pytest.raises(UsageError, match=r"pip install 'recon\[spark\]'"):
        choosing.spark_engine()


def test_the_files_of_a_bucket_are_read_where_they_are(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    taken: dict[str, Any] = {}

    class Taking:
        @staticmethod
        def open(tables: object, settings: object, as_of: object, **more: Any) -> None:
            taken.update(more)

    monkeypatch.setattr(opening, "spark_engine", lambda: Taking)
    lake: Any = Lake(tmp_path)
    lake.place = "s3://shop/lake"
    opening.open_engine(lake, HERE, AS_OF, [], "spark")
    path = lake.root / "records" / "payments" / "1.parquet"
    assert taken["address"](path) == "s3a://shop/lake/records/payments/1.parquet"
    lake.key = object()
    with pytest.raises(UsageError, match="cannot read a lake with an encryption_key"):
        opening.open_engine(lake, HERE, AS_OF, [], "spark")
