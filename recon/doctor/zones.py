"""Whether the engine dates instants as the rest of the program does."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from recon import database
from recon.doctor.findings import Finding, problem
from recon.errors import LakeError
from recon.times import business_date

_BEFORE, _AFTER = timedelta(days=6 * 365), timedelta(days=365)
_STEP = timedelta(hours=3)  # no rule holds for less
_UNIX = datetime(1970, 1, 1, tzinfo=UTC)
_SECOND = timedelta(seconds=1)
_OFFSETS = (
    "select second, epoch(to_timestamp(second) at time zone $zone) - second "
    "from range($first, $last, $step) as instants (second) order by second"
)
_DO = "bring this system's zones (tzdata) and duckdb up to date: one of them is older"


def findings(area: str, zone: ZoneInfo, now: datetime) -> Iterator[Finding]:
    """Tell where the engine's rules of a zone are others, from six years ago on.

    DuckDB brings rules of its own, the system has others, and either may be the older.
    Files are read by the one and dated by the other: a day's first instant is then an
    hour of another day. Nothing is told where they agree up to a year from now.
    """
    import duckdb  # noqa: PLC0415 - it takes long

    first, last = ((at - _UNIX) // _SECOND for at in (now - _BEFORE, now + _AFTER))
    asked = {"zone": zone.key, "first": first, "last": last, "step": _STEP // _SECOND}
    try:
        with database.connected({}, kept=False) as connection:
            rows = connection.execute(_OFFSETS, asked).fetchall()
    except duckdb.Error:
        told = f"duckdb does not know business.timezone {zone.key}: no night can end"
        yield problem(area, told, "name another zone of the same rules, or update it")
        return
    except LakeError:  # it has no room to begin, which is said of the disk
        return
    for second, offset in rows:
        instant = _UNIX + second * _SECOND
        if instant.astimezone(zone).utcoffset() != timedelta(seconds=offset):
            since = business_date(instant, zone)
            told = f"duckdb has other rules of {zone.key} than this system from {since}"
            yield problem(area, f"{told} on: what is dated later may be a day off", _DO)
            return
