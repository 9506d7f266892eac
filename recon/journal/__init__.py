"""The journal of requests that move money, written before they are sent."""

from recon.journal.journal import AlreadySent, Journal, journal_path
from recon.journal.rows import (
    deposit_entries,
    deposit_track_ids,
    gateway_requests,
    hosted_requests,
    journaled,
)

__all__ = [
    "AlreadySent",
    "Journal",
    "deposit_entries",
    "deposit_track_ids",
    "gateway_requests",
    "hosted_requests",
    "journal_path",
    "journaled",
]
