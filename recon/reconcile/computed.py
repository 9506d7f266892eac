"""The models that Python computes, by name, for every engine alike."""

from recon.reconcile.engine import Computed

COMPUTED: dict[str, Computed] = {}
