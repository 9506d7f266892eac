"""Docs say of commands, settings, exit codes and checks what the code has."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from recon.reconcile.disclosures.unjudged import TOLD
from tests.generated_docs import PARTS, ROOT, filled
from tests.summary_keys import Summary

_DOCUMENTS = sorted(
    str(path.relative_to(ROOT))
    for folder in ("", "data", "queries", "recon", "tests/campaign")
    for path in (ROOT / folder).glob("**/*.md" if folder else "*.md")
)
_LINK = re.compile(r"\]\(([^)\s]+)\)")


@pytest.mark.parametrize("document", PARTS)
def test_generated_parts_are_up_to_date(document: str) -> None:
    text = (ROOT / document).read_text("utf-8")
    assert filled(text, PARTS[document]) == text, "run python -m tests.generated_docs"


def test_the_keys_of_the_summary_are_listed() -> None:
    text = (ROOT / "recon/reports/README.md").read_text("utf-8")
    firsts = re.findall(r"^\| (`[^|]+) \|", text, re.MULTILINE)
    listed = set(re.findall(r"`(\w+)`", " ".join(firsts)))
    named = set(re.findall(r"`(\w+)`", text))
    of_summary, of_parts = _keys()
    assert of_summary <= listed
    assert of_parts <= named
    assert TOLD.keys() <= listed
    assert listed <= of_summary | of_parts | TOLD.keys()


@pytest.mark.parametrize("document", _DOCUMENTS)
def test_links_lead_to_a_file_and_a_heading(document: str) -> None:
    text = (ROOT / document).read_text("utf-8")
    links = [each for each in _LINK.findall(text) if "://" not in each]
    for link in links:
        file, _, heading = link.partition("#")
        target = ((ROOT / document).parent / file) if file else ROOT / document
        assert target.exists(), link
        assert not heading or heading in _headings(target.read_text("utf-8")), link


def _headings(text: str) -> set[str]:
    """Return the names by which links call the headings of a document."""
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", each).lower().replace(" ", "-") for each in headings}


def _keys() -> tuple[set[str], set[str]]:
    """Return the summary's own keys, and those of what it holds."""
    found = list(_structs(msgspec.inspect.type_info(Summary)))
    keys = [{field.encode_name for field in each.fields} for each in found]
    return keys[0], set().union(*keys[1:])


def _structs(info: Any) -> Iterator[msgspec.inspect.StructType]:
    if isinstance(info, msgspec.inspect.StructType):
        yield info
        for field in info.fields:
            yield from _structs(field.type)
    for part in ("item_type", "value_type"):
        if hasattr(info, part):
            yield from _structs(getattr(info, part))
    for option in getattr(info, "types", ()):
        yield from _structs(option)
