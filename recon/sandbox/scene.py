"""A history in the making: the world so far, and what the business wrote down itself.

Rows of the business use the column names of the imports; amounts are rials and times
Unix seconds.
"""

from dataclasses import dataclass, field
from datetime import date, tzinfo
from random import Random
from typing import Any

from recon.sandbox import people
from recon.sandbox.rhythm import Days
from recon.sandbox.tariffs import Tariff
from recon.sandbox.world import Record, World

BUSINESS = "chaykhaneh"


@dataclass(frozen=True)
class Planted:
    """One break that a fault must cause, as `breaks.csv` has to report it.

    `check` is empty in an entry of `History.explained`: a situation that no check may
    report.
    """

    fault: str
    check: str
    product: str
    record_id: str
    note: str = ""


class Numbers:
    """Draws numbers that were never drawn before, in one random stream."""

    def __init__(self, rng: Random) -> None:
        """Draw from `rng`."""
        self._rng = rng
        self._used: set[str] = set()

    def digits(self, length: int) -> str:
        """Return that many digits, not used before."""
        while True:
            drawn = people.digits(self._rng, length)
            if drawn not in self._used:
                self._used.add(drawn)
                return drawn

    def amount(self, low: int, high: int, step: int) -> int:
        """Return a multiple of `step` in rials between `low` and `high`, unused."""
        while True:
            drawn = self._rng.randrange(low // step, high // step) * step
            if str(drawn) not in self._used:
                self.use(drawn)
                return drawn

    def use(self, *amounts: int) -> None:
        """Remember amounts, so that they are not drawn."""
        self._used.update(map(str, amounts))


@dataclass
class Scene:
    """Everything that a history consists of, while it is made."""

    seed: int
    days: Days
    calendar: str  # whose months bound a mandate's count: gregorian or jalali
    world: World
    tariff: Tariff
    numbers: Numbers
    books: list[Record] = field(default_factory=list)
    adjustments: list[Record] = field(default_factory=list)
    balances: list[Record] = field(default_factory=list)
    bank_statement: list[Record] = field(default_factory=list)
    deposits: list[Record] = field(default_factory=list)
    gateway_tokens: list[Record] = field(default_factory=list)
    hosted_checkouts: list[Record] = field(default_factory=list)
    planted: list[Planted] = field(default_factory=list)
    explained: list[Planted] = field(default_factory=list)
    # (at, rials): moves of the wallet that no certain record tells.
    silent_moves: list[tuple[int, int]] = field(default_factory=list)
    # At local midnights: by how much `available` is to exceed the balance.
    excess_available: dict[int, int] = field(default_factory=dict)

    @classmethod
    def new(
        cls, seed: int, until: date, count: int, zone: tzinfo, calendar: str
    ) -> "Scene":
        """Return an empty scene of `count` days that ends after `until`."""
        days = Days(until, count, zone)
        return cls(
            seed=seed,
            days=days,
            calendar=calendar,
            world=World(BUSINESS),
            tariff=Tariff(days),
            numbers=Numbers(stream(seed, "numbers")),
        )

    def stream(self, name: str) -> Random:
        """Return a random stream of its own, so that parts do not move each other."""
        return stream(self.seed, name)

    def order(
        self, product: str, reference: str, amount: int, status: str, at: int
    ) -> Record:
        """Write an order into the business's books and return its row."""
        row: Record = {
            "reference": reference,
            "amount": amount,
            "status": status,
            "occurred_at": at,
            "product": product,
            "description": f"سفارش {reference}",
        }
        self.books.append(row)
        return row

    def plant(self, fault: str, product: str, record: Any, note: str) -> None:
        """Note that the check named `fault` must report `record`."""
        self.planted.append(Planted(fault, fault, product, str(record), note))


def stream(seed: int, name: str) -> Random:
    """Return the random stream of that name; text seeds do not depend on hashing."""
    return Random(f"{seed}:{name}")
