"""journal.hledger against hledger itself, and against the beancount journal.

Where hledger is not installed, only what it would read is looked at.
"""

import json
import shutil
import subprocess
from collections import defaultdict
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from beancount import loader
from beancount.core.data import Transaction

from recon.reconcile.run import reconcile
from recon.reports import beancount, hledger, journal, rollforward
from recon.reports.periods import Period
from recon.reports.writing import write
from tests.notebooks.small_lake import small_lake
from tests.reports.lake_rows import engine
from tests.reports.ledger_files import WHOLE, Answers, intervals_of, ledger
from tests.reports.stand_in import WALLET, ResultStandIn, rows
from tests.reports.test_report_flows_query import NOON, deposit, payment

NASTY = (
    'say "hello"',
    "back\\slash",
    "two\nlines",
    "پرداخت کیف",
    "; comment",
    "(code) ! * = {x} #tag ^link @ 5",
    "date:no [=2026-13-77] date2: x, y|z",
    ") ; :",
    "",
)


def balances_of_beancount(path: Path) -> dict[str, int]:
    found, errors, _ = loader.load_file(str(path))
    assert errors == []
    sums: dict[str, int] = defaultdict(int)
    for entry in found:
        if isinstance(entry, Transaction):
            for posting in entry.postings:
                assert posting.units is not None
                sums[posting.account] += int(posting.units.number or 0)
    return {account: rials for account, rials in sums.items() if rials}


def asked(path: Path, *command: str) -> subprocess.CompletedProcess[str]:
    hledger_ = shutil.which("hledger")
    if hledger_ is None:
        pytest.skip("hledger is not here")
    return subprocess.run(
        [hledger_, "-f", str(path), *command],
        capture_output=True,
        text=True,
        check=False,
        env={"LANG": "C.UTF-8", "HOME": str(path.parent)},
    )


def balances_of_hledger(path: Path) -> dict[str, int]:
    done = asked(path, "bal", "--flat", "-O", "json")
    assert done.returncode == 0, done.stderr
    accounts, _ = json.loads(done.stdout)
    sums = {}
    for name, _, _, amounts in accounts:
        (amount,) = amounts
        assert (amount["acommodity"], amount["aquantity"]["decimalPlaces"]) == (
            "IRR",
            0,
        )
        sums[name] = int(amount["aquantity"]["decimalMantissa"])
    return sums


def both(
    folder: Path, period: Period | None = None, **tables: Any
) -> tuple[Path, Path]:
    """Write both journals of the same rows; beancount's first."""
    paths = []
    with engine(**tables) as models:
        for ending, writer in (("beancount", beancount), ("hledger", hledger)):
            paths.append(folder / f"journal.{ending}")
            content = ledger(
                writer, Answers(models), intervals_of(models), period or WHOLE
            )
            paths[-1].write_bytes(content)
    return paths[0], paths[1]


def balance(hours: int, rials: int) -> dict[str, Any]:
    return {"at": NOON + timedelta(hours=hours), "iban": WALLET, "balance": rials}


CLEAN: dict[str, Any] = {
    "payments": [payment(1), payment(2, paid_at=NOON + timedelta(hours=6))],
    "balances": [balance(-24, 0), balance(1, 99_000)],
}


def test_the_journals_of_a_run_have_the_same_balances(tmp_path: Path) -> None:
    settings, lake = small_lake(tmp_path)
    with reconcile(lake, settings, dry_run=True) as result:
        files = write(result, settings)
        whole = balances_of_beancount(files["journal.beancount"])
        assert len(whole) > 5
        assert balances_of_hledger(files["journal.hledger"]) == whole
        checked = asked(files["journal.hledger"], "check", "--strict")
        assert checked.returncode == 0, checked.stderr
        assert files["journal.hledger"].read_text().count("* Balance of the wallet")
        day = date(2026, 10, 10)
        files = write(result, settings, from_=day)
        later = balances_of_beancount(files["journal.beancount"])
        assert balances_of_hledger(files["journal.hledger"]) == later == whole
        assert "Brought forward" in files["journal.hledger"].read_text()


def test_the_snapshot_is_asserted_at_the_end_of_its_day(tmp_path: Path) -> None:
    _, path = both(tmp_path, **CLEAN)
    text = path.read_text()
    assert text.endswith(
        "\n2026-03-01 * Balance of the wallet\n  Assets:Wallet  0 IRR = 198000 IRR\n"
    )
    assert asked(path, "check", "--strict").returncode == 0
    path.write_text(text.replace("= 198000 IRR", "= 198001 IRR"))
    assert "balance assertion" in asked(path, "check").stderr


def test_an_interval_with_an_unexplained_rest_is_not_asserted(tmp_path: Path) -> None:
    odd = [balance(-24, 0), balance(1, 99_007), balance(24, 198_007)]
    _, path = both(tmp_path, **CLEAN | {"balances": odd})
    lines = path.read_text().splitlines()
    asserted = [line[:10] for line in lines if line.endswith("Balance of the wallet")]
    assert asserted == ["2026-03-02"]
    assert asked(path, "check", "--strict").returncode == 0


def test_a_period_brings_forward_what_was_posted_before_it(tmp_path: Path) -> None:
    day = NOON.date() + timedelta(days=1)
    later = [*CLEAN["balances"], balance(24, 198_000), balance(72, 198_000)]
    plain, path = both(tmp_path, Period(day, day), **CLEAN | {"balances": later})
    text = path.read_text()
    assert f"{day} * Brought forward" in text
    assert "payment-1" not in text
    assert balances_of_hledger(path) == balances_of_beancount(plain)
    assert asked(path, "check", "--strict").returncode == 0


def test_any_text_is_accepted(tmp_path: Path) -> None:
    plain, path = both(
        tmp_path,
        adjustments=[
            {"at": NOON, "amount": number, "kind": "x", "description": text}
            for number, text in enumerate(NASTY, start=1)
        ],
        deposits=[deposit(n, iban=text) for n, text in enumerate(NASTY, start=1)],
        payments=[payment(n, id=f"{n}{text}") for n, text in enumerate(NASTY, start=1)],
    )
    done = asked(path, "check", "--strict")
    assert done.returncode == 0, done.stderr
    assert balances_of_hledger(path) == balances_of_beancount(plain)


def test_an_empty_journal_is_accepted(tmp_path: Path) -> None:
    _, path = both(tmp_path)
    assert asked(path, "check", "--strict").returncode == 0
    assert balances_of_hledger(path) == {}


def test_an_incomplete_journal_says_so_on_its_first_line() -> None:
    nothing = rows(rollforward.COLUMNS, [])
    content = ledger(hledger, ResultStandIn(), nothing, warning="INCOMPLETE")
    assert content.startswith(b"; INCOMPLETE\n")


def one_entry(**said: str) -> ResultStandIn:
    """A journal of one entry of 5 rials, with some of its texts given."""
    leg = {
        "entry_id": "e1",
        "posted_at": NOON,
        "business_date": NOON.date(),
        "currency": "IRR",
        "product": "unified",
        "record_id": "p1",
        "narration": "a; b",
        "debit": 0,
        "credit": 0,
    } | said
    entries = pa.Table.from_pylist(
        [
            leg | {"account": "assets:wallet", "debit": 5},
            leg | {"account": "suspense:unified", "credit": 5},
        ],
        journal.COLUMNS,
    )
    return ResultStandIn(tables={"report_journal": entries})


def test_an_entry_is_written_with_its_id_and_record() -> None:
    content = ledger(hledger, one_entry(), rows(rollforward.COLUMNS, []))
    assert content.decode().splitlines()[-6:] == [
        "",
        "2026-03-01 * (e1) a, b",
        "  ; posted: 2026-03-01T08:30:00Z",
        "  ; record: p1",
        "  Assets:Wallet  5 IRR",
        "  Equity:Suspense:Unified  -5 IRR",
    ]


def test_an_entry_of_hledger_keeps_the_form_of_its_line() -> None:
    odd = one_entry(entry_id="e(1);\n 2", narration="a | b\n; c")
    content = ledger(hledger, odd, rows(rollforward.COLUMNS, []))
    assert "2026-03-01 * (e[1], 2) a / b , c\n" in content.decode()


def test_an_entry_of_beancount_keeps_its_texts() -> None:
    said = 'say "a\\b"\n to c'
    result = one_entry(narration=said, record_id='p"1', entry_id="e\\1")
    content = ledger(beancount, result, rows(rollforward.COLUMNS, []))
    found, errors, _ = loader.load_string(content.decode())
    assert not errors
    (entry,) = (each for each in found if isinstance(each, Transaction))
    assert entry.narration == 'say "a\\b" to c'
    assert (entry.meta["entry"], entry.meta["record"]) == ("e\\1", 'p"1')
