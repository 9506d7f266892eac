"""The endpoints of the contract's three documents, and the clients for each.

A client is named as a caller writes it: `gateway.send` is `Provider.gateway.send`.
Paths are whole, with the documents' own names for what varies.
"""

from dataclasses import dataclass

ESCROW = "/escrow/api/v1"
CASH_IN = "/v3/business/{business}/cash-in/account"
MPG = "/mpg/v1/business/{business}"
TOKEN_CLIENT = "escrow_client"


@dataclass(frozen=True)
class Endpoint:
    """One endpoint: where it is documented, its line, the clients that reach it."""

    part: str
    line: str
    clients: tuple[str, ...]

    @property
    def is_page(self) -> bool:
        """Tell whether a browser goes there rather than a program."""
        return any(name.endswith(".page_address") for name in self.clients)


def _of(part: str, *rows: tuple[str, ...]) -> list[Endpoint]:
    return [Endpoint(part, line, tuple(clients)) for line, *clients in rows]


ENDPOINTS: tuple[Endpoint, ...] = (
    *_of(
        "Document 1, Token",
        ("POST /sso/oauth/token", TOKEN_CLIENT),
    ),
    *_of(
        "Document 1, Customers",
        (f"POST {ESCROW}/customers", "customers.create"),
        (f"GET {ESCROW}/customers/{{customer_uid}}", "escrow.customer"),
        (f"GET {ESCROW}/customers", "escrow.customers"),
    ),
    *_of(
        "Document 1, Agreements",
        (f"POST {ESCROW}/agreements", "agreements.create"),
        (
            f"POST {ESCROW}/agreements/{{tracking_code}}",
            "agreements.approve",
            "agreements.reject",
        ),
        (f"POST {ESCROW}/agreements/{{tracking_code}}/finalize", "agreements.finalize"),
        (f"POST {ESCROW}/agreements/{{tracking_code}}/cancel", "agreements.cancel"),
        (f"GET {ESCROW}/agreements/{{tracking_code}}", "escrow.agreement"),
        (f"GET {ESCROW}/agreements", "escrow.agreements"),
    ),
    *_of(
        "Document 1, Tickets",
        (f"POST {ESCROW}/tickets", "tickets.create"),
    ),
    *_of(
        "Document 1, Webhooks",
        (f"POST {ESCROW}/webhooks", "webhooks.create"),
        (f"PUT {ESCROW}/webhooks/{{webhook_id}}", "webhooks.update"),
        (f"GET {ESCROW}/webhooks/{{webhook_id}}", "escrow.webhook"),
        (f"GET {ESCROW}/webhooks", "escrow.webhooks"),
        (f"DELETE {ESCROW}/webhooks/{{webhook_id}}", "webhooks.delete"),
    ),
    *_of(
        "Document 2, A. Bank deposit",
        (f"GET {CASH_IN}", "cash_in.accounts"),
        (f"POST {CASH_IN}/balance", "cash_in.balance"),
        (f"POST {CASH_IN}/deposit", "deposits.deposit", "deposits.deposit_again"),
    ),
    *_of(
        "Document 2, B. Card payment gateway",
        ("POST /api/v3/send", "gateway.send"),
        ("GET /v3/{token}", "gateway.page_address"),
        ("POST /api/v3/transaction", "gateway.transaction"),
        ("POST /api/v3/verify", "gateway.verify"),
    ),
    *_of(
        "Document 2, C. Hosted one-click payment",
        ("POST /pay-with/v1/send", "hosted.send"),
        ("GET /checkouts/{checkout_id}", "hosted.page_address"),
        ("GET /pay-with/v1/checkouts/{checkout_id}", "hosted.inquiry"),
        ("POST /pay-with/v1/verify", "hosted.verify"),
    ),
    *_of(
        "Document 3, Payment methods",
        (f"GET {MPG}/payment-methods", "unified.payment_methods"),
    ),
    *_of(
        "Document 3, Mandates",
        (f"POST {MPG}/mandates", "mandates.request"),
        ("GET /mandates/{token}", "mandates.page_address"),
        (f"PATCH {MPG}/mandates/{{mandate_id}}", "mandates.confirm"),
        (f"GET {MPG}/mandates", "unified.mandates"),
        (f"GET {MPG}/mandates/{{mandate_id}}", "unified.mandate"),
        (f"DELETE {MPG}/mandates/{{mandate_id}}", "mandates.revoke"),
    ),
    *_of(
        "Document 3, Checkouts and payments",
        (
            f"POST {MPG}/checkouts",
            "checkouts.create_debit",
            "checkouts.create_credit",
            "checkouts.create_card",
        ),
        ("GET /payments/{payment_id}/pay", "checkouts.page_address"),
        (f"PATCH {MPG}/payments/{{payment_id}}", "checkouts.verify"),
        (f"GET {MPG}/checkouts", "unified.checkouts"),
        (f"GET {MPG}/checkouts/{{checkout_id}}", "unified.checkout"),
    ),
)

CLIENTS: dict[str, Endpoint] = {
    name: endpoint for endpoint in ENDPOINTS for name in endpoint.clients
}

ASKING = [name for name, endpoint in CLIENTS.items() if not endpoint.is_page]
"""The clients that send a credential."""

UNDOCUMENTED_CLIENTS = {
    "cash_in.deposits": "a list of deposits, where the provider gives its path",
}
UNDOCUMENTED_ROUTES = {
    "GET /v3/business/{business}/cash-in/deposits": "that list, at the sandbox",
    "GET /agreements/{tracking_code}/pay": "where `web_view_link` leads at the sandbox",
    "POST /agreements/{tracking_code}/pay": "its buttons",
    "POST /v3/{token}": "the buttons of a documented page",
    "POST /checkouts/{checkout_id}": "the buttons of a documented page",
    "POST /mandates/{token}": "the buttons of a documented page",
    "POST /payments/{payment_id}/pay": "the buttons of a documented page",
    "GET /openapi.json": "the description of the sandbox",
}
"""Routes beside the contract and those under `/sandbox`, and what they are for."""
