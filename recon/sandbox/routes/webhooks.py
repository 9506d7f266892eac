"""Webhooks of the escrow service. Source: document 1, Endpoints, Webhooks."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from recon.sandbox.answers import answer, done
from recon.sandbox.doors import escrow, not_found
from recon.sandbox.fields import Fields, body_of, numbered
from recon.sandbox.routes.escrow import BASE
from recon.sandbox.state import State
from recon.sandbox.trades import EVENT_TITLES
from recon.sandbox.world import Record, shown


async def list_webhooks(state: State, _: Request) -> Response:
    """Answer with every webhook."""
    data = [shown(webhook) for webhook in state.world.webhooks.values()]
    return done(data)


async def show_webhook(state: State, request: Request) -> Response:
    """Answer with one webhook."""
    return done(shown(_webhook_at(state, request)))


async def create_webhook(state: State, request: Request) -> Response:
    """Create a webhook (201); it is active at once."""
    given = Fields(await body_of(request))
    url = given.address("url", https=True)
    slugs = given.texts("events", among=EVENT_TITLES)
    given.check()
    number = max(state.world.webhooks, default=0) + 1
    webhook: Record = {
        "id": number,
        "url": url,
        "is_active": True,
        "events": _titled(slugs or []),
    }
    state.world.webhooks[number] = webhook
    state.touch("webhooks", number)
    return done(webhook, 201)


async def update_webhook(state: State, request: Request) -> Response:
    """Change a webhook; the answer is not wrapped, and lists bare slugs."""
    webhook = _webhook_at(state, request)
    given = Fields(await body_of(request))
    url = given.address("url", https=True)
    is_active = given.flag("is_active")
    slugs = given.texts("events", among=EVENT_TITLES) or []
    given.check()
    webhook.update(url=url, is_active=is_active, events=_titled(slugs))
    state.touch("webhooks", webhook["id"])
    listed = [event["slug"] for event in webhook["events"]]
    return answer({"url": url, "events": listed, "is_active": is_active})


async def delete_webhook(state: State, request: Request) -> Response:
    """Delete a webhook."""
    number = _webhook_at(state, request)["id"]
    del state.world.webhooks[number]
    state.touch("webhooks", number)
    return done()


def _webhook_at(state: State, request: Request) -> Record:
    webhook = numbered(state.world.webhooks, request.path_params["webhook_id"])
    if webhook is None:
        raise not_found("webhook")
    return webhook


def _titled(slugs: list[str]) -> list[Record]:
    return [
        {"slug": slug, "title": EVENT_TITLES[slug]} for slug in dict.fromkeys(slugs)
    ]


_ONE = f"{BASE}/webhooks/{{webhook_id}}"
ROUTES = [
    Route(f"{BASE}/webhooks", escrow(list_webhooks), methods=["GET"]),
    Route(f"{BASE}/webhooks", escrow(create_webhook), methods=["POST"]),
    Route(_ONE, escrow(show_webhook), methods=["GET"]),
    Route(_ONE, escrow(update_webhook), methods=["PUT"]),
    Route(_ONE, escrow(delete_webhook), methods=["DELETE"]),
]
