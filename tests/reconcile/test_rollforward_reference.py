"""The roll-forward in SQL against a slow one in plain Python, on random wallets."""

from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from recon.settings import Settings
from tests import builders
from tests.reconcile import wallet_world as world
from tests.reconcile.wallet_world import Row, at

INSTANTS = st.integers(0, 4 * 24 * 60).map(lambda minute: at(1) + minute * world.MINUTE)
MAYBE = st.one_of(st.none(), INSTANTS)
AMOUNTS = st.integers(0, 10**13)
MAYBE_AMOUNT = st.one_of(st.none(), AMOUNTS)


def rows(builder: Any, name: str, **columns: st.SearchStrategy[Any]) -> Any:
    """Up to four rows of a table, with these columns at random."""
    each = st.fixed_dictionaries(columns)
    return st.lists(each, max_size=4).map(
        lambda drawn: [
            builder(n, **{name: f"{name}-{n}"}, **row) for n, row in enumerate(drawn)
        ]
    )


WALLETS = st.fixed_dictionaries(
    {
        "payments": rows(
            builders.payment,
            "id",
            status=st.sampled_from(["done", "done", "failed"]),
            error_code=st.sampled_from([None, "WITHDRAWAL_TIMEOUT"]),
            amount=AMOUNTS,
            affected_amount=MAYBE_AMOUNT,
            paid_at=MAYBE,
            checkout_id=st.sampled_from(["checkout-a", "checkout-b"]),
        ),
        "gateway_tokens": rows(
            builders.gateway_token,
            "token",
            real_amount=MAYBE_AMOUNT,
            verified_at=MAYBE,
        ),
        "hosted_checkouts": rows(
            builders.hosted_checkout,
            "id",
            amount=MAYBE_AMOUNT,
            wage=MAYBE_AMOUNT,
            created_at=MAYBE,
            status=st.sampled_from(["SUCCEED", "FAILED"]),
        ),
        "deposits": rows(
            builders.deposit,
            "gateway_transaction_id",
            amount=MAYBE_AMOUNT,
            wage=MAYBE_AMOUNT,
            status=st.sampled_from(["DONE", "INIT", "LOST"]),
            requested_at=MAYBE,
            settled_at=MAYBE,
        ),
        "adjustments": rows(
            builders.adjustment,
            "description",
            at=INSTANTS,
            amount=st.integers(-(10**13), 10**13),
        ),
        "balances": st.lists(
            st.tuples(INSTANTS, st.one_of(st.none(), st.integers(-(10**14), 10**14))),
            max_size=5,
            unique_by=lambda drawn: drawn[0],
        ).map(
            lambda drawn: [builders.balance(at=when, balance=b) for when, b in drawn]
        ),
    }
)

COLUMNS = ("payments", "gateway", "hosted", "deposits", "adjustments")


def certain(wallet: dict[str, list[Row]], wage_from: str) -> list[tuple[str, Any, int]]:
    """What is certain, as (column, instant, rials): the interface, word by word."""
    from_wallet = wage_from == "wallet"
    found = [
        *(
            ("payments", row["paid_at"], row["affected_amount"] or 0)
            for row in wallet["payments"]
            if row["status"] == "done"
        ),
        *(
            ("gateway", row["verified_at"], row["real_amount"] or 0)
            for row in wallet["gateway_tokens"]
        ),
        *(
            ("hosted", row["created_at"], row["amount"] - (row["wage"] or 0))
            for row in wallet["hosted_checkouts"]
            if row["status"] == "SUCCEED" and row["amount"] is not None
        ),
        *(
            (
                "deposits",
                row["settled_at"] or row["requested_at"],
                row["amount"] - (row["wage"] or 0) * from_wallet,
            )
            for row in wallet["deposits"]
            if row["status"] == "DONE" and row["amount"] is not None
        ),
        *(("adjustments", row["at"], row["amount"]) for row in wallet["adjustments"]),
    ]
    return [movement for movement in found if movement[1] is not None]


def slow_rollforward(wallet: dict[str, list[Row]], wage_from: str) -> list[Row]:
    """Every interval with its sums, one movement after the other."""
    known = {
        row["at"]: row["balance"]
        for row in wallet["balances"]
        if row["balance"] is not None
    }
    ends = sorted(known)
    intervals = []
    for start, end in pairwise(ends):
        row: Row = {"from_at": start, "to_at": end, "opening_rial": known[start]}
        row |= {f"{column}_rial": 0 for column in COLUMNS}
        for column, when, amount in certain(wallet, wage_from):
            if start < when <= end:
                row[f"{column}_rial"] += amount
        row["expected_closing_rial"] = row["opening_rial"] + sum(
            row[f"{column}_rial"] for column in COLUMNS
        )
        row["closing_rial"] = known[end]
        row["difference_rial"] = known[end] - row["expected_closing_rial"]
        intervals.append(row)
    return intervals


def chosen(wage_from: str) -> Settings:
    return world.settings({"clock_skew": timedelta(minutes=5)}, wage_from=wage_from)


@settings(max_examples=25)
@given(WALLETS, st.sampled_from(["wallet", "bank"]))
def test_every_figure_is_what_a_slow_reading_of_the_rules_gives(
    wallet: dict[str, list[Row]], wage_from: str
) -> None:
    with world.opened(wallet, chosen(wage_from)) as engine:
        found = engine.table("int_wallet_rollforward").to_pylist()
        items = engine.table("int_wallet_explanations").to_pylist()
    found.sort(key=lambda row: row["to_at"])
    slow = slow_rollforward(wallet, wage_from)
    assert (
        [{name: row[name] for name in slow[0]} for row in found] == slow
        if slow
        else (found == [])
    )
    counted = [item for item in items if item["solution"] == 1]
    for row in found:
        explained = sum(
            item["effect_rial"] for item in counted if item["to_at"] == row["to_at"]
        )
        assert row["explained_rial"] == explained
        assert row["unexplained_rial"] == row["difference_rial"] - explained
    landed = [i["item_id"] for i in counted if not i["kind"].startswith("moved")]
    assert len(landed) == len(set(landed))


@settings(max_examples=25)
@given(
    st.lists(st.tuples(INSTANTS, st.integers(10**6, 10**12), st.booleans()), max_size=6)
)
def test_a_wallet_that_got_its_queued_deposits_is_explained_to_the_rial(
    given_deposits: list[tuple[datetime, int, bool]],
) -> None:
    """Whichever of the queued deposits land, in an hour or a day, nothing is left."""
    arrived = [
        (requested + timedelta(hours=20 if late else 1), amount)
        for requested, amount, late in given_deposits
    ]
    deposits = [
        world.deposit(f"d{n}", requested, amount)
        for n, (requested, amount, _) in enumerate(given_deposits)
    ]
    figures = [sum(a for when, a in arrived if when <= at(day)) for day in range(1, 8)]
    found = world.rollforward(
        {"balances": world.balances(*figures), "deposits": deposits}
    )
    assert [row["unexplained_rial"] for row in found] == [0] * 6
