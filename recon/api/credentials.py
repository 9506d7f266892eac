"""Each product's credential: how it travels, and how it stays out of everything else.

Source: documents 1, 2 and 3, Authentication.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec

from recon.api.redaction import Redaction
from recon.errors import SettingsError
from recon.setting_values import Secret
from recon.settings import (
    SECTIONS,
    CashIn,
    Escrow,
    Gateway,
    Hosted,
    Unified,
    variable_of,
)

Product = Unified | Escrow | CashIn | Gateway | Hosted

_SECTION_OF = {product: section for section, product in SECTIONS.items()}

_TOKEN_PATH = "/sso/oauth/token"  # noqa: S105 - an address, not a secret
_RENEW_SECONDS = 60.0  # a token is renewed so long before it expires …
_RENEW_SHARE = 0.1  # … or this share of its life, whichever is less
_LIVES = range(2**63)  # seconds

Exchange = Callable[[str, dict[str, Any]], Awaitable[bytes]]
"""Posts a JSON body to a path without a credential; returns the answer's body."""


class TokenAnswer(msgspec.Struct, frozen=True):
    """The access token response. Source: document 1, Access token response."""

    access_token: str
    expires_in: int

    def __post_init__(self) -> None:
        if not (self.access_token.isascii() and self.access_token.isprintable()):
            raise ValueError("the token cannot stand in a header")
        if self.expires_in not in _LIVES:
            raise ValueError("expires_in is no life of a token")

    def __repr__(self) -> str:
        return f"TokenAnswer(expires_in={self.expires_in})"


@dataclass(frozen=True)
class Token:
    """An access token; its times are those of the running loop's clock."""

    text: str = field(repr=False)
    renew_at: float
    ends_at: float

    def ran_out(self) -> bool:
        """Tell whether its life is over, by what the provider said of it."""
        return asyncio.get_running_loop().time() >= self.ends_at


class Credential:
    """The credential of one product; `apply` puts it on a request.

    `redaction` learns of it, and of every token that comes.
    """

    def __init__(self, product: Product, redaction: Redaction) -> None:
        """Raise SettingsError, naming the key and its variable, if one is missing."""
        self.section = _SECTION_OF[type(product)]
        self._product = product
        self._redaction = redaction
        self._token: Token | None = None
        self._renewing = asyncio.Lock()
        if isinstance(product, Escrow):
            if product.client_id is None:
                raise _missing(self.section, "client_id")
            secret = _required(product.client_secret, self.section, "client_secret")
        else:
            secret = _required(product.api_key, self.section, "api_key")
        redaction.hide(secret)

    @property
    def token(self) -> Token | None:
        """Return the token that `apply` used last, to be handed to `forget`."""
        return self._token

    async def apply(self, body: Any, exchange: Exchange) -> tuple[dict[str, str], Any]:
        """Return the headers and the JSON body that hold the credential."""
        product = self._product
        match product:
            case Unified() | Hosted():
                return {"x-api-key": product.api_key.reveal()}, body
            case CashIn():
                return _bearer(product.api_key.reveal()), body
            case Gateway():
                return {}, {**(body or {}), "api_key": product.api_key.reveal()}
            case Escrow():
                return _bearer(await self._fresh(exchange)), body

    def forget(self, token: Token | None) -> None:
        """Drop a token that was refused, unless another took its place already."""
        if token is self._token:
            self._token = None

    def bare(self, body: Any) -> str:
        """Return a JSON body as text, without the credential that `apply` put there."""
        if body is None:
            return ""
        if isinstance(self._product, Gateway):
            body = {name: said for name, said in body.items() if name != "api_key"}
        return self._redaction.masked(msgspec.json.encode(body)).decode()

    async def _fresh(self, exchange: Exchange) -> str:
        async with self._renewing:
            clock = asyncio.get_running_loop().time
            token = self._token
            if token is None or clock() >= token.renew_at:
                asked_at = clock()
                answer = _read_token(await exchange(_TOKEN_PATH, self._grant()))
                life = max(0.0, float(answer.expires_in))
                margin = min(_RENEW_SECONDS, life * _RENEW_SHARE)
                ends_at = asked_at + life
                token = Token(answer.access_token, ends_at - margin, ends_at)
                self._token = token
                self._redaction.hide_token(token.text)
            return token.text

    def _grant(self) -> dict[str, Any]:
        product = self._product
        if not isinstance(product, Escrow):
            raise TypeError("only the escrow service hands out tokens")
        return {
            "grant_type": "client_credentials",
            "client_id": product.client_id,
            "client_secret": product.client_secret.reveal(),
        }

    def __repr__(self) -> str:
        return f"Credential({self.section})"


def token_body(body: bytes) -> bytes:
    """Check a token answer and pass it on: it is read where the token is kept."""
    _read_token(body)
    return body


def _read_token(body: bytes) -> TokenAnswer:
    return msgspec.json.decode(body, type=TokenAnswer)


def _bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


def _required(secret: Secret, section: str, key: str) -> str:
    if not secret:
        raise _missing(section, key)
    return secret.reveal()


def _missing(section: str, key: str) -> SettingsError:
    told = f"{section}.{key} is not set; give it in the environment as "
    return SettingsError(told + variable_of(section, key))
