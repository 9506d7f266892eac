"""What balances prove is the same over every kind of lake, and as of every time."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from recon.imports.voiding import void
from recon.lake import Lake
from recon.lake.commits import Commit
from recon.lake.health import examine
from recon.reconcile.disclosures.bank_gaps import gaps
from recon.reconcile.opening import open_engine
from recon.settings import LakeSettings, Secret
from tests.imports.import_cases import IBAN, SETTINGS, taken, write_csv
from tests.lake.bucket_cases import bucket_lake
from tests.lake.s3_server import serving

KEY = Secret(hashlib.sha256(b"a key for tests").hexdigest())
LINES = {  # at an hour, the amount and the balance after it
    "monday": ("2026-10-01", [(8, -1, 4_999), (9, -299, 4_700)]),
    "tuesday": ("2026-10-02", [(9, -700, 4_000)]),
    "wednesday": ("2026-10-03", [(8, -1, 3_999), (9, 91, 4_090)]),
}
MISSING = [("2026-10-01", "2026-10-03", -700)]


@pytest.fixture(params=["folder", "bucket"])
def lake(request: pytest.FixtureRequest, tmp_path: Path, key: Secret) -> Iterator[Lake]:
    if request.param == "folder":
        given = LakeSettings(path=str(tmp_path / "lake"), encryption_key=key)
        yield Lake.of(replace(SETTINGS, lake=given))
        return
    with serving() as store:
        yield bucket_lake(store.url, tmp_path / "cache", encryption_key=key)


def statement(folder: Path, name: str) -> Path:
    day, lines = LINES[name]
    rows = [
        {
            "booked_at": f"{day}T{hour:02}:00",
            "amount": amount,
            "description": "rent",
            "iban": IBAN,
            "balance": balance,
        }
        for hour, amount, balance in lines
    ]
    return write_csv(folder / f"{name}.csv", rows)


def missing(lake: Lake, commits: Sequence[Commit]) -> list[tuple[str, str, int]]:
    with open_engine(lake, SETTINGS, lake.now(), commits) as engine:
        found = gaps(engine.query)
    return [(each["from"], each["to"], each["missing"]) for each in found]


@pytest.mark.parametrize("key", [Secret(""), KEY], ids=["plain", "encrypted"])
def test_a_day_is_missing_until_its_statement_comes(lake: Lake, tmp_path: Path) -> None:
    files = {name: statement(tmp_path, name) for name in LINES}
    taken(lake, "bank_statement", files["monday"], files["wednesday"])
    taken(lake, "bank_statement", files["tuesday"])
    void("bank_statement", [files["tuesday"]], lake)
    taken(lake, "bank_statement", files["tuesday"])
    known = lake.commits()
    told = [missing(lake, known[:count]) for count in range(1, len(known) + 1)]
    assert told == [MISSING, [], MISSING, []]
    assert examine(lake, deep=True).whole
