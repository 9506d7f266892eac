"""What one sweep proves by itself, or with the sweep before it."""

from typing import Any

import pytest

from recon.api.proofs import Proof
from recon.api.sweeps import Sweep


def swept(ids: str, **seen: Any) -> Sweep:
    """Return a sweep that met these ids, of a list of as many unless `seen` says."""
    sweep = Sweep()
    sweep.ids.note(list(ids))
    usual = {"first_total": len(ids), "total": len(ids), "in_order": True}
    for name, value in (usual | seen).items():
        setattr(sweep, name, value)
    return sweep


@pytest.mark.parametrize(
    ("ids", "seen", "proof"),
    [
        ("abc", {}, Proof.STILL),
        ("", {}, Proof.STILL),
        ("abc", {"in_order": False}, Proof.STILL),
        ("abc", {"first_total": 4, "total": 4}, None),
        ("abc", {"first_total": 2, "total": 2}, None),
        ("abc", {"first_total": 4, "fell": True}, None),
        ("abc", {"broken": "page 2 had 1 rows where 2 were promised"}, None),
        ("", {"first_total": None}, None),  # not one answer came
    ],
    ids=str,
)
def test_a_list_that_stood_still_is_counted(
    ids: str, seen: dict[str, Any], proof: Proof | None
) -> None:
    assert swept(ids, **seen).proof(Sweep()) is proof


ROSE = {"rose": True, "first_total": 3, "total": 5}


@pytest.mark.parametrize(
    ("ids", "seen", "before", "proof"),
    [
        ("abcd", {}, "abc", Proof.FROM_START),
        ("abc", {}, "ab", Proof.FROM_START),
        ("abcd", {"last": 9, "most": 9}, "abc", Proof.FROM_START),
        ("abcde", {"in_order": False}, "abc", None),
        ("abcde", {}, None, None),  # none before it
        ("abcde", {}, "abx", None),
        ("ab", {}, "ab", None),  # fewer than there were at the start
        ("abcd", {"last": 9, "most": 8}, "abc", None),  # its end was not met
        ("abcd", {"fell": True}, "abc", None),
        ("abcd", {"broken": "page 2 was refused (404)"}, "abc", None),
    ],
    ids=str,
)
def test_a_list_that_grew_is_proven_from_its_start(
    ids: str, seen: dict[str, Any], before: str | None, proof: Proof | None
) -> None:
    earlier = Sweep() if before is None else swept(before)
    assert swept(ids, **ROSE | seen).proof(earlier) is proof
