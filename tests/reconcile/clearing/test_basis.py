"""What a clearing rests on, one thing changed at a time."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pytest

from recon.reconcile.clearing.basis import Basis
from recon.reconcile.engines.duckdb import DuckEngine
from recon.reconcile.findings import Findings
from recon.reconcile.opening import open_engine
from recon.reconcile.rollforward import EXPLANATIONS, ROLLFORWARD
from recon.reconcile.run import counted_commits
from recon.settings import Business, Checks, Settings
from tests.builders import AS_OF, WALLET, lake_tables
from tests.reconcile.lake_history import History, at

BASIS = Basis(
    rules="",
    compactions={},
    sweep="",
    voids=[],
    snapshots="",
    last_snapshot_at=at(9),
    differing=[at(3), at(4)],
    unexplained=[at(4)],
    first_order_at=at(2),
    last_order_at=at(8),
    order_count=2,
)
"""Two intervals differ, of which one is not explained; the books have a week."""

ORDERS = (at(2), at(8))


def found(*intervals: tuple[datetime, int, int]) -> Findings:
    """Return a roll-forward of intervals: their ends, differences and rests."""
    named = ("to_at", "difference_rial", "unexplained_rial")
    rows = [dict(zip(named, each, strict=True)) for each in intervals]
    return Findings(
        breaks=pa.table({}),
        rollforward=pa.Table.from_pylist(rows, ROLLFORWARD),
        explanations=EXPLANATIONS.empty_table(),
    )


def holds(
    basis: Basis,
    findings: Findings,
    orders: tuple[datetime, ...] = ORDERS,
    tolerance: int = 0,
) -> bool:
    settings = Settings(
        business=Business(name="shop"), checks=Checks(tolerance=tolerance)
    )
    books = [{"occurred_at": each} for each in orders]
    with DuckEngine.open(lake_tables({"books": books}), settings, AS_OF) as engine:
        return basis.holds(engine, findings)


@pytest.mark.parametrize("rials", [1, -1])
@pytest.mark.parametrize(
    ("ends_at", "so_before"),
    [(at(3), True), (at(5), False), (at(9), False), (at(10), True)],
)
def test_an_interval_up_to_the_last_snapshot_may_not_begin_to_differ(
    ends_at: datetime, so_before: bool, rials: int
) -> None:
    """What comes after it is outstanding, and so is what may explain one that did."""
    assert holds(BASIS, found((ends_at, rials, 0))) is so_before


@pytest.mark.parametrize("rials", [1, -1])
@pytest.mark.parametrize(("ends_at", "so_before"), [(at(3), False), (at(4), True)])
def test_one_that_was_explained_may_not_cease_to_be(
    ends_at: datetime, so_before: bool, rials: int
) -> None:
    assert holds(BASIS, found((ends_at, rials, rials))) is so_before


@pytest.mark.parametrize(("rials", "within"), [(7, True), (-7, True), (8, False)])
def test_what_is_within_the_tolerance_does_not_differ(rials: int, within: bool) -> None:
    assert holds(BASIS, found((at(5), rials, rials)), tolerance=7) is within


def test_without_a_snapshot_any_interval_is_of_later_ones() -> None:
    basis = msgspec.structs.replace(
        BASIS, last_snapshot_at=None, differing=[], unexplained=[]
    )
    assert holds(basis, found((at(5), 1, 1)))


@pytest.mark.parametrize(
    ("orders", "reach"),
    [
        (ORDERS, True),
        ((at(1), *ORDERS, at(12)), True),
        ((at(3), at(8)), False),
        ((at(2), at(7)), False),
        ((), False),
    ],
)
def test_the_books_may_reach_further_and_not_less_far(
    orders: tuple[datetime, ...], reach: bool
) -> None:
    assert holds(BASIS, found(), orders) is reach


@pytest.mark.parametrize(("orders", "alike"), [((), True), ((at(5),), False)])
def test_where_there_were_no_books_the_first_order_changes_all(
    orders: tuple[datetime, ...], alike: bool
) -> None:
    """Then every paid record without one is missing in them."""
    bare = msgspec.structs.replace(
        BASIS, first_order_at=None, last_order_at=None, order_count=0
    )
    assert holds(bare, found(), orders) is alike


def balance(instant: datetime, rials: int) -> dict[str, Any]:
    return {"at": instant, "iban": WALLET, "balance": rials}


def imported(history: History, table: str, *rows: dict[str, Any]) -> None:
    history.pull(table, {table: rows}, kind="import")


def other_balance(history: History) -> None:
    imported(history, "balances", balance(at(1, 12), 6))


def other_last_balance(history: History) -> None:
    imported(history, "balances", balance(at(2), 6))


def balance_between(history: History) -> None:
    imported(history, "balances", balance(at(1, 18), 5))


def earlier_balance(history: History) -> None:
    imported(history, "balances", balance(at(1), 5))


def whole_sweep(history: History) -> None:
    history.pull("checkouts", {}, whole=True)


def line_of_tariff(history: History) -> None:
    imported(history, "tariff", {"product": "hosted", "payment_method": "*"})


def later_balance(history: History) -> None:
    imported(history, "balances", balance(at(2, 0, 0, 1), 6))


def sweep_of_another_list(history: History) -> None:
    history.pull("mandates", {}, whole=True)


def incomplete_sweep(history: History) -> None:
    history.pull("checkouts", {}, whole=True, complete=False)


def import_of_checkouts(history: History) -> None:
    history.pull("checkouts", {}, whole=True, kind="import")


def pull_in_part(history: History) -> None:
    history.pull("checkouts", {"checkouts": [{"id": "c"}], "payments": [{"id": "p"}]})


@pytest.mark.parametrize(
    ("change", "stands"),
    [
        *((change, False) for change in (other_balance, other_last_balance)),
        *((change, False) for change in (balance_between, earlier_balance)),
        *((change, False) for change in (whole_sweep, line_of_tariff)),
        *((change, True) for change in (later_balance, sweep_of_another_list)),
        *((change, True) for change in (incomplete_sweep, import_of_checkouts)),
        (pull_in_part, True),
    ],
)
def test_only_what_was_known_may_not_become_another(
    change: Callable[[History], None],
    stands: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    history = History(tmp_path, monkeypatch)
    history.clock(at(3))
    whole_sweep(history)
    imported(history, "balances", balance(at(1, 12), 5), balance(at(2), 5))
    with opened(history, at(3, 1)) as engine:
        basis = Basis.of(history.lake, engine, found())
        assert basis.stands(history.lake, engine)
    history.clock(at(4))
    change(history)
    with opened(history, at(4, 1)) as engine:
        assert basis.stands(history.lake, engine) is stands


def test_where_there_was_no_snapshot_the_first_one_is_another_past(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = History(tmp_path, monkeypatch)
    history.clock(at(3))
    with opened(history, at(3, 1)) as engine:
        basis = Basis.of(history.lake, engine, found())
        assert basis.stands(history.lake, engine)
    history.clock(at(4))
    later_balance(history)
    with opened(history, at(4, 1)) as engine:
        assert not basis.stands(history.lake, engine)


def opened(history: History, instant: datetime) -> DuckEngine:
    commits = counted_commits(history.lake, instant)
    engine = open_engine(history.lake, history.settings, instant, commits)
    assert isinstance(engine, DuckEngine)
    return engine
