"""What the engine on one machine may take: as the settings say, and as its lake is."""

from dataclasses import replace
from typing import Any

import duckdb
import pytest

from recon.reconcile.engines import DuckEngine
from recon.reconcile.engines import duckdb as engines
from recon.settings import Engine
from tests.reconcile.wallet_world import at, settings

ASKED = (
    "select current_setting('memory_limit') as most, current_setting('threads') as n"
)


def bounds_of(asked: Engine) -> dict[str, Any]:
    with DuckEngine.open({}, replace(settings(), engine=asked), at(31)) as engine:
        (found,) = engine.query(ASKED).to_pylist()
    return dict(found)


@pytest.mark.parametrize("most", [engines.LIGHT_LAKE, -1])
def test_an_engine_keeps_to_the_bounds_of_the_settings(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "LIGHT_LAKE", most)
    asked = Engine(memory_limit=10 * 2**30, threads=2)
    assert bounds_of(asked) == {"most": "8.5 GiB", "n": 2}


def test_one_thread_reads_a_light_lake() -> None:
    assert bounds_of(Engine())["n"] == 1


def test_engines_of_light_lakes_share_a_duckdb_and_a_large_one_has_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bounds_of(Engine())
    opened: list[int] = []
    connect = duckdb.connect

    def connecting(*given: Any, **more: Any) -> duckdb.DuckDBPyConnection:
        opened.append(1)
        return connect(*given, **more)

    monkeypatch.setattr(duckdb, "connect", connecting)
    bounds_of(Engine())
    assert opened == []
    monkeypatch.setattr(engines, "LIGHT_LAKE", -1)
    bounds_of(Engine())
    assert opened == [1]
