"""Reconciliation and analytics for a business and its payment provider."""

import importlib

__version__ = "0.1.0"


def load_ipython_extension(shell: object) -> None:
    """Give a notebook `%recon` and `%%reconsql`: `%load_ext recon`.

    By name, since the package's root stands below every floor.
    """
    importlib.import_module("recon.magics").load_ipython_extension(shell)
