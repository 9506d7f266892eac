"""Debits of the bank given to deposit requests: equal amounts beside distinct ones.

A request above the provider's limit is split into entries of equal amounts, so that
one debit may be of several requests; or a shop pays each seller the same, and the bank
is late. `python -m tests.bench.bank [REQUESTS …]` prints what that costs beside amounts
that nobody shares, in one run; nothing is asserted.
"""

import argparse
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any, NamedTuple

from recon.reconcile.engines import DuckEngine
from recon.settings import Business, CashIn, Checks, Settings
from tests.builders import AS_OF, lake_tables

BEGIN = datetime(2025, 10, 4, 20, 30, tzinfo=UTC)
IBAN = f"IR{0:024}"
COUNTS = (1_000, 4_000, 16_000)
MODELS = ("int_bank_matches", "int_bank_pairs", "check_bank_debit_missing")
SETTINGS = Settings(
    business=Business(name="shop"),
    cash_in=CashIn(),
    checks=Checks(provider_names=("paywell",)),
)
_SHAPES = ([100], [100, 100], [100, 50])  # rials of a request's entries
_PAID = 0.6  # of the requests, with a debit an entry


class Kind(NamedTuple):
    """How requests of a world are: `latest` is in hours, when the last are paid."""

    name: str
    are_equal: bool = True
    shapes: Sequence[Sequence[int]] = _SHAPES
    hours: int = 200
    paid: float = _PAID
    latest: int = 72


KINDS = (
    Kind("distinct", are_equal=False),
    Kind("equal"),
    Kind("one of a year", shapes=([100],), hours=8_760, paid=1, latest=90),
    Kind("all of a year", hours=8_760, paid=0.99),
)


def rows(count: int, kind: Kind) -> dict[str, list[dict[str, Any]]]:
    """Return deposits of so many requests, and the debits of most of them."""
    chance = Random(5)
    deposits: list[dict[str, Any]] = []
    lines = [line(day * 24, 1) for day in range(-2, kind.hours // 24 + 6)]
    for request in range(count):
        hour, is_paid = chance.randint(0, kind.hours), chance.random() < kind.paid
        for place, amount in enumerate(chance.choice(kind.shapes)):
            rials = amount if kind.are_equal else amount + 1_000 * request
            deposits.append(
                {
                    "track_id": str(request),
                    "gateway_transaction_id": f"{request}-{place}",
                    "amount": rials,
                    "wage": 0,
                    "iban": IBAN,
                    "requested_at": BEGIN + timedelta(hours=hour),
                }
            )
            if is_paid:
                lines.append(line(hour + chance.randint(0, kind.latest), -rials))
    for place, each in enumerate(lines, start=1):
        each["position"] = place
    return {"deposits": deposits, "bank_statement": lines}


def line(hour: int, rials: int) -> dict[str, Any]:
    """Return an entry of the bank so many hours after the begin."""
    booked_at = BEGIN + timedelta(hours=hour)
    told = {"description": "to Paywell", "iban": IBAN}
    return {"booked_at": booked_at, "amount": rials, **told}


def measured(count: int, kind: Kind) -> tuple[list[float], int]:
    """Return the seconds of CPU of each model, and how many requests are missing."""
    spent = []
    given = lake_tables(rows(count, kind))
    with DuckEngine.open(given, SETTINGS, AS_OF) as engine:
        for name in MODELS:
            began = time.process_time()
            found = engine.table(name)
            spent.append(time.process_time() - began)
    return spent, found.num_rows


def main(counts: Sequence[int] = COUNTS) -> None:
    """Print each kind of amounts at each number of requests."""
    print(f"\nrequests and debits of the bank, s of CPU: {', '.join(MODELS)}")
    for count in counts:
        for kind in KINDS:
            spent, missing = measured(count, kind)
            told = " ".join(f"{each:7.2f}" for each in spent)
            print(f"  {count:7,} requests, {kind.name:13} {told}  {missing:,} missing")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("requests", type=int, nargs="*", default=COUNTS)
    main(parser.parse_args().requests)
