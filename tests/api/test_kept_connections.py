"""A connection that is kept between requests: what comes over it, and what does not."""

import asyncio
import contextlib
from typing import Any

import pytest

from recon.api.answers import any_json
from recon.api.client import Client
from recon.errors import OutcomeUnknown, Unavailable
from recon.settings import Http, Secret, Unified
from tests.api.test_wire import HEAD, honest


def client_of(server: asyncio.Server, plain: bool) -> Client:
    """Return a client of a server on loopback, which asks one thing after the other."""
    port = server.sockets[0].getsockname()[1]
    settings = Unified(
        base_url=f"http://127.0.0.1:{port}", api_key=Secret("canary-key-12345")
    )
    http = Http(concurrency=1, transport="httpx" if plain else "aiohttp")
    return Client(settings, http)


@pytest.mark.parametrize("plain", [False, True])
def test_a_sending_whose_kept_connection_is_cut_is_not_sent_again(plain: bool) -> None:
    """aiohttp would send a DELETE anew over another connection, unasked."""
    asked: list[bytes] = []

    async def handle(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        with contextlib.suppress(OSError, EOFError):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                asked.append(head.partition(b" ")[0])
                if asked[-1] == b"DELETE":
                    break
                await honest(reader, writer)
        writer.transport.abort()

    async def run() -> None:
        server = await asyncio.start_server(handle, "127.0.0.1", 0)
        async with client_of(server, plain) as client:
            await client.read("GET", "/x", decode=any_json)
            with pytest.raises(OutcomeUnknown):
                await client.send("DELETE", "/x", decode=any_json)
        server.close()

    asyncio.run(run())
    assert asked == [b"GET", b"DELETE"]


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("verb", ["read", "send"])
def test_what_comes_unasked_is_nobody_s_answer(verb: str, plain: bool) -> None:
    """As of a provider, or what stands before it, that answers a request twice."""

    async def handle(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        with contextlib.suppress(OSError, EOFError):
            while True:
                target = (await reader.readuntil(b"\r\n\r\n")).split(b" ")[1]
                told = b'["%s"]' % target
                answer = HEAD + b"content-length: %d\r\n\r\n%s" % (len(told), told)
                for _ in range(2):
                    writer.write(answer)
                    await writer.drain()
                    await asyncio.sleep(0.02)
        writer.close()

    async def run() -> list[Any]:
        server = await asyncio.start_server(handle, "127.0.0.1", 0)
        found = []
        async with client_of(server, plain) as client:
            for path in ("/a", "/b", "/c"):
                answer = await getattr(client, verb)("POST", path, decode=any_json)
                found += answer.value
                await asyncio.sleep(0.1)
        server.close()
        return found

    assert asyncio.run(run()) == ["/a", "/b", "/c"]


@pytest.mark.parametrize("plain", [False, True])
def test_what_never_left_over_a_kept_connection_is_not_unknown(plain: bool) -> None:
    """The kept one was spoilt, and no other could be opened."""

    async def run() -> None:
        async def handle(
            reader: asyncio.StreamReader, writer: asyncio.StreamWriter
        ) -> None:
            await reader.readuntil(b"\r\n\r\n")
            server.close()
            await honest(reader, writer)
            await asyncio.sleep(0.02)
            await honest(reader, writer)
            await reader.read()
            writer.close()

        server = await asyncio.start_server(handle, "127.0.0.1", 0)
        async with client_of(server, plain) as client:
            await client.read("GET", "/x", decode=any_json)
            await asyncio.sleep(0.1)
            with pytest.raises(Unavailable):
                await client.send("POST", "/x", decode=any_json)

    asyncio.run(run())
