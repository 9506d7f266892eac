"""What an evidence pack shows of a person's values, whoever masked them before."""

import pytest

from recon.reports.disclosure import _hidden


@pytest.mark.parametrize(
    ("kind", "text", "shown"),
    [
        ("name", "Sara", "S***"),
        ("name", "Sara *Omidi", "S***"),
        ("name", "S***", "S***"),
        ("mobile", "09121234567", "0912*****67"),
        ("mobile", "0912*1234567", "0912******67"),
        ("code", "12*3456789", "********89"),
        ("card", "603799******1234", "603799******1234"),
        ("card", "6037991234561234*", "603799*******234*"),
        ("email", "s*ra@example.com", "s***"),
    ],
)
def test_a_star_in_a_value_hides_nothing_by_itself(
    kind: str, text: str, shown: str
) -> None:
    """Anybody may be called with a star; only what is hidden already stays."""
    assert _hidden(text, kind) == shown
