"""Kill after kill on one lake and one journal, and everything promised is there.

A child stores deliveries, commits pulls and decisions, writes down requests and takes
events, without end, and tells what it was promised. It dies: right after a write step,
in the middle of a write, in a power cut, or by SIGKILL at any instant. The next one
goes on from what the last one left.
"""

import json
import secrets
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from random import Random

from recon.imports.delivered import event_hash, read_delivery, take_deliveries
from recon.journal import Journal, journal_path
from recon.journal.deliveries import Arrival, Deliveries
from recon.lake.health import examine
from recon.lake.lock import run_lock
from recon.lake.pages import Page
from recon.reconcile.decisions import decision, record
from recon.records.requests import Outcome
from tests.campaign.disk import Blow
from tests.campaign.forks import Ack, Ending, in_child
from tests.campaign.shop import Shop

_MOST_STEPS = 60
_AT = datetime(2025, 11, 1, tzinfo=UTC)


@dataclass
class Soak:
    """What so many kills in a row met; `wrong` is empty where all held."""

    seed: int
    kills: Counter[str] = field(default_factory=Counter)
    promised: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


def soak(seed: int, shop: Shop, folder: Path, kills: int) -> Soak:
    """Kill so many writers one after the other in a copy of the shop's folder."""
    told, chance = Soak(seed), Random(seed)
    shop = shop.at(folder / f"soak-{seed}")
    shop.folder.mkdir(parents=True)
    acks: list[tuple[str, str]] = []
    for _ in range(kills):
        ending, way = _one(shop, chance)
        told.kills[way if ending.killed else "outran"] += 1
        acks += [(kind, name) for kind, name in ending.acks]
        if ending.trouble:
            told.wrong.append(ending.trouble.strip().splitlines()[-1])
        told.wrong += [f"{way}: {each}" for each in _doubts(shop, acks)]
        if told.wrong:
            break
    told.wrong += _all_taken(shop, acks)
    told.promised.update(kind for kind, _ in acks)
    shutil.rmtree(shop.folder)
    return told


def _one(shop: Shop, chance: Random) -> tuple[Ending, str]:
    """Let one writer begin and die."""
    way = chance.choice(("kill", "torn", "power", "sigkill"))
    seed = chance.randrange(2**32)

    def work(ack: Ack) -> None:
        _write_for_ever(shop, Random(seed), ack)

    if way == "sigkill":
        seconds = chance.uniform(0.005, 0.06)
        return in_child(work, shop.folder, kill_after=seconds), way
    at = chance.randint(1, _MOST_STEPS)
    blow = Blow(
        at, "power" if way == "power" else "kill", torn=way == "torn", seed=seed
    )
    return in_child(work, shop.folder, blow), way


def _write_for_ever(shop: Shop, chance: Random, ack: Ack) -> None:
    path = journal_path(shop.settings)
    with Deliveries(path) as deliveries, Journal(path) as journal:
        while True:
            match chance.randrange(6):
                case 0 | 1:
                    _deliver(deliveries, ack)
                case 2:
                    _commit(shop, chance, ack)
                case 3:
                    _request(journal, chance, ack)
                case 4:
                    lake = shop.lake()
                    made = record(
                        lake, [decision("0" * 16, "note", reason="-")], by="x"
                    )
                    ack(["commit", made.id if made else ""])
                case _:
                    take_deliveries(shop.settings, shop.lake())


def _deliver(deliveries: Deliveries, ack: Ack) -> None:
    data = {"tracking_code": secrets.token_hex(8), "amount": 1000}
    envelope = {"created": 1761950000, "type": "buyer_paid_agreement", "data": data}
    body = json.dumps(envelope).encode()
    event = event_hash(read_delivery(body))
    deliveries.add([Arrival(event=event, received_at=_AT, body=body)])
    ack(["delivery", data["tracking_code"]])


def _commit(shop: Shop, chance: Random, ack: Ack) -> None:
    with shop.lake().begin("pull", "accounts") as made:
        body = chance.randbytes(chance.choice((10, 10_000)))
        number = made.page(Page(url="http://127.0.0.1/a", received_at=_AT, body=body))
        made.rows("accounts", [{"iban": secrets.token_hex(6), "page_no": number}])
        ack(["commit", made.commit().id])


def _request(journal: Journal, chance: Random, ack: Ack) -> None:
    name = secrets.token_hex(8)
    number = journal.begin("deposit", name, {"amount": 1000})
    ack(["begun", name])
    if chance.random() < 0.8:
        journal.end(number, Outcome.ANSWERED, status=200, answer=b"{}")
        ack(["answered", name])


def _doubts(shop: Shop, acks: list[tuple[str, str]]) -> Iterator[str]:
    """Say what was promised and is not there, and what is damaged."""
    lake, path = shop.lake(), journal_path(shop.settings)
    known = {("commit", commit.id) for commit in lake.commits()}
    if path.is_file():
        with Journal(path) as journal:
            for each in journal.requests():
                known.add(("begun", each.subject))
                if each.outcome is Outcome.ANSWERED:
                    known.add(("answered", each.subject))
                if each.outcome is Outcome.OPEN:
                    yield f"a request of the dead is still open: {each.subject}"
        with Deliveries(path) as deliveries:
            for arrived in deliveries.after(0):
                data = json.loads(arrived.body)["data"]
                known.add(("delivery", data["tracking_code"]))
    yield from (
        f"{kind} {name} is lost" for kind, name in acks if (kind, name) not in known
    )
    yield from (f"{each.path}: {each.told}" for each in examine(lake).damages)
    with run_lock(lake):
        pass


def _all_taken(shop: Shop, acks: list[tuple[str, str]]) -> Iterator[str]:
    """Take what still waits: each promised delivery is then in the lake, once."""
    take_deliveries(shop.settings, shop.lake())
    rows = Counter(shop.lake().versions("events")["tracking_code"].to_pylist())
    for kind, name in acks:
        if kind == "delivery" and rows[name] != 1:
            yield f"the delivery {name} is in the lake {rows[name]} times"
