"""The invented history of a business: two months of payments that all add up.

`generate` is deterministic: the same arguments give the same history, to the byte.
A history without faults gives nothing to report, however much later it is looked at.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

from recon.errors import UsageError
from recon.sandbox import corrections, funding, payments, shopfronts, trades, wallet
from recon.sandbox.payments import Shop
from recon.sandbox.planting import FAULTS, plant
from recon.sandbox.rhythm import moments, volumes
from recon.sandbox.scene import Planted, Scene
from recon.sandbox.tariffs import Tariff, method_entries
from recon.sandbox.world import Record, World
from recon.times import zone

LAST_DAY = date(2026, 10, 31)

_DAYS = range(date(2, 1, 1).toordinal(), date(9999, 1, 1).toordinal())
"""Those that a history may have: its drafts and mandates are older and newer."""

__all__ = ["FAULTS", "History", "Planted", "generate"]


@dataclass(frozen=True)
class History:
    """One business as the provider and the business itself know it.

    Rows have the columns of the imports: amounts in rials, times in Unix seconds.
    `planted` holds one entry for each break that must be reported; `explained` what
    looks wrong and must not be.
    """

    seed: int
    starts_at: datetime
    ends_at: datetime  # local midnight after the last day
    world: World
    planted: list[Planted]
    explained: list[Planted]
    tariff: Tariff
    books: list[Record]
    balances: list[Record]
    adjustments: list[Record]
    deposits: list[Record]
    gateway_tokens: list[Record]
    hosted_checkouts: list[Record]
    bank_statement: list[Record]

    def second_night(self) -> list[Planted]:
        """Let the provider change the past; returns the breaks that must follow.

        A checkout with its payment is restated; a checkout, a mandate and an
        agreement vanish. Call it once, after a first night has seen the world.
        """
        return corrections.change_the_past(self.world, self.planted, self.books)


def generate(
    seed: int,
    *,
    until: date = LAST_DAY,
    days: int = 61,
    daily: int = 120,
    timezone: str = "Asia/Tehran",
    faults: Sequence[str] = (),
    calendar: str = "gregorian",
) -> History:
    """Make the history of the `days` days up to and including `until`.

    `daily` is the mean number of checkouts a day; `faults` names what to plant
    (`FAULTS`, or `all`); `calendar` is the one whose months bound a mandate's count.
    UsageError on a fault, zone or size that cannot be.
    """
    if days < 1 or daily < 1:
        raise UsageError("a history has at least one day and one checkout a day")
    last = until.toordinal()
    if last not in _DAYS or last - days + 1 not in _DAYS:
        raise UsageError("a history lies within the years 2 to 9998")
    try:
        place = zone(timezone)
    except ValueError as error:
        raise UsageError(str(error)) from None
    scene = Scene.new(seed, until, days, place, calendar)
    scene.world.payment_methods = method_entries()
    funding.open_accounts(scene, scene.stream("accounts"))
    _sell(scene, daily)
    shopfronts.populate(scene, scene.stream("pages"), daily / 30, daily / 40)
    trades.populate(scene, scene.stream("trades"), daily / 40)
    funding.populate(scene, scene.stream("deposits"))
    plant(scene, faults)
    payments.expire_mandates(scene)
    wallet.close(scene, scene.stream("wallet"))
    _put_in_order(scene)
    return _history(scene)


def _sell(scene: Scene, daily: int) -> None:
    rng = scene.stream("unified")
    counts = volumes(scene.days, daily, rng)
    shop: Shop = payments.open_shop(scene, rng, sum(counts))
    for index, count in enumerate(counts):
        shop.revoke_some(index)
        for at in moments(scene.days, index, count, rng):
            shop.buy(at, index)


def _put_in_order(scene: Scene) -> None:
    """Bring what was planted to its place: insertion order is order of creation."""
    world = scene.world
    world.mandates = _sorted(world.mandates, "created_at")
    world.checkouts = _sorted(world.checkouts, "created_at")
    world.agreements = _sorted(world.agreements, "_created")
    world.gateway_transactions = _sorted(world.gateway_transactions, "_sent_at")
    world.hosted_checkouts = _sorted(world.hosted_checkouts, "created_at")
    by_request = sorted(
        world.deposits.items(), key=lambda item: int(item[1][0]["requested_at"])
    )
    world.deposits = dict(by_request)
    for rows, key in (
        (world.events, "created"),
        (scene.books, "occurred_at"),
        (scene.adjustments, "at"),
        (scene.bank_statement, "booked_at"),
        (scene.gateway_tokens, "sent_at"),
        (scene.hosted_checkouts, "sent_at"),
    ):
        rows.sort(key=lambda row, key=key: int(row[key]))  # type: ignore[misc]
    funding.balance(scene.bank_statement)
    landed = [entry for entries in world.deposits.values() for entry in entries]
    scene.deposits = sorted(
        [*landed, *scene.deposits], key=lambda row: int(row["requested_at"])
    )


def _sorted(records: dict[str, Record], key: str) -> dict[str, Record]:
    return dict(sorted(records.items(), key=lambda item: int(item[1][key])))


def _history(scene: Scene) -> History:
    return History(
        seed=scene.seed,
        starts_at=datetime.fromtimestamp(scene.days.starts_at, UTC),
        ends_at=datetime.fromtimestamp(scene.days.ends_at, UTC),
        world=scene.world,
        planted=scene.planted,
        explained=scene.explained,
        tariff=scene.tariff,
        books=scene.books,
        balances=scene.balances,
        adjustments=scene.adjustments,
        deposits=scene.deposits,
        gateway_tokens=scene.gateway_tokens,
        hosted_checkouts=scene.hosted_checkouts,
        bank_statement=scene.bank_statement,
    )
