"""A break in words: the sums are right, and hints fit only what they say."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from recon.cli.group import run
from recon.close.evidence_packs import write_pack
from recon.reconcile.breaks import break_id
from recon.reconcile.evidence import MAX_RECORDS, evidence
from recon.reconcile.run import reconcile
from recon.reconcile.telling import Told, likenesses, tell
from recon.settings import Business, CashIn, Checks, Settings
from tests.reconcile.lake_history import History, at, unpaid

WALLET = "IR1"
STRANGER = "IR790550000000000087654321"
DEPOSIT = {
    "track_id": "t1",
    "gateway_transaction_id": "d1",
    "amount": 400,
    "amount_toman": 40,
    "wage": 0,
    "wage_toman": 0,
    "status": "INIT",
    "requested_at": at(2, 5),
}


Row = dict[str, Any]


def told(history: History, check: str, product: str, record_id: str) -> Told:
    history.clock(at(6))
    with reconcile(history.lake, history.settings) as result:
        found = evidence(result, break_id(check, product, record_id))
        assert found is not None
        return tell(result, found)


def test_an_interval_is_told_as_a_sum_from_snapshot_to_snapshot(
    history: History,
) -> None:
    history.settings = Settings(
        business=Business(name="shop"), cash_in=CashIn(wallet_iban=WALLET)
    )
    figures = [(1, 1_000), (3, 1_520)]
    snapshots = [
        {"at": at(day), "iban": WALLET, "balance": each, "origin": "provider"}
        for day, each in figures
    ]
    history.pull("balances", {"balances": snapshots})
    history.pull(
        "adjustments",
        {"adjustments": [{"at": at(2), "amount": 20, "kind": "correction"}]},
    )
    found = told(history, "wallet_rollforward", "wallet", "IR1:2026-10-03T00:00:00Z")
    text = "\n".join(found.lines)
    assert "    1,000  in the wallet at the first snapshot" in text
    assert "  +    20  adjustments of the business" in text
    assert "  = 1,020  so much should be there" in text
    assert "    1,520  in the wallet at the second snapshot" in text
    assert "  =   500  that nothing explains" in text
    assert found.figures["unexplained"] == 500
    assert found.items == []


def ways_of_twins(history: History, count: int) -> Told:
    """Return what is told of a rest that each of so many equal deposits explains."""
    history.settings = Settings(
        business=Business(name="shop"), cash_in=CashIn(wallet_iban=WALLET)
    )
    snapshots = [
        {"at": at(day), "iban": WALLET, "balance": each, "origin": "provider"}
        for day, each in [(1, 1_000), (3, 1_400)]
    ]
    history.pull("balances", {"balances": snapshots})
    twins = [
        DEPOSIT | {"gateway_transaction_id": f"d{number}", "track_id": f"t{number}"}
        for number in range(1, count + 1)
    ]
    history.pull("deposits", {"deposits": twins})
    history.clock(at(6))
    row = {
        "check": "wallet_rollforward",
        "severity": "critical",
        "record_id": "IR1:2026-10-03T00:00:00Z",
        "status": "open",
        "first_seen": "2026-10-06T00:00:00Z",
        "age_days": 0,
    }
    with reconcile(history.lake, history.settings) as result:
        return tell(result, {"break": row, "records": []})


def test_what_explains_an_interval_is_told_item_by_item_with_other_ways(
    history: History,
) -> None:
    found = ways_of_twins(history, 2)
    text = "\n".join(found.lines)
    assert "Explained, 400, by one set of several of few items:" in text
    assert "  +400  deposit d1 (deposit queued)\n  = 400" in text
    assert "It may as well be:\n  +400  deposit d2 (deposit queued)" in text
    assert "  -   400  explained by items that may have landed" in text
    assert [item["solution"] for item in found.items] == [1, 2]


@pytest.mark.parametrize(
    ("count", "said"),
    [(7, "  … and 1 more set"), (30, "  … and at least 14 more sets")],
)
def test_of_many_ways_it_is_told_how_many_more_there_are(
    history: History, count: int, said: str
) -> None:
    """Of very many the lake keeps twenty; the detail has their number."""
    lines = ways_of_twins(history, count).lines
    assert said in lines
    assert f"not unique: {count} sets of as few items fit." in lines[-1]


@pytest.mark.parametrize(
    ("status", "settled_at", "listed", "is_told"),
    [
        ("SETTLED", at(2, 6), (), True),
        ("SETTLED", at(2, 6), ("SETTLED",), False),
        ("SETTLED", at(5), (), False),
        ("INIT", None, (), False),
        (None, at(2, 6), (), False),
    ],
)
def test_an_interval_is_told_of_deposits_whose_status_is_not_listed(
    history: History,
    status: str | None,
    settled_at: datetime | None,
    listed: tuple[str, ...],
    is_told: bool,
) -> None:
    history.settings = Settings(
        business=Business(name="shop"),
        cash_in=CashIn(wallet_iban=WALLET, settled_statuses=listed),
    )
    snapshots = [
        {"at": at(day), "iban": WALLET, "balance": each, "origin": "provider"}
        for day, each in [(1, 1_000), (3, 1_777)]
    ]
    history.pull("balances", {"balances": snapshots})
    landed = DEPOSIT | {"status": status, "settled_at": settled_at}
    history.pull("deposits", {"deposits": [landed]})
    found = told(history, "wallet_rollforward", "wallet", "IR1:2026-10-03T00:00:00Z")
    sentence = (
        "May have landed in this interval, but count as not landed, since "
        "cash_in.settled_statuses does not list their status: "
        "1 deposit of 400 rials (SETTLED)."
    )
    assert (sentence in found.lines) is is_told
    assert ("settled_statuses" in "".join(found.lines)) is is_told


def test_another_check_is_told_with_its_rule_figures_and_records(
    history: History,
) -> None:
    rows = unpaid("a", paid=True)
    rows["checkouts"][0]["amount"] = 50  # type: ignore[index]
    history.pull("checkouts", rows)
    found = told(history, "checkout_amount_mismatch", "unified", "a")
    text = "\n".join(found.lines)
    assert "5 found - 50 expected = -45 rials" in text
    assert "It finds: " in text
    assert "Do: " in text
    assert "  checkouts a: amount 50, status paid" in text
    assert "  payments payment-a: amount 5, wage_amount 0" in text
    assert "A hint only: it is exactly a tenth" in text
    assert found.figures == {"expected": 50, "actual": 5, "difference": -45}


@pytest.mark.parametrize(
    ("check", "record_id", "judged"),
    [
        ("mandate_used_after_expiry", "payment-1", ["expires_at 2026-10-01T00:00:00Z"]),
        ("mandate_method_mismatch", "payment-1", ["payment_method debit-north"]),
        ("deposit_toman_mismatch", "d1", ["amount_toman 400", "wage_toman 0"]),
        ("deposit_iban_unknown", "d1", ["iban IR9"]),
        ("deposit_queue_stale", "d1", ["requested_at 2026-10-02T05:00:00Z"]),
    ],
)
def test_a_record_is_told_with_what_its_rule_judges(
    history: History, check: str, record_id: str, judged: list[str]
) -> None:
    """It was said that a mandate had expired 30 minutes before, and not when."""
    mandate = {"id": "m", "payment_method": "debit-south", "expires_at": at(1)}
    payment = {"id": "payment-1", "status": "done", "type": "debit", "mandate_id": "m"}
    payment |= {"amount": 5, "paid_at": at(2), "payment_method": "debit-north"}
    payment |= {"checkout_id": "a", "created_at": at(2)}
    checkout = {"id": "a", "status": "paid", "payment_ids": ["payment-1"]}
    history.pull("mandates", {"mandates": [mandate]})
    history.pull("checkouts", {"checkouts": [checkout], "payments": [payment]})
    deposit = DEPOSIT | {"amount_toman": 400, "iban": "IR9", "outcome": ""}
    history.pull("deposits", {"deposits": [deposit]}, kind="import")
    history.pull("accounts", {"accounts": [{"iban": "IR8"}]})
    product = "cash_in" if record_id == "d1" else "unified"
    lines = told(history, check, product, record_id).lines
    for each in judged:
        assert any(f", {each}" in line for line in lines), lines
    assert not any("outcome" in line for line in lines if "stored" not in line)


def test_a_record_that_a_file_and_the_list_have_is_told_as_one_by_their_origins(
    history: History,
) -> None:
    """Two entries of 400 in four versions looked like four of them: 1,600."""
    deposit = DEPOSIT | {"requested_amount": 900}
    other = deposit | {"gateway_transaction_id": "d2"}
    for kind, origin in (("import", "import"), ("pull", "list")):
        found = [each | {"origin": origin} for each in (deposit, other)]
        history.pull("deposits", {"deposits": found}, kind=kind)
    lines = told(history, "deposit_split_mismatch", "cash_in", "t1").lines
    assert "The records behind it, 2 records in 4 stored versions:" in lines
    for name in ("d1", "d2"):
        versions = [line for line in lines if line.startswith(f"  deposits t1 {name}:")]
        assert ", origin import, " in versions[0]
        assert ", origin list, " in versions[1]


def test_a_break_is_told_with_what_it_names_beside_its_record(history: History) -> None:
    """Its advice may speak of it: of the further payments, say, to be paid back."""
    mandate = {"id": "m", "count": 1, "status": "active"}
    uses = [
        {"id": name, "status": "done", "type": "debit", "mandate_id": "m"}
        | {"amount": 5, "paid_at": paid_at, "created_at": paid_at, "checkout_id": "a"}
        for name, paid_at in (
            ("may", datetime(2026, 9, 30, 20, 29, tzinfo=UTC)),
            ("one", datetime(2026, 9, 30, 20, 30, tzinfo=UTC)),
            ("two", at(2)),
        )
    ]
    history.pull("mandates", {"mandates": [mandate]})
    checkout = {"id": "a", "status": "paid", "payment_ids": ["may", "one", "two"]}
    history.pull("checkouts", {"checkouts": [checkout], "payments": uses})
    lines = told(history, "mandate_count_exceeded", "unified", "m:2026-10").lines
    assert lines[1] == "related: m two"
    shown = [line for line in lines if line.startswith("  payments ")]
    assert [line.split(":")[0] for line in shown] == [
        "  payments one",
        "  payments two",
    ]


def test_of_very_many_records_it_is_told_that_there_are_more(history: History) -> None:
    """What names the rule's bound, the mandate, is among those that are shown."""
    mandate = {"id": "m", "count": 1, "status": "active"}
    names = [f"payment-{number:02}" for number in range(MAX_RECORDS)]
    uses = [
        {"id": name, "status": "done", "type": "debit", "mandate_id": "m"}
        | {"amount": 5, "paid_at": at(2), "created_at": at(2), "checkout_id": "a"}
        for name in names
    ]
    history.pull("mandates", {"mandates": [mandate]})
    checkout = {"id": "a", "status": "paid", "payment_ids": names}
    history.pull("checkouts", {"checkouts": [checkout], "payments": uses})
    lines = told(history, "mandate_count_exceeded", "unified", "m:2026-10").lines
    begin = lines.index(
        "The records behind it, 50 stored versions; there are more than these:"
    )
    assert lines[begin + 1].startswith("  mandates m: ")
    assert lines[-1].startswith(f"  payments {names[-2]}: ")


def test_a_break_of_a_day_ago_is_one_day_old(history: History) -> None:
    history.pull("checkouts", unpaid("a"))
    history.clock(at(6))
    with reconcile(history.lake, history.settings) as result:
        name = break_id("checkout_paid_without_payment", "unified", "a")
        found = evidence(result, name)
        assert found is not None
        found["break"]["age_days"] = 1
        assert tell(result, found).lines[1].endswith(", 1 day old")


def test_a_check_without_amounts_says_none(history: History) -> None:
    rows = unpaid("a", "b", paid=True)
    for checkout in rows["checkouts"]:
        checkout["request_id"] = "r"  # type: ignore[index]
    history.pull("checkouts", rows)
    found = told(history, "checkout_request_duplicate", "unified", "r")
    assert " rials" not in "\n".join(found.lines)
    assert set(found.figures.values()) == {None}


@pytest.mark.parametrize(
    ("expected", "actual", "fits"),
    [
        (50, 500, "ten times"),
        (500, 50, "a tenth"),
        (50, -50, "opposite sign"),
        (50, 100, "twice"),
        (50, 51, None),
        (50, 499, None),
        (0, 0, None),
        (0, 10, None),
    ],
)
def test_a_signature_fits_exactly_or_not(
    expected: int, actual: int, fits: str | None
) -> None:
    found = likenesses(expected, actual, [])
    assert len(found) == (fits is not None)
    assert all(str(fits) in line for line in found)


@pytest.mark.parametrize(
    ("wage", "count"), [(7, 1), (-7, 1), (8, 0), (0, 0), (None, 0)]
)
def test_a_difference_that_is_a_wage_names_its_record(
    wage: int | None, count: int
) -> None:
    record = {"table": "payments", "id": "p", "wage_amount": wage}
    found = likenesses(100, 93, [record])
    assert len(found) == count
    assert all("payments p" in line for line in found)


def debited(day: int, amount: int, description: str, iban: str = "IR9") -> Row:
    return {
        "booked_at": at(day),
        "amount": -amount,
        "description": description,
        "iban": iban,
    }


def test_a_debit_of_the_bank_is_told_with_its_day_and_description(
    history: History,
) -> None:
    """Of its account and amount alone, however many others the day has."""
    history.settings = Settings(
        business=Business(name="shop"), checks=Checks(provider_names=("paywell",))
    )
    rents = [debited(3, 1, f"rent {number}") for number in range(MAX_RECORDS)]
    long = "paywell\nدرگاه " + "x" * 300
    others = [debited(3, 7, "paywell", "IR8"), debited(4, 7, "another day")]
    lines = [*rents, *others, debited(3, 7, long, "ir 9")]
    history.pull("bank_statement", {"bank_statement": lines}, kind="import")
    told_of = told(
        history, "bank_debit_unexplained", "cash_in", "IR9:2026-10-03T00:00:00Z:-7:1"
    )
    at_end = told_of.lines[-2:]
    assert told_of.lines[-3].startswith("The records behind it, 1 stored version")
    assert "amount -7" in at_end[0]
    assert "booked_at 2026-10-03T00:00:00Z" in at_end[0]
    assert at_end[1] == f"    {('paywell درگاه ' + 'x' * 300)[:199]}…"


def test_a_debit_without_a_time_or_an_account_is_told_too(history: History) -> None:
    history.settings = Settings(
        business=Business(name="shop"), checks=Checks(provider_names=("paywell",))
    )
    bare = debited(3, 7, "paywell") | {"booked_at": None, "iban": None}
    history.pull("bank_statement", {"bank_statement": [bare]}, kind="import")
    found = told(history, "bank_debit_unexplained", "cash_in", "::-7:1")
    assert found.lines[-1] == "    paywell"


def test_a_description_is_told_without_people(
    history: History, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another's account is hidden, which the words of a check would show."""
    config = tmp_path / "recon.toml"
    config.write_text(
        '[business]\nname = "shop"\n[lake]\npath = "lake"\n'
        '[checks]\nprovider_names = ["paywell"]\n',
        "utf-8",
    )
    history.settings = Settings(
        business=Business(name="shop"), checks=Checks(provider_names=("paywell",))
    )
    text = f"paywell to {STRANGER} by 09121234567"
    history.pull(
        "bank_statement", {"bank_statement": [debited(3, 7, text)]}, kind="import"
    )
    history.clock(at(6))
    with reconcile(history.lake, history.settings) as result:
        (row,) = result.breaks.to_pylist()
        found = evidence(result, row["break_id"])
        assert found is not None
        pack = write_pack(result, history.settings, found, tmp_path / "pack")
    given = ["breaks", "explain", row["break_id"], "--config", str(config)]
    assert run(given) == 0
    for told_of in (capsys.readouterr().out, pack["explanation.txt"].read_text()):
        assert "    paywell to IR" in told_of
        assert STRANGER not in told_of
        assert "0912*****67" in told_of
