"""What `recon sql` prints: readable for people, in full for programs."""

import csv
import io
import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from recon.cli.group import run

_NUMBERS = (
    "select 2026 as y, 12345 as n, 5e6 as a, 2870694.6653806586::double as b, "
    "2.5 as c, '9121112233' as d"
)


_PRINTED = """\
y     n       a             b             c    d
2026  12,345  5,000,000.00  2,870,694.67  2.5  9121112233
"""
_AS_CSV = """\
"y","n","a","b","c","d"
2026,12345,5000000,2870694.6653806586,2.5,"9121112233"
"""
_AS_JSON = """\
[
  {
    "y": 2026,
    "n": 12345,
    "a": 5000000.0,
    "b": 2870694.6653806586,
    "c": "2.5",
    "d": "9121112233"
  }
]
"""


@pytest.mark.parametrize(
    ("option", "told"), [((), _PRINTED), (("--csv",), _AS_CSV), (("--json",), _AS_JSON)]
)
def test_years_are_plain_and_averages_rounded_for_people_only(
    option: tuple[str, ...],
    told: str,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    config = tmp_path / "recon.toml"
    config.write_text('[business]\nname = "tea-house"\n')
    code = run(["sql", _NUMBERS, *option, "--config", str(config)])
    assert (code, capfd.readouterr().out) == (0, told)


def test_what_is_no_number_of_json_is_a_text(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "recon.toml"
    config.write_text('[business]\nname = "tea-house"\n')
    asked = "select 1e400 as a, 'nan'::double as b, [-1e400] as c, {'x': 1e400} as d"
    assert run(["sql", asked, "--json", "--config", str(config)]) == 0
    printed = capfd.readouterr().out
    assert "NaN" not in printed
    assert "Infinity" not in printed
    (row,) = json.loads(printed)
    assert row == {"a": "inf", "b": "nan", "c": ["-inf"], "d": {"x": "inf"}}


_ODD = """
select
    timestamptz '2026-10-31 20:03:44.5Z' as at,
    timestamptz '2026-10-31 20:03:44Z' at time zone 'Asia/Tehran' as wall,
    timestamptz '2026-11-01 20:06:03Z' - timestamptz '2026-10-31 20:03:44Z' as took,
    ['پرداخت', 'b'] as many,
    {'at': timestamptz '2026-10-31 20:03:44Z', 'rials': 12.5::decimal(9, 2)} as nested,
    '\\x00\\xFF'::blob as bytes,
    date '2026-10-31' as day,
    null as none
union all select null, null, null, null, null, null, null, null
"""
_ODD_TEXTS = {
    "at": "2026-10-31T20:03:44Z",
    "wall": "2026-10-31T23:33:44",
    "took": "1 day 00:02:19",
    "many": '["پرداخت", "b"]',
    "nested": '{"at": "2026-10-31T20:03:44Z", "rials": "12.50"}',
    "bytes": "00ff",
    "day": "2026-10-31",
    "none": "",
}


def _asked(
    query: str, *options: str, folder: Path, capfd: pytest.CaptureFixture[str]
) -> str:
    config = folder / "recon.toml"
    config.write_text('[business]\nname = "tea-house"\n')
    assert run(["sql", query, *options, "--config", str(config)]) == 0
    return capfd.readouterr().out


@pytest.fixture
def in_tehran(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine whose own zone is not UTC: a wall-clock time is not one of its own."""
    monkeypatch.setenv("TZ", "Asia/Tehran")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("in_tehran")
def test_csv_json_and_table_write_a_value_alike(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    told = _asked(_ODD, "--csv", folder=tmp_path, capfd=capfd)
    first, second = csv.DictReader(io.StringIO(told))
    assert first == _ODD_TEXTS
    assert set(second.values()) == {""}

    as_json = json.loads(_asked(_ODD, "--json", folder=tmp_path, capfd=capfd))
    assert as_json[0] == _ODD_TEXTS | {
        "many": ["پرداخت", "b"],
        "nested": json.loads(_ODD_TEXTS["nested"]),
        "none": None,
    }

    table = _asked(_ODD, folder=tmp_path, capfd=capfd)
    assert [each for each in _ODD_TEXTS.values() if each not in table] == []


@pytest.mark.parametrize(
    ("interval", "told"),
    [
        ("0 days", "00:00:00"),
        ("30 hours", "30:00:00"),
        ("-1 microseconds", "-00:00:00.000001"),
        ("14 months -3 days", "1 year 2 months -3 days"),
        ("-25 months 1.5 seconds", "-2 years -1 month 00:00:01.5"),
    ],
)
def test_a_length_of_time_is_written_as_the_engine_does(
    interval: str, told: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    query = f"select interval '{interval}' as i, (interval '{interval}')::varchar as v"
    (row,) = json.loads(_asked(query, "--json", folder=tmp_path, capfd=capfd))
    assert row == {"i": told, "v": told}


@pytest.mark.parametrize(
    "far", ["date 'infinity'", "date '10000-01-01'", "timestamptz '-infinity'"]
)
def test_a_date_that_no_calendar_has_is_named_and_no_defect(
    far: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "recon.toml"
    config.write_text('[business]\nname = "tea-house"\n')
    query = f"select date '9999-12-31' as last, {far} as far"
    for option in ((), ("--csv",), ("--json",)):
        assert run(["sql", query, *option, "--config", str(config)]) == 2
        told = capfd.readouterr()
        assert told.err == (
            "recon: the query: the column far has a date beyond the years 1 to 9999\n"
        )
        assert not told.out


_SECRET = "moon-over-the-tea-house"
_READING = {
    "a text": "select content from read_text('{file}')",
    "bytes": "select content from read_blob('{file}')",
    "nested": "select [content] as a, {{'b': content}} as b from read_text('{file}')",
    "an enum": "select content::enum('{text}') as a from read_text('{file}')",
    "a column's name": "select * from read_csv('{file}', header=true, sep='~')"
    " right join (values (1)) on true",
    "an error": "select content::int as a from read_text('{file}')",
}


@pytest.mark.parametrize("query", _READING.values(), ids=_READING)
@pytest.mark.parametrize("option", [(), ("--csv",), ("--json",)])
def test_no_secret_is_printed_whatever_file_is_read(
    query: str,
    option: tuple[str, ...],
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    config, file = tmp_path / "recon.toml", tmp_path / "kept.txt"
    config.write_text(
        '[business]\nname = "tea-house"\n\n[hosted]\n'
        f'base_url = "http://127.0.0.1:1"\napi_key = "{_SECRET}"\n'
    )
    text = f"key={_SECRET}"
    file.write_text(text)
    asked = query.format(file=file, text=text)
    run(["sql", asked, *option, "--config", str(config)])
    printed = "".join(capfd.readouterr())
    assert _SECRET not in printed
    assert _SECRET.encode().hex() not in printed
    assert "***" in printed or b"***".hex() in printed
