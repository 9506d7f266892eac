"""The business's active bank accounts at cash-in."""

from recon.api.cash_in import CashInReads
from recon.pull.pulling import Found, Pulling
from recon.pull.reading import keep_whole
from recon.settings import Settings

NAME = "accounts"
SECTION = "cash_in"
TABLE = "accounts"


def requests(_: Settings) -> int:
    """Return how many requests it takes, whatever the lake knows."""
    return 1


async def fetch(pulling: Pulling) -> Found:
    """Read every active account; one answer holds them all."""
    reads = CashInReads(pulling.client, pulling.settings.business.name)
    answer = await reads.accounts()
    pulling.keeper.note_unknown(answer.value.unknown)
    rows = [
        {
            "iban": account.iban,
            "account_number": account.account_number,
            "account_description": account.account_description,
            "bank_name": account.bank_name,
            "account_owner": account.owners,
        }
        for account in answer.value.value.data
    ]
    return keep_whole(pulling, TABLE, rows, answer)
