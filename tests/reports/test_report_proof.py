"""Evidence hides people, and leaves what a record is looked up by."""

import json

import pytest

from recon.reports.proof import masked

CODE_LIKE = "9443166712"  # with the check digit of a national code


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
    assert there == {key: CODE_LIKE, "mobile": "***", "title": "x"}


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
