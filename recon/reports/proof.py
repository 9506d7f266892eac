"""The evidence of a break for people, readable in a notebook."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any


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
        if self.found.get("more_records"):
            lines += ["There are more records than these.", ""]
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


def _fenced(shown: Any) -> list[str]:
    """Return a block that shows texts as they are, whatever is in them."""
    text = json.dumps(shown, ensure_ascii=False, indent=2)
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}json", text, fence, ""]
