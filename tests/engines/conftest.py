"""A Spark Connect endpoint for the tests: Sail, in this process, on loopback."""

from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def sail(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of an endpoint that keeps results in a folder of its own."""
    kept: Path = tmp_path_factory.mktemp("kept")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SAIL_EXECUTION__CHECKPOINT__PATH", kept.as_uri())
        patch.setenv("RUST_LOG", "error")
        from pysail.spark import (  # noqa: PLC0415 - it reads the environment first
            SparkConnectServer,
        )

        server = SparkConnectServer(ip="127.0.0.1", port=0)
        server.start(background=True)
        host, port = server.listening_address
        yield f"sc://{host}:{port}"
        server.stop()
