"""The evidence of a break for people: readable in a notebook, masked where wanted."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from recon.errors import CorruptLake
from recon.lake import Lake
from recon.reports.masking import Masking
from recon.reports.personal_keys import cells_of_people, kind_of, without_cells

_HIDDEN = "***"
_PERSONAL = (
    r"\w*(?:first_?name|last_?name|email|mobile|national_?code|card_?number|birth_?date"
    r"|account_?owner|cid)"
)
_PERSONAL_KEY = re.compile(_PERSONAL, re.IGNORECASE)
_PERSONAL_JSON = re.compile(
    rf'("{_PERSONAL}"\s*:\s*)(?:"(?:[^"\\]|\\.)*"|\[[^\]]*\])', re.IGNORECASE
)
_TEXT_JSON = re.compile(r'("(?P<key>[^"\\]+)"\s*:\s*)"(?:[^"\\]|\\.)*"')
_MASK = Masking()
_IDENTIFIER = (
    r"(?:(?:\w*_)?(?:id|code|at|hash|sha256|reference|token)|\w*[nN]umber|\w+Id)"
)
_IDENTIFIER_KEY = re.compile(_IDENTIFIER)
_IDENTIFIER_JSON = re.compile(rf'("{_IDENTIFIER}"\s*:\s*"(?:[^"\\]|\\.)*")')


@dataclass(frozen=True)
class Evidence:
    """What stands behind a break, as `recon breaks show` gives it; empty is none."""

    found: Mapping[str, Any]

    def __str__(self) -> str:
        """Return the evidence as indented JSON."""
        return json.dumps(self.found, ensure_ascii=False, indent=2)

    def _repr_markdown_(self) -> str:
        """Show the break, its rule, its records and the stored answers."""
        if not self.found:
            return "No break is open in this period, so there is no evidence of one."
        rule = self.found.get("rule", {})
        lines = [f"**{name}**: {text}\n" for name, text in rule.items()]
        for title in ("break", "wallet", "records"):
            if self.found.get(title):
                lines += [f"**{title}**", *_fenced(self.found[title])]
        for page in self.found.get("pages", ()):
            place = f"page {page['page_no']} of {page['pull_id']}"
            lines += [f"**stored answer, {place}**", *_fenced(page)]
        return "\n".join(lines)


def texts_of(found: Any) -> Iterator[str]:
    """Yield the texts of evidence, or of a JSON document, at every depth."""
    if isinstance(found, Mapping):
        for each in found.values():
            yield from texts_of(each)
    elif isinstance(found, (list, tuple)):
        for each in found:
            yield from texts_of(each)
    elif isinstance(found, str):
        yield found


def masked(found: Any, mask: Masking = _MASK, key: str = "") -> Any:
    """Return evidence with the personal data in it hidden, at every depth.

    `mask` knows the people of the lake; without it only their numbers are found.
    """
    if isinstance(found, Mapping):
        return {name: masked(value, mask, name) for name, value in found.items()}
    if isinstance(found, list):
        return [masked(value, mask, key) for value in found]
    if not isinstance(found, str) or key == "sql":
        return found
    if _is_personal(key):
        return _HIDDEN
    if _IDENTIFIER_KEY.fullmatch(key):
        return mask.identifier(found)
    found = _PERSONAL_JSON.sub(rf'\1"{_HIDDEN}"', found)
    return _text(_TEXT_JSON.sub(_in_json, found), mask)


def without_people(found: Mapping[str, Any], lake: Lake) -> dict[str, Any]:
    """Return evidence whose excerpts of files hide what is under a person's header."""
    pages = []
    for page in found.get("pages", ()):
        try:
            body = lake.page(page["pull_id"], page["page_no"]).body
        except CorruptLake:  # the evidence says so where the page is shown
            body = b""
        people = dict(cells_of_people(body.decode("utf-8", errors="ignore")))
        shown = without_cells(page.get("excerpt") or "", people, lambda *_: _HIDDEN)
        pages.append(page | ({"excerpt": shown} if people else {}))
    return {**found, **({"pages": pages} if pages else {})}


def _is_personal(key: str) -> bool:
    return bool(_PERSONAL_KEY.fullmatch(key) or kind_of(key))


def _in_json(found: re.Match[str]) -> str:
    return f'{found[1]}"{_HIDDEN}"' if _is_personal(found["key"]) else found[0]


def _text(found: str, mask: Masking) -> str:
    """Return a text masked; identifiers in JSON are searched as those of a record."""
    parts = _IDENTIFIER_JSON.split(found)
    parts[::2] = map(mask.text, parts[::2])
    parts[1::2] = map(mask.identifier, parts[1::2])
    return "".join(parts)


def _fenced(shown: Any) -> list[str]:
    """Return a block that shows texts as they are, whatever is in them."""
    text = json.dumps(shown, ensure_ascii=False, indent=2)
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}json", text, fence, ""]
