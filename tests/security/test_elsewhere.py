"""Credentials go to the provider over a proven line, and to nobody else."""

import asyncio
import contextlib
import datetime as dt
import ipaddress
import ssl
from pathlib import Path
from typing import Any

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from recon.api import pace
from recon.api.answers import any_json
from recon.api.client import Client
from recon.errors import ProviderError, SettingsError
from recon.lake import Lake
from recon.pull.runner import pull
from recon.setting_files import load
from recon.settings import SECTIONS, Http, Secret, Unified, keys_of
from tests.pull.provider_stub import CANARY, Stub, all_products

FOREIGN = "evil.test"


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "FIRST_WAIT_SECONDS", 0.001)
    monkeypatch.setattr(pace, "LONGEST_WAIT_SECONDS", 0.002)


def certificate(folder: Path) -> Path:
    """Write a certificate for this machine that nobody vouches for, with its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = dt.datetime.now(dt.UTC)
    address = ipaddress.ip_address("127.0.0.1")
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(address)]), False)
        .sign(key, hashes.SHA256())
    )
    path = folder / "server.pem"
    path.write_bytes(
        made.public_bytes(serialization.Encoding.PEM)
        + key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return path


@pytest.mark.parametrize("transport", ["aiohttp", "httpx"])
def test_a_certificate_that_nobody_vouches_for_gets_no_request(
    transport: str, tmp_path: Path
) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate(tmp_path))
    heard: list[bytes] = []

    async def listen(reader: asyncio.StreamReader, writer: Any) -> None:
        with contextlib.suppress(OSError):
            heard.append(await reader.read(100))
        writer.close()

    async def run() -> None:
        server = await asyncio.start_server(listen, "127.0.0.1", 0, ssl=context)
        port = server.sockets[0].getsockname()[1]
        product = Unified(base_url=f"https://127.0.0.1:{port}", api_key=Secret(CANARY))
        async with server, Client(product, Http(retries=0, transport=transport)) as own:
            with pytest.raises(ProviderError):
                await own.read("GET", "/x", decode=any_json)

    asyncio.run(run())
    assert b"".join(heard) == b""


def test_no_setting_turns_the_proof_of_the_line_off() -> None:
    words = ("verify", "insecure", "tls", "ssl", "cert", "redirect", "proxy")
    sections = set(SECTIONS) - {"checks"}  # whose windows speak of other things
    keys = [f"{section}.{key}" for section in sections for key in keys_of(section)]
    assert [key for key in keys if any(word in key for word in words)] == []


@pytest.mark.parametrize(
    "address",
    [
        "http://provider.example",
        "http://127.0.0.1.evil.test",
        "http://localhost.evil.test",
        "http://10.0.0.1",
        "http://[::2]",
        "ftp://127.0.0.1",
        "https://user:pass@provider.example",
        "//provider.example",
        "https://",
        "https://[",
        "https://host:99999",
    ],
)
def test_plain_http_is_for_this_machine_alone(address: str, tmp_path: Path) -> None:
    path = tmp_path / "recon.toml"
    path.write_text(
        f'[business]\nname = "a"\n[unified]\nbase_url = "{address}"\n', "utf-8"
    )
    with pytest.raises(SettingsError, match=r"unified\.base_url"):
        load(path, {})


class Roaming(httpx.AsyncBaseTransport):
    """The stub at its own host; another host would be heard, with what it got."""

    def __init__(self, stub: Stub, change: Any) -> None:
        self._own = httpx.ASGITransport(app=stub)  # type: ignore[arg-type]
        self._change = change
        self.hosts: set[str] = set()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.hosts.add(request.url.host)
        assert request.url.host != FOREIGN, request.headers
        response = await self._own.handle_async_request(request)
        body = await response.aread()
        return self._change(request, httpx.Response(response.status_code, content=body))


def redirected(request: httpx.Request, response: httpx.Response) -> httpx.Response:
    to = f"https://{FOREIGN}{request.url.path}"
    return httpx.Response(307, headers={"location": to})


def linked(request: httpx.Request, response: httpx.Response) -> httpx.Response:
    body = response.json()
    if isinstance(body, dict) and "meta" in body:
        to = f"https://{FOREIGN}/?page=2"
        body["links"] = dict.fromkeys(("first", "last", "next", "prev"), to)
        body["meta"] |= {"path": f"https://{FOREIGN}/", "next_page_url": to}
    return httpx.Response(response.status_code, json=body)


@pytest.mark.parametrize("change", [redirected, linked])
def test_no_answer_leads_a_pull_to_another_host(change: Any, tmp_path: Path) -> None:
    settings = all_products(tmp_path)
    wire = Roaming(Stub(), change)
    report = pull(settings, Lake(settings.lake_path), transport=wire)
    assert wire.hosts == {"provider.test"}
    assert report.complete == (change is linked)


def test_a_token_that_would_break_the_header_is_no_token(tmp_path: Path) -> None:
    settings = all_products(tmp_path)
    for token in ("a\r\nx-evil: 1", "توکن", "\u202e", "a\x00b"):
        stub = Stub()
        answer = {"access_token": token, "expires_in": 60, "token_type": "Bearer"}
        stub.answers("POST /sso/oauth/token", answer, 201)
        wire = httpx.ASGITransport(app=stub)  # type: ignore[arg-type]
        lake = Lake(tmp_path / f"lake-{len(token)}-{ord(token[-1])}")
        report = pull(settings, lake, ["customers"], transport=wire)
        assert not report.complete


@pytest.mark.parametrize("life", [-1, 10**400, 2**64])
def test_a_life_that_is_none_is_no_token(life: int, tmp_path: Path) -> None:
    settings = all_products(tmp_path)
    stub = Stub()
    answer = {"access_token": "a" * 9, "expires_in": life, "token_type": "Bearer"}
    stub.answers("POST /sso/oauth/token", answer, 201)
    wire = httpx.ASGITransport(app=stub)  # type: ignore[arg-type]
    report = pull(settings, Lake(settings.lake_path), ["customers"], transport=wire)
    assert not report.complete


@pytest.mark.parametrize("key", ["کلید", "a\nb", "a\x00b", "naïve"])
def test_a_key_that_fits_in_no_header_is_refused_unsaid(
    key: str, tmp_path: Path
) -> None:
    path = tmp_path / "recon.toml"
    path.write_text('[business]\nname = "a"\n', "utf-8")
    with pytest.raises(SettingsError) as caught:
        load(path, {"RECON_UNIFIED__API_KEY": key})
    assert "RECON_UNIFIED__API_KEY" in str(caught.value)
    assert key not in str(caught.value)
