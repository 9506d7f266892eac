"""A snapshot of the wallet: what it held at the second of the answer.

Unknown: that the balance of the IBAN that the settings name is the wallet's
(`cash_in.balance_of`). That the date of an answer is the provider's present.
"""

from datetime import timedelta
from typing import Any

from recon.api.answers import Answer
from recon.api.cash_in import CashInReads
from recon.lake.lake import LEAST_SKEW
from recon.pull.pulling import Found, Pulling
from recon.settings import Settings
from recon.times import format_instant, http_date

NAME = "balances"
SECTION = "cash_in"
TABLE = "balances"

_DATE_STEP = timedelta(seconds=1)  # a date of HTTP has whole seconds


def requests(settings: Settings) -> int:
    """Return how many requests it takes: the accounts are asked for the one IBAN."""
    return 1 if settings.cash_in and settings.cash_in.wallet_iban else 2


async def fetch(pulling: Pulling) -> Found:
    """Ask the balance of the wallet's IBAN, else of the single active account."""
    settings = pulling.settings
    reads = CashInReads(pulling.client, settings.business.name)
    iban = settings.wallet_iban_at(pulling.lake.clock())
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
    if told := _contradicted(answer, settings):
        return Found(complete=False, error=told)
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


def _contradicted(answer: Answer[Any], settings: Settings) -> str | None:
    """Say so where the answer's own date shows that this machine's clock is wrong.

    A balance is dated by that clock, and would stand in the wrong interval for ever.
    Between the date and the receipt lie at most the request's time-out and a second.
    """
    theirs = http_date(answer.headers.get("date", ""))
    if theirs is None:
        return None
    skew = max(settings.checks.clock_skew, LEAST_SKEW)
    on_its_way = settings.http.timeout + _DATE_STEP
    if -skew <= answer.received_at - theirs <= skew + on_its_way:
        return None
    return (
        f"this machine's clock says {format_instant(answer.received_at)} where the "
        f"provider's says {format_instant(theirs)}, so that the balance cannot be "
        "dated: set the clock, or raise checks.clock_skew"
    )
