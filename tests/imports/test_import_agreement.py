"""Rows of one file that contradict each other are refused: none says which is true."""

from pathlib import Path

import pytest

from recon.errors import RefusedFile
from recon.lake import Lake
from tests.imports.import_cases import VALID, changed, taken, write_csv


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
