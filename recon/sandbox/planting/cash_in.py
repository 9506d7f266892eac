"""Faults in deposits, and in the bank's statement of them."""

from random import Random

from recon.sandbox import funding, people
from recon.sandbox.planting import sales
from recon.sandbox.scene import Planted, Scene
from recon.sandbox.world import Record
from recon.times import format_instant

_PRODUCT = "cash_in"
_ID = "gateway_transaction_id"
_MILLION = 1_000_000
# Unknown: a status of a deposit that did not go through.
_REFUSED = "FAILED"


def deposit_toman_mismatch(scene: Scene, rng: Random) -> None:
    """Write the rials of an entry where its tomans belong."""
    entry = funding.single(scene, rng, sales.some_time(scene, rng))
    entry["amount_toman"] = entry["amount"]
    note = "amount_toman is in rials"
    scene.plant("deposit_toman_mismatch", _PRODUCT, entry[_ID], note)


def deposit_entry_over_limit(scene: Scene, rng: Random) -> None:
    """Take a large request as one entry."""
    amount = scene.numbers.amount(1_300 * _MILLION, 1_390 * _MILLION, _MILLION)
    entries = funding.deposit(scene, rng, [amount], scene.days.place(0.6, rng))
    funding.debit_all(scene, entries)
    note = "one entry above 1,000,000,000 rials"
    scene.plant("deposit_entry_over_limit", _PRODUCT, entries[0][_ID], note)


def deposit_split_mismatch(scene: Scene, rng: Random) -> None:
    """Lose a part of a large request when it is split."""
    rest = scene.numbers.amount(410 * _MILLION, 490 * _MILLION, _MILLION)
    parts = [funding.LARGEST_ENTRY, rest]
    scene.numbers.use(sum(parts))
    entries = funding.deposit(
        scene,
        rng,
        parts,
        scene.days.place(0.8, rng),
        requested=sum(parts) + 70 * _MILLION,
    )
    funding.debit_all(scene, entries)
    note = "70,000,000 rials of the request are in no entry"
    record = entries[0]["track_id"]
    scene.plant("deposit_split_mismatch", _PRODUCT, record, note)


def deposit_duplicate(scene: Scene, rng: Random) -> None:
    """Give two requests one gateway_transaction_id; the second did not go through.

    Only the first raised the wallet and was debited. The second asked the other
    account, so it does not matter to the bank's statement whether it counts.
    """
    at = sales.some_time(scene, rng)
    entry = funding.single(scene, rng, at)
    again = funding.deposit(scene, rng, [entry["amount"]], at + 600, status=_REFUSED)
    again[0].update({_ID: entry[_ID], "iban": scene.world.accounts[1]["IBAN"]})
    note = f"under {entry['track_id']} and {again[0]['track_id']}"
    scene.plant("deposit_duplicate", _PRODUCT, entry[_ID], note)


def deposit_queue_stale(scene: Scene, rng: Random) -> None:
    """Leave a deposit in the queue that never reached the wallet."""
    entry = funding.queued(scene, rng, sales.some_time(scene, rng))
    funding.debit_all(scene, [entry])
    note = "queued for days and not in the wallet"
    scene.plant("deposit_queue_stale", _PRODUCT, entry[_ID], note)


def deposit_in_transit(scene: Scene, rng: Random) -> None:
    """Land a deposit in the wallet the next day, while its status stays `INIT`."""
    at = scene.days.place(0.65, rng)
    entry = funding.queued(scene, rng, at)
    funding.debit_all(scene, [entry])
    index = min(scene.days.index_of(at) + 1, len(scene.days) - 1)
    landed_at = max(scene.days.moment(index, 0.4), at + 3600)
    landed = entry["amount"] - entry["wage"]
    scene.silent_moves.append((landed_at, landed))
    note = f"still INIT, yet its {landed} rials are in the wallet: explained"
    record = str(entry[_ID])
    scene.explained.append(Planted("deposit_in_transit", "", _PRODUCT, record, note))


def deposit_outcome_unknown(scene: Scene, rng: Random) -> None:
    """Cut the connection while a deposit was asked for; the provider never got it."""
    at = sales.some_time(scene, rng)
    row: Record = {
        "track_id": people.new_uuid(rng),
        "requested_at": at,
        "requested_amount": scene.numbers.amount(20 * _MILLION, 90 * _MILLION, 10_000),
        "outcome": "unknown",
    }
    scene.deposits.append(row)
    note = "the connection was cut before an answer came"
    scene.plant("deposit_outcome_unknown", _PRODUCT, row["track_id"], note)


def deposit_iban_unknown(scene: Scene, rng: Random) -> None:
    """Draw a deposit on an account that is not active."""
    amount = scene.numbers.amount(100 * _MILLION, 900 * _MILLION, _MILLION)
    at = sales.some_time(scene, rng)
    entry = funding.deposit(scene, rng, [amount], at)[0]
    entry["iban"] = people.iban(rng)
    note = "its IBAN is no active account"
    scene.plant("deposit_iban_unknown", _PRODUCT, entry[_ID], note)


def bank_debit_missing(scene: Scene, rng: Random) -> None:
    """Credit a deposit that the bank never debited."""
    amount = scene.numbers.amount(100 * _MILLION, 900 * _MILLION, _MILLION)
    at = scene.days.place(rng.uniform(0.15, 0.7), rng)
    entry = funding.deposit(scene, rng, [amount], at)[0]
    note = "in the wallet, and no debit at the bank"
    scene.plant("bank_debit_missing", _PRODUCT, entry["track_id"], note)


def bank_debit_unexplained(scene: Scene, rng: Random) -> None:
    """Debit the bank account for the provider without a deposit."""
    amount = scene.numbers.amount(20 * _MILLION, 90 * _MILLION, 10_000)
    at = sales.some_time(scene, rng)
    line = funding.debit(scene, amount, at, people.digits(rng, 8))
    booked_at = format_instant(scene.days.utc(at))
    record = f"{line['iban']}:{booked_at}:{line['amount']}:1"
    note = "the bank paid the provider, and there is no deposit"
    scene.plant("bank_debit_unexplained", _PRODUCT, record, note)
