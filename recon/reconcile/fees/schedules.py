"""Fee schedules, and which of them give exactly the wages that were seen.

A schedule is `min(max(floor(amount × rate / 10000) + fixed, minimum), maximum)`, as in
the interface's `wage_outside_tariff`. Integers only; amounts and wages are rials.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

BASIS_POINTS = 10_000
VAT_PERCENTS = (9, 10)
"""Taxes on the fee that are tried where no schedule fits without one."""

MAX_SAMPLE = 256
"""So many different records of a block are searched for a schedule."""

MAX_RATES = 16
"""So many rates, those with the most votes, are tried where none fits all records."""

_MAX_VOTES_OF_A_PAIR = 4
_FIRST_POINTS = 8
_MAX_SHOWN_RATES = 64
_SURE_OF_A_LIMIT = 2

Rials = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Schedule:
    """What a record costs; `minimum` and `maximum` None where none was seen.

    `vat_percent` of the fee, rounded down, is added to it.
    """

    rate_bps: int
    fixed: int
    minimum: int | None = None
    maximum: int | None = None
    vat_percent: int = 0

    @property
    def parts(self) -> int:
        """Return how many things it takes to say it."""
        limits = (self.minimum, self.maximum)
        named = sum(limit is not None for limit in limits)
        return bool(self.rate_bps) + bool(self.fixed) + named + bool(self.vat_percent)

    def wage(self, amount: int) -> int:
        """Return the wage of one amount, whatever its size."""
        fee = amount * self.rate_bps // BASIS_POINTS + self.fixed
        if self.minimum is not None:
            fee = max(fee, self.minimum)
        if self.maximum is not None:
            fee = min(fee, self.maximum)
        return fee + fee * self.vat_percent // 100

    def wages(self, amounts: Rials) -> Rials:
        """Return the wage of each amount; of up to 10^16 rials, so that none wraps."""
        fees = _rated(amounts, self.rate_bps) + self.fixed
        if self.minimum is not None:
            fees = np.maximum(fees, self.minimum)
        if self.maximum is not None:
            fees = np.minimum(fees, self.maximum)
        return fees + fees * self.vat_percent // 100

    def fits(self, amounts: Rials, wages: Rials) -> Flags:
        """Tell which wages it gives exactly."""
        hits: Flags = self.wages(amounts) == wages
        return hits


def best(amounts: Rials, wages: Rials) -> Schedule | None:
    """Return the schedule that gives the most of these wages; None without any.

    Of equally good ones the simplest. With VAT only where that gives more.
    """
    found: Schedule | None = None
    most = 0
    for vat in (0, *VAT_PERCENTS):
        for schedule in _likely(amounts, wages, vat):
            hits = int(schedule.fits(amounts, wages).sum())
            fewer = found is not None and schedule.parts < found.parts
            if hits > most or (hits == most and fewer and hits):
                found, most = schedule, hits
        if most == len(amounts):
            break
    return found


def is_unique(schedule: Schedule, amounts: Rials, wages: Rials) -> bool:
    """Tell whether no other rate and fixed part gives all these wages.

    A limit that fewer than two records show is not sure either. What was never
    reached, a minimum below all wages or a maximum above, is not known at all.
    """
    vats = (0,) if not schedule.vat_percent else VAT_PERCENTS
    if sum(_count(amounts, wages, vat) for vat in vats) != 1:
        return False
    limits = (
        replace(schedule, minimum=None) if schedule.minimum is not None else None,
        replace(schedule, maximum=None) if schedule.maximum is not None else None,
    )
    return all(
        int((~other.fits(amounts, wages)).sum()) >= _SURE_OF_A_LIMIT
        for other in limits
        if other is not None
    )


def _rated(amounts: Rials, rate: int | Rials) -> Rials:
    """Return floor(amount × rate / 10000), in parts that stay within 64 bits."""
    whole, rest = amounts // BASIS_POINTS, amounts % BASIS_POINTS
    rated: Rials = whole * rate + rest * rate // BASIS_POINTS
    return rated


def _without_vat(wages: Rials, vat: int) -> tuple[Rials, Flags]:
    """Return the fee below each wage, and where there is one."""
    fees = wages * 100 // (100 + vat)
    for guess in (fees + 1, fees):
        fees = np.where(guess + guess * vat // 100 == wages, guess, fees)
    return fees, fees + fees * vat // 100 == wages


def _points(amounts: Rials, fees: Rials) -> tuple[Rials, Rials, NDArray[np.int64]]:
    """Return the different pairs by amount, spread over all of them, and how often."""
    pairs, counts = np.unique(
        np.stack([amounts, fees], axis=1), axis=0, return_counts=True
    )
    if len(pairs) > MAX_SAMPLE:
        places = np.unique(np.linspace(0, len(pairs) - 1, MAX_SAMPLE).astype(np.int64))
        pairs, counts = pairs[places], counts[places]
    return pairs[:, 0], pairs[:, 1], counts


def _likely(amounts: Rials, wages: Rials, vat: int) -> Iterator[Schedule]:
    """Yield the schedules worth a look, for all of the records or most."""
    fees, known = _without_vat(wages, vat)
    if not known.any():
        return
    sample = _points(amounts[known], fees[known])
    if known.all():
        exact = list(_exact(sample[0], sample[1]))
        if exact:
            yield from (replace(each, vat_percent=vat) for each in exact)
            return
    for rate in _voted_rates(sample[0], sample[1]):
        for schedule in _of_rate(rate, *sample):
            yield replace(schedule, vat_percent=vat)


def _voted_rates(amounts: Rials, fees: Rials) -> Sequence[int]:
    """Return the rates that most pairs of records, or records alone, ask for."""
    votes: Counter[int] = Counter()
    steps = [2**power for power in range(8) if 2**power < len(amounts)]
    rises = [(amounts[n:] - amounts[:-n], fees[n:] - fees[:-n]) for n in steps]
    for more, costs in [(amounts, fees), *rises]:
        usable = more > 0
        # integers: a floor is off by less than one rial at either end
        widths, base = more[usable].tolist(), costs[usable].tolist()
        for width, cost in zip(widths, base, strict=True):
            low = (cost - 1) * BASIS_POINTS // width + 1
            high = -(-(cost + 1) * BASIS_POINTS // width) - 1
            if high - low < _MAX_VOTES_OF_A_PAIR:
                votes.update(range(max(low, 0), min(high, BASIS_POINTS) + 1))
    ranked = sorted(votes, key=lambda rate: (-votes[rate], rate))
    return list(dict.fromkeys([*ranked[:MAX_RATES], 0]))


def _of_rate(
    rate: int, amounts: Rials, fees: Rials, counts: NDArray[np.int64]
) -> Iterator[Schedule]:
    """Yield schedules of a rate: the commonest fixed parts, with limits and without."""
    rests = fees - _rated(amounts, rate)
    common = Counter(rests[rests >= 0].tolist()).most_common(2)
    for fixed in dict.fromkeys([*(value for value, _ in common), 0]):
        minimum = _commonest(fees[rests > fixed], counts[rests > fixed])
        maximum = _commonest(fees[rests < fixed], counts[rests < fixed])
        limits = product(dict.fromkeys((None, minimum)), dict.fromkeys((None, maximum)))
        for low, high in limits:
            if low is None or high is None or low < high:
                yield Schedule(rate, fixed, low, high)


def _commonest(fees: Rials, counts: NDArray[np.int64]) -> int | None:
    """Return the fee of most records; of equally common ones the least."""
    if not len(fees):
        return None
    values, places = np.unique(fees, return_inverse=True)
    return int(values[np.bincount(places, weights=counts).argmax()])


def _exact(amounts: Rials, fees: Rials) -> Iterator[Schedule]:
    """Yield schedules that give all fees, the simplest among them."""
    if len(fees) and fees[0] >= 0 and (fees == fees[0]).all():
        yield Schedule(0, int(fees[0]))
        return
    rates, lows, highs = _solutions(amounts, fees)
    some = np.unique(np.linspace(0, len(rates) - 1, _MAX_SHOWN_RATES).astype(int))
    for place in some if len(rates) else ():
        rate = int(rates[place])
        rests = fees - _rated(amounts, rate)
        for fixed in dict.fromkeys((int(lows[place]), int(highs[place]))):
            yield Schedule(
                rate,
                fixed,
                int(fees.min()) if (rests > fixed).any() else None,
                int(fees.max()) if (rests < fixed).any() else None,
            )


def _count(amounts: Rials, wages: Rials, vat: int) -> int:
    """Count the rates and fixed parts that give all wages; two or more is many."""
    fees, known = _without_vat(wages, vat)
    if not known.all() or not len(fees):
        return 0
    pairs = np.unique(np.stack([amounts, fees], axis=1), axis=0)
    if (pairs[:, 1] == pairs[0, 1]).all():
        return 2  # a fixed fee, or a limit that all have reached
    _, lows, highs = _solutions(pairs[:, 0], pairs[:, 1])
    return int((highs - lows + 1).sum())


def _solutions(amounts: Rials, fees: Rials) -> tuple[Rials, Rials, Rials]:
    """Return each rate that gives all fees, with its least and largest fixed part.

    The fees are not all equal. One between the least and the largest is no limit, so
    it tells the fixed part; the least may be a minimum, the largest a maximum.
    """
    at_least, at_most = fees == fees.min(), fees == fees.max()
    rates = np.arange(BASIS_POINTS + 1, dtype=np.int64)
    lows = np.zeros_like(rates)
    highs = np.full_like(rates, np.iinfo(np.int64).max)
    ends = np.linspace(0, len(fees) - 1, min(len(fees), _FIRST_POINTS)).astype(int)
    for place in dict.fromkeys([*ends.tolist(), *range(len(fees))]):
        rests = fees[place] - _rated(amounts[place : place + 1], rates)
        if not at_least[place]:
            lows = np.maximum(lows, rests)
        if not at_most[place]:
            highs = np.minimum(highs, rests)
        fit = lows <= highs
        rates, lows, highs = rates[fit], lows[fit], highs[fit]
        if not len(rates):
            break
    return rates, lows, highs
