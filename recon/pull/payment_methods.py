"""The payment methods of the unified service."""

from recon.api.unified import UnifiedReads
from recon.pull.pulling import Found, Pulling
from recon.pull.reading import keep_whole
from recon.settings import Settings, Unified

NAME = "payment_methods"
SECTION = "unified"
TABLE = "payment_methods"


def requests(_: Settings) -> int:
    """Return how many requests it takes, whatever the lake knows."""
    return 1


async def fetch(pulling: Pulling) -> Found:
    """Read every payment method; the mandates within them are another source's."""
    settings = pulling.settings
    reads = UnifiedReads(
        pulling.client, settings.unified or Unified(), settings.business.name
    )
    answer = await reads.payment_methods()
    pulling.keeper.note_unknown(answer.value.unknown)
    rows = [
        {
            "slug": method.slug,
            "type": method.type,
            "name": method.name,
            "logo": method.logo,
            "is_healthy": method.is_healthy,
            "limit": method.limit,
            "modes": None if method.modes is None else list(method.modes),
        }
        for method in answer.value.value.data
    ]
    return keep_whole(pulling, TABLE, rows, answer)
