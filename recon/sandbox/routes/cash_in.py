"""Bank deposits into the wallet. Source: document 2, Endpoints, part A."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from recon.money import RIALS_PER_TOMAN
from recon.sandbox.answers import DONE, answer
from recon.sandbox.doors import cash_in
from recon.sandbox.fields import Fields, body_of, listed
from recon.sandbox.funding import LARGEST_ENTRY
from recon.sandbox.routes.unified import list_page
from recon.sandbox.state import State
from recon.sandbox.world import DEPOSIT_QUEUED, Record, shown

BASE = "/v3/business/{business}/cash-in"
_MOST_ENTRIES = 1000  # of one request; they are made at once, in memory
_PRIVATE = ("track_id", "requested_at", "settled_at", "requested_amount")


async def list_accounts(state: State, _: Request) -> Response:
    """Answer with the accounts that deposits may come from."""
    return answer({"data": [shown(account) for account in state.world.accounts]})


async def show_balance(state: State, request: Request) -> Response:
    """Answer with the balance in rials.

    Unknown: whether it is the wallet's or the bank account's; here every active IBAN
    gives the wallet's, and so does the wallet's own.
    """
    given = Fields(await body_of(request))
    _iban_among(given, {*_active_ibans(state), state.world.wallet_iban})
    if given.errors:
        raise listed(given.errors)
    world = state.world
    return answer(
        {"balance": world.wallet_balance, "available_balance": world.wallet_available}
    )


async def make_deposit(state: State, request: Request) -> Response:
    """Register a deposit; a large one is split into several queued entries."""
    given = Fields(await body_of(request))
    iban = _iban_among(given, _active_ibans(state))
    amount = given.whole("amount", least=1)
    if amount is not None and amount > LARGEST_ENTRY * _MOST_ENTRIES:
        given.wrong("amount", f"may not come to more than {_MOST_ENTRIES} entries.")
    track_id = given.text("track_id", longest=255)
    given.text("description", required=False)
    given.text("comment", required=False)
    if track_id in state.world.deposits:
        given.wrong("track_id", "has already been taken.")
    if given.errors or iban is None or amount is None or track_id is None:
        raise listed(given.errors)
    entries = _entries(state, iban, amount, track_id)
    state.world.deposits[track_id] = entries
    state.touch("deposits", track_id)
    for entry in entries:
        state.queue(entry)
    data = {"cash_in": [_contract_entry(entry) for entry in entries]}
    return answer({"status": 1, "message": DONE, "data": data})


async def list_deposits(state: State, request: Request) -> Response:
    """Answer with a page of deposit entries, newest first, paged like unified lists.

    The sandbox's own: the contract shows no list of deposits. It is here for the
    setting `cash_in.deposit_list_path`. A row is the contract's entry plus track_id,
    requested_at, settled_at and requested_amount (Unix seconds, rials).
    """
    records = [entry for entries in state.world.deposits.values() for entry in entries]
    return await list_page(state, request, "deposits", records, shown)


def _active_ibans(state: State) -> set[str]:
    return {account["IBAN"] for account in state.world.accounts}


def _iban_among(given: Fields, known: set[str]) -> str | None:
    iban = given.text("iban")
    if iban is not None and iban not in known:
        given.wrong("iban", "is not an active account of this business.")
    return iban


def _entries(state: State, iban: str, amount: int, track_id: str) -> list[Record]:
    parts = [LARGEST_ENTRY] * (amount // LARGEST_ENTRY)
    if amount % LARGEST_ENTRY:
        parts.append(amount % LARGEST_ENTRY)
    now = state.now()
    first = state.next_deposit_id()
    return [
        {
            **_entry(
                first + at, part, iban, state.terms.wage("cash_in", "", part, now)
            ),
            "track_id": track_id,
            "requested_at": now,
            "settled_at": None,
            "requested_amount": amount,
            "_settles_at": now + state.terms.deposit_seconds,
        }
        for at, part in enumerate(parts)
    ]


def _entry(number: int, amount: int, iban: str, wage: int) -> Record:
    return {
        "gateway_transaction_id": number,
        "amount": amount,
        "amount_toman": amount // RIALS_PER_TOMAN,
        "wage": wage,
        "wage_toman": wage // RIALS_PER_TOMAN,
        "status": DEPOSIT_QUEUED,
        "iban": iban,
        "receipt_url": f"https://receipts.example/{number}",
    }


def _contract_entry(entry: Record) -> Record:
    return {name: value for name, value in shown(entry).items() if name not in _PRIVATE}


ROUTES = [
    Route(f"{BASE}/account", cash_in(list_accounts), methods=["GET"]),
    Route(f"{BASE}/account/balance", cash_in(show_balance), methods=["POST"]),
    Route(f"{BASE}/account/deposit", cash_in(make_deposit), methods=["POST"]),
    Route(f"{BASE}/deposits", cash_in(list_deposits), methods=["GET"]),
]
