"""Engines: what runs the models of `queries/`."""

from recon.reconcile.engines.duckdb import DuckEngine

__all__ = ["DuckEngine"]
