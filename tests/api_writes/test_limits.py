"""The limits of inputs: exactly what the contract allows, for any value at all."""

from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recon.records import limits
from recon.records.limits import WrongInput

ANYTHING = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=40),
    st.binary(max_size=8),
    st.lists(st.text(max_size=3), max_size=3),
)
NOW = datetime(2026, 10, 1, 9, tzinfo=UTC)


def _takes(check: Any, *given_: Any, **named: Any) -> bool:
    """Say whether a value is taken; a refusal must name the field."""
    refused = _refusal(check, "field", *given_, **named)
    if refused is None:
        return True
    assert refused.field == "field"
    assert str(refused).startswith("field: must be ")
    return False


def _refusal(check: Any, *given_: Any, **named: Any) -> WrongInput | None:
    try:
        check(*given_, **named)
    except WrongInput as error:
        return error
    return None


@given(ANYTHING)
@example(limits.GATEWAY_LEAST)
@example(limits.GATEWAY_LEAST - 1)
@example(float(limits.GATEWAY_LEAST))
@example(10**18 - 1)
@example(10**18)
@example(True)
def test_rials_are_ints_within_their_range(value: Any) -> None:
    allowed = type(value) is int and limits.GATEWAY_LEAST <= value < 10**18
    assert _takes(limits.rials, value, limits.GATEWAY_LEAST) is allowed


@given(ANYTHING)
@example("7" * 32)
@example("7" * 33)
@example("")
@example("۷")
@example("²")
@example("7\n")
def test_a_checkout_number_is_1_to_32_ascii_digits(value: Any) -> None:
    allowed = (
        isinstance(value, str)
        and 1 <= len(value) <= 32
        and all(sign in "0123456789" for sign in value)
    )
    assert _takes(limits.digits, value, 1, limits.CHECKOUT_NUMBER_MOST) is allowed


@given(ANYTHING)
@example("x" * 255)
@example("x" * 256)
@example("ی" * 255)
@example("\t")
def test_a_description_has_1_to_255_characters(value: Any) -> None:
    allowed = isinstance(value, str) and bool(value.strip()) and len(value) <= 255
    assert _takes(limits.text, value, limits.DESCRIPTION_MOST) is allowed


@given(st.one_of(ANYTHING, st.from_regex(r"09[0-9]{9}", fullmatch=True)))
@example("9120000001")
@example("+989120000001")
@example("0912000000۱")
@example("091200000012")
@example("08120000001")
def test_a_mobile_is_09_and_nine_digits(value: Any) -> None:
    allowed = (
        isinstance(value, str)
        and len(value) == 11
        and value.startswith("09")
        and all(sign in "0123456789" for sign in value)
    )
    assert _takes(limits.mobile, value) is allowed


@given(st.lists(st.text(min_size=1, max_size=3), max_size=14))
def test_cards_are_one_to_ten(cards: list[str]) -> None:
    allowed = 1 <= len(cards) <= 10 and all(card.strip() for card in cards)
    refused = _refusal(limits.cards, "cards", cards)
    assert (refused is None) is allowed
    if refused:
        assert refused.field.split(".")[0] == "cards"


@given(st.integers(-(10**6), 10**6))
@example(0)
def test_an_expiry_is_later_than_now(seconds: int) -> None:
    when = NOW + timedelta(seconds=seconds)
    for value in (when, int(when.timestamp())):
        assert _takes(limits.future, value, NOW) is (seconds > 0)


@pytest.mark.parametrize(
    "value", [NOW.replace(tzinfo=None) + timedelta(days=1), True, 2e9, "2000000000"]
)
def test_an_expiry_is_an_instant(value: Any) -> None:
    assert not _takes(limits.future, value, NOW)


@given(st.one_of(ANYTHING, st.text("htps:/.@\\ shop.evilx#?[]:0", max_size=40)))
@example("https://shop.example/")
@example("https://shop.example.")
@example("https://evilshop.example")
@example("https://shop.example@evil.example")
@example("https://evil.example\\@shop.example")
@example("https://evil.example\t@shop.example")
@example("https://shop.example:x/")
@example("https://[::1")
@example("http://shop.example")
@example("//shop.example")
def test_an_address_taken_is_https_and_under_its_domain(value: Any) -> None:
    if _takes(limits.address, value, domain="shop.example", https=True):
        parts = urlsplit(value)
        host = (parts.hostname or "").rstrip(".")
        assert parts.scheme == "https"
        assert host == "shop.example" or host.endswith(".shop.example")
        assert "\\" not in value
        assert value.isprintable()


@pytest.mark.parametrize(
    ("value", "https", "taken"),
    [
        ("https://shop.example/a?b=c", True, True),
        ("http://shop.example/a", True, False),
        ("http://shop.example/a", False, True),
        ("HTTPS://SHOP.example", True, True),
        ("https://سایت.example/راه", False, True),
        ("javascript:alert(1)", False, False),
        ("https:///path", False, False),
        ("shop.example", False, False),
    ],
)
def test_an_address_without_a_domain_to_hold_to(
    value: str, https: bool, taken: bool
) -> None:
    assert _takes(limits.address, value, https=https) is taken


@pytest.mark.parametrize("check", [limits.mobile, limits.birth_date])
def test_an_error_repeats_no_value(check: Any) -> None:
    with pytest.raises(WrongInput) as caught:
        check("field", "0099887766")
    assert "0099887766" not in str(caught.value)
