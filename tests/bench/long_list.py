"""A provider with a long list of checkouts, for benchmarks: bytes made beforehand.

Run as a process of its own: `python -m tests.bench.long_list COUNT PER_PAGE LATENCY`
(milliseconds); it prints its port. It speaks just enough HTTP to serve one list and
the details of its checkouts. With a fourth number that many of the newest checkouts
are not paid, and all have one attempt to pay; a fifth is the Unix second of the first.
"""

import asyncio
import re
import sys
from hashlib import sha256

_PAGE = re.compile(rb"[?&]page=([0-9]+)")
_DETAIL = re.compile(rb"/checkouts/([0-9a-f-]{36}) ")
_MOST_DETAILS = 20_000  # of the newest, whose details can be asked for
_MOST_PRERENDERED = 200_000  # records; a longer list is rendered as it is asked for
SECONDS_APART = 30
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


def checkout(
    number: int,
    *,
    paid: bool = True,
    most_tries: int = 2,
    first: int = _FIRST_SECOND,
) -> bytes:
    """Return checkout `number` as JSON; every second one has two attempts to pay."""
    tries = min(1 + number % 2, most_tries)
    payments = (
        _payment(number, place, done=place == tries - 1) for place in range(tries)
    )
    made = _CHECKOUT % {
        "id": _uuid(f"c{number}"),
        "request": _uuid(f"r{number}"),
        "number": number,
        "amount": 10_000 + number * 7919 % 90_000_000,
        "status": "paid" if paid else "not_paid",
        "at": first + number * SECONDS_APART,
        "customer": _uuid(f"u{number % 20_000}"),
        "mobile": number % 20_000,
        "code": number % 20_000,
        "payments": ",".join(payments),
    }
    return made.encode()


class LongList:
    """The list, newest first, as whole HTTP answers."""

    def __init__(
        self,
        count: int,
        per_page: int,
        open_count: int = 0,
        first: int = _FIRST_SECOND,
    ) -> None:
        self._count = count
        self._paid_most = count - open_count  # those after it are not paid
        self._most_tries = 1 if open_count else 2
        self._first = first
        self._per_page = per_page
        self._last = -(-count // per_page)
        self._made: dict[int, bytes] = {}
        self._numbers: dict[str, int] = {}
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
        rows = b",".join(map(self._checkout, numbers))
        body = b'{"message":"","data":[%s],"meta":%s}' % (rows, meta.encode())
        return _whole(body)

    def detail(self, number: int) -> bytes:
        """Return one checkout's answer, head and body."""
        return _whole(b'{"message":"","data":{"checkout":%s}}' % self._checkout(number))

    def number_of(self, record_id: str) -> int:
        """Return which of the newest checkouts has an id."""
        if not self._numbers:
            newest = range(max(1, self._count - _MOST_DETAILS), self._count + 1)
            self._numbers = {_uuid(f"c{number}"): number for number in newest}
        return self._numbers[record_id]

    def _checkout(self, number: int) -> bytes:
        paid = number <= self._paid_most
        return checkout(
            number, paid=paid, most_tries=self._most_tries, first=self._first
        )


def _whole(body: bytes) -> bytes:
    """Return an answer with its head."""
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
            line = head.partition(b"\r\n")[0]
            found = _PAGE.search(line)
            page = int(found[1]) if found else 1
            detail = _DETAIL.search(line)
            if detail:
                page = -self._pages.number_of(detail[1].decode())
            if self._latency:
                loop = asyncio.get_running_loop()
                loop.call_later(self._latency, self._send, page)
            else:
                self._send(page)

    def _send(self, page: int) -> None:
        if isinstance(self._transport, asyncio.Transport):
            pages = self._pages
            found = pages.detail(-page) if page < 0 else pages.answer(page)
            self._transport.write(found)


async def _serve(pages: LongList, latency: float) -> None:
    server = await asyncio.get_running_loop().create_server(
        lambda: _Connection(pages, latency), "127.0.0.1", 0
    )
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    count, per_page, latency, *more = map(int, sys.argv[1:])
    asyncio.run(_serve(LongList(count, per_page, *more), latency / 1000))
