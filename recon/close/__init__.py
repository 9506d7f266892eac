"""What leaves the house under seal: closed periods, and the evidence of a break."""

from recon.close.closing import Closing, close
from recon.close.verifying import Proof, verify
from recon.reconcile.restatements import restatements

__all__ = ["Closing", "Proof", "close", "restatements", "verify"]
