"""What a pack says of its inputs: every commit, and which of them count no longer."""

import json
import zipfile

from recon.lake.voids import VOID, certificate
from tests.close.closed_shop import closed, trade
from tests.reconcile.lake_history import History, at


def inputs(history: History) -> dict[str, dict[str, object]]:
    with zipfile.ZipFile(closed(history).pack) as pack:
        rows = json.loads(pack.read("inputs.json"))
    return {row["id"]: row for row in rows}


def test_the_pack_says_which_inputs_no_longer_counted(history: History) -> None:
    trade(history)
    wrong = history.pull("adjustments", {"adjustments": [LOSS]}, kind="import")
    gone = certificate([wrong.id])
    void = history.pull("adjustments", {}, kind=VOID, certificate=gone)
    found = inputs(history)
    assert found[void.id]["voids"] == [wrong.id]
    assert [name for name, row in found.items() if "voids" in row] == [void.id]
    assert found[wrong.id]["files"]  # it is an input still: of what was known before


LOSS = {"at": at(3), "amount": -7, "kind": "fee", "description": "a fee"}


def test_the_figures_are_those_without_a_voided_input(history: History) -> None:
    trade(history)
    wrong = history.pull("adjustments", {"adjustments": [LOSS]}, kind="import")
    gone = certificate([wrong.id])
    history.pull("adjustments", {}, kind=VOID, certificate=gone)
    (wallet,) = closed(history).balances
    figures = [wallet[name] for name in ("opening", "moved", "closing", "difference")]
    assert figures == [100, 5, 105, 0]
