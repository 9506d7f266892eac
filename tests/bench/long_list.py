"""A provider with a long list of checkouts, for benchmarks: bytes made beforehand.

Run as a process of its own: `python -m tests.bench.long_list COUNT PER_PAGE LATENCY`
(milliseconds); it prints its port. It speaks just enough HTTP to serve one list.
"""

import asyncio
import re
import sys
from hashlib import sha256

_PAGE = re.compile(rb"[?&]page=([0-9]+)")
_MOST_PRERENDERED = 200_000  # records; a longer list is rendered as it is asked for
_FIRST_SECOND = 1_780_000_000

_CHECKOUT = (
    '{"id":"%(id)s","request_id":"%(request)s","checkout_number":"%(number)d",'
    '"amount":"%(amount)d","status":"%(status)s",'
    '"description":"\\u0686\\u0627\\u06cc %(number)d, two packets and a pot",'
    '"created_at":%(at)d,"updated_at":%(at)d,"customer":{"id":"%(customer)s",'
    '"mobile":"0912%(mobile)07d","first_name":"\\u0633\\u0627\\u0631\\u0627",'
    '"last_name":"\\u0631\\u0636\\u0627\\u06cc\\u06cc","national_code":"%(code)010d",'
    '"email":"buyer%(mobile)d@example.com"},"payments":[%(payments)s]}'
)
_PAYMENT = (
    '{"id":"%(id)s","payment_method":"%(method)s","amount":%(amount)d,'
    '"wage_amount":%(wage)d,"affected_amount":%(affected)d,"ref_id":"%(ref)012d",'
    '"tracking_code":"%(ref)010d","status":"%(status)s","error":%(error)s,'
    '"created_at":%(at)d,"updated_at":%(at)d,"paid_at":%(at)d,%(kind)s}'
)
_FAILED = '{"code":"WITHDRAWAL_TIMEOUT","message":"The bank did not answer in time"}'


def _uuid(text: str) -> str:
    made = sha256(text.encode()).hexdigest()
    return f"{made[:8]}-{made[8:12]}-{made[12:16]}-{made[16:20]}-{made[20:32]}"


def _payment(number: int, place: int, *, done: bool) -> str:
    amount = 10_000 + number * 7919 % 90_000_000
    card = sha256(str(number % 5000).encode()).hexdigest()
    masked = f"603799******{number % 10_000:04d}"
    kinds = (
        f'"type":"debit","debit":{{"mandate_id":"{_uuid(f"m{number % 3000}")}"}}',
        '"type":"credit","credit":null',
        f'"type":"card","card":{{"card_number":"{masked}","cid":"{card}"}}',
    )
    return _PAYMENT % {
        "id": _uuid(f"p{number}-{place}"),
        "method": ("debit-alvand", "credit-sabz", "card-shaparak")[number % 3],
        "amount": amount,
        "wage": amount // 100 if done else 0,
        "affected": amount - amount // 100 if done else 0,
        "ref": number * 10 + place,
        "status": "done" if done else "failed",
        "error": "null" if done else _FAILED,
        "at": _FIRST_SECOND + number * 30 + place,
        "kind": kinds[number % 3],
    }


def checkout(number: int) -> bytes:
    """Return checkout `number` as JSON; every second one has two attempts to pay."""
    tries = 1 + number % 2
    payments = (
        _payment(number, place, done=place == tries - 1) for place in range(tries)
    )
    made = _CHECKOUT % {
        "id": _uuid(f"c{number}"),
        "request": _uuid(f"r{number}"),
        "number": number,
        "amount": 10_000 + number * 7919 % 90_000_000,
        "status": "paid",
        "at": _FIRST_SECOND + number * 30,
        "customer": _uuid(f"u{number % 20_000}"),
        "mobile": number % 20_000,
        "code": number % 20_000,
        "payments": ",".join(payments),
    }
    return made.encode()


class LongList:
    """The list, newest first, as whole HTTP answers."""

    def __init__(self, count: int, per_page: int) -> None:
        self._count = count
        self._per_page = per_page
        self._last = -(-count // per_page)
        self._made: dict[int, bytes] = {}
        if count <= _MOST_PRERENDERED:
            self._made = {page: self._render(page) for page in range(1, self._last + 1)}

    def answer(self, page: int) -> bytes:
        """Return one page's answer, head and body."""
        return self._made.get(page) or self._render(page)

    def _render(self, page: int) -> bytes:
        first = self._count - (page - 1) * self._per_page
        numbers = range(first, max(0, first - self._per_page), -1)
        meta = (
            f'{{"current_page":{page},"last_page":{self._last},'
            f'"per_page":{self._per_page},"total":{self._count}}}'
        )
        rows = b",".join(checkout(number) for number in numbers)
        body = b'{"message":"","data":[%s],"meta":%s}' % (rows, meta.encode())
        head = (
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"
            f"content-length: {len(body)}\r\n\r\n"
        )
        return head.encode() + body


class _Connection(asyncio.Protocol):
    def __init__(self, pages: LongList, latency: float) -> None:
        self._pages = pages
        self._latency = latency
        self._waiting = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._waiting += data
        while b"\r\n\r\n" in self._waiting:
            head, _, self._waiting = self._waiting.partition(b"\r\n\r\n")
            found = _PAGE.search(head.partition(b"\r\n")[0])
            page = int(found[1]) if found else 1
            if self._latency:
                loop = asyncio.get_running_loop()
                loop.call_later(self._latency, self._send, page)
            else:
                self._send(page)

    def _send(self, page: int) -> None:
        if isinstance(self._transport, asyncio.Transport):
            self._transport.write(self._pages.answer(page))


async def _serve(count: int, per_page: int, latency: float) -> None:
    pages = LongList(count, per_page)
    server = await asyncio.get_running_loop().create_server(
        lambda: _Connection(pages, latency), "127.0.0.1", 0
    )
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]) / 1000))
