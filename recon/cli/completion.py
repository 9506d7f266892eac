"""What a shell completes after Tab: names that a command's arguments may be.

Each function imports what knows the names only when it is asked.
"""

from collections.abc import Collection, Iterable
from typing import Any

import click


def sources(ctx: click.Context, _: click.Parameter, begun: str) -> list[str]:
    """Complete the sources of a pull, those left that are named already."""
    from recon.pull.asked import SOURCES

    known = [name for names in SOURCES.values() for name in names]
    return _beginning(known, begun, without=_given(ctx, "sources"))


def kinds(_ctx: click.Context, _: click.Parameter, begun: str) -> list[str]:
    """Complete the kinds of an import."""
    from recon.imports.kinds import KINDS

    return _beginning(KINDS, begun)


def checks(_ctx: click.Context, _: click.Parameter, begun: str) -> list[str]:
    """Complete the names of checks."""
    from recon.assets import check_names

    return _beginning(sorted(check_names()), begun)


def faults(ctx: click.Context, _: click.Parameter, begun: str) -> list[str]:
    """Complete the faults that the sandbox plants."""
    from recon.sandbox.history import FAULTS

    return _beginning(["all", *FAULTS], begun, without=_given(ctx, "faults"))


def _given(ctx: click.Context, name: str) -> Collection[Any]:
    return ctx.params.get(name) or ()


def _beginning(
    names: Iterable[str], begun: str, without: Collection[Any] = ()
) -> list[str]:
    """Return the names that begin so, in their order."""
    return [name for name in names if name.startswith(begun) and name not in without]
