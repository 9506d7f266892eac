"""A snapshot of the wallet: what it held at the second of the answer.

Unknown: that the balance of `cash_in.wallet_iban` is the wallet's
(`cash_in.balance_of`).
"""

from recon.api.cash_in import CashInReads
from recon.pull.pulling import Found, Pulling
from recon.settings import CashIn, Settings

NAME = "balances"
SECTION = "cash_in"
TABLE = "balances"


def requests(settings: Settings) -> int:
    """Return how many requests it takes: the accounts are asked for the one IBAN."""
    return 1 if settings.cash_in and settings.cash_in.wallet_iban else 2


async def fetch(pulling: Pulling) -> Found:
    """Ask the balance of the wallet's IBAN, else of the single active account."""
    settings = pulling.settings
    reads = CashInReads(pulling.client, settings.business.name)
    iban = (settings.cash_in or CashIn()).wallet_iban
    if not iban:
        active = [account.iban for account in (await reads.accounts()).value.value.data]
        if len(active) != 1:
            return Found(
                complete=False,
                error=f"cash_in.wallet_iban is not set and there are {len(active)} "
                "active accounts; name the one that is the wallet's",
            )
        (iban,) = active
    answer = await reads.balance(iban)
    row = {
        "at": answer.received_at.replace(microsecond=0),
        "iban": iban,
        "balance": answer.value.balance,
        "available_balance": answer.value.available_balance,
        "origin": "provider",
    }
    pulling.keeper.keep(TABLE, [row], answer)
    pulling.report(1)
    return Found()
