"""Faults as the command line writes them."""

import pytest

from recon.errors import UsageError
from recon.sandbox.faults import KINDS, Fault, parse_fault


@pytest.mark.parametrize("kind", KINDS)
def test_a_bare_kind_is_a_fault(kind: str) -> None:
    assert parse_fault(kind) == Fault(kind)


def test_keys_follow_a_colon() -> None:
    found = parse_fault(
        "server_error:status=502,rate=0.25,times=3,method=get,path=/mpg"
    )
    wanted = Fault(
        "server_error", path="/mpg", method="GET", rate=0.25, times=3, status=502
    )
    assert found == wanted


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("storm", "'storm' is no fault: latency"),
        ("latency:second=1", "no such key 'second': path, method"),
        ("latency:seconds=soon", "seconds must be a number"),
        ("server_error:status=", "status must be a number"),
    ],
)
def test_what_is_no_fault_is_refused_with_what_is_allowed(text: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        parse_fault(text)
