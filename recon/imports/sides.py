"""Two columns in place of one: what left an account and what came into it.

A bank's export has its debits and its credits side by side, each without a sign. The
debits of a bank's statement are what left the account; in the business's own ledger of
that account they are what came in.
"""

from collections.abc import Collection
from dataclasses import dataclass

from recon.imports.columns import Column
from recon.imports.formats.rows import Refusal


@dataclass(frozen=True)
class Sides:
    """The column `whole` (signed rials) may be given as `out` and `into` (unsigned)."""

    whole: str
    out: Column
    into: Column

    @property
    def names(self) -> tuple[str, str]:
        """Return the names of the two columns."""
        return self.out.name, self.into.name

    def settled(self, places: dict[str, int], given: Collection[str]) -> dict[str, int]:
        """Return the places of a file's columns with the whole or the two, never both.

        The whole is preferred, unless settings name the two (`given`): it is something
        else in that file then.
        """
        asked = any(name in given for name in self.names)
        if self.whole in places and not asked:
            dropped = set(self.names)
        elif places.keys() & set(self.names):
            dropped = {self.whole}
        else:
            dropped = set()
        return {name: at for name, at in places.items() if name not in dropped}

    def joined(self, out: int | None, into: int | None) -> int:
        """Return what a row's two cells come to in signed rials.

        Refusal where both are filled, or neither is: nobody knows which way it went.
        """
        both = " and ".join(self.names)
        if out is None and into is None:
            raise Refusal(f"{both} are empty; one of them must be filled")
        if out and into:
            raise Refusal(f"{both} are both filled; only one of them may be")
        return (into or 0) - (out or 0)
