"""The escrow service in OpenAPI. Source: document 1."""

from recon.sandbox.openapi.schema import (
    AMOUNT,
    BACK,
    DIGITS,
    FLAG,
    MESSAGE,
    MOBILE,
    NATIONAL_CODE,
    TEXT,
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
from recon.sandbox.routes.trading import TICKET_TYPES
from recon.sandbox.trades import EVENT_TITLES

_KEY = "escrow_token"
_ROLE = one_of("buyer", "seller")
_SLUG = one_of(*EVENT_TITLES)
_CATEGORY = one_of("general", "digital")
_HTTPS = like(r"^https://[a-z]{1,20}\.example/[a-z]{0,20}$")
_BASE = "/escrow/api/v1"

_CUSTOMER = shape(
    uid=WHOLE, first_name=TEXT, last_name=TEXT, national_code=TEXT, mobile=TEXT
)
_PARTY = shape(role=_ROLE, state=TEXT, national_code=TEXT, mobile=TEXT)
_ITEM = shape(
    title=TEXT, description=TEXT, quantity=WHOLE, link=TEXT, category=_CATEGORY
)
_AGREEMENT = {
    "tracking_code": TEXT,
    "trace_id": TEXT,
    "description": TEXT,
    "parties": every(ref("EscrowParty")),
    "items": every(ref("EscrowItem")),
    "amount": AMOUNT,
    "state": TEXT,
    "creator": _ROLE,
    "created_at": like(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$"),
}
_CREATED = {
    k: v for k, v in _AGREEMENT.items() if k not in {"items", "amount", "creator"}
}
_WEBHOOK = shape(
    id=WHOLE, url=TEXT, is_active=FLAG, events=every(shape(slug=TEXT, title=TEXT))
)
SCHEMAS: dict[str, Schema] = {
    "EscrowCustomer": _CUSTOMER,
    "EscrowParty": _PARTY,
    "EscrowItem": _ITEM,
    "Agreement": shape(("creator",), **_AGREEMENT),
    "Webhook": _WEBHOOK,
    "Links": shape(first=TEXT, last=TEXT, prev=or_null(TEXT), next=or_null(TEXT)),
    "EscrowUnauthenticated": shape(error=one_of("Unauthenticated")),
    "NumberedError": shape(
        code={"type": "integer", "enum": [422]},
        message=TEXT,
        errors={"type": "object", "additionalProperties": TEXT},
    ),
}
_401 = {401: ref("EscrowUnauthenticated")}
_422 = {422: ref("Error")}
_404 = {404: ref("Error")}
_OPERATED = {**_401, **_404, 400: ref("Error"), 422: ref("NumberedError")}

_NEW_CUSTOMER = asked(
    first_name=text(longest=60),
    last_name=text(longest=60),
    national_code=NATIONAL_CODE,
    mobile=MOBILE,
    birth_date=like("^[0-9]{8}$"),
)
_NEW_AGREEMENT = asked(
    trace_id=text(longest=60),
    currency_code=one_of("IRR"),
    redirect_url=BACK,
    description=text(),
    creator=_ROLE,
    deposit_price={"anyOf": [AMOUNT, DIGITS]},
    payer=_ROLE,
    payment_method=one_of("full-pay", "pre-pay"),
    parties=every(asked(role=_ROLE, mobile=MOBILE, iban=text(longest=34)), least=1),
    items=every(
        asked(
            ("description", "link", "attachments"),
            title=text(),
            category=_CATEGORY,
            description=TEXT,
            link=TEXT,
            price=DIGITS,
            quantity={"type": "integer", "minimum": 1, "maximum": 1000},
            attachments=every(TEXT),
        ),
        least=1,
    ),
)
_NEW_TICKET = asked(
    ("callback", "attachments"),
    agreement_tracking_code=text(longest=40),
    reporter_mobile=MOBILE,
    ticket_type_slug=one_of(*TICKET_TYPES),
    redirect_url=BACK,
    description=text(),
    attachments=every(TEXT),
    callback=TEXT,
)
_TICKET = wrapped(
    ticket_uid=WHOLE, button=shape(type=one_of("redirect_url"), link=TEXT, text=TEXT)
)


def _list(summary: str, row: str) -> Schema:
    body = shape(
        data=every(ref(row)), links=ref("Links"), meta=ref("Meta"), message=TEXT
    )
    query: dict[str, Schema] = {
        "page": {"type": "integer", "minimum": 1, "maximum": 50}
    }
    return operation(summary, {200: body, **_401, **_422}, security=_KEY, query=query)


def paths(code: str, uid: str, webhook: str) -> dict[str, Schema]:
    """Return the paths, with examples of what exists."""
    token = asked(
        grant_type=one_of("client_credentials"),
        client_id={"type": "integer", "minimum": 0, "maximum": 10**9},
        client_secret=text(),
    )
    answer = shape(token_type=one_of("Bearer"), expires_in=WHOLE, access_token=TEXT)
    one, pay = {"tracking_code": code}, "/agreements/{tracking_code}/pay"
    return {
        "/sso/oauth/token": path_item(
            {},
            post=operation("Get a token", {201: answer, **_401, **_422}, body=token),
        ),
        f"{_BASE}/customers": path_item(
            {},
            get=_list("List customers", "EscrowCustomer"),
            post=_sent("Create a customer", 201, MESSAGE, _NEW_CUSTOMER),
        ),
        f"{_BASE}/customers/{{customer_uid}}": path_item(
            {"customer_uid": uid},
            get=operation(
                "Show a customer",
                {200: _data("EscrowCustomer"), **_401, 400: ref("Error")},
                security=_KEY,
            ),
        ),
        f"{_BASE}/agreements": path_item(
            {},
            get=_list("List agreements", "Agreement"),
            post=_sent("Create an agreement", 201, wrapped(**_CREATED), _NEW_AGREEMENT),
        ),
        f"{_BASE}/agreements/{{tracking_code}}": path_item(
            one, get=_shown("Show an agreement", "Agreement"), post=_decision()
        ),
        f"{_BASE}/agreements/{{tracking_code}}/finalize": path_item(
            one, post=_operation("Finalize", "is_finalized", "buyer_mobile")
        ),
        f"{_BASE}/agreements/{{tracking_code}}/cancel": path_item(
            one, post=_operation("Cancel", "is_canceled", "applicant_mobile")
        ),
        f"{_BASE}/tickets": path_item(
            {}, post=_sent("Create a ticket", 201, _TICKET, _NEW_TICKET)
        ),
        **_webhook_paths(webhook),
        pay: path_item(
            one,
            get=page("Ask the buyer to pay", 200, 404),
            post=form_page("Take the buyer's answer", 200, 404),
        ),
    }


def _webhook_paths(webhook: str) -> dict[str, Schema]:
    new = asked(url=_HTTPS, events=every(_SLUG, least=1))
    changed = asked(url=_HTTPS, is_active=FLAG, events=every(_SLUG, least=1))
    bare = shape(url=TEXT, events=every(_SLUG), is_active=FLAG)
    answers = {200: bare, **_401, **_422, **_404}
    update = operation("Change a webhook", answers, security=_KEY, body=changed)
    delete = operation(
        "Delete a webhook", {200: MESSAGE, **_401, **_404}, security=_KEY
    )
    every_one = shape(message=TEXT, data=every(ref("Webhook")))
    return {
        f"{_BASE}/webhooks": path_item(
            {},
            get=operation("List webhooks", {200: every_one, **_401}, security=_KEY),
            post=_sent("Create a webhook", 201, _data("Webhook"), new),
        ),
        f"{_BASE}/webhooks/{{webhook_id}}": path_item(
            {"webhook_id": webhook},
            get=_shown("Show a webhook", "Webhook"),
            put=update,
            delete=delete,
        ),
    }


def _data(name: str) -> Schema:
    return shape(message=TEXT, data=ref(name))


def _shown(summary: str, name: str) -> Schema:
    return operation(summary, {200: _data(name), **_401, **_404}, security=_KEY)


def _sent(summary: str, status: int, answer: Schema, body: Schema) -> Schema:
    answers = {status: answer, **_401, **_422}
    return operation(summary, answers, security=_KEY, body=body)


def _decision() -> Schema:
    link = shape(("data",), message=TEXT, data=shape(web_view_link=TEXT))
    body = asked(action=one_of("agree", "reject"), applicant_mobile=MOBILE)
    answers = {200: link, **_OPERATED}
    return operation("Approve or reject", answers, security=_KEY, body=body)


def _operation(summary: str, done: str, mobile: str) -> Schema:
    yes = {"type": "boolean", "enum": [True]}
    answers = {200: wrapped(**{done: yes}), **_OPERATED}
    body = asked(**{mobile: MOBILE})
    return operation(summary, answers, security=_KEY, body=body)
