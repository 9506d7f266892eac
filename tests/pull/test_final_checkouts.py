"""A checkout that is final is read again by whole pulls only, whoever asks."""

import json
import time
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Any

from recon.lake import Lake
from recon.pull import runner
from recon.pull.checkouts import is_final, open_ids
from recon.pull.partial import OPEN_FOR
from recon.records.plain_checkouts import checkout_list
from tests.pull.provider_stub import Stub, all_products, checkout, payment

MONTH = int(OPEN_FOR.total_seconds())
PAYMENTS: tuple[list[str], ...] = (
    [],
    ["done"],
    ["done", "failed"],
    ["pending_redirect"],
)


def made(number: int, status: str, payments: list[str], age: int) -> dict[str, Any]:
    at = int(time.time()) - age
    return checkout(
        number,
        status=status,
        created_at=at,
        payments=[
            payment(number, id=f"p{number}-{place}", status=each)
            for place, each in enumerate(payments)
        ],
    )


def listed(rows: list[dict[str, Any]]) -> Any:
    count = len(rows)
    meta = {"current_page": 1, "last_page": 1, "per_page": count, "total": count}
    return checkout_list(json.dumps({"data": rows, "meta": meta}).encode()).value.data


def test_what_is_final_is_what_no_pull_in_part_reads_again(tmp_path: Path) -> None:
    """It is paid by done payments alone, or older than a month."""
    cases = list(
        product(("paid", "not_paid", "odd"), PAYMENTS, (MONTH - 3_600, MONTH + 3_600))
    )
    rows = [made(number, *case) for number, case in enumerate(cases)]
    stub, settings = Stub(), all_products(tmp_path)
    stub.checkouts = rows
    lake = Lake(settings.lake_path)
    runner.pull(settings, lake, ["checkouts"], transport=stub.transport)
    again = set(open_ids(lake, lake.now() - OPEN_FOR))
    for each, (status, payments, age) in zip(listed(rows), cases, strict=True):
        settled = status == "paid" and set(payments) <= {"done"}
        assert is_final(each, lake.now()) == (settled or age > MONTH), each.id
        assert is_final(each, lake.now()) == (each.id not in again), each.id


def test_one_without_a_time_is_not_taken_for_an_old_one() -> None:
    rows = [made(1, "paid", ["done"], 0), made(2, "not_paid", [], 0)]
    paid, unpaid = listed([row | {"created_at": None} for row in rows])
    now = datetime.now(UTC)
    assert (is_final(paid, now), is_final(unpaid, now)) == (True, False)
