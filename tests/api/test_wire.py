"""Real sockets: cuts, silence and closed ports mean the same on either transport."""

import asyncio
import base64
import contextlib
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from recon.api.answers import any_json
from recon.api.client import Client
from recon.errors import OutcomeUnknown, ProviderError, SettingsError, Unavailable
from recon.settings import Http, Secret, Unified

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"


async def honest(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(HEAD + b"content-length: 2\r\n\r\n{}")


async def silent(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
    await reader.read()


async def cut_at_once(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.transport.abort()


async def cut_in_a_body(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(HEAD + b"content-length: 50\r\n\r\n" + b'{"data":')


async def no_http(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"SSH-2.0-hello\r\n\r\n")


@contextlib.asynccontextmanager
async def served(serve: Serve) -> AsyncIterator[int]:
    """Listen on a port, and meet each connection in one way, until it is cut."""
    handling: list[asyncio.Task[Any]] = []

    async def handle(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        task = asyncio.current_task()
        assert task is not None
        handling.append(task)
        with contextlib.suppress(OSError, EOFError):
            await serve(reader, writer)
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        await asyncio.gather(*handling)


def ask(serve: Serve | None, verb: str, *, plain: bool = False) -> Any:
    """Ask a server of one behaviour; None is a port on which nobody listens."""

    async def asked(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        assert serve is not None
        await reader.readuntil(b"\r\n\r\n")
        await serve(reader, writer)

    async def of(port: int) -> Any:
        settings = Unified(
            base_url=f"http://127.0.0.1:{port}", api_key=Secret("canary-key-12345")
        )
        http = Http(
            retries=1,
            timeout=timedelta(milliseconds=400),
            transport="httpx" if plain else "aiohttp",
        )
        try:
            async with Client(settings, http) as client:
                return (await getattr(client, verb)("GET", "/x", decode=any_json)).value
        except ProviderError as error:
            return error

    async def run() -> Any:
        async with served(asked) as port:
            if serve is not None:
                return await of(port)
        return await of(port)  # on which nobody listens any more

    return asyncio.run(run())


@pytest.mark.parametrize("plain", [False, True])
def test_an_honest_answer_comes_through_either_transport(plain: bool) -> None:
    assert ask(honest, "read", plain=plain) == {}


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("serve", [silent, cut_at_once, cut_in_a_body, no_http])
def test_a_broken_answer_is_none(serve: Serve, plain: bool) -> None:
    assert type(ask(serve, "read", plain=plain)) is Unavailable
    assert type(ask(serve, "send", plain=plain)) is OutcomeUnknown


PERSON = b'{"first_name": "Taraneh", "mobile": "0912 000 11 22"}'


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("verb", ["read", "send"])
@pytest.mark.parametrize(
    "came",
    [
        b"HTTP/1.1 204 No Content\r\n\r\n" + PERSON,
        b"HTTP/1.1 2OO " + PERSON,
        b"HTTP/1.1 200 OK\r\nx \0: " + PERSON,
        b"HTTP/1.1 200 OK\r\nx: " + PERSON * 3_000,
        b"HTTP/1.1 200 OK\r\nset-cookie: " + PERSON + b"\r\ncontent-le",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n" + PERSON,
        PERSON,
    ],
)
def test_an_error_of_the_wire_repeats_nothing_of_what_came(
    came: bytes, verb: str, plain: bool
) -> None:
    async def serve(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(came + b"\r\n\r\n")

    error = ask(serve, verb, plain=plain)
    assert isinstance(error, ProviderError)
    assert "Taraneh" not in f"{error!r} {error}"
    assert "0912" not in f"{error!r} {error}"


@pytest.mark.parametrize("plain", [False, True])
def test_what_never_left_is_not_unknown(plain: bool) -> None:
    assert type(ask(None, "send", plain=plain)) is Unavailable


def test_proxies_of_the_environment_do_not_serve_this_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        port = nobody.getsockname()[1]
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{port}")
    assert ask(honest, "read") == {}


@pytest.mark.parametrize("plain", [True, False])
@pytest.mark.parametrize(
    "address",
    [
        "socks5://127.0.0.1:1",
        "shop:canary-word@127.0.0.1:1",
        "http://shop:canary-word@",
        "http://shop:canary-word@[::1",
        "http://shop:canary-word@127.0.0.1:99999",
        "http://shop:canary/word@127.0.0.1:1",
        "http://shop:12/canary-word@127.0.0.1:1",
        "http://shop:12#canary-word@127.0.0.1:1",
        "http://shop:canary-\u200cword@127.0.0.1:1",
        "http://shop:canary-word@proxy..example:1",
    ],
)
def test_a_proxy_of_another_kind_is_one_clear_error(
    monkeypatch: pytest.MonkeyPatch, address: str, plain: bool
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", address)
    product = Unified(base_url="https://pay.test", api_key=Secret("canary-key-12345"))
    with pytest.raises(SettingsError, match="proxy") as caught:
        Client(product, Http(transport="httpx" if plain else "aiohttp"))
    assert "canary" not in str(caught.value)


def test_a_proxy_of_the_environment_is_asked_for_other_machines(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[bytes] = []

    async def proxied(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        asked.append(await reader.readuntil(b"\r\n\r\n"))
        await honest(reader, writer)
        writer.close()

    async def run() -> Any:
        server = await asyncio.start_server(proxied, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{port}")
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        product = Unified(
            base_url="http://pay.test", api_key=Secret("canary-key-12345")
        )
        async with Client(product, Http(retries=0)) as client:
            found = await client.read("GET", "/x", decode=any_json)
        server.close()
        return found.value

    assert asyncio.run(run()) == {}
    assert asked[0].startswith(b"GET http://pay.test/x ")


@pytest.mark.parametrize("plain", [True, False])
@pytest.mark.parametrize("content", [None, "no certificate"])
def test_certificates_that_cannot_be_read_are_one_clear_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: str | None, plain: bool
) -> None:
    file = tmp_path / "trusted.pem"
    if content is not None:
        file.write_text(content)
    monkeypatch.setenv("SSL_CERT_FILE", str(file))
    http = Http(transport="httpx" if plain else "aiohttp")
    product = Unified(base_url="https://pay.test", api_key=Secret("canary-key-12345"))
    with pytest.raises(SettingsError, match=r"SSL_CERT_FILE: .*trusted\.pem cannot be"):
        Client(product, http)

    monkeypatch.delenv("SSL_CERT_FILE")
    Client(product, http)


async def asks_for_a_password(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b"HTTP/1.1 407 Who are you\r\ncontent-length: 0\r\n\r\n")


async def repeats_what_it_was_told(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    head = await reader.readuntil(b"\r\n\r\n")
    told = head.partition(b"asic ")[2].partition(b"\r")[0]
    writer.write(b"HTTP/1.1 502 Not " + told + b"\r\ncontent-length: 0\r\n\r\n")


async def no_proxy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readuntil(b"\r\n\r\n")
    await no_http(reader, writer)


async def no_secure_way(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
    await reader.read(1)
    writer.transport.abort()


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize(
    "proxy",
    [
        asks_for_a_password,
        repeats_what_it_was_told,
        no_proxy,
        cut_at_once,
        silent,
        no_secure_way,
    ],
)
def test_what_no_proxy_let_through_never_left_and_its_password_is_not_told(
    proxy: Serve, plain: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    password = "canary-proxy/9"

    async def run() -> ProviderError:
        product = Unified(
            base_url="https://pay.test", api_key=Secret("canary-key-12345")
        )
        http = Http(
            timeout=timedelta(milliseconds=400),
            transport="httpx" if plain else "aiohttp",
        )
        async with served(proxy) as port:
            where = f"http://shop:{quote(password, safe='')}@127.0.0.1:{port}"
            monkeypatch.setenv("HTTPS_PROXY", where)
            async with Client(product, http) as client:
                with pytest.raises(ProviderError) as caught:
                    await client.send("POST", "/x", json={}, decode=any_json)
        return caught.value

    for name in ("NO_PROXY", "no_proxy", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
    error = asyncio.run(run())
    assert type(error) is Unavailable
    assert "no connection" in str(error)
    for told in (password, quote(password, safe=""), "\n"):
        assert told not in str(error)
    given = base64.b64encode(f"shop:{password}".encode()).decode()
    assert given not in str(error)
