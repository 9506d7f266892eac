"""Deposits from the bank into the wallet, and the bank's own statement of them.

Unknown: that a landed deposit is `SETTLED`, and that its wage leaves the wallet.
Source: document 2, part A.
"""

from itertools import accumulate
from random import Random

from recon.sandbox import people
from recon.sandbox.scene import Scene
from recon.sandbox.world import DEPOSIT_QUEUED, DEPOSIT_SETTLED, Record

LARGEST_ENTRY = 1_000_000_000  # rials; a larger request becomes several
PROVIDER_NAME = "MEHRPAY"  # how the bank's descriptions name the provider
_STEP = 1_000_000
_LEAST_BALANCE = 12_500_000  # rials that the bank account always has
_EVERY_DAYS = 8
_HOUR = 3600
_OWNER = {"firstName": "چای‌خانه", "lastName": "سبز"}


def open_accounts(scene: Scene, rng: Random) -> None:
    """Give the business its bank accounts and the wallet its IBAN."""
    for bank, state in (("بانک البرز", "حساب اصلی"), ("بانک ارس", "حساب پشتیبان")):
        number = people.iban(rng)
        scene.world.accounts.append(
            {
                "account_number": number[-13:],
                "account_description": state,
                "id": None,
                "IBAN": number,
                "account_owner": [_OWNER],
                "bank_name": bank,
            }
        )
    scene.world.wallet_iban = people.iban(rng)
    scene.numbers.use(LARGEST_ENTRY)


def account(scene: Scene) -> str:
    """Return the IBAN of the account that deposits come from."""
    return str(scene.world.accounts[0]["IBAN"])


def deposit(
    scene: Scene,
    rng: Random,
    parts: list[int],
    at: int,
    *,
    requested: int | None = None,
    landed_at: int | None = None,
    status: str = DEPOSIT_SETTLED,
) -> list[Record]:
    """Request a deposit of those parts in rials; returns its entries.

    It lands two hours later if nothing else is said; `INIT` never lands.
    """
    track_id = people.new_uuid(rng)
    settled_at = landed_at or at + rng.randrange(2000, 7000)
    entries = []
    for amount in parts:
        wage = scene.tariff.wage("cash_in", "", amount, at)
        number = 700_000_000 + int(scene.numbers.digits(7))
        entries.append(
            {
                "gateway_transaction_id": number,
                "amount": amount,
                "amount_toman": amount // 10,
                "wage": wage,
                "wage_toman": wage // 10,
                "status": status,
                "iban": account(scene),
                "receipt_url": f"https://receipts.example/{number}",
                "track_id": track_id,
                "requested_at": at,
                "settled_at": settled_at if status == DEPOSIT_SETTLED else None,
                "requested_amount": sum(parts) if requested is None else requested,
            }
        )
    scene.world.deposits[track_id] = entries
    return entries


def queued(scene: Scene, rng: Random, at: int) -> Record:
    """Request a deposit that is still in the queue at the end of the history."""
    amount = scene.numbers.amount(20 * _STEP, 90 * _STEP, _STEP)
    return deposit(scene, rng, [amount], at, status=DEPOSIT_QUEUED)[0]


def debit(scene: Scene, amount: int, at: int, reference: str) -> Record:
    """Book a debit of the provider on the business's bank account."""
    return book(scene, -amount, at, f"{PROVIDER_NAME} CASH-IN {reference[:8]}")


def book(scene: Scene, amount: int, at: int, description: str) -> Record:
    """Book an amount in rials, negative for a debit, on the bank account."""
    line: Record = {
        "booked_at": at,
        "amount": amount,
        "description": description,
        "iban": account(scene),
    }
    scene.bank_statement.append(line)
    return line


def balance(statement: list[Record]) -> None:
    """Give each line of the bank the balance after it, in the order of the lines.

    The account begins with what all its lines need, so that it never owes anything.
    """
    sums = list(accumulate(line["amount"] for line in statement))
    opening = _LEAST_BALANCE - min([0, *sums])
    for line, moved in zip(statement, sums, strict=True):
        line["balance"] = opening + moved


def debit_all(scene: Scene, entries: list[Record], *, each: bool = False) -> None:
    """Book the debit of a deposit an hour later: as one sum, or one for each entry."""
    sums = [entry["amount"] for entry in entries]
    for amount in sums if each else [sum(sums)]:
        at = entries[0]["requested_at"] + _HOUR
        debit(scene, amount, at, entries[0]["track_id"])


def single(scene: Scene, rng: Random, at: int) -> Record:
    """Request an ordinary deposit with its debit, which lands the same day."""
    amount = scene.numbers.amount(100 * _STEP, 900 * _STEP, _STEP)
    entries = deposit(scene, rng, [amount], at)
    debit_all(scene, entries)
    return entries[0]


def populate(scene: Scene, rng: Random) -> None:
    """Make the deposits of all days and the other lines of the bank statement."""
    days = scene.days
    for index in range(1, len(days), _EVERY_DAYS):
        single(scene, rng, days.moment(index, rng.uniform(0.35, 0.6)))
    at = days.place(0.25, rng)
    scene.numbers.use(1_200_000_000, 200_000_000)
    split = deposit(scene, rng, [LARGEST_ENTRY, 200_000_000], at)
    debit_all(scene, split, each=True)
    if len(days) > 2:
        _over_midnight(scene, rng, len(days) // 2)
    for index in range(len(days)):
        terminal = rng.randrange(5_000_000, 60_000_000)
        book(scene, terminal, days.moment(index, 0.02), "واریز پایانه فروش")
        if index % 7 == 3:
            rent = rng.randrange(10_000_000, 80_000_000) // 100_000 * 100_000 + 300
            book(scene, -rent, days.moment(index, 0.5), "پرداخت به تامین کننده")


def _over_midnight(scene: Scene, rng: Random, index: int) -> None:
    """Request a deposit late in the evening; it lands the next morning."""
    amount = scene.numbers.amount(100 * _STEP, 900 * _STEP, _STEP)
    late = scene.days.moment(index - 1, 0.96)
    morning = scene.days.moment(index, 0.36)
    debit_all(scene, deposit(scene, rng, [amount], late, landed_at=morning))
