"""The signature of a delivery: Base64 of the raw digest, over the raw body."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recon.sandbox.deliveries import sign as sandbox_sign
from recon.webhooks.signature import fits, sign

BODY = b'{"created":1,"type":"a","data":{}}'


def test_a_known_answer() -> None:
    # RFC 4231, test case 2: key "Jefe", data "what do ya want for nothing?"
    digest = "W9zBRr9gdU5qBCQmCJV1x1oAPwidJzmDnexYuWTsOEM="
    assert sign(b"what do ya want for nothing?", "Jefe") == digest
    assert fits(b"what do ya want for nothing?", digest.encode(), "Jefe")


@given(st.binary(max_size=200), st.text(min_size=1, max_size=20))
def test_the_sandbox_signs_alike(body: bytes, business: str) -> None:
    try:
        business.encode()
    except UnicodeEncodeError:
        return
    assert fits(body, sandbox_sign(body, business).encode(), business)


@pytest.mark.parametrize(
    "given_signature",
    [
        b"",
        sign(BODY, "tea-house").encode() + b"=",
        sign(BODY, "tea-house").rstrip("=").encode(),
        sign(BODY, "tea-house").lower().encode(),
        sign(BODY, "Tea-house").encode(),
        sign(BODY + b" ", "tea-house").encode(),
        sign(BODY, "tea-house").encode()[:-1],
        "é".encode("latin-1"),
        b"\xff\x00",
    ],
)
def test_what_nearly_fits_does_not(given_signature: bytes) -> None:
    assert not fits(BODY, given_signature, "tea-house")


def test_hex_is_not_taken_for_base64() -> None:
    as_hex = base64.b64decode(sign(BODY, "tea-house")).hex()
    assert not fits(BODY, as_hex.encode(), "tea-house")
