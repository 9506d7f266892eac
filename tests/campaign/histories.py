"""Many invented businesses, each night judged exactly.

Every seed makes one history: clean, with a random choice of faults, or with all of
them. Two nights over real HTTP must find what was planted and nothing else. A seed
that fails is told with its faults and plays again by itself.
"""

import random
from pathlib import Path

from recon import demo
from recon.sandbox import history


def faults_of(seed: int) -> tuple[str, ...]:
    """Return the faults of a seed: none for each third one, all for the next."""
    chance = random.Random(seed)
    match seed % 3:
        case 0:
            return ()
        case 1:
            return ("all",)
        case _:
            names = sorted(history.FAULTS)
            return tuple(chance.sample(names, chance.randint(1, len(names))))


def night(seed: int, folder: Path) -> str:
    """Run the nights of a seed; returns what went wrong, empty if nothing did."""
    chance = random.Random(-seed)
    outcome = demo.run(
        folder,
        seed=seed,
        faults=faults_of(seed),
        days=chance.randint(20, 61),
        daily=chance.randint(15, 120),
    )
    wrong = [
        f"{each.check}: {each.planted} planted, {each.found} found, "
        f"{each.besides} besides"
        for each in outcome.findings
        if each.found != each.planted or each.besides
    ]
    return f"faults {faults_of(seed)}: {'; '.join(wrong)}" if wrong else ""
