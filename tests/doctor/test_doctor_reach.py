"""Why an address cannot be reached, step by step, over real sockets."""

import asyncio
import ipaddress
import socket
import ssl
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import certifi
import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from recon.doctor import examine
from recon.doctor.reach import Why, goes_through_proxy, why_unreachable
from recon.errors import ExitCode
from tests.doctor.doctor_cases import (
    ESCROW,
    GATEWAY,
    KEYS,
    UNIFIED,
    config,
    examined,
    of,
    told,
)

BRIEFLY = timedelta(seconds=1)


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


def why(address: str) -> Why | None:
    return asyncio.run(why_unreachable(address, BRIEFLY))


def test_a_port_that_listens_can_be_reached(listener: socket.socket) -> None:
    assert why(f"http://127.0.0.1:{listener.getsockname()[1]}") is None


@pytest.mark.parametrize(
    ("address", "port"),
    [
        ("http://127.0.0.1", 80),
        ("https://provider.invalid/v1", 443),
        ("https://provider.invalid:8443", 8443),
    ],
)
def test_an_address_without_a_port_is_called_on_that_of_its_scheme(
    monkeypatch: pytest.MonkeyPatch, address: str, port: int
) -> None:
    called = []

    async def refuse(host: str, port: int, **_: object) -> None:
        called.append(port)
        raise ConnectionRefusedError

    monkeypatch.setattr(asyncio, "open_connection", refuse)
    assert why(address)
    assert called == [port]


def test_what_is_found_of_products_is_in_the_order_of_what_it_is_about(
    tmp_path: Path,
) -> None:
    found = examined(config(tmp_path, UNIFIED, ESCROW)).findings
    about = ("reach", "credentials", "clock")
    areas = [each.area for each in found if each.area in about]
    assert areas == [area for area in about for _ in ("unified", "escrow")]


def test_a_port_that_nobody_listens_on_refuses() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    found = why(f"http://127.0.0.1:{port}")
    assert found
    assert found.told.startswith("no connection (")


def test_a_server_that_never_shakes_hands_is_given_up(listener: socket.socket) -> None:
    found = why(f"https://127.0.0.1:{listener.getsockname()[1]}")
    assert found
    assert found.told == "no connection within 1 s"


@pytest.mark.parametrize(
    ("error", "told", "do"),
    [
        (socket.gaierror(-2, "Name not known"), "its name is not known", "name server"),
        (
            UnicodeError("label too long"),
            "its name is not known (label too long)",
            "name server",
        ),
        (ssl.SSLError(1, "wrong version"), "no secure connection", "https"),
        (OSError(113, "No route to host"), "(No route to host)", "firewall"),
        (OSError("Multiple exceptions: x"), "Multiple exceptions", "firewall"),
    ],
)
def test_each_step_has_its_own_words(
    monkeypatch: pytest.MonkeyPatch, error: Exception, told: str, do: str
) -> None:
    async def fail(_: str) -> None:
        raise error

    monkeypatch.setattr("recon.doctor.reach._connect", fail)
    found = why("https://provider.invalid")
    assert found
    assert told in found.told
    assert do in found.do


def test_a_certificate_that_is_not_accepted_says_why(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def fail(_: str) -> None:
        error = ssl.SSLCertVerificationError(1, "certificate verify failed")
        error.verify_message = "certificate has expired"
        raise error

    monkeypatch.setattr("recon.doctor.reach._connect", fail)
    found = why("https://provider.invalid")
    assert found
    assert found.told.endswith("certificate has expired")
    assert "clock" in found.do


@pytest.mark.parametrize("trusted", [True, False])
def test_whom_a_pull_trusts_is_trusted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, trusted: bool
) -> None:
    """The system may trust others: it would be said to work, and a pull would fail."""
    for name in ("SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.delenv(name, raising=False)
    ours = certificate_file(tmp_path)
    bundle = ours if trusted else certifi.where()
    monkeypatch.setattr(certifi, "where", lambda: str(bundle))
    served = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    served.load_cert_chain(ours)

    async def asked() -> Why | None:
        server = await asyncio.start_server(
            lambda _, writer: writer.close(), "127.0.0.1", 0, ssl=served
        )
        async with server:
            port = server.sockets[0].getsockname()[1]
            return await why_unreachable(f"https://127.0.0.1:{port}", BRIEFLY)

    found = asyncio.run(asked())
    assert (found is None) is trusted
    if found:
        assert found.told.startswith("its certificate is not accepted: self")
        assert "SSL_CERT_FILE" in found.do


def certificate_file(folder: Path) -> Path:
    """Write the key and the certificate of 127.0.0.1, signed by itself, to one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "here")])
    place = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([place]), critical=False)
        .sign(key, hashes.SHA256())
    )
    plain = serialization.NoEncryption()
    form = serialization.PrivateFormat.PKCS8
    path = folder / "here.pem"
    path.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, form, plain)
        + made.public_bytes(serialization.Encoding.PEM)
    )
    return path


def test_a_host_behind_a_proxy_is_told_as_not_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("https_proxy", "http://proxy.invalid:8080")
    (said,) = told(examined(config(tmp_path, GATEWAY)), "reach")
    assert said == "gateway: provider.invalid is reached through a proxy; not tried"


def test_behind_a_proxy_nothing_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://proxy.invalid:8080")
    monkeypatch.setenv("no_proxy", "near.invalid,ported.invalid:8443")
    assert goes_through_proxy("https://provider.invalid")
    assert not goes_through_proxy("https://near.invalid")
    assert not goes_through_proxy("https://ported.invalid:8443")
    assert not goes_through_proxy("https://127.0.0.1:1")
    assert why("https://provider.invalid") is None


@pytest.mark.parametrize(
    ("name", "value"),
    [("SSL_CERT_FILE", "/no/such.pem"), ("https_proxy", "socks5://proxy.invalid:1")],
)
def test_what_the_environment_has_wrong_is_a_finding_among_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    found = examine(config(tmp_path, UNIFIED), environment=KEYS)
    (reach,) = [each for each in found.findings if each.area == "reach"]
    assert reach.told.startswith("unified: ")
    assert "variable" in reach.do
    assert found.exit_code == ExitCode.USAGE
    assert "versions" in {each.area for each in found.findings}


@pytest.mark.parametrize(
    ("status", "starts"),
    [
        (404, "check escrow.base_url, RECON_ESCROW__CLIENT_ID and "),
        (422, "check escrow.base_url, RECON_ESCROW__CLIENT_ID and "),
        (401, "check RECON_ESCROW__CLIENT_ID and RECON_ESCROW__CLIENT_SECRET, "),
        (403, "check RECON_ESCROW__CLIENT_ID and RECON_ESCROW__CLIENT_SECRET, "),
    ],
)
def test_a_token_that_was_refused_as_an_unknown_address_speaks_of_the_address(
    tmp_path: Path, status: int, starts: str
) -> None:
    def answer(_: httpx.Request) -> httpx.Response:
        return httpx.Response(status, json={"message": "Not Found"})

    found = examined(config(tmp_path, ESCROW), httpx.MockTransport(answer))
    (said,) = of(found, "credentials")
    assert said.do.startswith(starts)
