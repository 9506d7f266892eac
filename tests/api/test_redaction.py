"""Redaction: every secret of the business, however spelled, in whatever answer."""

import base64
import html
import json
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recon.api import redaction as redaction_module
from recon.api.answers import Answer
from recon.api.redaction import Redaction
from recon.errors import ProviderError
from recon.settings import (
    Business,
    CashIn,
    Escrow,
    Gateway,
    Hosted,
    LakeSettings,
    Notify,
    Secret,
    Settings,
    Unified,
)
from tests.api.asking import Handler, ask

SECRETS = {
    "unified": "canary-unified-0011",
    "escrow": "canary-escrow-0022",
    "cash_in": "canary/cash+in=0033",
    "gateway": 'canary"gate\\way-0044',
    "hosted": "h0sted55",
    "lake": "canary-lake-secret-0066",
    "encryption": "canary-encryption-0077",
    "notify": "json://canary-notice-0088@127.0.0.1:9/",
}
TOKEN = "eyJhbGciOiJub25l.canary-token.c2ln"


def settings() -> Settings:
    held = {name: Secret(text) for name, text in SECRETS.items()}
    return Settings(
        business=Business(name="tea-house"),
        lake=LakeSettings(
            secret_access_key=held["lake"], encryption_key=held["encryption"]
        ),
        unified=Unified(api_key=held["unified"]),
        escrow=Escrow(client_id=7, client_secret=held["escrow"]),
        cash_in=CashIn(api_key=held["cash_in"]),
        gateway=Gateway(api_key=held["gateway"]),
        hosted=Hosted(api_key=held["hosted"]),
        notify=Notify(urls=(held["notify"],)),
    )


def redaction() -> Redaction:
    found = Redaction.of(settings())
    found.hide_token(TOKEN)
    return found


def html_safe(text: str) -> str:
    escaped = json.dumps(text)[1:-1]
    return "".join(f"\\u{ord(c):04X}" if c in "+/=\"'<>&" else c for c in escaped)


def numbered(signs: str, form: str) -> Callable[[str], str]:
    """Write a text as JSON of which some signs are written by their numbers."""
    return lambda text: json.dumps(
        "".join(chr(0xE000 + ord(sign)) if sign in signs else sign for sign in text),
        ensure_ascii=False,
    )[1:-1].translate({0xE000 + ord(sign): form % ord(sign) for sign in signs})


def of_php(text: str) -> str:
    return json.dumps(text)[1:-1].replace("/", "\\/")


def as_template(signs: str, form: str) -> Callable[[str], str]:
    """Write a text as templates of web pages do: some signs by their numbers."""
    return lambda text: "".join(
        form.format(ord(sign)) if sign in signs else html.escape(sign, quote=False)
        for sign in text
    )


SPELLINGS = {
    "html": html.escape,
    "html of php": lambda text: html.escape(text).replace("&#x27;", "&#039;"),
    "html of go": as_template("\"'+", "&#{};"),
    "html of handlebars": lambda text: as_template("'=`", "&#x{:X};")(text).replace(
        '"', "&quot;"
    ),
    "plain": lambda text: text,
    "json": lambda text: json.dumps(text)[1:-1],
    "json of php": of_php,
    "json of .net": numbered("\"&'+<>`", "\\u%04X"),
    "json of gson": numbered("&'<=>", "\\u%04x"),
    "json of one sign": lambda text: (
        f"\\u{ord(text[0]):04x}" + json.dumps(text[1:])[1:-1]
    ),
    "json within json": lambda text: json.dumps(json.dumps(text)[1:-1])[1:-1],
    "json within json of php": lambda text: of_php(of_php(text)),
    "json for html": html_safe,
    "json of every sign": lambda text: "".join(f"\\u{ord(c):04x}" for c in text),
    "percent": lambda text: quote(text, safe=""),
    "percent in small letters": lambda text: re.sub(
        "%..", lambda found: found[0].lower(), quote(text, safe="")
    ),
    "percent of every sign": lambda text: "".join(f"%{ord(c):02X}" for c in text),
    "percent twice": lambda text: quote(quote(text, safe=""), safe=""),
    "hex": lambda text: text.encode().hex(),
    "hex in capitals": lambda text: text.encode().hex().upper(),
    "utf-16 of either order": "\0".join,
}
PLACES = [*range(9), 1_000, 4_096 + 5, 100_003]
"""How many bytes stand before a secret: each place of a word, short and long bodies."""


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("secret", [*SECRETS.values(), TOKEN])
def test_a_secret_is_masked_however_it_is_spelled(secret: str, spelling: str) -> None:
    masking = redaction()
    spelled = SPELLINGS[spelling](secret)
    for before in PLACES:
        body = f"{'x' * before}{spelled} and more".encode()
        assert masking.masked(body) == b"x" * before + b"*** and more", before


@pytest.mark.parametrize("secret", [*SECRETS.values(), TOKEN])
def test_what_basic_authorization_makes_of_a_secret_is_masked(secret: str) -> None:
    for user in ("", "7", "42", "shop", "some-body"):
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            told = encode(f"{user}:{secret}".encode())
            body = b'{"message":"Basic ' + told + b' is not known"}'
            kept = redaction().masked(body)
            assert b"***" in kept
            rest = kept.removeprefix(b'{"message":"Basic ').split(b"***")
            assert len(rest[0]) <= len(told) - len(secret)
            assert len(rest[1].split(b" ")[0].rstrip(b"=")) <= 1


@pytest.mark.parametrize("before", [*PLACES])
def test_a_secret_of_some_escaped_signs_is_masked_in_short_bodies(before: int) -> None:
    mixed = "can\\u0061ry-unif%69ed-00\\u00311"
    body = f"{'x' * before}{mixed}".encode()
    if before < 4_000:
        assert redaction().masked(body) == b"x" * before + b"***"
    assert redaction().masked(body, thoroughly=True) == b"x" * before + b"***"


@pytest.mark.parametrize("name", SECRETS)
@pytest.mark.parametrize(
    "form", ["&#{};", "&#{}", "&#0{};", "&#x{:x};", "&#x{:X};", "&#X00{:x};"]
)
def test_a_secret_in_the_entities_of_a_web_page_is_masked(name: str, form: str) -> None:
    """The page of an error may show the request with its headers."""
    secret = SECRETS[name]
    every_third = "".join(
        form.format(ord(sign)) if at % 3 == 0 else sign
        for at, sign in enumerate(secret)
    )
    body = f"<td>x-api-key</td><td>{every_third}</td>".encode()
    shown = b"<td>x-api-key</td><td>***</td>"
    assert redaction().masked(body, thoroughly=True) == shown


@pytest.mark.parametrize("sign", ["&plus;", "&#43;", "&#x2b;"])
def test_a_sign_may_have_a_name_in_a_web_page(sign: str) -> None:
    body = f"canary&sol;cash{sign}in&equals;0033 &amp; more".encode()
    assert redaction().masked(body, thoroughly=True) == b"*** &amp; more"


@pytest.mark.parametrize(
    "near",
    [
        "canary-unified-001",  # one sign less
        "canary-unified-0012",
        "Canary-unified-0011",
        "canary-unified-\\u00630011",
        "h0sted5",
        base64.b64encode(b"canary-unified-0099").decode(),
    ],
)
def test_what_is_no_secret_stays(near: str) -> None:
    body = f'{{"a": "{near}", "b": "100% \\u0633"}}'.encode()
    assert redaction().masked(body) is body


def test_short_secrets_garble_no_text() -> None:
    masking = Redaction()
    masking.hide("none")
    assert masking.masked(b'{"errors": "none"}') == b'{"errors": "none"}'


def test_empty_and_tiny_bodies_pass() -> None:
    for size in range(20):
        assert redaction().masked(b"x" * size) == b"x" * size
    assert Redaction().masked(b"100% of \\u0041") == b"100% of \\u0041"


def test_of_very_many_tokens_the_newest_are_masked() -> None:
    masking = redaction()
    for number in range(1_000):
        masking.hide_token(f"token-{number:06d}-canary")
    assert masking.masked(b"a token-000999-canary") == b"a ***"
    assert masking.masked(b"a canary-unified-0011") == b"a ***"
    assert len(masking._tokens) <= 64


def test_a_new_token_makes_no_pattern_of_the_others_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[str] = []
    spelling = redaction_module._any_spelling

    def noted(sign: str) -> bytes:
        made.append(sign)
        return spelling(sign)

    monkeypatch.setattr(redaction_module, "_any_spelling", noted)
    masking = redaction()
    tokens = [f"token-{number:06d}-canary" for number in range(100)]
    for token in tokens:
        masking.hide_token(token)
        mixed = token.replace("-", "%2d").encode()
        assert masking.masked(b"100% of " + mixed) == b"100% of ***"
    assert len(made) == sum(map(len, [*SECRETS.values(), TOKEN, *tokens]))
    assert len(masking._patterns) <= 64 + len(SECRETS)


SIGNS = st.text(st.sampled_from('ab/"%\\u0'), min_size=8, max_size=24)
BESIDE = st.text(st.sampled_from('ab/"%\\u0'), max_size=9).map(str.encode)


def as_read(found: re.Match[bytes]) -> bytes:
    return found[2] or bytes.fromhex(found[1].decode())


def plainly_masked(secrets: list[str], body: bytes) -> bytes:
    """Mask one spelling after the other, the longest first."""
    known = sorted(secrets, key=len, reverse=True)
    spelled = {each for secret in known for each in redaction_module._spellings(secret)}
    for each in sorted(spelled, key=len, reverse=True):
        body = body.replace(each, b"***")
    shown = re.sub(rb'\\(?:u00([2-7][0-9A-Fa-f])|(["/\\]))', as_read, body)
    is_numbered = re.search(rb"\\u00[2-7]", body)
    is_read = is_numbered and any(each in shown for each in spelled)
    escaped = len(body) <= 4_096 or is_read
    for secret in known if escaped else []:
        signs = b"".join(map(redaction_module._any_spelling, secret))
        body = re.sub(signs, b"***", body)
    return body


@example(secrets=['0\\/000"00'], begin=0, cuts=[(b'\\/000\\"00', 0, 1)])
@given(
    secrets=st.lists(SIGNS, min_size=1, max_size=4, unique=True),
    begin=st.sampled_from([0, 1, 5_000]),
    cuts=st.lists(st.tuples(BESIDE, st.integers(0), st.integers(0, 1)), max_size=4),
)
def test_what_is_masked_is_what_a_plain_search_finds(
    secrets: list[str], begin: int, cuts: list[tuple[bytes, int, int]]
) -> None:
    """With secrets that are part of another, and with such that lack a sign."""
    secrets = list(dict.fromkeys([*secrets, secrets[0][-8:]]))
    masking = Redaction()
    for number, secret in enumerate(secrets):
        (masking.hide if number % 2 else masking.hide_token)(secret)
    either = sorted(
        {each for one in secrets for each in redaction_module._spellings(one)}
    )
    body = b"x" * begin
    for beside, number, cut in cuts:
        body += beside + either[number % len(either)][cut:]
    assert masking.masked(body) == plainly_masked(secrets, body)


class Searched(bytes):
    """A body that counts how often a secret is compared with it, or sought in it."""

    count = 0

    def startswith(self, *given: Any) -> bool:
        Searched.count += 1
        return super().startswith(*given)

    def replace(self, *given: Any) -> bytes:
        Searched.count += 1
        return super().replace(*given)

    def __contains__(self, sought: Any) -> bool:
        Searched.count += 1
        return super().__contains__(sought)


class Looked(dict[int, list[tuple[int, bytes]]]):
    """A table of words that counts how often one is looked up."""

    count = 0

    def get(self, *given: Any) -> Any:
        self.count += 1
        return super().get(*given)


@pytest.mark.parametrize("secrets", [1, 49])
def test_many_secrets_cost_a_long_body_little(
    secrets: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Few of its words are met in the table, and only there a spelling is compared.

    A secret has some ten spellings: to seek each in the body would be as many passes.
    """
    body = json.dumps([{"id": f"{n:032x}", "at": n * 977} for n in range(2_000)])
    masking = Redaction()
    for number in range(secrets):
        masking.hide(f"canary-key-{number:04d}")
    looked = Looked(masking._words)
    monkeypatch.setattr(masking, "_words", looked)
    monkeypatch.setattr(Searched, "count", 0)
    assert masking.masked(Searched(body.encode())) == body.encode()
    assert looked.count < len(body) / 8 / 100
    assert Searched.count < 6 * secrets


def answered(response: httpx.Response, **more: object) -> str:
    """Return all that is kept and told of an answer, with every secret known."""
    kept: list[Answer[None]] = []

    def capture(answer: Answer[None]) -> int:
        kept.append(answer)
        return 1

    handler: Handler = lambda _: response  # noqa: E731
    product = Unified(
        base_url="https://provider.test", api_key=Secret(SECRETS["unified"])
    )
    found, _ = ask(
        handler, product=product, capture=capture, redaction=redaction(), retries=0
    )
    told = f"{found!r} {found}"
    if isinstance(found, ProviderError):
        told += f" {found.errors} {found.code}"
    else:
        told += f" {found.value}"
    return told + "".join(f"{each.body!r} {each.headers} {each.url}" for each in kept)


@pytest.mark.parametrize("status", [200, 400, 401, 403, 404, 422, 429, 500])
@pytest.mark.parametrize("named", ["cash_in", "gateway", "hosted", "escrow"])
def test_one_product_may_not_tell_the_key_of_another(status: int, named: str) -> None:
    secret = SECRETS[named]
    said = {"message": f"not {secret}", "code": secret, "errors": {secret: [secret]}}
    shown = answered(
        httpx.Response(status, json=said, headers={"x-request-id": secret})
    )
    assert secret not in shown
    assert repr(secret)[1:-1] not in shown
    assert "***" in shown


def test_escaped_signs_are_masked_in_what_an_error_says() -> None:
    filler = "x" * 6_000
    mixed = "\\u0063anary-unified-0\\u003011"
    body = f'{{"filler": "{filler}", "message": "not {mixed}"}}'
    shown = answered(httpx.Response(200, text=body.replace("}", "")))
    assert "canary-unified" not in shown
    shown = answered(httpx.Response(403, text=body))
    assert "canary-unified" not in shown
    assert mixed not in shown
    assert "not ***" in shown
