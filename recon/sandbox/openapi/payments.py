"""Bank deposit, card gateway and hosted payment in OpenAPI. Source: document 2."""

from recon.sandbox.openapi.schema import (
    AMOUNT,
    BACK,
    CARD,
    DIGITS,
    MESSAGE,
    MOBILE,
    NATIONAL_CODE,
    PAGING,
    TEXT,
    UNIX,
    WHOLE,
    Schema,
    asked,
    every,
    form_page,
    like,
    one_of,
    operation,
    or_null,
    page,
    path_item,
    ref,
    shape,
    text,
    wrapped,
)

_CASH_IN = "/v3/business/{business}/cash-in"
_CASH_IN_KEY, _HOSTED_KEY = "cash_in_key", "hosted_key"
_LOCAL = like(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$")
_STATUS = {"type": "integer", "enum": [0, 1]}
_ENTRY = {
    "gateway_transaction_id": WHOLE,
    "amount": AMOUNT,
    "amount_toman": AMOUNT,
    "wage": AMOUNT,
    "wage_toman": AMOUNT,
    "status": TEXT,
    "iban": TEXT,
    "receipt_url": TEXT,
}
_LISTED = {
    "track_id": TEXT,
    "requested_at": UNIX,
    "settled_at": or_null(UNIX),
    "requested_amount": AMOUNT,
}
_TRANSACTION = shape(
    status=_STATUS,
    amount=DIGITS,
    transId=WHOLE,
    refnumber=TEXT,
    trackingCode=TEXT,
    factorNumber=or_null(TEXT),
    mobile=or_null(TEXT),
    description=TEXT,
    cardNumber=TEXT,
    CID=TEXT,
    createdAt=_LOCAL,
    paymentDate=_LOCAL,
    code={"type": "integer", "minimum": 0, "maximum": 4},
    message=TEXT,
)
_VERIFIED = shape(
    status={"type": "integer", "enum": [1]},
    amount=DIGITS,
    realAmount=AMOUNT,
    wage=DIGITS,
    transId=WHOLE,
    factorNumber=TEXT,
    mobile=TEXT,
    description=TEXT,
    cardNumber=TEXT,
    paymentDate=_LOCAL,
    cid=or_null(TEXT),
    message=TEXT,
)
SCHEMAS: dict[str, Schema] = {
    "Account": shape(
        account_number=TEXT,
        account_description=TEXT,
        id={"type": "null"},
        IBAN=TEXT,
        account_owner=every(shape(firstName=TEXT, lastName=TEXT)),
        bank_name=TEXT,
    ),
    "DepositEntry": shape(**_ENTRY),
    "ListedDepositEntry": shape(**_ENTRY | _LISTED),
    "Transaction": _TRANSACTION,
    "Verified": _VERIFIED,
    "HostedCheckout": shape(
        id=TEXT,
        amount=DIGITS,
        wage=DIGITS,
        status=one_of("INIT", "SUCCEED", "PENDING_VERIFY", "FAILED"),
        checkout_number=TEXT,
        description=TEXT,
        created_at=UNIX,
    ),
    "CashInUnauthenticated": shape(status=_STATUS, error=one_of("Unauthenticated")),
    "CashInError": shape(status=_STATUS, errors=shape(error=TEXT)),
    "CashInInvalid": shape(
        message=TEXT, errors={"type": "object", "additionalProperties": every(TEXT)}
    ),
    "GatewayError": shape(
        status={"type": "integer", "enum": [0, 2, 3]}, errors=every(TEXT, least=1)
    ),
}
_CASH_IN_REFUSALS = {
    401: ref("CashInUnauthenticated"),
    404: ref("CashInError"),
    422: {"anyOf": [ref("CashInError"), ref("CashInInvalid"), ref("Error")]},
}
_GATEWAY_REFUSALS = {422: ref("GatewayError")}
_HOSTED_REFUSALS = {401: ref("Error"), 403: ref("Error")}


def paths(business: str, token: str, checkout: str) -> dict[str, Schema]:
    """Return the paths, with examples of what exists."""
    return {
        **_cash_in_paths({"business": business}),
        **_gateway_paths(token),
        **_hosted_paths(checkout),
    }


def _cash_in_paths(of: dict[str, str]) -> dict[str, Schema]:
    balance = shape(balance=WHOLE, available_balance=WHOLE)
    deposited = shape(
        status=_STATUS, message=TEXT, data=shape(cash_in=every(ref("DepositEntry")))
    )
    deposit = asked(
        ("description", "comment"),
        iban=text(longest=34),
        amount={
            "anyOf": [{"type": "integer", "minimum": 1, "maximum": 10**11}, DIGITS]
        },
        track_id=text(longest=60),
        description=TEXT,
        comment=TEXT,
    )
    listed = shape(
        message=TEXT, data=every(ref("ListedDepositEntry")), meta=ref("Meta")
    )
    accounts = shape(data=every(ref("Account")))
    return {
        f"{_CASH_IN}/account": path_item(of, get=_cash_in("List accounts", accounts)),
        f"{_CASH_IN}/account/balance": path_item(
            of, post=_cash_in("Get the balance", balance, asked(iban=text(longest=34)))
        ),
        f"{_CASH_IN}/account/deposit": path_item(
            of, post=_cash_in("Deposit", deposited, deposit)
        ),
        f"{_CASH_IN}/deposits": path_item(
            of,
            get=_cash_in("List deposits (the sandbox's own)", listed, query=PAGING),
        ),
    }


def _cash_in(
    summary: str,
    answer: Schema,
    body: Schema | None = None,
    query: dict[str, Schema] | None = None,
) -> Schema:
    answers = {200: answer, **_CASH_IN_REFUSALS}
    return operation(summary, answers, security=_CASH_IN_KEY, body=body, query=query)


def _gateway_paths(token: str) -> dict[str, Schema]:
    cards = {"type": "array", "items": CARD, "minItems": 1, "maxItems": 10}
    optional = (
        *("mobile_number", "factorNumber", "description", "national_code"),
        *("valid_card_number", "port", "comment"),
    )
    send = asked(
        optional,
        api_key=text(),
        amount={"type": "integer", "minimum": 1000, "maximum": 10**12},
        callback_url=BACK,
        mobile_number=MOBILE,
        factorNumber=text(longest=60),
        description=text(longest=255),
        national_code=NATIONAL_CODE,
        valid_card_number={"anyOf": [CARD, cards]},
        port=TEXT,
        comment=TEXT,
    )
    sent = shape(status={"type": "integer", "enum": [1]}, token=TEXT)
    known = asked(api_key=text(), token=text(longest=60))
    return {
        "/api/v3/send": path_item({}, post=_gateway("Send", sent, send)),
        "/api/v3/transaction": path_item(
            {}, post=_gateway("Transaction data", ref("Transaction"), known)
        ),
        "/api/v3/verify": path_item(
            {}, post=_gateway("Verify", ref("Verified"), known)
        ),
        "/v3/{token}": path_item(
            {"token": token},
            get=page("Ask for a card payment", 200, 404),
            post=form_page("Take the customer's answer", 200, 404, 422),
        ),
    }


def _gateway(summary: str, answer: Schema, body: Schema) -> Schema:
    answers = {200: answer, **_GATEWAY_REFUSALS}
    return operation(summary, answers, body=body, forms=True)


def _hosted_paths(checkout: str) -> dict[str, Schema]:
    send = asked(
        ("mobile", "national_code", "checkout_number", "description"),
        amount={"type": "integer", "minimum": 10_000, "maximum": 10**12},
        callback_url=BACK,
        mobile=MOBILE,
        national_code=NATIONAL_CODE,
        checkout_number=like("^[0-9]{1,32}$"),
        description=text(longest=255),
    )
    known = {"checkout_id": checkout}
    verify = asked(checkout_id=text(longest=60))
    return {
        "/pay-with/v1/send": path_item(
            {}, post=_hosted("Get a token", wrapped(token=TEXT), 422, send)
        ),
        "/pay-with/v1/checkouts/{checkout_id}": path_item(
            known, get=_hosted("Inquire", wrapped(checkout=ref("HostedCheckout")), 404)
        ),
        "/pay-with/v1/verify": path_item(
            {},
            post=_hosted("Verify", MESSAGE, 422, verify),
        ),
        "/checkouts/{checkout_id}": path_item(
            known,
            get=page("Ask for a one-click payment", 200, 404),
            post=form_page("Take the customer's answer", 200, 404),
        ),
    }


def _hosted(
    summary: str, answer: Schema, refusal: int, body: Schema | None = None
) -> Schema:
    answers = {200: answer, **_HOSTED_REFUSALS, refusal: ref("Error")}
    return operation(summary, answers, security=_HOSTED_KEY, body=body)
