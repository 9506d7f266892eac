"""What a lake holds, as values that two lakes can be compared by."""

from collections import Counter
from collections.abc import Callable
from typing import Any

from recon.lake.schema import TABLES
from tests.campaign.shop import Shop

_OF_A_RUN = {"runs", "run_breaks", "decisions"}
_OF_THE_MOMENT = {"balances": {"at"}}  # a balance is of the instant it was asked at


def rows_of(*tables: str) -> Callable[[Shop], dict[str, Any]]:
    """Return what reads every version of those tables (of all), without places."""

    def read(shop: Shop) -> dict[str, Any]:
        lake = shop.lake()
        found: dict[str, Any] = {}
        for name in tables or sorted(set(TABLES) - _OF_A_RUN):
            own = set(TABLES[name].columns.names) - _OF_THE_MOMENT.get(name, set())
            rows = lake.versions(name).select(sorted(own)).to_pylist()
            counted = Counter(repr(sorted(row.items())) for row in rows)
            if name in _OF_THE_MOMENT:
                counted = Counter(set(counted))
            if counted:
                found[name] = counted
        return found

    return read


def decided(shop: Shop) -> list[tuple[Any, ...]]:
    """Return the decisions but for their times."""
    rows = shop.lake().versions("decisions").to_pylist()
    return [(row["break_id"], row["action"], row["by"], row["reason"]) for row in rows]


def found(shop: Shop) -> dict[str, Any]:
    """Return whether a run is there, and which breaks runs found."""
    lake = shop.lake()
    breaks = lake.versions("run_breaks")["break_id"].to_pylist()
    return {"ran": bool(lake.commits(kind="run")), "breaks": set(breaks)}
