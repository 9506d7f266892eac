"""Which sources the settings have an address for. It brings no client."""

from dataclasses import fields
from typing import Any

from recon.settings import Secret, Settings

SOURCES = {
    "unified": ("checkouts", "mandates", "payment_methods"),
    "escrow": ("agreements", "customers", "webhooks"),
    "cash_in": ("accounts", "balances", "deposits"),
    "gateway": ("gateway_transactions",),
    "hosted": ("hosted_checkouts",),
}
"""The names of the sources, by the section that has their address."""


_ALSO_OF_FILES = "cash_in"
"""The section of which some keys say how files are read, with or without an address."""


def addressless(settings: Settings) -> list[str]:
    """Return the sources of products that lack an address: nobody could ask for them.

    They are used, or nothing would be set of them; but secrets may lie ready for later.
    """
    return [
        name
        for section, names in SOURCES.items()
        for name in names
        if section != _ALSO_OF_FILES and _lacks_address(getattr(settings, section))
    ]


def _lacks_address(product: Any) -> bool:
    if product is None or product.base_url:
        return False
    usual = type(product)()
    names = (field.name for field in fields(product))
    given = ((getattr(product, name), getattr(usual, name)) for name in names)
    return any(
        value != other for value, other in given if not isinstance(value, Secret)
    )


def asked(settings: Settings) -> list[str]:
    """Return the names of the sources that a pull would ask for.

    Deposits are one where they have a list: of those sent from here none may be.
    """
    found: list[str] = []
    for section, names in SOURCES.items():
        product = getattr(settings, section)
        if product is not None and product.base_url:
            found += names
    cash_in = settings.cash_in
    if "deposits" in found and not (cash_in and cash_in.deposit_list_path):
        found.remove("deposits")
    return found
