"""Reading what a caller sent: JSON or form bodies, query strings, field by field."""

import re
from collections.abc import Collection, Iterable
from email.parser import BytesParser
from email.policy import HTTP
from typing import Any, cast
from urllib.parse import parse_qsl, urlsplit

import msgspec
from starlette.requests import Request

from recon.sandbox.answers import INVALID, Errors, Refusal, coded
from recon.sandbox.lists import Page
from recon.sandbox.world import Record

MOBILE = re.compile(r"09[0-9]{9}")
NATIONAL_CODE = re.compile(r"[0-9]{10}")
CARD = re.compile(r"[0-9]{16}")
_DIGITS = re.compile(r"[0-9]{1,18}")
_TRUE = {"1", "true", "yes", "on"}
_FALSE = {"0", "false", "no", "off"}
_LARGEST = 10**18
_PER_PAGE = 15


async def body_of(request: Request) -> Record:
    """Return the body as an object; what is no object counts as an empty one.

    Forms are taken wherever JSON is: integrators send both. Unknown: the answer to a
    malformed body; here it is the answer to one without any field.
    """
    raw = await request.body()
    if not raw:
        return {}
    kind = request.headers.get("content-type", "")
    if kind.startswith("application/x-www-form-urlencoded"):
        return _nested(parse_qsl(raw.decode("utf-8", "replace"), True))
    if kind.startswith("multipart/form-data"):
        return _nested(_parts(kind, raw))
    try:
        body = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return {}
    return body if isinstance(body, dict) else {}


async def parameters_of(request: Request) -> Record:
    """Return a list's parameters, from the query string or, failing that, the body.

    Unknown: how they are sent. Both ways are taken; the query string wins.
    """
    body = await body_of(request)
    return {**body, **_nested(request.query_params.multi_items())}


async def page_of(request: Request) -> Page:
    """Return the page asked for with `page` and `per_page`, else the first of 15."""
    given = Fields(await parameters_of(request))
    number = given.whole("page", required=False, least=1)
    size = given.whole("per_page", required=False, least=1)
    given.check()
    return Page(number or 1, size or _PER_PAGE)


def numbered(records: dict[int, Record], number: str) -> Record | None:
    """Return the record of a number as a path has it, in digits; None if none is."""
    return records.get(int(number)) if _DIGITS.fullmatch(number) else None


def _nested(pairs: Iterable[tuple[str, str]]) -> Record:
    """Read `name`, `name[]` and `name[key]` as forms write objects and arrays."""
    body: Record = {}
    for name, value in pairs:
        outer, bracket, inner = name.partition("[")
        inner = inner.rstrip("]")
        if not bracket:
            body[name] = value if name not in body else _more(body[name], value)
        elif inner and not inner.isdigit():
            place = body.setdefault(outer, {})
            if isinstance(place, dict):
                place[inner] = value
        else:
            body[outer] = [*_as_list(body.get(outer)), value]
    return body


def _more(known: Any, value: str) -> list[Any]:
    return [*_as_list(known), value]


def _as_list(value: Any) -> list[Any]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _parts(kind: str, raw: bytes) -> list[tuple[str, str]]:
    head = b"Content-Type: " + kind.encode("latin-1") + b"\r\n\r\n"
    message = BytesParser(policy=HTTP).parsebytes(head + raw)
    pairs = []
    for part in message.iter_parts() if message.is_multipart() else ():
        name = part.get_param("name", header="content-disposition")
        content = part.get_payload(decode=True)
        if isinstance(name, str) and isinstance(content, bytes):
            pairs.append((name, content.decode("utf-8", "replace")))
    return pairs


class Fields:
    """Fields of one object, read with their rules; what is wrong is gathered.

    Every reader returns None for a field that is absent (null counts as absent) or
    wrong; `check` refuses the request when anything was wrong.
    """

    def __init__(
        self, body: Record, *, under: str = "", errors: Errors | None = None
    ) -> None:
        self.body = body
        self.errors: Errors = {} if errors is None else errors
        self._under = under

    def text(
        self,
        name: str,
        *,
        required: bool = True,
        longest: int = 2000,
        like: re.Pattern[str] | None = None,
        among: Collection[str] = (),
    ) -> str | None:
        """Return a text field, stripped of nothing."""
        value = self._present(name, required=required)
        if value is not None:
            value = self._unless(name, _text_fault(value, longest, like, among), value)
        return cast("str | None", value)

    def address(
        self, name: str, *, https: bool = False, domain: str = ""
    ) -> str | None:
        """Return a web address: https only, or on one domain, where that is asked."""
        value = self.text(name)
        if value is None:
            return None
        why = _address_fault(value, "https" if https else "", domain)
        return cast("str | None", self._unless(name, why, value))

    def whole(self, name: str, *, required: bool = True, least: int = 0) -> int | None:
        """Return a whole number, sent as one or as a string of digits."""
        value = self._present(name, required=required)
        if value is None:
            return None
        if isinstance(value, str) and _DIGITS.fullmatch(value):
            value = int(value)
        elif isinstance(value, float) and value.is_integer():
            value = int(value)  # JSON knows one kind of number: 5.0 is 5
        if isinstance(value, bool) or not isinstance(value, int) or value > _LARGEST:
            why = "must be a whole number."
        else:
            why = f"must be at least {least}." if value < least else ""
        return cast("int | None", self._unless(name, why, value))

    def flag(self, name: str, *, required: bool = True) -> bool | None:
        """Return a truth value, sent as one or as a word of a query string."""
        value = self._present(name, required=required)
        if value is None or isinstance(value, bool):
            return value
        word = str(value).lower()
        why = "" if word in _TRUE | _FALSE else "must be true or false."
        return cast("bool | None", self._unless(name, why, word in _TRUE))

    def texts(
        self, name: str, *, required: bool = True, among: Collection[str] = ()
    ) -> list[str] | None:
        """Return an array of texts; a query string may part them with commas."""
        value = self._present(name, required=required)
        if value is None:
            return None
        if isinstance(value, str):
            value = value.split(",")
        why = ""
        if not isinstance(value, list) or not all(isinstance(x, str) for x in value):
            why = "must be an array of strings."
        elif among and not set(value) <= set(among):
            why = "may hold: " + ", ".join(sorted(among)) + "."
        return cast("list[str] | None", self._unless(name, why, value))

    def inner(self, name: str) -> "Fields | None":
        """Return the fields of an object inside this one."""
        value = self._present(name, required=True)
        if value is not None and not isinstance(value, dict):
            value = self._unless(name, "must be an object.", None)
        if value is None:
            return None
        return Fields(value, under=self._name(name) + ".", errors=self.errors)

    def each(self, name: str) -> "list[Fields]":
        """Return the fields of every object in a required array, at least one."""
        value = self._present(name, required=True)
        if value is None:
            return []
        if not isinstance(value, list) or not all(isinstance(x, dict) for x in value):
            self.wrong(name, "must be an array of objects.")
            return []
        if not value:
            self.wrong(name, "may not be empty.")
        return [
            Fields(item, under=f"{self._name(name)}.{at}.", errors=self.errors)
            for at, item in enumerate(value)
        ]

    def wrong(self, name: str, why: str) -> None:
        """Note that a field is wrong."""
        full = self._name(name)
        self.errors.setdefault(full, []).append(f"The {full} field {why}")

    def check(self) -> None:
        """Refuse with `{message, code, errors: {field: message}}` if any is wrong."""
        if self.errors:
            raise coded(422, "validation_error", INVALID, flat(self.errors))

    def _unless(self, name: str, why: str, value: Any) -> Any:
        if not why:
            return value
        self.wrong(name, why)
        return None

    def _present(self, name: str, *, required: bool) -> Any:
        value = self.body.get(name)
        if required and (value is None or value == ""):
            self.wrong(name, "is required.")
            return None
        return value

    def _name(self, name: str) -> str:
        return self._under + name


def _text_fault(
    value: Any, longest: int, like: re.Pattern[str] | None, among: Collection[str]
) -> str:
    if not isinstance(value, str):
        return "must be a string."
    if len(value) > longest:
        return f"may not be longer than {longest} characters."
    if like is not None and not like.fullmatch(value):
        return "has a wrong format."
    if among and value not in among:
        return "is not one of: " + ", ".join(sorted(among)) + "."
    return ""


def _address_fault(value: str, scheme: str, domain: str) -> str:
    try:
        parts = urlsplit(value)
        host = parts.hostname or ""
    except ValueError:
        return "is not a web address."
    if parts.scheme not in {"http", "https"} or not host:
        return "is not a web address."
    if scheme and parts.scheme != scheme:
        return f"must begin with {scheme}."
    if domain and host != domain:
        return "is not on the approved domain."
    return ""


def flat(errors: Errors) -> dict[str, str]:
    """Return the first message of each field."""
    return {name: messages[0] for name, messages in errors.items()}


def listed(errors: Errors) -> Refusal:
    """Refuse as cash-in does: every message of a field in a list."""
    return Refusal(422, {"message": INVALID, "errors": errors})
