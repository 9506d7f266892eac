"""Reconciliation and analytics for a business and its payment provider."""

__version__ = "0.1.0"
