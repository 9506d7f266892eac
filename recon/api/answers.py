"""What came back: a response kept as evidence, and the refusals that it may be."""

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Generic, TypeVar

import msgspec

from recon.api.redaction import Redaction
from recon.errors import NotFound, RateLimited, Refused, Unauthenticated
from recon.lake import Page
from recon.times import http_date

Value = TypeVar("Value")

_KEPT_HEADERS = ("content-type", "date", "retry-after", "x-request-id")
_UNAUTHENTICATED = 401
_FORBIDDEN = 403
_NOT_FOUND = 404
_TOO_MANY = 429
_UNAUTHENTICATED_CODES = {"unauthenticated_error", "forbidden_error"}
"""They mean the credential whatever the status: some documents name only the code."""
_LONGEST_MESSAGE = 500  # characters of a provider's text that an error repeats


@dataclass(frozen=True, slots=True)
class Answer(Generic[Value]):
    """One response. `body` is as received, `value` what its decoder made of it.

    `url` and `asked`, the JSON body of the request, hold no credential, and neither
    does `body`: one that the provider repeated is masked. `page_no` is where the
    capture stored it, if it did.
    """

    method: str
    url: str
    status: int
    headers: dict[str, str]
    body: bytes = field(repr=False)
    received_at: datetime
    value: Value = field(repr=False)
    page_no: int | None = None
    asked: str = field(default="", repr=False)

    @property
    def ok(self) -> bool:
        """Tell whether the status is in the 200 family."""
        return 200 <= self.status < 300  # noqa: PLR2004 - the family itself

    def given_at(self, skew: timedelta) -> datetime:
        """Return when it came; by its own date where that contradicts this machine.

        Unknown: that the date of an answer is the provider's present.
        """
        theirs = http_date(self.headers.get("date", ""))
        if theirs is None or abs(self.received_at - theirs) <= skew:
            return self.received_at
        return theirs

    def page(self) -> Page:
        """Return the answer as the lake stores it."""
        return Page(
            method=self.method,
            url=self.url,
            asked=self.asked,
            status=self.status,
            headers=self.headers,
            received_at=self.received_at,
            body=self.body,
        )

    @classmethod
    def of_page(cls, page: Page) -> "Answer[None]":
        """Return a stored page as the answer that it was, not decoded."""
        return Answer(
            method=page.method,
            url=page.url,
            asked=page.asked,
            status=page.status,
            headers=page.headers,
            body=page.body,
            received_at=page.received_at,
            value=None,
        )

    def holding(self, value: Any) -> "Answer[Any]":
        """Return the same answer with what was decoded from it."""
        return dataclasses.replace(self, value=value)

    def stored_as(self, page_no: int | None) -> "Answer[Value]":
        """Return the same answer with the number of its stored page."""
        return dataclasses.replace(self, page_no=page_no)


_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_INNERMOST = (b"[]", b"{}")


def nests_deeper(body: bytes, most: int) -> bool:
    """Tell whether JSON nests deeper than so many levels, without building it.

    Brackets within texts may hide some levels from this quick look, never many
    enough to harm: whatever decodes a body gives up long before the interpreter does.
    """
    brackets = body.translate(None, _NO_BRACKETS)
    if len(brackets) <= most:
        return False
    for _ in range(most):
        before = len(brackets)
        for pair in _INNERMOST:
            brackets = brackets.replace(pair, b"")
        if not brackets:
            return False
        if len(brackets) == before:  # nothing closes: a hostile body, or cut
            break
    return _goes_deeper(body, most)


def _goes_deeper(body: bytes, most: int) -> bool:
    """Tell the same exactly, as brackets within texts are none."""
    plain = body.replace(b"\\\\", b"").replace(b'\\"', b"")
    level = 0
    for sign in b"".join(plain.split(b'"')[::2]).translate(None, _NO_BRACKETS):
        level += 1 if sign in b"[{" else -1
        if level > most:
            return True
    return False


def any_json(body: bytes) -> Any:
    """Decode any JSON; msgspec.DecodeError if it is none."""
    return msgspec.json.decode(body)


@dataclass(frozen=True, slots=True)
class Complaint:
    """The provider's own words about a failure."""

    message: str
    code: str | None
    errors: dict[str, list[str]]


def kept(headers: Mapping[str, str]) -> dict[str, str]:
    """Return those of an answer's headers that are stored with it."""
    return {name: headers[name] for name in _KEPT_HEADERS if name in headers}


def complaint(body: bytes, redaction: Redaction | None = None) -> Complaint | None:
    """Read an error body of any documented shape; None if it is no JSON object.

    The shapes: `{error}`, `{message, code}`, `{message, code, errors: {field: text}}`
    with the code as text or number, `{message, errors: {field: [text]}}`,
    `{status, errors: {error: text}}` and `{status, errors: [text]}`. Errors without a
    field stand under `error`. The gateway tells its failures apart by `status`, which
    is then the code. What was escaped in JSON is plain here, and is masked again.
    Source: documents 1, 2 and 3, Errors.
    """
    try:
        found = msgspec.json.decode(body)
        if redaction:
            found = json.loads(redaction.text(json.dumps(found, ensure_ascii=False)))
    except (ValueError, RecursionError):  # of msgspec, and of bytes that are no UTF-8
        return None
    if not isinstance(found, dict):
        return None
    errors = _errors(found.get("errors"))
    code = found.get("code")
    if code is None and isinstance(found.get("errors"), list):
        code = found.get("status")
    said = found.get("message") or found.get("error")
    message = _text(said) or "; ".join(errors.get("error", ()))
    return Complaint(message, None if code is None else _text(code), errors)


def _errors(found: Any) -> dict[str, list[str]]:
    if isinstance(found, list):
        return {"error": [_text(each) for each in found]} if found else {}
    if not isinstance(found, Mapping):
        return {}
    return {
        str(field): [_text(each) for each in said]
        if isinstance(said, list)
        else [_text(said)]
        for field, said in found.items()
    }


def _text(value: Any) -> str:
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return "" if value is None else text[:_LONGEST_MESSAGE]


def refusal(answer: Answer[Any], said: Complaint | None) -> Refused:
    """Return the error that a 4xx answer is; `said` is None where it is no JSON."""
    kinds: dict[int, type[Refused]] = {
        _UNAUTHENTICATED: Unauthenticated,
        _FORBIDDEN: Unauthenticated,
        _NOT_FOUND: NotFound,
        _TOO_MANY: RateLimited,
    }
    said = said or Complaint("", None, {})
    named = ", ".join(
        f"{field}: {' '.join(texts)}"
        for field, texts in said.errors.items()
        if field != "error"
    )
    told = "; ".join(text for text in (said.code, said.message, named) if text)
    line = f"{where(answer)} answered {answer.status}{': ' if told else ''}{told}"
    kind = kinds.get(answer.status, Refused)
    if kind is Refused and said.code in _UNAUTHENTICATED_CODES:
        kind = Unauthenticated
    return kind(
        " ".join(line.split()),
        status=answer.status,
        code=said.code,
        errors=said.errors,
    )


def where(answer: Answer[Any]) -> str:
    """Name the request of an answer in one word of an error: method and address."""
    return f"{answer.method} {answer.url}"
