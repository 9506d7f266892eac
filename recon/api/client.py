"""The one way to the provider: asks, waits, retries what may be, keeps what came.

A `Client` speaks to one product. Reads are retried while their trouble may pass;
requests that move money are sent once, and an unclear end is an OutcomeUnknown.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Generic, Self, TypeVar

import httpx

from recon.api import answers, pace, wire
from recon.api.answers import Answer
from recon.api.credentials import Credential, Product, token_body
from recon.api.pace import Gate, backoff_seconds, retry_after_seconds
from recon.api.redaction import Redaction
from recon.errors import (
    OutcomeUnknown,
    RateLimited,
    Refused,
    SettingsError,
    Unauthenticated,
    Unavailable,
)
from recon.settings import USUAL_LIMITS, Checks, Http, Limits

Value = TypeVar("Value")
Decode = Callable[[bytes], Value]
"""Reads a body; raises ValueError (msgspec's errors are such) on a wrong shape."""
Capture = Callable[[Answer[None]], int | None]
"""Stores an answer before it is interpreted; returns the number of its page."""
Parameters = Mapping[str, str | int | list[str]]

RECEIVED_AT = "received_at"
"""The extension of a response that came earlier, from whoever kept it: a datetime."""

_PASSING = {408, 425, 429}  # 4xx that say nothing about the request itself
_REDIRECTS = range(300, 400)
_REFUSALS = range(400, 500)
_TOO_MANY = 429
_RENEWALS = 3


class _Trouble(Exception):  # noqa: N818 - never leaves this module
    """An attempt that failed; `error` is what the caller gets when no other helps."""

    def __init__(
        self,
        error: Unavailable | RateLimited,
        *,
        wait: float | None = None,
        passing: bool = True,
        left: bool = True,
    ) -> None:
        super().__init__()
        self.error = error
        self.wait = wait  # seconds the provider asked for
        self.passing = passing  # another attempt may help
        self.left = left  # the request may have reached the provider


@dataclass(frozen=True)
class _Call(Generic[Value]):
    """What is asked for, without a credential, and what reads the answer."""

    method: str
    path: str
    decode: Decode[Value]
    json: Any = field(default=None, repr=False)  # a grant holds a secret
    params: Parameters | None = None


class Client:
    """An httpx client of one product, opened with `async with`.

    `transport` replaces the default one (httpx over aiohttp): `httpx.ASGITransport`
    in tests, `httpx.AsyncHTTPTransport()` for httpx's own. `capture` gets every
    answer but those that hold a token, before it is read. `redaction` masks the
    secrets of other products, too. `clock_skew` is how far the provider's clock may be
    from this machine's. Errors: the ProviderError tree, and SettingsError where address
    or credential is missing.
    """

    def __init__(
        self,
        product: Product,
        http: Http,
        *,
        limits: Limits = USUAL_LIMITS,
        transport: httpx.AsyncBaseTransport | None = None,
        capture: Capture | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        gate: Gate | None = None,
        redaction: Redaction | None = None,
        clock_skew: timedelta = Checks.clock_skew,
    ) -> None:
        self.clock_skew = clock_skew
        self._redaction = redaction or Redaction()
        self._credential = Credential(product, self._redaction)
        if not product.base_url:
            raise SettingsError(f"{self._credential.section}.base_url is not set")
        self._base_url = product.base_url
        self._redaction.hide(wire.proxy_password(product.base_url))
        self._http = http
        self.limits = limits
        patience = limits.retry_wait.total_seconds()  # with the provider's own waits
        self._patience = max(patience, pace.LONGEST_WAIT_SECONDS)
        self._capture = capture
        self._sleep = sleep
        self._gate = gate or Gate(http.concurrency, http.rate_limit, sleep)
        self._wire = wire.Wire(product.base_url, http, transport)
        self.retry_count = 0

    @property
    def concurrency(self) -> int:
        """Return how many requests may be under way at once."""
        return self._http.concurrency

    def address(self, path: str) -> str:
        """Return the full address of a path at the provider."""
        return self._base_url + path

    def capture_with(self, capture: Capture | None) -> None:
        """Hand every later answer to another capture."""
        self._capture = capture

    async def read(
        self,
        method: str,
        path: str,
        *,
        params: Parameters | None = None,
        json: Any = None,
        decode: Decode[Value],
    ) -> Answer[Value]:
        """Ask something that changes nothing, again while its trouble may pass.

        Passing trouble: 5xx, 408, 425, 429 (its `Retry-After` is kept), a cut
        connection, a time-out, an answer that is not JSON or that `decode` refuses.
        Raises Unavailable or RateLimited when the retries are spent, Refused and its
        kinds at once.
        """
        return await self._patiently(_Call(method, path, decode, json, params))

    async def send(
        self, method: str, path: str, *, json: Any = None, decode: Decode[Value]
    ) -> Answer[Value]:
        """Send something that counts once; it is never sent again.

        Raises Refused and its kinds (RateLimited too) where the provider clearly did
        not act, Unavailable where the request never left, OutcomeUnknown otherwise.
        """
        try:
            return await self._authorised(_Call(method, path, decode, json))
        except _Trouble as trouble:
            error = trouble.error
            if isinstance(error, RateLimited) or not trouble.left:
                raise error from None
            raise OutcomeUnknown(
                f"{error}; whether it took effect is not known",
                status=error.status,
                code=error.code,
                errors=error.errors,
            ) from None

    async def _patiently(
        self, call: _Call[Value], *, bare: bool = False
    ) -> Answer[Value]:
        attempt = 0
        until = time.monotonic() + self.limits.request_time.total_seconds()
        while True:
            try:
                if bare:
                    return await self._exchange(call, {}, call.json)
                return await self._authorised(call)
            except _Trouble as trouble:
                wait = max(trouble.wait or 0.0, backoff_seconds(attempt))
                spent = attempt >= self._http.retries
                late = time.monotonic() + wait > until
                if spent or late or not trouble.passing or wait > self._patience:
                    raise trouble.error from None
            attempt += 1
            self.retry_count += 1
            await self._sleep(wait)

    async def _authorised(self, call: _Call[Value]) -> Answer[Value]:
        """Make one attempt with the credential; once more with a new token on 401.

        So it is where a token's life ended on the way, behind others: a few times.
        """
        for renewal in range(_RENEWALS + 1):
            headers, body = await self._credential.apply(call.json, self._fetch_token)
            used = self._credential.token
            try:
                return await self._exchange(call, headers, body)
            except Unauthenticated as error:
                may_help = used and (renewal == 0 or used.ran_out())
                if error.status != 401 or not may_help or renewal == _RENEWALS:  # noqa: PLR2004
                    raise
                self._credential.forget(used)
        raise AssertionError("the last attempt returns or raises")

    async def _fetch_token(self, path: str, grant: dict[str, Any]) -> bytes:
        """Ask for a token; a refusal is that of the credential, whatever its status.

        It never stands for what the request itself is about: that was not asked.
        """
        call = _Call("POST", path, token_body, grant)
        try:
            return (await self._patiently(call, bare=True)).value
        except RateLimited:
            raise
        except Refused as error:  # its code, or a 404, says nothing of the record
            status = error.status if error.status in (401, 403) else None
            raise Unauthenticated(f"no token: {error}", status=status) from None

    async def _exchange(
        self, call: _Call[Value], headers: dict[str, str], json: Any
    ) -> Answer[Value]:
        """Ask once, with these headers and the body that holds the credential."""
        address = self.address(call.path)
        request = self._wire.request(call.method, address, headers, call.params, json)
        url = str(request.url)
        line = f"{call.method} {url}"
        async with self._gate:
            response, body = await self._received(request, line)
        # A new token may be an old one again, so its answer alone stays unmasked.
        is_token = call.decode is token_body and response.is_success
        answer = Answer(
            method=call.method,
            url=url,
            status=response.status_code,
            headers=self._redaction.texts(answers.kept(response.headers)),
            body=body
            if is_token
            else self._redaction.masked(body, thoroughly=not response.is_success),
            received_at=response.extensions.get(RECEIVED_AT) or datetime.now(UTC),
            value=None,
            asked=self._credential.bare(json),
        )
        if self._capture and call.decode is not token_body:
            answer = answer.stored_as(self._capture(answer))
        return self._judged(answer, call.decode)

    async def _received(
        self, request: httpx.Request, line: str
    ) -> tuple[httpx.Response, bytes]:
        status = None
        try:
            async with asyncio.timeout(self._http.timeout.total_seconds()):
                response = await self._wire.send(request)
                status = response.status_code
                try:
                    return response, await wire.bounded(response, self.limits.body)
                finally:
                    await response.aclose()
        except TimeoutError as error:
            seconds = self._http.timeout.total_seconds()
            left = wire.may_have_left(request, error)
            what = "whole answer" if left else "connection"
            told = f"{line}: no {what} within {seconds:g} s"
            raise _Trouble(Unavailable(told), left=left) from None
        except wire.TooLong:
            told = f"{line}: the answer is longer than {self.limits.body} bytes"
            raise _Trouble(Unavailable(told, status=status), passing=False) from None
        except wire.TROUBLE as error:
            left = wire.may_have_left(request, error)
            told = f"{line}: {'connection cut' if left else 'no connection'}"
            why = self._redaction.text(wire.said(error))
            raise _Trouble(Unavailable(f"{told} ({why})"), left=left) from None

    def _judged(self, answer: Answer[None], decode: Decode[Value]) -> Answer[Value]:
        """Return the answer decoded, or raise what its status or its shape means."""
        if not answer.ok:
            raise self._failure(answer)
        try:
            if answers.nests_deeper(answer.body, self.limits.depth):
                raise ValueError(f"it nests deeper than {self.limits.depth} levels")  # noqa: TRY301 - judged with the other shapes
            value = decode(answer.body)
        except (ValueError, RecursionError) as error:
            held = decode is token_body and b"access_token" in answer.body
            said = None if held else answers.complaint(answer.body, self._redaction)
            told = f" (it says: {said.message})" if said and said.message else ""
            line = f"{answers.where(answer)}: not the documented answer: {error}{told}"
            raise _Trouble(Unavailable(line, status=answer.status)) from None
        self._gate.went_well()
        return answer.holding(value)

    def _failure(self, answer: Answer[None]) -> Exception:
        said = answers.complaint(answer.body, self._redaction)
        status = answer.status
        said_at = answer.given_at(timedelta())
        wait = retry_after_seconds(answer.headers.get("retry-after"), said_at)
        if status == _TOO_MANY:
            limited = answers.refusal(answer, said)
            if isinstance(limited, RateLimited):
                limited.retry_after = wait
                pause = min(wait or 0.0, self._patience)
                self._gate.slow_down(pause)
                return _Trouble(limited, wait=wait)
        known = status in (401, 403) or said is not None
        if status in _REFUSALS and status not in _PASSING and known:
            return answers.refusal(answer, said)
        if status in _REDIRECTS:
            told = f"{answers.where(answer)}: a redirect ({status}), not followed"
            return _Trouble(Unavailable(told, status=status), passing=False)
        told = str(answers.refusal(answer, said))
        error = Unavailable(
            told,
            status=status,
            code=said.code if said else None,
            errors=said.errors if said else None,
        )
        return _Trouble(error, wait=wait)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close every connection."""
        await self._wire.aclose()

    def __repr__(self) -> str:
        return f"Client({self._credential.section}, {self._base_url})"
