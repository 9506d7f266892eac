"""The answer of balance, and what is said of one that is wrong."""

import msgspec
import pytest

from recon.records.cash_in import balance

GOOD = b'{"balance": 5, "available_balance": 3}'


@pytest.mark.parametrize("body", [GOOD, b'{"status": 1, "data": %b}' % GOOD])
def test_a_balance_is_read_plain_and_within_data(body: bytes) -> None:
    found = balance(body)
    assert (found.balance, found.available_balance) == (5, 3)


@pytest.mark.parametrize("wrong", [b"null", b"5.5"])
@pytest.mark.parametrize("frame", [b"%b", b'{"data": %b}'])
def test_what_is_wrong_with_a_balance_is_named(frame: bytes, wrong: bytes) -> None:
    body = frame % GOOD.replace(b"5", wrong, 1)
    with pytest.raises(msgspec.ValidationError, match=r"balance`"):
        balance(body)


def test_an_answer_without_a_balance_is_said_to_lack_it() -> None:
    with pytest.raises(
        msgspec.ValidationError, match="missing required field `balance`"
    ):
        balance(b'{"status": 0}')
