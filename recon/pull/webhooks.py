"""The webhooks that the business registered with the escrow service."""

from recon.api.escrow import EscrowReads
from recon.pull.pulling import Found, Pulling
from recon.pull.reading import keep_whole
from recon.settings import Settings

NAME = "webhooks"
SECTION = "escrow"
TABLE = "webhooks"


def requests(_: Settings) -> int:
    """Return how many requests it takes, whatever the lake knows."""
    return 1


async def fetch(pulling: Pulling) -> Found:
    """Read every webhook; one answer holds them all."""
    answer = await EscrowReads(pulling.client).webhooks()
    pulling.keeper.note_unknown(answer.value.unknown)
    rows = [
        {
            "id": webhook.id,
            "url": webhook.url,
            "is_active": webhook.is_active,
            "events": webhook.slugs,
        }
        for webhook in answer.value.value.data
    ]
    return keep_whole(pulling, TABLE, rows, answer)
