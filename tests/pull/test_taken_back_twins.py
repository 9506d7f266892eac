"""After a void and a pull, rows are as if the wrong file had never been imported.

Two businesses live alike, but for the wrong files that one of them takes, and back.
"""

import shutil
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

from recon.imports.voiding import void
from recon.journal import journal_path
from recon.lake.compaction import compact
from recon.records.requests import Operation
from recon.settings import Engine
from tests.pull.provider_stub import SECONDS, deposit
from tests.pull.voiding_shop import Row, Shop, told
from tests.reconcile.lake_history import History, at

Step = tuple[str, Any]


def deposits_steps(chance: Random) -> Iterator[Step]:
    """Yield what happens: lists, right and wrong files, voids; a list at the end."""
    days = ["2026-09-01T10:00:00Z", "2026-09-02T10:00:00Z"]
    instants = [SECONDS, SECONDS + 1]

    def listed() -> list[Row]:
        return [
            deposit(
                number,
                track_id=f"t{number}",
                status=chance.choice(["INIT", "DONE"]),
                requested_at=chance.choice([*instants, None]),
                settled_at=chance.choice([*instants, None, None]),
                requested_amount=chance.choice([30_000, 40_000, None, None]),
                wage=chance.choice([500, 600, None]),
            )
            for number in (1, 2, 3)
            if chance.random() < 0.8
        ]

    for number in range(chance.randrange(4, 9)):
        lines = [
            told(
                each,
                requested_at=chance.choice(days),
                settled_at=chance.choice([*days, ""]),
                requested_amount=chance.choice([10_000, 20_000, ""]),
                wage=chance.choice([600, 700]),
                receipt_url=f"https://receipts.test/{number}",  # no two files are alike
            )
            for each in chance.sample((1, 2, 3), chance.randrange(1, 3))
        ]
        happens = [
            ("pull", listed()),
            ("right", lines),
            ("wrong", lines),
            ("void", None),
            ("compact", None),
        ]
        yield chance.choice(happens)
        if number % 3 == 0:
            yield "wrong", [line | {"receipt_url": "https://x"} for line in lines]
            yield "pull", listed()
    yield "void", None
    yield "pull", listed()


def tokens_steps(chance: Random) -> Iterator[Step]:
    """Yield what happens: tokens sent and verified, files, voids, and pulls."""
    verify = ("real_amount", "wage", "verified_at")
    for number in range(chance.randrange(4, 10)):
        token = chance.choice(["k1", "k2"])
        answer = chance.choice([("4900", "100", SECONDS + number), ("", "", "")])
        line = {
            "token": token,
            "amount": chance.choice([5_000, 6_000]),
            "factor_number": chance.choice(["F1", "F2", ""]),
            "sent_at": SECONDS + chance.choice([0, 1]) + number * 10,
            **dict(zip(verify, answer, strict=True)),
        }
        happens = [
            ("pull", []),
            ("send", token),
            ("right", [line]),
            ("wrong", [line]),
            ("void", None),
            ("compact", None),
        ]
        yield chance.choice(happens)
        if number % 3 == 0:
            yield "wrong", [line | {"sent_at": SECONDS + number * 10 + 5}]
            yield "verify", token
            yield "pull", []
    yield "void", None
    yield "pull", []


KINDS = {
    "deposits": ("deposits", "deposits", deposits_steps),
    "gateway_tokens": ("gateway_transactions", "gateway_tokens", tokens_steps),
}


def journaled(what: str, token: str, shop: Shop, other: Shop) -> None:
    """Send a token, or verify it, in one journal that both of them have."""
    if what == "send":
        sent = {"amount": 5_000, "factorNumber": "F1"}
        said = {"status": 1, "token": token}
        shop.journal(Operation.GATEWAY_SEND, f"of {token}", sent, said)
    else:
        said = {"status": 1, "realAmount": 4_900, "wage": "100"}
        shop.journal(Operation.GATEWAY_VERIFY, token, {"token": token}, said)
    one, both = (journal_path(each.settings) for each in (shop, other))
    both.parent.mkdir(exist_ok=True)
    shutil.copyfile(one, both)


@pytest.mark.parametrize("step", [timedelta(), timedelta(hours=1)])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_rows_are_as_if_the_wrong_files_had_never_been(
    seed: int, kind: str, step: timedelta, tmp_path: Path, monkeypatch: Any
) -> None:
    chance = Random(f"{seed} {kind}")
    source, table, steps = KINDS[kind]
    history = History(tmp_path / "lake", monkeypatch)
    shop, other = (Shop(tmp_path / name) for name in ("shop", "other"))
    wrong: list[Path] = []
    done: set[Step] = set()
    for number, (what, given) in enumerate(steps(chance)):
        history.clock(at(1) + number * step)
        if what == "wrong":
            wrong.append(shop.take(kind, f"{number}.csv", given))
        elif what == "void" and wrong:
            void(kind, wrong, shop.lake)
            wrong.clear()
        elif what == "compact":
            compact(shop.lake, Engine(), [table])
        elif what == "right":
            for each in (shop, other):
                each.take(kind, f"{number}.csv", given)
        elif what == "pull":
            for each in (shop, other):
                each.pull(source, given)
            assert wrong or shop.rows(table) == other.rows(table)
        elif what != "void" and (what, given) not in done:
            done.add((what, given))
            journaled(what, given, shop, other)
