"""A small fixed slice of the campaign: the same seed, some inputs at every door."""

import contextlib
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recon import setting_files, setting_values, times
from recon.api import answers
from recon.close import periods
from recon.errors import ReconError
from recon.records import decoding, scalars
from tests.fuzz.campaign import TARGETS, shares
from tests.fuzz.mutation import altered_json, damaged
from tests.fuzz.tries import Hang, Target, Wrong, bounded_time, one_line, tried

SEED = 1
COUNTS = {"pulls": 3, "command lines": 4, "webhook requests": 4, "Excel": 6}
USUAL_COUNT = 20


@pytest.mark.parametrize("target", TARGETS, ids=lambda each: each.name)
def test_bad_input_does_no_harm(target: Target, tmp_path: Path) -> None:
    count = COUNTS.get(target.name, USUAL_COUNT)
    tally = tried(target, tmp_path, SEED, range(count))
    assert tally.defects == []
    assert tally.count == count


def test_the_command_counts_what_it_tried() -> None:
    words = ["--target", "periods, times, sizes", "--seed", "1", "--count", "12"]
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz", *words],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    of_the_door, whole = done.stdout.splitlines()
    assert of_the_door.split()[:5] == ["periods,", "times,", "sizes", "12", "inputs"]
    assert whole.startswith("12 inputs, 0 defects, ")


def test_the_same_seed_makes_the_same_input() -> None:
    body = b'{"data": [{"id": 1, "amount": 5}]}'
    for make in (damaged, altered_json):
        first = [make(body, Random(f"x/{n}")) for n in range(20)]
        assert first == [make(body, Random(f"x/{n}")) for n in range(20)]
        assert len(set(first)) > 10


def test_a_defect_a_hang_and_a_crash_are_seen(tmp_path: Path) -> None:
    def harmful(_: Random) -> str:
        raise ZeroDivisionError

    class Opened:
        def __enter__(self) -> object:
            return harmful

        def __exit__(self, *_: object) -> None:
            return None

    tally = tried(Target("x", 1, lambda _: Opened()), tmp_path, 1, range(3))
    assert len(tally.defects) == 3
    assert "ZeroDivisionError" in tally.defects[0]
    with pytest.raises(Hang), bounded_time(0.05):
        time.sleep(20)
    for text in ("", "a\nb", "Traceback", "x" * 6_000):
        with pytest.raises(Wrong):
            one_line(text)


def test_the_shares_are_of_a_thousand() -> None:
    assert sum(target.share for target in TARGETS) == 1_000
    assert sum(shares(100_000).values()) == 100_000


TEXT = st.text(max_size=30) | st.from_regex(r"[0-9۰-۹.,:/\-T+ ]{1,24}", fullmatch=True)
READERS = {
    "period": periods.parse,
    "instant": lambda text: times.parse_instant(text, times.zone("UTC")),
    "jalali": lambda text: times.parse_instant(text, times.zone("UTC"), jalali=True),
    "duration": setting_values.duration,
    "size": setting_values.size,
    "rate": setting_values.rate,
    "url": setting_values.url,
    "zone": setting_values.zone,
    "texts": setting_values.texts,
    "column names": setting_values.column_names,
}


@pytest.mark.parametrize("name", READERS)
@given(text=TEXT)
@settings(max_examples=40)
def test_any_text_is_read_or_refused(name: str, text: str) -> None:
    with contextlib.suppress(ValueError, ReconError):
        READERS[name](text)


MINIMAL = '[business]\nname = "acme"\n'


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"RECON_CHECKS__DISABLED": "[" * 100_000}, "nests too deeply"),
        ({"RECON_IMPORTS__COLUMNS": "[" * 100_000}, "nests too deeply"),
        ({"RECON_HTTP__RATE_LIMIT": "9" * 400}, "above 0"),
        ({"RECON_LAKE__PATH": "a\x00b"}, "a path"),
        ({"RECON_LAKE__PATH": "a\udc80"}, "UTF-8"),
        ({"RECON_BUSINESS__TIMEZONE": "x" * 9_000}, "time zone"),
        ({"RECON_" + "X" * 9_000: "1"}, "no such setting"),
        ({"RECON_UNIFIED__BASE_URL": "https://["}, "an https address"),
        (
            {"RECON_CHECKS__SEVERITY": "x", "RECON_CHECKS__SEVERITY__HOSTED": "info"},
            "a table of",
        ),
    ],
)
def test_what_the_campaign_found_in_the_environment(
    given: dict[str, str], told: str, tmp_path: Path
) -> None:
    path = tmp_path / "recon.toml"
    path.write_text(MINIMAL, "utf-8")
    with pytest.raises(ReconError, match=told) as caught:
        setting_files.load(path, given)
    one_line(str(caught.value))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[http]\nretries = " + "9" * 5_000, "digits"),
        ("a = " + "[" * 100_000, "nests too deeply"),
        ("a = " + "{b = " * 100_000, "nests too deeply"),
        ("[http]\nretries = '" + "9" * 100_000 + "'", "whole number"),
    ],
)
def test_what_the_campaign_found_in_settings_files(
    text: str, told: str, tmp_path: Path
) -> None:
    path = tmp_path / "recon.toml"
    path.write_text(MINIMAL + text, "utf-8")
    with pytest.raises(ReconError, match=told) as caught:
        setting_files.load(path, {})
    one_line(str(caught.value))


EDGES = ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"]


@pytest.mark.parametrize("text", EDGES)
def test_a_time_that_utc_does_not_have_is_none(text: str) -> None:
    with pytest.raises(ValueError, match="not a time"):
        decoding.instant(text)
    with pytest.raises(ValueError, match="not a time"):
        scalars.local_time(text, times.zone("UTC"))


def test_an_answer_that_is_no_utf_8_has_no_complaint() -> None:
    assert answers.complaint(b'{"message": "\xc3("}') is None
