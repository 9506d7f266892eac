"""Record hashes stay what they were when older lakes were written.

Were one to change, every record would be stored once more, as changed.
"""

from pathlib import Path

import pytest

from recon.lake import Lake
from recon.pull import runner
from tests.pull.provider_stub import Stub, all_products, checkout, payment

FAILED = {
    "id": "p-2",
    "payment_method": "card-shaparak",
    "amount": 2**40,
    "status": "failed",
    "error": {"code": "WITHDRAWAL_TIMEOUT", "message": "بانک پاسخ نداد"},
    "created_at": 1_780_000_000,
    "card": {"card_number": "603799******1234", "cid": "ab" * 32},
}
PAGE = [
    checkout(1, amount="1001", customer=None, payments=[]),
    checkout(
        2,
        description="چای، two packets\n",
        payments=[payment(2), FAILED],
        customer={"id": "u", "first_name": "سارا", "email": "s@example.com"},
    ),
    checkout(3, status="a state to come", request_id=None, updated_at=None),
]
STORED = {
    "c1": "f0524bf520b00340a21b7a6df75b0492",
    "c2": "ea9d86675714bd569294441284595993",
    "c3": "30a2753cf8589dd87b73224bf941656b",
    "p2": "6812a51c73253968ccc843b1b4998e18",
    "p-2": "45c9c8f0adbf7c6873f05febe7a704fa",
    "p3": "823e8110a196fd68bee2c2969895f8fc",
}


@pytest.mark.parametrize("plain", [True, False])
def test_hashes_are_those_of_older_lakes(tmp_path: Path, plain: bool) -> None:
    stub = Stub()
    # A number where the contract has a text is no plain page, and the same record.
    strange = [] if plain else [checkout(4, id=4, payments=[])]
    stub.checkouts = PAGE + strange
    lake = Lake(tmp_path)
    runner.pull(all_products(tmp_path), lake, ["checkouts"], transport=stub.transport)
    found = {
        row["id"]: row["record_hash"]
        for table in ("checkouts", "payments")
        for row in lake.versions(table).select(["id", "record_hash"]).to_pylist()
    }
    for record_id, record_hash in STORED.items():
        assert found[record_id] == record_hash, record_id
    assert len(found) == len(STORED) + (0 if plain else 1)
