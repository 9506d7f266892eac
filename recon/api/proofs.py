"""What a walk of a list proves: the kinds of proof, and the certificate of one walk."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from recon.wording import counted


class Proof(StrEnum):
    """How a list was proven whole (see `paging`)."""

    STILL = "still"
    CAUGHT_UP = "caught_up"
    FROM_START = "from_start"
    ONE_ANSWER = "one_answer"  # a list that comes unpaginated


@dataclass
class Certificate:
    """What a walk saw, and what that proves. Counts are of rows, pages or times."""

    proof: Proof | None = None
    reason: str | None = None  # why there is no proof
    sweeps: int = 0
    pages: int = 0
    first_total: int | None = None
    last_total: int | None = None
    distinct: int = 0
    duplicates: int = 0
    drift: int = 0  # times that the total moved
    broken_pages: int = 0  # pages that did not have the rows they promised

    @property
    def complete(self) -> bool:
        """Tell whether the list was seen whole."""
        return self.proof is not None

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON values, for the commit record."""
        found = {name: value for name, value in vars(self).items() if value is not None}
        return found | ({"proof": self.proof.value} if self.proof else {})


_WORDS = {
    "still": "it stood still",
    "caught_up": "what came in meanwhile was read",
    "from_start": "nothing of its start was passed over",
    "one_answer": "it came in one answer",
    "counted": "its new end and what was known are its total",
}


def in_words(certificate: Mapping[str, Any]) -> str:
    """Say in a few words what a certificate proves; empty where there is no proof."""
    proof = certificate.get("proof")
    if proof is None:
        return ""
    told = [_WORDS.get(proof, str(proof))]
    sweeps = certificate.get("sweeps", 1)
    if sweeps != 1:
        told.append(f"{sweeps} sweeps")
    if "distinct" in certificate:
        told.append(counted(certificate["distinct"], "id"))
    told += [f"{certificate[n]:,} {n}" for n in ("known", "fresh") if n in certificate]
    if certificate.get("duplicates"):
        told.append(f"{certificate['duplicates']:,} met twice")
    if certificate.get("resumed"):
        told.append("gone on with after a killed pull")
    return ", ".join(told)
