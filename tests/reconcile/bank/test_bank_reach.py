"""What is in reach of a claim, beside a search that asks one claim after the other."""

from collections import deque
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from random import Random

import pytest

from recon.reconcile.bank import reaching
from recon.reconcile.bank.matching import Pairing
from recon.reconcile.bank.reaching import Reach, is_past
from recon.reconcile.bank.sides import Row

BEGIN = datetime(2026, 10, 1, tzinfo=UTC)
LENGTHS = (0, 0, 22, 23, 24)  # hours of a debit: at an instant, or of a day

Steps = list[tuple[int, str]]


def drawn(chance: Random) -> tuple[list[Row], list[Row]]:
    """Claims, of whom some have a debit of their window, and debits; of one amount."""
    hours = chance.choice([20, 60, 300])
    debits: list[Row] = []
    for number in range(chance.randint(0, 60)):
        booked_at = BEGIN + timedelta(hours=chance.randint(0, hours))
        length = timedelta(hours=chance.choice(LENGTHS[: chance.choice([2, 5])]))
        debits.append(
            {
                "debit_id": f"debit-{number}",
                "booked_at": booked_at,
                "at_latest": booked_at + length,
            }
        )
    debits.sort(key=lambda row: (row["at_latest"], row["debit_id"]))
    left = {row["debit_id"]: row for row in debits}
    claims: list[Row] = []
    for number in range(chance.randint(1, 60)):
        since = BEGIN + timedelta(hours=chance.randint(-20, hours))
        until = since + timedelta(hours=chance.choice([0, 10, 30, 72]))
        fitting = [
            name
            for name, row in left.items()
            if row["at_latest"] >= since and row["booked_at"] <= until
        ]
        own = chance.choice(fitting) if fitting and chance.random() < 0.9 else None
        if own is not None:
            del left[own]
        claims.append(
            {
                "claim_id": f"claim-{number}",
                "requested_at": since,
                "until_at": until,
                "debit_id": own,
            }
        )
    return claims, debits


class Plain:
    """Asks one claim after the other, and each debit of its window."""

    def __init__(self, pairing: Pairing, claim: Row, past: bytes) -> None:
        self.found: int | None = None
        self.met: list[int] = []
        self.steps: dict[int, tuple[int | None, str]] = {}
        waiting: deque[tuple[Row, int | None]] = deque([(claim, None)])
        while waiting:
            asking, left = waiting.popleft()
            step = left, asking["claim_id"]
            self.found = pairing.first_free(asking)
            if self.found is not None:
                self.steps[self.found] = step
                return
            for window in pairing.windows(asking):
                for place in window:
                    owner = pairing.owners[place]
                    if place not in self.steps and not past[place] and owner:
                        self.met.append(place)
                        self.steps[place] = step
                        waiting.append((owner, place))

    def way(self, place: int | None) -> Steps:
        """Return the debits on the way to one, and who takes each."""
        found = []
        while place is not None:
            left, name = self.steps[place]
            found.append((place, name))
            place = left
        return found


def way(reach: Reach, place: int) -> Steps:
    return [(each, claim["claim_id"]) for each, claim in reach.steps(place)]


def assert_same(pairing: Pairing, claims: Sequence[Row]) -> tuple[int, int]:
    """Hold what each claim reaches against the plain search; count what was found.

    What is met in vain is passed over from then on.
    """
    past = bytearray()
    found = longest = 0
    for claim in claims:
        if pairing.is_served(claim):
            continue
        plain = Plain(pairing, claim, bytes(past) or bytes(len(pairing.debits)))
        before = bytes(past)
        reach = Reach(pairing, claim, past)
        place = reach.find()
        assert place == plain.found
        assert reach.count == len(plain.steps)
        if place is not None:
            assert way(reach, place) == plain.way(place)
            longest = max(longest, len(plain.way(place)))
            found += 1
            pairing.hand_over(place, reach)
            continue
        again = Reach(pairing, claim, bytearray(before))
        met = list(again.places())
        assert met == plain.met
        assert all(way(again, place) == plain.way(place) for place in met)
        reach.pass_over()
        assert all(past[place] for place in met)
        assert all(is_past(window, past) for window in pairing.windows(claim))
    return found, longest


@pytest.mark.parametrize("many", [2, 3, reaching.MANY])
def test_claims_looked_at_together_reach_what_each_one_does(
    monkeypatch: pytest.MonkeyPatch, many: int
) -> None:
    monkeypatch.setattr(reaching, "MANY", many)
    chance = Random(many)
    served, chains = 0, 0
    for _ in range(400):
        claims, debits = drawn(chance)
        found, longest = assert_same(Pairing(debits, claims), claims)
        served += found
        chains += longest > 2
    assert served > 400
    assert chains > 30
