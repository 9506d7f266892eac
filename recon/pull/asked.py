"""Which sources the settings have an address for. It brings no client."""

from recon.settings import Settings

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
    """Return the sources of sections that lack an address: nobody could ask for them.

    Their product is used, or it would have no section.
    """
    return [
        name
        for section, names in SOURCES.items()
        for name in names
        if section != _ALSO_OF_FILES
        and (product := getattr(settings, section)) is not None
        and not product.base_url
    ]


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
