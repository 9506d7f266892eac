"""Unified payment in OpenAPI. Source: document 3."""

from recon.sandbox.openapi.schema import (
    AMOUNT,
    BACK,
    CARD,
    DIGITS,
    FLAG,
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

_KEY = "unified_key"
_TYPE = one_of("debit", "credit", "card")
_BASE = "/mpg/v1/business/{business}"
_NAMES = ("first_name", "last_name", "national_code", "email")

_CUSTOMER = shape(
    id=TEXT,
    mobile=TEXT,
    first_name=TEXT,
    last_name=TEXT,
    national_code=TEXT,
    email=TEXT,
)
_MANDATE = shape(
    ("callback_url",),
    id=TEXT,
    payment_method=TEXT,
    count=WHOLE,
    limit=AMOUNT,
    expires_at=UNIX,
    customer_id=TEXT,
    status=TEXT,
    created_at=UNIX,
    updated_at=UNIX,
    revoked_at=or_null(UNIX),
    callback_url=TEXT,
)
_DRAWN_ON = {
    "anyOf": [
        shape(mandate_id=TEXT),
        shape(mandate=ref("Mandate")),
    ]
}
_PAYMENT = shape(
    ("debit", "credit", "card"),
    id=TEXT,
    payment_method=TEXT,
    amount=AMOUNT,
    wage_amount=AMOUNT,
    affected_amount=WHOLE,
    ref_id=or_null(TEXT),
    tracking_code=or_null(TEXT),
    status=TEXT,
    error=or_null(shape(code=TEXT, message=TEXT)),
    created_at=UNIX,
    updated_at=UNIX,
    paid_at=or_null(UNIX),
    type=_TYPE,
    debit=_DRAWN_ON,
    credit={"type": "null"},
    card=or_null(shape(card_number=TEXT, cid=TEXT)),
)
_CHECKOUT = {
    "id": TEXT,
    "request_id": TEXT,
    "checkout_number": or_null(TEXT),
    "amount": DIGITS,
    "status": TEXT,
    "description": TEXT,
    "created_at": UNIX,
    "updated_at": UNIX,
    "customer": ref("Customer"),
    "payments": every(ref("Payment")),
}
_METHOD = shape(
    ("debit",),
    modes=every(TEXT),
    slug=TEXT,
    type=_TYPE,
    name=TEXT,
    logo=TEXT,
    is_healthy=FLAG,
    limit=AMOUNT,
    debit=shape(mandates=every(ref("Mandate"))),
)
SCHEMAS: dict[str, Schema] = {
    "Customer": _CUSTOMER,
    "Mandate": _MANDATE,
    "Payment": _PAYMENT,
    "Checkout": shape(**_CHECKOUT),
    "CreatedCheckout": shape(**_CHECKOUT | {"amount": AMOUNT}),
    "PaymentMethod": _METHOD,
}
_401 = {401: ref("Error")}
_403 = {403: ref("Error")}
_404 = {404: ref("Error")}
_422 = {422: ref("Error")}
_NEW_CUSTOMER = asked(
    _NAMES,
    mobile=MOBILE,
    first_name=TEXT,
    last_name=TEXT,
    national_code=NATIONAL_CODE,
    email=TEXT,
)
_NUMBER = {"anyOf": [{"type": "integer", "minimum": 1, "maximum": 10**12}, DIGITS]}


def _list(summary: str, row: str) -> Schema:
    body = shape(message=TEXT, data=every(ref(row)), meta=ref("Meta"))
    answers = {200: body, **_401, **_404, **_422}
    return operation(summary, answers, security=_KEY, query=PAGING)


def paths(business: str, **examples: str) -> dict[str, Schema]:
    """Return the paths, with examples of what exists."""
    of = {"business": business}
    checkout, mandate, payment = (
        of | {name: examples[name]}
        for name in ("checkout_id", "mandate_id", "payment_id")
    )
    return {
        f"{_BASE}/payment-methods": path_item(of, get=_methods()),
        f"{_BASE}/mandates": path_item(
            of, get=_list("List mandates", "Mandate"), post=_new_mandate()
        ),
        f"{_BASE}/mandates/{{mandate_id}}": path_item(
            mandate,
            get=_keyed("Show a mandate", wrapped(mandate=ref("Mandate")), _404),
            patch=_keyed(
                "Confirm a mandate", wrapped(mandate=ref("Mandate")), _403 | _404
            ),
            delete=_keyed("Revoke a mandate", _revoked(), _403 | _404),
        ),
        f"{_BASE}/checkouts": path_item(
            of, get=_list("List checkouts", "Checkout"), post=_new_checkout()
        ),
        f"{_BASE}/checkouts/{{checkout_id}}": path_item(
            checkout,
            get=_keyed("Show a checkout", wrapped(checkout=ref("Checkout")), _404),
        ),
        f"{_BASE}/payments/{{payment_id}}": path_item(
            payment,
            patch=_keyed(
                "Verify a payment", wrapped(payment=ref("Payment")), _403 | _404
            ),
        ),
        "/mandates/{token}": path_item(
            {"token": ""},
            get=page("Ask for a mandate", 200, 404),
            post=form_page("Take the customer's answer", 200, 404),
        ),
        "/payments/{payment_id}/pay": path_item(
            {"payment_id": examples["payment_id"]},
            get=page("Ask for a payment", 200, 404),
            post=form_page("Take the customer's answer", 200, 404, 422),
        ),
    }


def _keyed(summary: str, answer: Schema, refusals: dict[int, Schema]) -> Schema:
    return operation(summary, {200: answer, **_401, **refusals}, security=_KEY)


def _revoked() -> Schema:
    return shape(status=WHOLE, message=TEXT, data=shape(mandate=ref("Mandate")))


def _methods() -> Schema:
    body = shape(message=TEXT, data=every(ref("PaymentMethod")))
    query: dict[str, Schema] = {
        "mobile": MOBILE,
        "modes": every(one_of("once")),
        "types": every(_TYPE),
        "limit": {"type": "integer", "minimum": 0, "maximum": 10**15},
        "is_healthy": FLAG,
    }
    answers = {200: body, **_401, **_404, **_422}
    return operation("List payment methods", answers, security=_KEY, query=query)


def _new_mandate() -> Schema:
    body = asked(
        payment_method=text(longest=60),
        count={"type": "integer", "minimum": 1, "maximum": 1000},
        limit={"type": "integer", "minimum": 1, "maximum": 10**12},
        expires_at={"type": "integer", "minimum": 0, "maximum": 4 * 10**9},
        callback_url=BACK,
        customer=_NEW_CUSTOMER,
    )
    shown = shape(mobile=TEXT, **{name: or_null(TEXT) for name in _NAMES})
    answers = {200: wrapped(token=TEXT, customer=shown), **_401, **_404, **_422}
    return operation("Request a mandate", answers, security=_KEY, body=body)


def _new_checkout() -> Schema:
    credit = asked(callback_url=BACK, customer=_NEW_CUSTOMER)
    card = asked(
        ("valid_card_number",),
        callback_url=BACK,
        customer=_NEW_CUSTOMER,
        valid_card_number=CARD,
    )
    optional = ("request_id", "checkout_number", "description")
    body = asked(
        (*optional, "debit", "credit", "card"),
        payment_method=text(longest=60),
        amount=_NUMBER,
        request_id=text(longest=60),
        checkout_number=text(longest=60),
        description=TEXT,
        type=_TYPE,
        debit=asked(mandate_id=text(longest=60)),
        credit=credit,
        card=card,
    )
    made = wrapped(checkout=ref("CreatedCheckout"))
    answers = {200: made, **_401, **_404, **_422}
    return operation("Create a checkout", answers, security=_KEY, body=body)
