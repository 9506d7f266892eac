"""Each page in a real browser: looked at, typed into, clicked, and where that leads."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.api_writes.sandbox_shop import Shop, draft_agreement, open_shop
from tests.endpoints.chromium import NAMES, PROGRAM, Browser, chromium
from tests.endpoints.client_calls import BUYER, visit
from tests.endpoints.page_flows import FLOWS, OTHER_CARD, Flow

pytestmark = pytest.mark.skipif(
    PROGRAM is None, reason=f"no browser on this machine: none of {', '.join(NAMES)}"
)


class _ShopWindow(BaseHTTPRequestHandler):
    """The business's own page, where its customers come back."""

    def do_GET(self) -> None:
        body = b"<!doctype html><title>Shop</title><h1>Back at the shop</h1>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_request(self, code: Any = "-", size: Any = "-") -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def window() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _ShopWindow) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/back?order=7"
        server.shutdown()


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with chromium(tmp_path_factory.mktemp("profile")) as running:
        yield running


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    with open_shop(tmp_path_factory.mktemp("shop")) as opened:
        yield opened


def came_back(browser: Browser, window: str) -> dict[str, str]:
    """Wait until the customer is back at the shop; returns what was brought."""
    browser.wait_for("document.title === 'Shop'")
    at = urlsplit(browser.value("location.href"))
    assert at.netloc == urlsplit(window).netloc
    assert at.path == "/back"
    brought = {name: values[0] for name, values in parse_qs(at.query).items()}
    assert brought.pop("order") == "7"  # what the address had before is kept
    return brought


@pytest.mark.parametrize("flow", FLOWS, ids=str)
def test_a_customer_clicks_through_a_page(
    flow: Flow, browser: Browser, shop: Shop, window: str
) -> None:
    address, known = flow.open(shop.provider, window)
    browser.go(address)
    assert browser.value("document.querySelector('h1').textContent")
    if flow.card:
        browser.type_over("input[name=card]", flow.card)
    browser.click(f"button[value={flow.button}]")
    back = came_back(browser, window)
    assert known in back.values()
    assert flow.back.items() <= back.items()
    assert flow.then(shop.provider, back, known) == flow.found


def test_a_buyer_pays_into_escrow_after_having_declined(
    browser: Browser, shop: Shop
) -> None:
    code = draft_agreement(shop, "trace-b")
    link = shop.provider.agreements.approve(code, BUYER)
    browser.go(link)
    browser.click("button[value=decline]")
    browser.wait_for("document.querySelector('h1').textContent === 'Not paid'")
    browser.go(link)
    assert "7,000,000" in browser.value("document.body.textContent")
    shop.world.agreements[code]["_redirect_url"] = ""
    browser.click("button[value=pay]")
    browser.wait_for("document.querySelector('h1').textContent === 'Paid'")
    shop.provider.agreements.finalize(code, BUYER)


def test_another_card_than_the_business_asked_for_is_told_on_the_page(
    browser: Browser, shop: Shop, window: str
) -> None:
    wanted = "6037990000000006"
    card = visit("card", callback_url=window, valid_card_number=wanted)
    payment = shop.provider.checkouts.create_card(**card).payments[0]
    browser.go(shop.provider.checkouts.page_address(payment.id))
    assert browser.value("document.querySelector('input').value") == wanted
    browser.type_over("input[name=card]", OTHER_CARD)
    browser.click("button[value=pay]")
    browser.wait_for("!!document.querySelector('[role=alert]')")
    assert "another card" in browser.value("document.body.textContent")
    browser.click("button[value=pay]")
    assert came_back(browser, window)["status"] == "pending_verify"


def test_a_page_that_was_answered_says_so(
    browser: Browser, shop: Shop, window: str
) -> None:
    token = shop.provider.gateway.send(200_000, window)
    address = shop.provider.gateway.page_address(token)
    for _ in range(2):
        browser.go(address)
        if browser.value("!!document.querySelector('button')"):
            browser.click("button[value=pay]")
            came_back(browser, window)
    assert browser.value("document.querySelector('h1').textContent") == "Nothing to pay"
    assert not browser.value("!!document.querySelector('button')")


def test_words_of_the_business_are_text_and_nothing_else(
    browser: Browser, shop: Shop, window: str
) -> None:
    script = "<script>document.title = 'taken'</script><b>tea</b>"
    token = shop.provider.gateway.send(200_000, window, description=script)
    browser.go(shop.provider.gateway.page_address(token))
    assert script in browser.value("document.body.textContent")
    assert browser.value("document.title") == "Pay by card"


def test_what_the_business_did_not_say_is_not_asked_about(
    browser: Browser, shop: Shop, window: str
) -> None:
    named = "[...document.querySelectorAll('dt')].map(e => e.textContent)"
    token = shop.provider.gateway.send(200_000, window)
    browser.go(shop.provider.gateway.page_address(token))
    assert browser.value(named) == ["Business", "Amount"]
    token = shop.provider.gateway.send(200_000, window, factor_number="77")
    browser.go(shop.provider.gateway.page_address(token))
    assert browser.value(named) == ["Business", "Amount", "Invoice"]


@pytest.mark.parametrize("width", [320, 1280])
def test_nothing_on_a_page_runs_out_of_the_window(
    width: int, browser: Browser, shop: Shop, window: str
) -> None:
    token = shop.provider.gateway.send(
        999_999_999_999, window, factor_number="9" * 60, description="w" * 255
    )
    browser.resize(width)
    try:
        browser.go(shop.provider.gateway.page_address(token))
        assert browser.value("document.documentElement.scrollWidth") <= width
        left, right, inside = browser.value(
            "(() => { const r = document.querySelector('main').getBoundingClientRect();"
            " return [r.left, r.right, document.documentElement.clientWidth] })()"
        )
        assert left >= 8  # a margin on both sides, the same
        assert abs(left - (inside - right)) < 2
    finally:
        browser.resize(900)
