"""What unified routes share, and the payment methods. Source: document 3."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from recon.sandbox.answers import DONE, answer_bytes, done
from recon.sandbox.doors import unified
from recon.sandbox.fields import MOBILE, Fields, page_of, parameters_of
from recon.sandbox.lists import Records, Shape, meta, rows_of
from recon.sandbox.state import State
from recon.sandbox.world import MANDATE_ACTIVE, Record, shown

BASE = "/mpg/v1/business/{business}"
TYPES = ("debit", "credit", "card")
MODES = ("once",)
CUSTOMER = ("mobile", "first_name", "last_name", "national_code", "email")


async def list_page(
    state: State, request: Request, name: str, records: Records, shape: Shape
) -> Response:
    """Answer with a page of records: `{message, data, meta}`."""
    page = await page_of(request)
    path, total = str(request.url.replace(query="")), len(records)

    def make(rows: "list[Record]") -> Record:
        return {
            "message": DONE,
            "data": [shape(row) for row in rows],
            "meta": meta(page, total, path),
        }

    key = (name, page, total, path)
    return answer_bytes(state.shelf.page(key, rows_of(records, page), make))


async def list_payment_methods(state: State, request: Request) -> Response:
    """Answer with the payment methods that pass the filters."""
    given = Fields(await parameters_of(request))
    mobile = given.text("mobile", required=False, like=MOBILE)
    modes = given.texts("modes", required=False, among=MODES)
    types = given.texts("types", required=False, among=TYPES)
    limit = given.whole("limit", required=False)
    healthy = given.flag("is_healthy", required=False)
    given.check()
    methods = [
        _with_mandates(state, method, mobile)
        for method in state.world.payment_methods
        if (not modes or set(modes) & set(method["modes"]))
        and (not types or method["type"] in types)
        and (limit is None or method["limit"] >= limit)
        and (healthy is None or method["is_healthy"] == healthy)
    ]
    return done(methods)


def _with_mandates(state: State, method: Record, mobile: str | None) -> Record:
    """Show a method; a debit one with the active mandates of who has that mobile.

    Unknown: whose mandates are shown. Without a mobile, none are.
    """
    row = shown(method)
    if row["type"] != "debit":
        return row
    mandates = state.world.mandates.values() if mobile else ()
    row["debit"] = {
        "mandates": [
            shown(mandate)
            for mandate in mandates
            if mandate["payment_method"] == row["slug"]
            and mandate["status"] == MANDATE_ACTIVE
            and customer_of(state, mandate)["mobile"] == mobile
        ]
    }
    return row


def customer_of(state: State, mandate: Record) -> Record:
    """Return the customer of a mandate, as far as the world knows one."""
    own: Record | None = mandate.get("_customer")
    customer_id = mandate["customer_id"]
    nameless = customer(customer_id, dict.fromkeys(CUSTOMER))
    return own or state.customers().get(customer_id) or nameless


def customer(customer_id: str, fields: Record) -> Record:
    """Return a customer with that id; a field that is null is an empty text."""
    return {"id": customer_id, **{name: fields[name] or "" for name in CUSTOMER}}


def healthy_method(state: State, given: Fields, kind: str | None) -> Record | None:
    """Return the payment method asked for if it is of that type and can be used now."""
    slug = given.text("payment_method")
    for method in state.world.payment_methods:
        if slug is None or kind is None or method["slug"] != slug:
            continue
        if method["type"] != kind:
            given.wrong("payment_method", f"is not of the type {kind}.")
            return None
        if not method["is_healthy"]:
            given.wrong("payment_method", "is not available at present.")
            return None
        return method
    if slug is not None and kind is not None:
        given.wrong("payment_method", "is not a payment method of this business.")
    return None


ROUTES = [
    Route(f"{BASE}/payment-methods", unified(list_payment_methods), methods=["GET"]),
]
