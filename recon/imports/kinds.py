"""The kinds of files that can be imported, each by its name."""

from collections.abc import Mapping
from types import MappingProxyType

from recon.errors import UsageError
from recon.imports import (
    adjustments,
    balances,
    bank_statement,
    books,
    deposits,
    events,
    gateway_tokens,
    hosted_checkouts,
    tariff,
)
from recon.imports.tables import Kind

_MODULES = (
    books,
    balances,
    deposits,
    adjustments,
    bank_statement,
    tariff,
    gateway_tokens,
    hosted_checkouts,
    events,
)
KINDS: Mapping[str, Kind] = MappingProxyType(
    {module.KIND.name: module.KIND for module in _MODULES}
)
"""Every KIND of import by its name, in the interface's order."""


def kind_of(name: str) -> Kind:
    """Return the KIND of a name; UsageError names all where there is none."""
    if name not in KINDS:
        raise UsageError(f"{name!r} is no kind of import: {', '.join(KINDS)}")
    return KINDS[name]
