"""Sessions with a Spark Connect endpoint: opened, proven, and closed.

An endpoint is asked, once, what its answers depend on: whether it refuses integers
beyond 64 bits or wraps them, whether it can keep a result, and whether its time zones
are those of this machine.
"""

import logging
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urlsplit

import grpc  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.sql.connect.client import DefaultChannelBuilder
from pyspark.sql.connect.client.retries import DefaultPolicy
from pyspark.sql.connect.session import SparkSession

from recon.errors import CorruptLake, ReconError, UsageError
from recon.settings import Settings

ANSWER_SECONDS = 15
"""How long an endpoint may take to answer the first word."""

_RETRIES = 8  # some two minutes: an engine at work may be slow to answer
_OPTIONS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "true",
}
_ZONE_YEARS = range(2015, 2031)  # Iran's clocks changed for the last time in 2022
_LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")
_OVERFLOW = "select cast(9223372036854775807 as bigint) + cast(1 as bigint) as wrapped"
_CUT_OFF = "RPC that terminated"
_DETAILS = re.compile(r'details = "([^"\n]*)')
_DAMAGE = ("PATH_NOT_FOUND", "FAILED_READ_FILE", "CANNOT_READ_FILE", "arquet")


@dataclass(frozen=True)
class Session:
    """A session, and what its endpoint is like.

    `keeps`: it can compute a result once and keep it; `wraps`: it turns an integer
    beyond 64 bits into another one instead of refusing it.
    """

    spark: SparkSession
    keeps: bool
    wraps: bool

    def close(self) -> None:
        """End the session; an endpoint that is gone already has ended it."""
        self.spark.stop()


def connect(settings: Settings) -> Session:
    """Open a session at `spark.remote`.

    Raises UsageError where the setting is empty or no address, the client is not
    installed, nobody answers, or the endpoint has other time zones.
    """
    remote = settings.spark.remote
    if not remote:
        raise UsageError(
            "--engine spark needs spark.remote, the address of a Spark Connect "
            "endpoint: sc://host:15002"
        )
    place = _place(remote)
    with _client_warnings():
        spark = _session(remote, place)
    try:
        with told(place):
            for name, value in _OPTIONS.items():
                spark.conf.set(name, value)
        _refuse_other_zones(spark, settings, place)
        return Session(spark, keeps=_keeps(spark), wraps=_wraps(spark))
    except BaseException:
        spark.stop()
        raise


@contextmanager
def told(place: str) -> Iterator[None]:
    """Raise what an endpoint refuses as one clear line that names `place`."""
    try:
        with _client_warnings():
            yield
    except grpc.RpcError:
        raise UsageError(f"{place}: the Spark engine stopped answering") from None
    except PySparkException as error:
        raise _explained(error, place) from None


def _explained(error: Exception, place: str) -> ReconError:
    message = str(error).strip().partition("\n")[0]
    if _CUT_OFF in message:
        details = _DETAILS.search(str(error))
        why = f" ({details[1]})" if details else ""
        return UsageError(f"{place}: the Spark engine stopped answering{why}")
    if any(word in message for word in _DAMAGE):
        return CorruptLake(f"{place}: {message}")
    return UsageError(f"{place}: {message}")


def _place(remote: str) -> str:
    """Return an endpoint's address without what may be secret in it."""
    parts = urlsplit(remote)
    if parts.scheme != "sc" or not parts.hostname:
        raise UsageError(
            "spark.remote: it must be the address of a Spark Connect endpoint, "
            "sc://host:15002"
        )
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    try:
        port = parts.port or 15002
    except ValueError:
        raise UsageError("spark.remote: its port is no number") from None
    return f"sc://{host}:{port}"


def _session(remote: str, place: str) -> SparkSession:
    for name in _LOGGERS:  # what they would say, the error says
        logging.getLogger(name).disabled = True
    try:
        channel = DefaultChannelBuilder(remote).toChannel()
        try:
            grpc.channel_ready_future(channel).result(timeout=ANSWER_SECONDS)
        finally:
            channel.close()
        spark = SparkSession.builder.remote(remote).create()
    except grpc.FutureTimeoutError:
        raise UsageError(f"spark.remote: no Spark engine answers at {place}") from None
    except (PySparkException, grpc.RpcError) as error:
        raise UsageError(
            f"spark.remote: {place} is refused: {type(error).__name__}"
        ) from None
    spark.client.set_retry_policies([DefaultPolicy(max_retries=_RETRIES)])
    return spark


@contextmanager
def _client_warnings() -> Iterator[None]:
    """Let the client say nothing of the versions of libraries that it is not used to.

    Only Arrow tables pass through it here, and the tests hold the whole path.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module="pyspark")
        yield


def _wraps(spark: SparkSession) -> bool:
    try:
        spark.sql(_OVERFLOW).toArrow()
    except PySparkException:
        return False
    return True


def _keeps(spark: SparkSession) -> bool:
    """Tell whether the endpoint keeps results: not every one has a place for them."""
    try:
        spark.sql("select 1 as kept").localCheckpoint()
    except PySparkException:
        return False
    return True


def _refuse_other_zones(spark: SparkSession, settings: Settings, place: str) -> None:
    """Raise UsageError where a business date would be another one than here."""
    zones = {settings.business.timezone, settings.gateway_zone}
    instants = [
        datetime(year, month, 1, tzinfo=UTC) for year in _ZONE_YEARS for month in (1, 7)
    ]
    for zone in sorted(zones, key=str):
        rows = ", ".join(f"(timestamp '{at:%Y-%m-%d %H:%M:%S}')" for at in instants)
        with told(place):
            found = spark.sql(
                f"select date_format(from_utc_timestamp(at, '{zone.key}'), "
                f"'yyyy-MM-dd HH:mm') as local from values {rows} as instants(at) "
                "order by at"
            ).toArrow()
        here = [f"{at.astimezone(zone):%Y-%m-%d %H:%M}" for at in instants]
        if found["local"].to_pylist() != here:
            raise UsageError(
                f"{place}: the engine has other rules for {zone.key} than this "
                "machine; its dates would differ: bring the time zones of both up "
                "to date"
            )
