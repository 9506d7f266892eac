"""Reconciling: models in order, the wallet's roll-forward, breaks and their life."""
