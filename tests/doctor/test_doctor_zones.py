"""The engine's rules of the business's zone, and the system's."""

import io
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from recon.doctor.findings import Level
from recon.doctor.zones import findings
from tests.doctor.doctor_cases import config, examined, of

NOW = datetime(2026, 11, 20, tzinfo=UTC)


def made(key: str, *, offset: int) -> ZoneInfo:
    """A zone of one offset, in seconds, under the name of another."""
    counts = (0, 0, 0, 0, 1, 4)
    head = b"TZif" + bytes(16) + b"".join(n.to_bytes(4, "big") for n in counts)
    local = offset.to_bytes(4, "big", signed=True) + bytes(2) + b"ONE\0"
    return ZoneInfo.from_file(io.BytesIO(head + local), key=key)


@pytest.mark.parametrize("name", ["Asia/Tehran", "Europe/Berlin", "UTC"])
def test_nothing_is_told_where_both_have_the_same_rules(name: str) -> None:
    assert list(findings("versions", ZoneInfo(name), NOW)) == []


def test_rules_that_differ_are_told_with_the_first_date() -> None:
    (found,) = findings("versions", made("Asia/Tehran", offset=16_200), NOW)
    assert found.level is Level.PROBLEM
    assert "other rules of Asia/Tehran than this system from 2020-11-21" in found.told
    assert "may be a day off" in found.told


def test_a_zone_without_summer_time_differs_first_in_summer() -> None:
    """Until 2022 Tehran had one: from the night to 22 March 2021 on."""
    (found,) = findings("versions", made("Asia/Tehran", offset=12_600), NOW)
    assert "from 2021-03-22" in found.told
    later = NOW + timedelta(days=6 * 365)
    assert list(findings("versions", made("Asia/Tehran", offset=12_600), later)) == []


def test_a_zone_that_the_engine_does_not_know_is_told() -> None:
    (found,) = findings("versions", made("Mars/Base", offset=0), NOW)
    assert found.level is Level.PROBLEM
    assert "does not know business.timezone Mars/Base" in found.told


def test_the_doctor_tells_it_beside_the_versions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recon.times.ZoneInfo", lambda key: made(key, offset=0))
    path = config(tmp_path, business='name = "shop"\ntimezone = "Asia/Tehran"')
    found = of(examined(path), "versions")
    assert [each.level for each in found] == [Level.OK, Level.PROBLEM]
