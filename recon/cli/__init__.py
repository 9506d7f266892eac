"""The command line: parse, call, print. `main` is the console script `recon`."""

from recon.cli.group import main

__all__ = ["main"]
