"""The card gateway's payments, looked up by the tokens that the business sent.

Step 3 only: verify confirms a payment and answers once, so a pull never calls it.
"""

import re
from typing import Any

from recon.api.answers import Answer
from recon.api.gateway import read_transaction
from recon.errors import Refused, Unauthenticated
from recon.journal import gateway_requests
from recon.pull.lookups import Lookup, Register, look_up, said
from recon.pull.pulling import Found, Pulling
from recon.records.gateway import GatewayTransaction, TransactionCode

NAME = "gateway_transactions"
SECTION = "gateway"
TABLE = "gateway_transactions"

_FINAL = frozenset({TransactionCode.CONFIRMED.value, TransactionCode.FAILED.value})
_CODES = frozenset(str(code.value) for code in TransactionCode)
REGISTER = Register(
    sent_table="gateway_tokens",
    sent_key="token",
    table=TABLE,
    key="token",
    state="code",
    final=_FINAL,
    paid=TransactionCode.CONFIRMED.value,
    journaled=gateway_requests,
    zone=lambda settings: settings.gateway_zone.key,
)

_OF_THE_CALLER = re.compile(r"api[ _-]?key|\bip\b", re.IGNORECASE)


async def fetch(pulling: Pulling) -> Found:
    """Look up every token of the journal and of imports that is not final."""
    settings = pulling.settings

    async def ask(token: str) -> tuple[dict[str, Any], Answer[GatewayTransaction]]:
        try:
            answer = await read_transaction(
                pulling.client, token, settings.gateway_zone
            )
        except Refused as error:
            _blame_the_caller(error)
            raise
        transaction = answer.value
        pulling.keeper.note_unknown(_unknown(transaction))
        pulling.keeper.note_states("gateway.code", [str(transaction.code)], _CODES)
        return transaction_row(transaction), answer

    asked = f"{pulling.client.address('')} {settings.gateway_zone}"
    return await look_up(pulling, Lookup(REGISTER, ask, asked))


def transaction_row(transaction: GatewayTransaction) -> dict[str, Any]:
    """Return a transaction as a row of `gateway_transactions`; amount in rials."""
    return {
        "token": transaction.token,
        "amount": transaction.amount,
        "trans_id": transaction.trans_id,
        "refnumber": transaction.refnumber,
        "tracking_code": transaction.tracking_code,
        "factor_number": transaction.factor_number,
        "mobile": transaction.mobile,
        "description": transaction.description,
        "card_number": transaction.card_number,
        "card_cid": transaction.card_cid,
        "created_at": transaction.created_at,
        "payment_date": transaction.payment_date,
        "code": int(transaction.code),
        "message": transaction.message,
    }


def _blame_the_caller(error: Refused) -> None:
    """Tell a refusal of the key or the caller's address from one of the token.

    Unknown: which 4xx stands for which message; the documented messages about the
    caller name the api_key or the IP.
    """
    if _OF_THE_CALLER.search(said(error)):
        raise Unauthenticated(
            str(error), status=error.status, code=error.code, errors=error.errors
        ) from None


def _unknown(transaction: GatewayTransaction) -> dict[str, int]:
    return {f"GatewayTransaction.{name}": 1 for name in transaction.extra}
