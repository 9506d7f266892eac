"""The evidence of one break, fit to be shown or sent: people and secrets are masked.

Values under a person's keys (`mobile`, `first_name`, …) are hidden whole, and so are
cells under such a header of an imported file; every other text is searched as those of
reports are. With `reports.personal_data = "keep"` all stays as it was received, but for
the secrets of the settings: a shop's own log of its requests, once imported, may have
the key that it sent.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from recon.api.redaction import Redaction
from recon.errors import CorruptLake
from recon.reconcile.result import Result
from recon.reports.masking import masking_of_texts
from recon.reports.personal_keys import cells_of_people, kind_of, without_cells
from recon.reports.proof import texts_of
from recon.settings import Settings

_SHOWN = {
    "name": (1, 0),
    "mobile": (4, 2),
    "code": (0, 2),
    "email": (1, 0),
    "card": (6, 4),
    "hash": (0, 0),
}
_STRING = r'"(?:[^"\\]|\\.)*(?:"|$)'
_IN_JSON = re.compile(
    rf'(?:(?P<head>"(?P<key>[^"\\]+)"\s*:\s*))?'
    rf"(?P<value>{_STRING}|(?<=[:\s])\d+|\[(?:\s*{_STRING}\s*,?)+(?:\s*\]|$))"
)
_JSON_TEXTS = frozenset({"excerpt", "items", "data", "extra"})
_PROSE = frozenset({"description", "message", "error_message", "error"})
_AS_IT_IS = frozenset({"rule", "query"})


class Disclosure:
    """Shows the evidence of one break as far as the settings allow."""

    def __init__(
        self, result: Result, settings: Settings, found: Mapping[str, Any]
    ) -> None:
        """Learn which names and codes of the evidence are a person's in the lake."""
        bodies = [*_bodies_of(result, found)]
        texts = [*texts_of(found), *chain.from_iterable(map(_leaves, bodies))]
        self._cells = dict(chain.from_iterable(map(cells_of_people, bodies)))
        self._mask = masking_of_texts(result, settings, texts)
        self._secrets = Redaction.of(settings)

    def evidence(self, found: Mapping[str, Any]) -> dict[str, Any]:
        """Return the evidence, masked."""
        shown: dict[str, Any] = self._value("", found)
        return shown

    def words(self, lines: Sequence[str]) -> list[str]:
        """Return lines of words about a break, masked."""
        return [self._text("detail", line) for line in lines]

    def rows(self, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Return rows masked by the names of their columns."""
        return [self._value("", row) for row in rows]

    def body(self, body: bytes) -> bytes | None:
        """Return a stored body, masked; None where it is no text and cannot be."""
        body = self._secrets.masked(body, thoroughly=True)
        if self._mask is None:
            return body
        try:
            return self._text_of_body(body.decode("utf-8")).encode()
        except UnicodeDecodeError:
            return None

    def _value(self, key: str, value: Any) -> Any:
        if isinstance(value, Mapping):
            return {
                name: each if name in _AS_IT_IS else self._value(name, each)
                for name, each in value.items()
            }
        if isinstance(value, (list, tuple)):
            return [self._value(key, each) for each in value]
        kind = kind_of(key) if self._mask else None
        if kind and value is not None:
            return _hidden(self._secrets.text(str(value)), kind)
        if isinstance(value, str):
            return self._text(key, value)
        return value

    def _text(self, key: str, text: str) -> str:
        """Mask a text by what its key says it is; one with spaces is prose."""
        text = self._secrets.text(text)
        if self._mask is None:
            return text
        if key in _JSON_TEXTS:
            return self._text_of_body(text)
        if key in ("detail", "told"):
            return self._mask.account(text)
        if key in _PROSE or " " in text.strip():
            return self._mask.text(text)
        return self._mask.identifier(text)

    def _text_of_body(self, text: str) -> str:
        """Mask a body in place: what is not a person's stays to the letter."""
        assert self._mask is not None  # noqa: S101 - asked only where people are masked
        if text.lstrip()[:1] in ("{", "["):
            return _IN_JSON.sub(self._in_json, text)
        lines = without_cells(text, self._cells, _hidden).split("\n")
        return "\n".join(map(self._mask.text, lines))

    def _in_json(self, found: re.Match[str]) -> str:
        head, value = found["head"] or "", found["value"]
        key = found["key"] or ""
        if value.startswith("["):
            return head + re.sub(_STRING, lambda each: self._token(key, each[0]), value)
        return head + self._token(key, value)

    def _token(self, key: str, token: str) -> str:
        """Mask one string or number of a JSON text."""
        if not token.startswith('"'):
            kind = kind_of(key)
            return f'"{_hidden(token, kind)}"' if kind else token
        text = _unescaped(token)
        shown = self._value(key, text)
        return token if shown == text else json.dumps(shown, ensure_ascii=False)


def stored_bodies(
    result: Result, found: Mapping[str, Any]
) -> Iterator[tuple[str, bytes]]:
    """Yield the stored bodies behind a break, with a name of a file for each."""
    for page in found["pages"]:
        body = result.lake.page(page["pull_id"], page["page_no"]).body
        json_like = body.lstrip()[:1] in (b"{", b"[")
        ending = "json" if json_like else "txt"
        yield f"{page['pull_id']}-{page['page_no']}.{ending}", body


def _bodies_of(result: Result, found: Mapping[str, Any]) -> Iterator[str]:
    try:
        for _, body in stored_bodies(result, found):
            yield body.decode("utf-8", errors="ignore")
    except CorruptLake:
        return  # the evidence says so where the page is shown


def _leaves(text: str) -> Iterator[str]:
    """Yield the texts of a JSON document, or the lines of any other one."""
    try:
        yield from texts_of(json.loads(text))
    except ValueError:
        yield from text.splitlines()


def _unescaped(token: str) -> str:
    bare = token.removeprefix('"').removesuffix('"')
    try:
        return str(json.loads(f'"{bare}"'))
    except ValueError:
        return bare


def _hidden(text: str, kind: str) -> str:
    """Hide a person's value but for what tells two apart.

    One that the provider has masked stays as it is, if it shows no more than that.
    """
    before, after = _SHOWN[kind]
    if not text or ("*" in text and len(text.replace("*", "")) <= before + after):
        return text
    if kind in ("name", "email", "hash"):
        return f"{text[:before]}***"
    hidden = max(0, len(text) - before - after)
    return text[:before] + "*" * hidden + text[len(text) - after :]
