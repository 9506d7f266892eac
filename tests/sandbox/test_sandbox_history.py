"""The invented history: it repeats itself, adds up, and breaks no rule by itself."""

import csv
import json
import subprocess
import sys
from collections import Counter
from datetime import date, timedelta
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recon.errors import UsageError
from recon.sandbox import exports, history, people
from recon.sandbox.scene import stream
from recon.times import calendar_month, format_instant
from tests.sandbox import plain_rules
from tests.sandbox.plain_rules_pages import local_day

YEARS = 3 * 365 * 86_400
small = partial(history.generate, days=20, daily=25)


def text_of(made: history.History, folder: Path) -> dict[str, bytes]:
    files = exports.write(made, folder)
    world = json.dumps(made.world.checkouts) + json.dumps(made.world.agreements)
    return {name: file.read_bytes() for name, file in files.items()} | {
        "world": world.encode()
    }


def test_a_seed_gives_the_same_history_to_the_byte(tmp_path: Path) -> None:
    first, second = (
        text_of(small(11, faults=("all",)), tmp_path / name) for name in ("a", "b")
    )
    assert first == second


def test_another_seed_gives_another_history() -> None:
    first, second = (small(seed) for seed in (1, 2))
    assert not set(first.world.checkouts) & set(second.world.checkouts)


@pytest.mark.parametrize("hash_seed", ["0", "4711"])
def test_the_seed_of_hashing_changes_nothing(hash_seed: str) -> None:
    code = (
        "import json\n"
        "from recon.sandbox import history\n"
        "made = history.generate(3, days=14, daily=8, faults=('all',))\n"
        "ids = [each.record_id for each in made.planted]\n"
        "print(json.dumps([ids, made.balances, made.world.events]))\n"
    )
    environment = {"PYTHONHASHSEED": hash_seed, "PATH": "/usr/bin"}
    ran = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        capture_output=True,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    made = history.generate(3, days=14, daily=8, faults=("all",))
    ids = [each.record_id for each in made.planted]
    assert json.loads(ran.stdout) == [ids, made.balances, made.world.events]


def test_faults_leave_the_ordinary_records_as_they_are() -> None:
    clean = small(5)
    spoiled = small(5, faults=("all",))
    assert set(clean.world.hosted_checkouts) < set(spoiled.world.hosted_checkouts)
    assert set(clean.world.mandates) < set(spoiled.world.mandates)


@pytest.mark.parametrize("seed", range(6))
def test_a_clean_history_gives_nothing_to_report(seed: int) -> None:
    made = history.generate(seed, days=61, daily=20)
    assert made.planted == []
    for calendar in ("gregorian", "jalali"):
        for later in (0, 90 * 60, YEARS):
            found = plain_rules.violations(made, later=later, calendar=calendar)
            assert found == Counter()


@settings(max_examples=25)
@given(
    seed=st.integers(0, 10**9),
    days=st.integers(1, 40),
    daily=st.integers(1, 12),
    until=st.dates(date(2024, 1, 1), date(2030, 1, 1)),
    timezone=st.sampled_from(["Asia/Tehran", "UTC", "Europe/Berlin"]),
)
def test_every_snapshot_is_the_one_before_and_what_moved_since(
    seed: int, days: int, daily: int, until: date, timezone: str
) -> None:
    made = history.generate(
        seed, until=until, days=days, daily=daily, timezone=timezone
    )
    moves = plain_rules.certain_moves(made)
    balance, since = made.balances[0]["balance"], made.balances[0]["at"]
    for row in made.balances[1:]:
        balance += sum(rials for at, rials in moves if since < at <= row["at"])
        since = row["at"]
        assert row["balance"] == balance >= row["available_balance"] >= 0
    assert len(made.balances) == days + 1
    assert made.world.wallet_balance == made.balances[-1]["balance"]
    assert made.world.wallet_available == made.balances[-1]["available_balance"]


def test_nothing_moves_the_wallet_within_six_minutes_of_a_snapshot() -> None:
    made = history.generate(2)
    snapshots = [row["at"] for row in made.balances]
    for at, _ in plain_rules.certain_moves(made):
        assert snapshots[0] < at < snapshots[-1]
        assert min(abs(at - snapshot) for snapshot in snapshots) >= 360


def test_a_demo_has_the_size_and_the_variety_of_a_business() -> None:
    made = history.generate(1)
    checkouts = made.world.checkouts.values()
    payments = [each for _, each in plain_rules.payments(made)]
    assert 6500 < len(checkouts) < 8500
    assert {each["type"] for each in payments} == {"debit", "credit", "card"}
    assert len({each["payment_method"] for each in payments}) == 6
    assert any(len(each["payments"]) > 1 for each in checkouts)
    statuses = {each["status"] for each in made.world.mandates.values()}
    assert statuses == {"active", "revoked", "expired"}
    states = {each["state"] for each in made.world.agreements.values()}
    assert states == {"draft", "contract", "finalize", "cancelled", "rejected"}
    statuses = {each["status"] for each in made.books}
    assert statuses == {"paid", "unpaid", "refunded"}
    timeouts = [each for each in payments if (each["error"] or {}).get("code")]
    assert "WITHDRAWAL_TIMEOUT" in {each["error"]["code"] for each in timeouts}
    buyers = Counter(each["customer"]["id"] for each in checkouts)
    assert buyers.most_common(1)[0][1] > 10


def test_fridays_are_quiet_and_paydays_are_not() -> None:
    made = history.generate(4, days=120)
    days = Counter(
        local_day(each["created_at"]) for each in made.world.checkouts.values()
    )
    fridays = [count for day, count in days.items() if day.weekday() == 4]
    others = [count for day, count in days.items() if day.weekday() != 4]
    assert sum(fridays) / len(fridays) < 0.8 * sum(others) / len(others)
    firsts = [
        count
        for day, count in days.items()
        if calendar_month(day, "jalali")
        != calendar_month(day - timedelta(days=1), "jalali")
    ]
    assert sum(firsts) / len(firsts) > 1.2 * sum(days.values()) / len(days)


def test_records_stand_in_order_of_creation() -> None:
    world = small(6, faults=("all",)).world
    for records in (world.mandates, world.checkouts, world.hosted_checkouts):
        times = [each["created_at"] for each in records.values()]
        assert times == sorted(times)
    created = [each["created_at"] for each in world.agreements.values()]
    assert created == sorted(created)
    times = [each["created"] for each in world.events]
    assert times == sorted(times)


def test_a_large_deposit_is_split_and_one_lands_after_midnight() -> None:
    made = history.generate(8)
    parts = [
        [entry["amount"] for entry in entries]
        for entries in made.world.deposits.values()
    ]
    assert [1_000_000_000, 200_000_000] in parts
    overnight = [
        each
        for each in made.deposits
        if local_day(each["requested_at"]) < local_day(each["settled_at"])
    ]
    assert len(overnight) == 1


@pytest.mark.parametrize("faults", [(), ("all",)])
def test_each_line_of_the_bank_leads_from_the_balance_before_it_to_its_own(
    faults: tuple[str, ...],
) -> None:
    """As a bank prints it, whatever was planted; the account never owes anything."""
    lines = small(7, faults=faults).bank_statement
    assert {line["iban"] for line in lines} == {lines[0]["iban"]}
    for before, line in pairwise(lines):
        assert before["booked_at"] <= line["booked_at"]
        assert before["balance"] + line["amount"] == line["balance"]
    assert min(line["balance"] for line in lines) > 0
    assert lines[0]["balance"] > abs(lines[0]["amount"])


def test_exports_hold_every_row_under_the_columns_of_the_imports(
    tmp_path: Path,
) -> None:
    made = small(9, faults=("all",))
    files = exports.write(made, tmp_path / "new" / "folder")
    for kind, columns in exports.COLUMNS.items():
        with files[kind].open(encoding="utf-8", newline="") as stream:
            rows = list(csv.DictReader(stream))
        held = made.tariff.fees if kind == "tariff" else getattr(made, kind)
        assert len(rows) == len(held) > 0
        assert tuple(rows[0]) == columns
    with files["balances"].open(encoding="utf-8", newline="") as stream:
        first = next(csv.DictReader(stream))
    assert first["at"] == format_instant(made.starts_at)
    assert first["balance"] == str(made.balances[0]["balance"])
    lines = files["events"].read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == made.world.events
    answers = json.loads(files["planted"].read_text(encoding="utf-8"))
    assert len(answers["planted"]) == len(made.planted)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"faults": ("no_such",)}, "no_such"),
        ({"timezone": "Mars/Olympus"}, "Mars/Olympus"),
        ({"days": 0}, "at least one day"),
        ({"until": date(9999, 12, 31)}, "years 2 to 9998"),
        ({"until": date(2, 2, 1)}, "years 2 to 9998"),
    ],
)
def test_what_cannot_be_is_refused(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        history.generate(1, **arguments)  # type: ignore[arg-type]


def test_files_that_cannot_be_written_are_a_mistake(tmp_path: Path) -> None:
    made = history.generate(1, days=1, daily=1)
    (tmp_path / "taken").touch()
    with pytest.raises(UsageError, match="taken/files cannot be written: Not a"):
        exports.write(made, tmp_path / "taken" / "files")


def test_ibans_and_national_codes_have_right_check_digits() -> None:
    rng = stream(1, "people")
    for _ in range(200):
        number = people.iban(rng)
        assert len(number) == 26
        assert int(number[4:] + "1827" + number[2:4]) % 97 == 1
        code = people.national_code(rng)
        rest = sum(int(code[place]) * (10 - place) for place in range(9)) % 11
        assert int(code[9]) == (rest if rest < 2 else 11 - rest)
