"""Numbers of people are known however they are grouped and with whatever marks."""

from uuid import UUID

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recon.reports import personal_numbers
from recon.reports.masking import Masking, masking
from recon.reports.texts import having
from tests.reports.test_report_masking import (
    OTHERS,
    lake_with_accounts,
    lake_with_people,
    settings,
)

LRM, LRE, PDF, LRI, PDI = "\u200e", "\u202a", "\u202c", "\u2066", "\u2069"


def shown(text: str, *, accounts: bool = False) -> str:
    table = pa.table({"description": [text]})
    lake = lake_with_accounts() if accounts else lake_with_people()
    mask = masking(lake, settings(), [table])
    assert mask is not None
    (found,) = mask.table(table)["description"].to_pylist()
    return str(found)


@pytest.mark.parametrize(
    ("written", "masked"),
    [
        ("0912 11 12 233", "0912 ** ** *33"),
        ("0912 1112 233", "0912 **** *33"),
        ("۰۹۱۲-۱۱-۱۲-۲۳۳", "۰۹۱۲-**-**-*۳۳"),
        ("0912\u20091112233", "0912\u2009*****33"),
        ("0912\u22121112233", "0912\u2212*****33"),
        (f"{LRE}0912{PDF} 111 2233", f"{LRE}0912{PDF} *** **33"),
        (f"0912{LRI}111{PDI}2233", f"0912{LRI}***{PDI}**33"),
        ("0912\u200b1112233", "0912\u200b*****33"),
        ("0912\u061c1112233", "0912\u061c*****33"),
        ("0912\ufeff1112233", "0912\ufeff*****33"),
        ("0912ـ1112233", "0912ـ*****33"),
        (LRM.join("09121112233"), LRM.join("0912*****33")),
        ("+98\u2002912\u20021112233", "+98\u200291*\u2002*****33"),
        (
            f"6037{LRM}-{LRM}9912-3456-7890",
            f"6037{LRM}-{LRM}99**-****-7890",
        ),
        ("6037\u200b9912\u200b3456\u200b7890", "6037\u200b99**\u200b****\u200b7890"),
        ("049\u2013937089\u20139", "***\u2013*****9\u20139"),
        (f"049{LRM}-937089-{LRM}9", f"***{LRM}-*****9-{LRM}9"),
        (LRM.join("0499370899"), LRM.join("********99")),
        ("کد ملی: 333 333333 4", "کد ملی: *** *****3 4"),
        ("444 444444 4", "*** *****4 4"),  # the lake knows whose it is
    ],
)
def test_a_number_of_a_person_is_masked(written: str, masked: str) -> None:
    assert shown(written) == masked


@pytest.mark.parametrize(
    ("gap", "first"),
    [
        ("\u202f", "IR12\u202f057*"),
        ("\u2013", "IR12\u2013057*"),
        (LRM, f"IR12{LRM}057*"),
        (f"{LRM} ", f"IR12{LRM} 057*"),
    ],
)
def test_an_account_is_masked_whatever_parts_its_digits(gap: str, first: str) -> None:
    groups = [OTHERS[at : at + 4] for at in range(0, len(OTHERS), 4)]
    masked = gap.join([first, *["****"] * 3, "**51", "03"])
    assert shown(gap.join(groups), accounts=True) == masked


@pytest.mark.parametrize(
    "text",
    [
        "333 333333 4",
        "100 200000 3",
        "049 937089 9",
        "021-88123456",
        "09-12-2026 143",
        f"2026{LRM}-10-01 0912",
        "0912 111 22",
        "1 2 3 4 5 6 7 8 9 0 1",
        f"{LRM}1,234,567,890{LRM} rials",
    ],
)
def test_a_number_of_no_person_stays(text: str) -> None:
    assert shown(text) == text


@given(st.uuids(), st.sampled_from(["", "payment:", "deposit:"]))
@example(UUID("01234567-8901-2345-6789-012345678901"), "")
@example(UUID("12345678-0912-1112-2334-037099912345"), "payment:")
def test_an_id_that_is_not_searched_has_nothing_to_find(each: UUID, of: str) -> None:
    text = f"{of}{each}"
    assert having(pa.array([text]), personal_numbers.UUID).to_pylist() == [True]
    assert list(personal_numbers.numbers_in(text)) == []
    assert list(personal_numbers.accounts_in(text)) == []
    mask = Masking(codes=frozenset({"1234567890", "0123456789"}))
    assert [mask.text(text), mask.account(text), mask.identifier(text)] == [text] * 3


@pytest.mark.parametrize(
    "text",
    [
        "IR: 5e0d1f5c-0912-4345-8678-091234567890",
        "5e0d1f5c-0912-4345-8678-091234567890 09121112233",
        "5e0d1f5c-0912-4345-8678-0912345678901",
        "09121112233:5e0d1f5c-0912-4345-8678-091234567890",
        "5e0d1f5c-0912-4345-8678-091234567890\n",
    ],
)
def test_what_is_more_than_an_id_is_searched(text: str) -> None:
    assert having(pa.array([text]), "[0-9]", personal_numbers.UUID).to_pylist() == [
        True
    ]
