"""A wallet in few words: instants of a month, and the roll-forward of given rows."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from recon.reconcile.engines import DuckEngine
from recon.settings import Business, CashIn, Checks, Settings
from tests import builders

Row = dict[str, Any]
BILLION = 1_000_000_000
MINUTE = timedelta(minutes=1)


def at(day: int, hour: int = 0, minute: int = 0, second: int = 0) -> datetime:
    """An instant of October 2026."""
    return datetime(2026, 10, day, hour, minute, second, tzinfo=UTC)


def settings(checks: Mapping[str, Any] | None = None, **cash_in: Any) -> Settings:
    """Settings with a status that settles a deposit."""
    given = {"settled_statuses": ("DONE",), "wage_from": "bank"} | cash_in
    return Settings(
        business=Business(name="shop"),
        cash_in=CashIn(**given),
        checks=Checks(**(checks or {})),
    )


def balances(*figures: int, start: int = 1) -> list[Row]:
    """Snapshots of the wallet, one each midnight."""
    return [
        builders.balance(day, at=at(start + day - 1), balance=figure)
        for day, figure in enumerate(figures, start=1)
    ]


def payment(name: str, paid_at: datetime | None, effect: int, **changed: Any) -> Row:
    """A done payment of its own checkout, without a fee."""
    row = {
        "id": name,
        "checkout_id": f"checkout-{name}",
        "paid_at": paid_at,
        "created_at": paid_at,
        "updated_at": paid_at,
        "amount": effect,
        "wage_amount": 0,
        "affected_amount": effect,
    }
    return builders.payment(1, **row | changed)


def timed_out(name: str, created_at: datetime, amount: int, wage: int = 0) -> Row:
    """A payment that ended with a time-out; its checkout has no done one."""
    return payment(
        name,
        None,
        amount,
        created_at=created_at,
        updated_at=created_at,
        wage_amount=wage,
        affected_amount=0,
        status="failed",
        error_code="WITHDRAWAL_TIMEOUT",
    )


def deposit(
    name: str, requested_at: datetime | None, amount: int, **changed: Any
) -> Row:
    """A deposit that is still in the queue."""
    row = {
        "gateway_transaction_id": name,
        "track_id": f"track-{name}",
        "requested_at": requested_at,
        "settled_at": None,
        "amount": amount,
        "requested_amount": amount,
        "status": "INIT",
    }
    return builders.deposit(1, **row | changed)


@contextmanager
def opened(
    rows: Mapping[str, Sequence[Row]], chosen: Settings | None = None
) -> Iterator[DuckEngine]:
    """An engine over rows; every payment's checkout is added."""
    payments: Sequence[Row] = rows.get("payments", ())
    checkouts = [
        builders.checkout(
            1, id=row["checkout_id"], payment_ids=[p["id"] for p in payments]
        )
        for row in payments
    ]
    given = {"checkouts": checkouts, **rows}
    tables = builders.lake_tables({name: list(each) for name, each in given.items()})
    with DuckEngine.open(tables, chosen or settings(), at(31, 21)) as engine:
        yield engine


def rollforward(
    rows: Mapping[str, Sequence[Row]], chosen: Settings | None = None
) -> list[Row]:
    """The rows of the roll-forward, in the order of time."""
    with opened(rows, chosen) as engine:
        found = engine.table("int_wallet_rollforward").to_pylist()
    return sorted(found, key=lambda row: row["to_at"])


def explanations(
    rows: Mapping[str, Sequence[Row]], chosen: Settings | None = None
) -> list[Row]:
    """The items that explain, of every interval and solution."""
    with opened(rows, chosen) as engine:
        return list(engine.table("int_wallet_explanations").to_pylist())


def figures(rows: Sequence[Row]) -> list[tuple[int, int, int]]:
    """Difference, explained and unexplained of each interval."""
    return [
        (row["difference_rial"], row["explained_rial"], row["unexplained_rial"])
        for row in rows
    ]


HALF_PAST_ONE = (22, 0)  # in Tehran, as UTC of the day before


def nights(
    *shown: int, times: Sequence[tuple[int, int]] = (HALF_PAST_ONE,)
) -> list[Row]:
    """Snapshots at these times of each day from 1 October on."""
    instants = (at(day, *time) for day in range(1, 29) for time in times)
    return [
        builders.balance(number, at=instant, balance=figure)
        for number, (instant, figure) in enumerate(zip(instants, shown, strict=False))
    ]


def of_day(day: int, amount: int, **changed: object) -> Row:
    """A settlement that its file dates with a day of October, in Tehran."""
    midnight = at(day) - timedelta(hours=3, minutes=30)
    return builders.adjustment(**{"at": midnight, "amount": amount, **changed})


def unexplained(rows: list[Row]) -> list[int]:
    return [left for _, _, left in figures(rows)]
