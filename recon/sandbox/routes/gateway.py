"""The card gateway, version 3. Source: document 2, Endpoints, part B."""

import re

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from recon.sandbox import pages
from recon.sandbox.answers import Refusal, answer
from recon.sandbox.doors import same
from recon.sandbox.fields import CARD, MOBILE, NATIONAL_CODE, Fields, body_of
from recon.sandbox.routes.payments import CARD_NUMBER, card_hash, card_of, masked
from recon.sandbox.shopfronts import (
    CODE_CONFIRMED,
    CODE_EXPIRED,
    CODE_FAILED,
    CODE_WAITING,
)
from recon.sandbox.state import State, new_digits, new_token, state_of
from recon.sandbox.world import Record, shown

SMALLEST = 1000  # rials
MESSAGES = {
    CODE_WAITING: "The transaction waits for confirmation.",
    CODE_CONFIRMED: "The transaction was already confirmed.",
    CODE_EXPIRED: "The transaction expired.",
    CODE_FAILED: "The transaction failed and its result was already announced.",
}
_MOST_CARDS = 10
_MOST_DESCRIPTION = 255
_NUMBER = re.compile(r"[0-9]{1,18}")
_FAILED = "The transaction failed."
_ANNOUNCED = "The result of the transaction was already announced."


async def send(request: Request) -> Response:
    """Step 1: register a transaction and return the token of its page."""
    state = state_of(request)
    body = await body_of(request)
    errors = _key_errors(state, request, body)
    given = Fields(body)
    callback_url = given.address("callback_url", domain=state.terms.approved_domain)
    if callback_url is None:
        errors.append(_required_or_invalid(body, "callback_url"))
    errors += _amount_errors(body.get("amount"))
    cards = _cards(body.get("valid_card_number"))
    if not all(CARD.fullmatch(card) for card in cards) or len(cards) > _MOST_CARDS:
        errors.append("The card number is unacceptable.")
    mobile = given.text("mobile_number", required=False, like=MOBILE)
    national_code = given.text("national_code", required=False, like=NATIONAL_CODE)
    if body.get("national_code") and not (national_code and mobile):
        errors.append("The national code is unacceptable.")
    description = given.text("description", required=False, longest=_MOST_DESCRIPTION)
    if "description" in given.errors:
        errors.append(given.errors["description"][0])
    if errors:
        raise _refusal(*errors)
    token = new_token()
    number = body.get("factorNumber")
    state.gateway_sends[token] = {
        "amount": int(body["amount"]),
        "callback_url": callback_url,
        "mobile": mobile,
        "factorNumber": None if number is None else str(number),
        "description": description or "",
        "cards": cards,
        "sent_at": state.now(),
        "page_at": None,
    }
    state.touch("gateway_sends", token)
    return answer({"status": 1, "token": token})


async def show_page(request: Request) -> Response:
    """Step 2: ask the customer to pay; the 20 minutes begin here."""
    state = state_of(request)
    token = request.path_params["token"]
    sent = state.gateway_sends.get(token)
    if sent is None:
        return pages.nothing_to_pay()
    if sent["page_at"] is None:
        sent["page_at"] = state.now()
        state.touch("gateway_sends", token)
    return _page(state, sent)


def _page(state: State, sent: Record, problem: str = "") -> Response:
    facts = [
        ("Business", state.world.business),
        ("Amount", pages.rials(_charged(state, sent["amount"])[0])),
        ("Invoice", sent["factorNumber"] or ""),
        ("Description", sent["description"]),
    ]
    card = (sent["cards"] or [CARD_NUMBER])[0]
    inputs = [("card", "Card number", card)]
    return pages.choice("Pay by card", facts, inputs=inputs, problem=problem)


async def answer_page(request: Request) -> Response:
    """Send the customer back with `payment_status` and `token`.

    Unknown: the name of the parameter with the token, and statuses other than `OK`.
    """
    state = state_of(request)
    token = request.path_params["token"]
    sent = state.gateway_sends.get(token)
    if sent is None:
        return pages.nothing_to_pay()
    form = await body_of(request)
    outcome = form.get("outcome")
    if outcome not in pages.OUTCOMES:
        return _page(state, sent)
    card = card_of(form)
    if outcome == pages.PAY and sent["cards"] and card not in sent["cards"]:
        return _page(state, sent, "The business takes another card for this payment.")
    del state.gateway_sends[token]
    code = CODE_WAITING if outcome == pages.PAY else CODE_FAILED
    state.world.gateway_transactions[token] = _transaction(state, sent, card, code)
    state.touch("gateway_sends", token)
    state.touch("gateway_transactions", token)
    status = "OK" if outcome == pages.PAY else "NOK"
    return pages.send_back(sent["callback_url"], payment_status=status, token=token)


def _transaction(state: State, sent: Record, card: str, code: int) -> Record:
    now = state.now()
    amount, wage = _charged(state, sent["amount"])
    return {
        "status": 1,
        "amount": str(amount),
        "transId": int(new_digits(10)),
        "refnumber": new_digits(12),
        "trackingCode": new_digits(6),
        "factorNumber": sent["factorNumber"],
        "mobile": sent["mobile"],
        "description": sent["description"],
        "cardNumber": masked(card),
        "CID": card_hash(card),
        "createdAt": _local(state, sent["sent_at"]),
        "paymentDate": _local(state, now),
        "code": code,
        "message": MESSAGES[code],
        "_verify": None,
        "_verified_at": None,
        "_sent_amount": sent["amount"],
        "_sent_at": sent["sent_at"],
        "_page_at": sent["page_at"] or sent["sent_at"],
        "_wage": wage,
    }


async def transaction(request: Request) -> Response:
    """Step 3: answer with the transaction's data."""
    state = state_of(request)
    token = await _token(state, request)
    row = _current(state, token)
    return answer(shown(row))


async def verify(request: Request) -> Response:
    """Step 4: confirm a transaction, once, within its 20 minutes."""
    state = state_of(request)
    token = await _token(state, request)
    row = _current(state, token)
    if row["code"] == CODE_CONFIRMED:
        raise _refusal(_ANNOUNCED, status=2)
    if row["code"] == CODE_EXPIRED or _late(state, row):
        raise _refusal(MESSAGES[CODE_EXPIRED], status=3)
    if row["code"] != CODE_WAITING:
        raise _refusal(_FAILED)
    now = state.now()
    wage = row.get("_wage")
    if wage is None:
        wage = _charged(state, row["_sent_amount"])[1]
    result: Record = {
        "status": 1,
        "amount": row["amount"],
        "realAmount": int(row["amount"]) - wage,
        "wage": str(wage),
        "transId": row["transId"],
        "factorNumber": row["factorNumber"] or "",
        "mobile": row["mobile"] or "",
        "description": row["description"],
        "cardNumber": row["cardNumber"],
        "paymentDate": row["paymentDate"],
        "cid": row["CID"],
        "message": "OK",
    }
    row.update(code=CODE_CONFIRMED, message=MESSAGES[CODE_CONFIRMED])
    row.update(_verify=result, _verified_at=now)
    state.world.move_wallet(result["realAmount"])
    state.touch("gateway_transactions", token)
    return answer(result)


async def _token(state: State, request: Request) -> str:
    """Return the token of a request with a good key, or refuse."""
    body = await body_of(request)
    errors = _key_errors(state, request, body)
    token = body.get("token")
    known = isinstance(token, str) and (
        token in state.world.gateway_transactions or token in state.gateway_sends
    )
    if not known:
        errors.append(_required_or_invalid(body, "token"))
    if errors:
        raise _refusal(*errors)
    return str(token)


def _current(state: State, token: str) -> Record:
    """Return a transaction as it stands now; refuse while nobody has paid.

    A transaction that was paid here expires by the clock; one of the history keeps
    the code that it was given.
    """
    row = state.world.gateway_transactions.get(token)
    if row is None:
        raise _refusal(_FAILED)
    if row["code"] == CODE_WAITING and "_page_at" in row and _late(state, row):
        row.update(code=CODE_EXPIRED, message=MESSAGES[CODE_EXPIRED])
        state.touch("gateway_transactions", token)
    return row


def _late(state: State, row: Record) -> bool:
    begun: int = row.get("_page_at") or row["_sent_at"]
    return state.now() > begun + state.terms.verify_seconds


def _charged(state: State, amount: int) -> tuple[int, int]:
    """Return what the customer pays for that amount, and the wage."""
    wage = state.terms.wage("gateway", "", amount, state.now())
    on_customer = state.terms.gateway_fee_bearer == "customer"
    return (amount + wage if on_customer else amount), wage


def _key_errors(state: State, request: Request, body: Record) -> list[str]:
    key = body.get("api_key")
    ips = state.terms.merchant_ips
    if key is None or key == "":
        return ["The api_key is required."]
    if not isinstance(key, str) or not same(key, state.credentials.gateway_key):
        return ["The api_key is invalid."]
    if ips and (request.client is None or request.client.host not in ips):
        return ["The merchant IP is invalid."]
    return []


def _amount_errors(value: object) -> list[str]:
    if value is None or value == "":
        return ["The amount is required."]
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # JSON knows one kind of number
    if isinstance(value, bool) or not _NUMBER.fullmatch(str(value)):
        return ["The amount must be a number or a string of digits."]
    if int(str(value)) < SMALLEST:
        return [f"The amount must be at least {SMALLEST}."]
    return []


def _cards(value: object) -> list[str]:
    if value is None or value == "":
        return []
    if isinstance(value, list):
        return [str(card) for card in value]
    return str(value).split(",")


def _required_or_invalid(body: Record, name: str) -> str:
    missing = body.get(name) in (None, "")
    return f"The {name} is {'required' if missing else 'invalid'}."


def _refusal(*errors: str, status: int = 0) -> Refusal:
    return Refusal(422, {"status": status, "errors": errors})


def _local(state: State, at: int) -> str:
    return f"{state.local(at):%Y-%m-%d %H:%M:%S}"


ROUTES = [
    Route("/api/v3/send", send, methods=["POST"]),
    Route("/api/v3/transaction", transaction, methods=["POST"]),
    Route("/api/v3/verify", verify, methods=["POST"]),
    Route("/v3/{token}", show_page, methods=["GET"]),
    Route("/v3/{token}", answer_page, methods=["POST"]),
]
