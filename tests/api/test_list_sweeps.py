"""What one sweep met and what all met together are told apart."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from recon.api.paging import ListPage, Walk
from recon.api.proofs import Proof
from recon.records.lists import Meta

SIZE = 2
TOTAL = 4


def walked(sweeps: Sequence[str]) -> Walk[str]:
    """Walk a list of four rows whose pages hold, in each sweep, other letters."""

    async def ask(number: int) -> ListPage[str]:
        letters = sweeps[min(walk.certificate.sweeps, len(sweeps)) - 1]
        rows = letters[SIZE * (number - 1) : SIZE * number]
        meta = Meta(
            current_page=number, last_page=TOTAL // SIZE, per_page=SIZE, total=TOTAL
        )
        answer: Any = None
        return ListPage(number, list(rows), meta, answer)

    walk: Walk[str] = Walk(ask, str, lambda _: None, concurrency=2)
    asyncio.run(walk.run())
    return walk


@pytest.mark.parametrize(
    ("sweeps", "proof", "made", "ids"),
    [
        (["abcd"], Proof.STILL, 1, "abcd"),
        (["abba", "abcd"], Proof.STILL, 2, "abcd"),
        (["abxb", "abcd"], Proof.STILL, 2, "abcd"),  # x has left
        (["abba", "abca", "abcd"], Proof.STILL, 3, "abcd"),
        (["abba", "abab"], None, 2, "ab"),
        (["abbc", "abbd"], None, 3, "abcd"),  # four were met, in no sweep all
    ],
)
def test_only_a_sweep_that_met_all_alone_is_a_proof_of_a_still_list(
    sweeps: Sequence[str], proof: Proof | None, made: int, ids: str
) -> None:
    walk = walked(sweeps)
    found = walk.certificate
    assert (found.proof, found.sweeps) == (proof, made)
    assert (sorted(walk.ids), found.distinct) == (sorted(ids), len(ids))
