"""Docs say of commands, settings, exit codes and checks what the code has."""

import pytest

from tests.generated_docs import PARTS, ROOT, filled


@pytest.mark.parametrize("document", PARTS)
def test_generated_parts_are_up_to_date(document: str) -> None:
    text = (ROOT / document).read_text("utf-8")
    assert filled(text, PARTS[document]) == text, "run python -m tests.generated_docs"
