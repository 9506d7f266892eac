"""Rows of one file that contradict each other are refused: none says which is true."""

from pathlib import Path

import pytest

from recon.errors import RefusedFile
from recon.lake import Lake
from tests.imports.import_cases import VALID, changed, taken, write_csv
from tests.lake.compaction_cases import compacted, parts, rows


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


def test_two_balances_of_one_instant_do_not_contradict_each_other(
    lake: Lake, tmp_path: Path
) -> None:
    """Which of them the wallet held cannot be told; the same twice is one."""
    path = tmp_path / "a.csv"
    lines = [
        changed("balances"),
        changed("balances", at="2026-10-01T03:30:00+03:30"),
        changed("balances", at="2026-10-02", balance="1"),
        changed("balances", iban="IR062960000000100324200001", balance="1"),
        changed("balances", balance="4999999"),
    ]
    said = "line 6: has the at, iban of line 2 and says something else"
    with pytest.raises(RefusedFile, match=said):
        taken(lake, "balances", write_csv(path, lines))
    assert lake.commits() == []
    taken(lake, "balances", write_csv(path, lines[:4]))
    corrected = [changed("balances", balance="4999999")]
    taken(lake, "balances", write_csv(tmp_path / "b.csv", corrected))


def test_entries_of_one_request_ask_for_one_amount(lake: Lake, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    lines = [
        changed("deposits", requested_amount=""),
        changed("deposits", gateway_transaction_id="32"),
        changed("deposits", gateway_transaction_id="33", requested_amount=""),
        changed("deposits", track_id="8", requested_amount="5"),
        changed("deposits", gateway_transaction_id="34", requested_amount="30"),
    ]
    said = "line 6, column requested_amount: has the track_id of line 3 and says"
    with pytest.raises(RefusedFile, match=said):
        taken(lake, "deposits", write_csv(path, lines))
    assert lake.commits() == []
    taken(lake, "deposits", write_csv(path, lines[:4]))
    bare = {k: v for k, v in VALID["deposits"].items() if k != "requested_amount"}
    taken(lake, "deposits", write_csv(tmp_path / "b.csv", [bare, bare]))


def test_two_lines_of_a_tariff_do_not_contradict_each_other(
    lake: Lake, tmp_path: Path
) -> None:
    path = tmp_path / "a.csv"
    lines = [
        changed("tariff", note="a") | {"payment_method": ""},
        changed("tariff", note="b"),
        changed("tariff", note="c") | {"payment_method": "card"},
        changed("tariff", note="d") | {"fixed": "1201"},
    ]
    said = "line 5: has the product, payment_method, valid_from of line 2 and says"
    with pytest.raises(RefusedFile, match=said):
        taken(lake, "tariff", write_csv(path, lines))
    assert lake.commits() == []
    taken(lake, "tariff", write_csv(path, lines[:3]))


def test_one_token_is_not_sent_with_two_amounts(lake: Lake, tmp_path: Path) -> None:
    """Which of them was sent cannot be told; another token may have another one."""
    path = tmp_path / "a.csv"
    lines = [
        changed("gateway_tokens"),
        changed("gateway_tokens", factor_number="1002"),
        changed("gateway_tokens", token="another", amount="2"),
        changed("gateway_tokens", amount="2"),
    ]
    said = "line 5, column amount: has the token of line 2 and says something else"
    with pytest.raises(RefusedFile, match=said):
        taken(lake, "gateway_tokens", write_csv(path, lines))
    assert lake.commits() == []
    taken(lake, "gateway_tokens", write_csv(path, lines[:3]))


def test_one_token_has_one_answer_of_verify(lake: Lake, tmp_path: Path) -> None:
    """A log has a row of what was sent, and one of what was answered."""
    path = tmp_path / "a.csv"
    answer = {"real_amount": "900", "wage": "100", "verified_at": "2026-10-01"}
    lines = [
        changed("gateway_tokens", **dict.fromkeys(answer, "")),
        changed("gateway_tokens", **answer),
        changed("gateway_tokens", **answer | {"wage": "99"}),
    ]
    said = "line 4: has the token of line 3 and says something else"
    with pytest.raises(RefusedFile, match=said):
        taken(lake, "gateway_tokens", write_csv(path, lines))
    taken(lake, "gateway_tokens", write_csv(path, lines[1::-1]))
    assert lake.current("gateway_tokens")["real_amount"].to_pylist() == [900]
    compacted(lake, "gateway_tokens")
    kept = rows(lake, parts(lake, "gateway_tokens").compacted)
    assert [row["real_amount"] for row in kept] == [900]


def test_one_hosted_checkout_is_not_sent_with_two_amounts(
    lake: Lake, tmp_path: Path
) -> None:
    path = tmp_path / "a.csv"
    lines = [
        changed("hosted_checkouts"),
        changed("hosted_checkouts", checkout_number=""),
        changed("hosted_checkouts", amount="10001"),
    ]
    said = "line 4, column amount: has the checkout_id of line 2 and says something"
    with pytest.raises(RefusedFile, match=said):
        taken(lake, "hosted_checkouts", write_csv(path, lines))
    taken(lake, "hosted_checkouts", write_csv(path, lines[:2]))
