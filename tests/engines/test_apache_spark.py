"""Apache Spark itself, in local mode: the same reports as on this machine.

Slow, so only where a Spark is named: `SPARK_HOME` is the folder of a distribution (of
`pip install pyspark[connect]` too, in an environment of its own), with a Java beside.
"""

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engines.history_lakes import HistoryLake, different

SPARK_HOME = os.environ.get("SPARK_HOME", "")
SUBMIT = Path(SPARK_HOME) / "bin" / "spark-submit"
START_SECONDS = 180

pytestmark = pytest.mark.skipif(
    not (SPARK_HOME and SUBMIT.is_file() and shutil.which("java")),
    reason="SPARK_HOME names no Spark, or there is no Java",
)


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
    return port


def answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


@pytest.fixture(scope="module")
def apache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a Connect server of Spark in local mode, on loopback."""
    folder = tmp_path_factory.mktemp("spark")
    port = free_port()
    options = {
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.local.dir": str(folder / "scratch"),
    }
    command = [str(SUBMIT), "--master", "local[2]", "--driver-memory", "2g"]
    command += [part for key in options for part in ("--conf", f"{key}={options[key]}")]
    command += ["--class", "org.apache.spark.sql.connect.service.SparkConnectServer"]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(
            [*command, "spark-internal"],
            cwd=folder,
            env=os.environ | {"SPARK_LOCAL_IP": "127.0.0.1"},
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            until = time.monotonic() + START_SECONDS
            while not answers(port):
                assert server.poll() is None, (folder / "log").read_text()
                assert time.monotonic() < until, "Spark did not start"
                time.sleep(0.5)
            yield f"sc://127.0.0.1:{port}"
        finally:
            os.killpg(server.pid, signal.SIGTERM)
            server.wait(30)


def test_apache_spark_writes_the_same_reports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, apache: str
) -> None:
    made = HistoryLake(tmp_path, monkeypatch, 7, days=12)
    here = made.report(tmp_path / "duckdb", "duckdb")
    there = made.report(tmp_path / "spark", "spark", apache)
    assert different(here, there) == []
