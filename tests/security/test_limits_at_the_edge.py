"""Each limit: what is just inside is taken, what is just outside ends in a word."""

import asyncio
import gzip
import zipfile
import zlib
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from recon.api import pace
from recon.api.answers import any_json, nests_deeper
from recon.api.client import Client
from recon.api.paging import Walk
from recon.api.proofs import Certificate
from recon.api.unified import UnifiedReads
from recon.errors import ProviderError, RateLimited, RefusedFile, Unavailable
from recon.imports.importing import take
from recon.lake import Lake
from recon.pull.runner import pull
from recon.settings import Business, Http, Limits, Secret, Settings, Unified
from recon.webhooks.receiver import Limits as Bounds
from recon.webhooks.serving import Receiving, bind
from tests.api.list_server import ListServer, mandate, unified_settings
from tests.imports.import_cases import VALID, write_csv, write_excel
from tests.pull.provider_stub import Stub, all_products

PRODUCT = Unified(base_url="https://provider.test", api_key=Secret("k" * 12))


class Wire(httpx.AsyncBaseTransport):
    """Streams one answer as it is, packed or not."""

    def __init__(self, body: bytes, status: int = 200, **headers: str) -> None:
        self.body, self.status, self.headers = body, status, headers
        self.asked: list[httpx.Request] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        named = {name.replace("_", "-"): value for name, value in self.headers.items()}
        return httpx.Response(self.status, headers=named, stream=Pieces(self.body))


class Pieces(httpx.AsyncByteStream):
    def __init__(self, body: bytes) -> None:
        self._body = body

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for start in range(0, len(self._body), 16_384):
            yield self._body[start : start + 16_384]


def ask(wire: Wire, *, retries: int = 0, sleep: Any = None, **limits: Any) -> Any:
    """Ask once; returns the value, or the error."""

    async def slept(_: float) -> None:
        await asyncio.sleep(0)

    async def once() -> Any:
        async with Client(
            PRODUCT,
            Http(retries=retries),
            limits=Limits(**limits),
            transport=wire,
            sleep=sleep or slept,
        ) as client:
            return (await client.read("GET", "/x", decode=any_json)).value

    try:
        return asyncio.run(once())
    except ProviderError as error:
        return error


def text_of(size: int) -> bytes:
    return b'"' + b"a" * (size - 2) + b'"'


def test_a_body_of_the_limit_is_taken_and_a_byte_more_is_not() -> None:
    assert len(ask(Wire(text_of(1000)), body=1000)) == 998
    told = ask(Wire(text_of(1001)), body=1000)
    assert type(told) is Unavailable
    assert "longer than 1000 bytes" in str(told)


@pytest.mark.parametrize("name", ["gzip", "x-gzip", "GZIP"])
def test_an_unpacked_body_has_the_same_limit(name: str) -> None:
    inside = Wire(gzip.compress(text_of(50_000)), content_encoding=name)
    assert len(ask(inside, body=50_000)) == 49_998
    outside = Wire(gzip.compress(text_of(50_001)), content_encoding=name)
    assert "longer" in str(ask(outside, body=50_000))


def test_a_bomb_is_never_unpacked_further_than_the_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[int] = []
    honest = zlib.decompressobj

    class Counting:
        eof, unused_data = False, b""

        def __init__(self, *given: int) -> None:
            self._own = honest(*given)

        def decompress(self, raw: bytes, most: int) -> bytes:
            found = self._own.decompress(raw, most)
            made.append(len(found))
            return found

    bomb = gzip.compress(b" " * 50_000_000)
    monkeypatch.setattr(zlib, "decompressobj", Counting)
    assert "longer" in str(ask(Wire(bomb, content_encoding="gzip"), body=10_000))
    assert sum(made) == 10_001


@pytest.mark.parametrize("name", ["br", "zstd", "deflate", "gzip, gzip", "compress"])
def test_a_packing_that_was_not_asked_for_is_not_unpacked(name: str) -> None:
    wire = Wire(zlib.compress(b" " * 10**6), content_encoding=name)
    told = ask(wire)
    assert type(told) is Unavailable
    assert "not asked" in str(told)
    assert wire.asked[0].headers["accept-encoding"] == "gzip"


@pytest.mark.parametrize(
    "body",
    [
        gzip.compress(b"[1, 2, 3]")[:-9],
        gzip.compress(b"1") + gzip.compress(b"2"),
        b"\x1f\x8b" + b"\x00" * 30,
    ],
    ids=["cut", "two in a row", "damaged"],
)
def test_a_damaged_packing_is_no_answer(body: bytes) -> None:
    assert type(ask(Wire(body, content_encoding="gzip"))) is Unavailable


@pytest.mark.parametrize(("opening", "closing"), [(b"[", b"]"), (b'{"a":', b"}")])
def test_json_nests_to_the_limit_and_no_deeper(opening: bytes, closing: bytes) -> None:
    def nested(levels: int) -> bytes:
        return opening * levels + b"1" + closing * levels

    assert not isinstance(ask(Wire(nested(20)), depth=20), Exception)
    assert "nests deeper than 20" in str(ask(Wire(nested(21)), depth=20))
    for levels in (1_000, 200_000):
        assert type(ask(Wire(nested(levels)), depth=500)) is Unavailable
    assert not nests_deeper(b'["' + b"[" * 900 + b'"]', 20)  # within a text


def test_hidden_brackets_harm_nobody() -> None:
    hidden = b'["]",' * 100_000 + b"1" + b"]" * 100_000
    assert type(ask(Wire(hidden))) is Unavailable


def test_retries_end_with_their_number() -> None:
    wire = Wire(b"{}", 503)
    ask(wire, retries=3)
    assert len(wire.asked) == 4


def test_retries_end_with_the_time_of_a_request() -> None:
    wire = Wire(b"{}", 503)

    async def slow(_: float) -> None:
        await asyncio.sleep(0.06)

    ask(wire, retries=100, sleep=slow, request_time=timedelta(seconds=1))
    assert 2 <= len(wire.asked) < 30


def test_a_retry_after_is_waited_for_up_to_the_limit() -> None:
    for seconds, count in (("60", 2), ("61", 1)):
        wire = Wire(b"{}", 429, retry_after=seconds)
        told = ask(wire, retries=1, retry_wait=timedelta(seconds=60))
        assert type(told) is RateLimited
        assert len(wire.asked) == count


def walked(server: ListServer, limits: Limits) -> Certificate:
    chosen = unified_settings(per_page=5)

    async def walk() -> Certificate:
        async with Client(
            chosen.unified, chosen.http, limits=limits, transport=server.transport
        ) as client:
            reads = UnifiedReads(client, chosen.unified, "shop")
            found: Walk[Any] = Walk(
                reads.mandates,
                lambda row: row.id,
                lambda _: None,
                concurrency=2,
                limits=limits,
            )
            return await found.run()

    return asyncio.run(walk())


def test_a_list_has_at_most_so_many_pages() -> None:
    for count, complete in ((50, True), (51, False)):
        server = ListServer(mandate(number) for number in range(count))
        certificate = walked(server, Limits(pages=10))
        assert certificate.complete is complete
    assert "limits.pages is 10" in str(certificate.reason)
    assert len(server.asked) == 1


def test_a_moving_list_is_swept_so_often() -> None:
    for sweeps in (1, 3):
        server = ListServer(mandate(number) for number in range(20))
        server.before = lambda it, _: it.rows.pop() if len(it.rows) > 3 else None
        certificate = walked(server, Limits(sweeps=sweeps))
        assert certificate.sweeps <= sweeps


def test_a_source_that_takes_too_long_is_incomplete_and_stops_no_other(
    tmp_path: Path,
) -> None:
    stub = Stub()
    slow = "/mpg/v1/business/teahouse/checkouts"

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await asyncio.sleep(3 if scope["path"] == slow else 0)
        await stub(scope, receive, send)

    settings = all_products(
        tmp_path, limits=Limits(source_time=timedelta(milliseconds=900))
    )
    report = pull(
        settings,
        Lake(settings.lake_path),
        ["checkouts", "mandates"],
        transport=httpx.ASGITransport(app=app),
    )
    ended = {each.source: each for each in report.sources}
    assert ended["checkouts"].status == "incomplete"
    assert "limits.source_time" in str(ended["checkouts"].error)
    assert ended["mandates"].status == "complete"


def imported(path: Path, limits: Limits, folder: Path) -> int:
    settings = Settings(business=Business(name="shop"), limits=limits)
    return take("adjustments", [path], settings, Lake(folder / "lake")).rows


def test_an_imported_file_has_so_many_bytes_and_rows(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "a.csv", [VALID["adjustments"]] * 10)
    size = path.stat().st_size
    outside = Limits(import_file=size - 1)
    with pytest.raises(RefusedFile, match=r"limits\.import_file"):
        imported(path, outside, tmp_path)
    with pytest.raises(RefusedFile, match=r"limits\.import_rows"):
        imported(path, Limits(import_rows=9), tmp_path)
    assert not Lake(tmp_path / "lake").commits()
    assert imported(path, Limits(import_file=size, import_rows=10), tmp_path) == 10


def test_a_workbook_unpacks_to_so_many_bytes(tmp_path: Path) -> None:
    path = write_excel(tmp_path / "a.xlsx", [VALID["adjustments"]] * 3)
    with zipfile.ZipFile(path) as packed:
        size = sum(each.file_size for each in packed.infolist())
    with pytest.raises(RefusedFile, match=r"limits\.excel_unpacked"):
        imported(path, Limits(excel_unpacked=size - 1), tmp_path)
    assert imported(path, Limits(excel_unpacked=size), tmp_path) == 3


def test_a_workbook_that_lies_about_its_size_is_refused(tmp_path: Path) -> None:
    """A part that unpacks to more than it says is cut off by its reader."""
    path = write_excel(tmp_path / "a.xlsx", [VALID["adjustments"]] * 3)
    content = bytearray(path.read_bytes())
    at = content.rfind(b"PK\x01\x02")
    content[at + 24 : at + 28] = (7).to_bytes(4, "little")
    path.write_bytes(content)
    with pytest.raises(RefusedFile):
        imported(path, Limits(), tmp_path)


def test_the_receiver_takes_its_limits_from_the_settings(tmp_path: Path) -> None:
    chosen = Limits(webhook_body=5_000, webhook_rate=7, webhook_connections=3)
    settings = Settings(business=Business(name="shop"), limits=chosen, folder=tmp_path)
    bounds = Bounds.of(settings)
    assert (bounds.body_bytes, bounds.rate, bounds.burst) == (5_000, 7.0, 70.0)
    with bind("127.0.0.1", 0) as listener:
        receiving = Receiving(settings, listener)
        assert receiving._server.config.limit_concurrency == 3


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "FIRST_WAIT_SECONDS", 0.001)
    monkeypatch.setattr(pace, "LONGEST_WAIT_SECONDS", 0.002)


def test_every_limit_has_its_test() -> None:
    told = Path(__file__).read_text("utf-8")
    missing = [name for name in vars(Limits()) if f"{name}=" not in told]
    assert missing == []
