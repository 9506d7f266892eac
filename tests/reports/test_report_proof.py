"""Evidence hides people, and leaves what a record is looked up by."""

import json
from typing import Any

import pytest

from recon.reports.disclosure import Disclosure
from recon.reports.proof import Evidence
from tests.reports.test_report_masking import lake_with_people, settings

CODE_LIKE = "9443166712"  # with the check digit of a national code


def masked(found: dict[str, Any]) -> dict[str, Any]:
    found = {"pages": [], **found}
    return Disclosure(lake_with_people(), settings(), found).evidence(found)


@pytest.mark.parametrize(
    "key", ["tracking_code", "id", "request_id", "refnumber", "transId"]
)
def test_an_identifier_of_a_stored_answer_is_shown_as_that_of_its_record(
    key: str,
) -> None:
    record = {key: CODE_LIKE, "mobile": "09121112233", "title": "x"}
    shown = masked({"records": [record], "excerpt": json.dumps({"data": [record]})})
    assert shown["records"][0][key] == CODE_LIKE
    (there,) = json.loads(shown["excerpt"])["data"]
    assert there == {key: CODE_LIKE, "mobile": "0912*****33", "title": "x"}


@pytest.mark.parametrize("key", ["national_code", "cardNumber", "title"])
def test_what_may_be_a_person_s_is_hidden_in_a_stored_answer(key: str) -> None:
    shown = masked({"excerpt": json.dumps({"id": "7", key: f"of {CODE_LIKE}"})})
    assert CODE_LIKE not in shown["excerpt"]
    assert json.loads(shown["excerpt"])["id"] == "7"


def test_a_person_is_hidden_in_an_identifier_and_after_a_cut_one() -> None:
    whole = {"excerpt": '{"id": "09121112233", "note": "09121112234"}'}
    cut = {"excerpt": '0000-7", "note": "a@b.ir", "tracking_code": "094431'}
    assert masked(whole)["excerpt"] == '{"id": "0912*****33", "note": "0912*****34"}'
    assert "a@b.ir" not in masked(cut)["excerpt"]


@pytest.mark.parametrize("key", ["cid", "CID"])
def test_the_hash_of_a_card_s_number_is_hidden_as_the_number_is(key: str) -> None:
    """Beside the digits that are shown it is found by trying a million numbers."""
    record = {"card_number": "603799******1234", key: "9F86D081884C7D65"}
    shown = masked({"records": [record], "excerpt": json.dumps(record)})
    for each in (shown["records"][0], json.loads(shown["excerpt"])):
        assert each == {"card_number": "603799******1234", key: "***"}


@pytest.mark.parametrize(
    "key", ["buyerMobile", "customerEmail", "card_account_owner", "payerNationalId"]
)
def test_a_key_that_ends_as_a_person_s_does_is_one(key: str) -> None:
    shown = masked({"records": [{key: "unlikely-value"}]})
    assert "unlikely-value" not in str(shown)


@pytest.mark.parametrize("more", [True, False])
def test_that_there_are_more_records_than_are_shown_is_said(*, more: bool) -> None:
    found = masked(
        {"records": [{"id": "7"}]} | ({"more_records": True} if more else {})
    )
    told = "There are more records than these." in Evidence(found)._repr_markdown_()
    assert told is more
