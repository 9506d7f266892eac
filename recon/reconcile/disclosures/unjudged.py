"""Money that is in the lake and that no check judges, told in words.

A status that the contract does not show, look-ups that the provider refused one and
all, payments of the books that nobody asked the provider for, a verified payment whose
data the provider calls wrong, a kind of adjustment that is no settlement by its name, a
deposit without what a debit is found by, debits of the bank where no word names the
provider, agreements that are paid and go on for months, or of which less went out than
came in, or nobody knows how much, or whether they were ever paid, payments of two
agreements by one receipt, what moved the wallet where no balance is, or nobody knows
when, or that open items explain by chance, and payments that took money from it: of
none of it does a check speak, and silence must not be taken for agreement.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from recon.reconcile.disclosures.coverage import CHECKS
from recon.reconcile.disclosures.locale import (
    ENGLISH,
    Locale,
    first_ones,
    item_words,
    shown,
)
from recon.reconcile.engine import Ask

Unjudged = Mapping[str, Any]
"""`why` (a key of `TOLD`) no check speaks of a `subject`, the `name` of its status or
kind (else empty), how many there are (`count`), their `amount` in rials, and their
`first` date, None where nobody knows one."""

_IN_VAIN = ("refused", "unasked", "denied", "shared", "untimed", "chance")
"""Why whether money came is not known, though somebody could ask."""

_FOR_GOOD = ("unnamed", "short", "unheard", "before")
"""Why that a setting or an import would settle, and else is so for good."""

_DATED = ("shared", "unsized", "short", "held", "before", "after", "chance")
"""Why that is told with the first date of what it is about."""

_READERS: dict[str, dict[str, tuple[str, ...]]] = {
    "refused": {
        "gateway_tokens": CHECKS["gateway_tokens"],
        "hosted_checkouts": CHECKS["hosted_checkouts"],
    },
    "unasked": dict.fromkeys(
        ("gateway_tokens", "hosted_checkouts"), ("book_status_mismatch",)
    ),
    "denied": {"gateway_tokens": CHECKS["gateway_tokens"]},
    "held": {"agreements": CHECKS["events"]},
    "unsized": {
        "trades": (
            "escrow_overpaid_out",
            "escrow_payout_missing",
            "escrow_refund_missing",
        )
    },
    "short": {"agreements": ("escrow_overpaid_out", "escrow_payout_missing")},
    "unheard": {"trades": ("escrow_payout_missing", "escrow_refund_missing")},
    "untraced": {"deposits": ("bank_debit_missing",)},
    "unnamed": {"debits": ("bank_debit_unexplained",)},
    **dict.fromkeys(
        ("untimed", "before", "after", "chance"),
        dict.fromkeys(("inflows", "outflows", "intervals"), ("wallet_rollforward",)),
    ),
}
"""The checks that would speak of them; what is not named here no check would."""

TOLD = {
    "status": (
        "Neither paid nor unpaid for any check, since the contract does not show their "
        "status: {listed}."
    ),
    "refused": (
        "Not known whether they were paid, since the provider refused each one that it "
        "was asked for: {listed}."
    ),
    "unasked": (
        "Paid by the books, and the provider was never asked for them: {listed}."
    ),
    "denied": (
        "Verified by the answer that the business kept, though the provider says that "
        "their data are wrong: {listed}."
    ),
    "shared": (
        "Told as paid by a receipt that another agreement has, too, so that one of "
        "them may not be paid: {listed}."
    ),
    "unsized": (
        "Not known how much is left of what was paid, since a payout or a refund does "
        "not tell its amount: {listed}."
    ),
    "short": (
        "Finalized and paid out, though less went out than came in (the provider's "
        "commission, or still owed): {listed}."
    ),
    "unheard": (
        "Not known whether anything is owed of them, since they ended and no event "
        "tells that they were paid: {listed}."
    ),
    "held": (
        "Paid more than 90 days ago, and neither finalized nor cancelled to this day: "
        "{listed}."
    ),
    "kind": (
        "Not found at the bank, and not missed there, since their kind is no "
        "settlement by its name: {listed}."
    ),
    "untraced": (
        "Not looked for at the bank, since they have no IBAN, track_id or time of "
        "request: {listed}."
    ),
    "unnamed": (
        "Not asked whether the provider took them, since checks.provider_names is "
        "empty, or no debit of the account has a word of it: {listed}."
    ),
    "untimed": (
        "Not held against any balance, since no time tells when it moved the wallet, "
        "or one that cannot be: {listed}."
    ),
    "taken": (
        "Taken from the wallet by payments or deposits, which should bring money: "
        "{listed}."
    ),
    "before": (
        "Not held against any balance, since it was before the wallet's first one: "
        "{listed}."
    ),
    "after": (
        "Not held against any balance so far, since it was after the wallet's last "
        "one: {listed}."
    ),
    "chance": (
        "Explained by open items, of which so many wait that some fit by chance, so "
        "something else may be behind it, until an import tells which deposits are "
        "settled: {listed}."
    ),
}
_ITEMS = {
    "checkouts": (
        "1 checkout with done payments of {amount} rials",
        "{count} checkouts with done payments that come to {amount} rials",
    ),
    "payments": (
        "1 payment of {amount} rials",
        "{count} payments that come to {amount} rials",
    ),
    "agreements": (
        "1 agreement that holds {amount} rials",
        "{count} agreements that hold {amount} rials",
    ),
    "trades": (
        "1 agreement over {amount} rials",
        "{count} agreements over {amount} rials",
    ),
    "gateway_tokens": (
        "1 gateway token of {amount} rials",
        "{count} gateway tokens that come to {amount} rials",
    ),
    "hosted_checkouts": (
        "1 hosted checkout of {amount} rials",
        "{count} hosted checkouts that come to {amount} rials",
    ),
    "adjustments": (
        "1 adjustment of {amount} rials",
        "{count} adjustments that come to {amount} rials",
    ),
    "deposits": (
        "1 deposit of {amount} rials",
        "{count} deposits that come to {amount} rials",
    ),
    "debits": (
        "1 debit of the bank, of {amount} rials, without a deposit",
        "{count} debits of the bank that come to {amount} rials, without a deposit",
    ),
    "inflows": (
        "1 movement into the wallet, of {amount} rials",
        "{count} movements into the wallet that come to {amount} rials",
    ),
    "outflows": (
        "1 movement out of the wallet, of {amount} rials",
        "{count} movements out of the wallet that come to {amount} rials",
    ),
    "intervals": (
        "1 interval of the wallet, of {amount} rials",
        "{count} intervals of the wallet that come to {amount} rials",
    ),
}
_NAMED = "{item} ({name})"
_SINCE = "{item} (from {date} on)"
_QUERY = (
    "select why, subject, name, sum(count) as count, "
    # as text: a sum of many amounts may be wider than 64 bits
    "cast(sum(cast(amount as decimal(38, 0))) as varchar) as amount, "
    "min(business_date) as first "
    "from report_unjudged where {condition} group by why, subject, name"
)
_ENDS = "select * from int_wallet_ends"
_OUTSIDE = (
    "select case when movements.occurred_at <= $first_at then 'before' else 'after' "
    "end as why, "
    "case when movements.effect_rial < 0 then 'outflows' else 'inflows' end "
    "as subject, "
    "'' as name, count(*) as count, "
    "cast(sum(abs(cast(movements.effect_rial as decimal(38, 0)))) as varchar) "
    "as amount, "
    "min(movements.business_date) as first "
    "from int_certain_movements as movements "
    # what an interval has for its explanation is held against its balance
    "anti join (select item_id from int_wallet_explanations "
    "where solution = 1 and kind = 'moved_in') as explained "
    "on movements.movement_id = explained.item_id "
    "anti join (select movement_id from int_wallet_untimed) as untimed "
    "on movements.movement_id = untimed.movement_id "
    "where (movements.occurred_at <= $first_at or (movements.occurred_at > $last_at "
    "and movements.occurred_at < $until_at)) and {condition} group by 1, 2"
)
"""With the ends as parameters, so that an engine reads little else."""


def unjudged(ask: Ask, condition: str = "true") -> list[dict[str, Any]]:
    """Return what no check judges and meets an SQL condition, the largest first."""
    found = [
        {
            "why": row["why"],
            "subject": row["subject"],
            "name": row["name"],
            "count": int(row["count"]),
            "amount": int(row["amount"]),
            "first": row["first"] and row["first"].isoformat(),
        }
        for row in [
            *ask(_QUERY.format(condition=condition)).to_pylist(),
            *_outside(ask, condition),
        ]
    ]
    order = list(TOLD)
    found.sort(
        key=lambda row: (
            order.index(row["why"]),
            -abs(row["amount"]),
            row["subject"],
            row["name"],
        )
    )
    return found


def _outside(ask: Ask, condition: str) -> Iterator[Mapping[str, Any]]:
    """Yield what moved the wallet before its first snapshot, or after its last one."""
    for ends in ask(_ENDS).to_pylist():
        yield from ask(_OUTSIDE.format(condition=condition), **ends).to_pylist()


def is_unknown(summary: Mapping[str, Any], disabled: Collection[str] = ()) -> bool:
    """Tell whether money is not known that somebody could ask for: quiet is no proof.

    Not so where only `disabled` checks would speak of it.
    """
    found = _minded(summary.get("unjudged", ()), disabled)
    return any(each["why"] in _IN_VAIN for each in found)


def unjudged_words(
    found: Sequence[Unjudged],
    disabled: Collection[str] = (),
    locale: Locale = ENGLISH,
    *,
    brief: bool = False,
) -> list[str]:
    """Tell what no check judges, a sentence each reason; not what is `disabled`.

    `brief` is for a message: no text of the provider or of a file is in it, nor what a
    setting would settle, or is so for good.
    """
    say = locale.say
    told: dict[str, list[str]] = {}
    for each in _minded(found, disabled):
        if brief and each["why"] in _FOR_GOOD:
            continue
        phrases = _ITEMS[each["subject"]]
        item = item_words(phrases, each["count"], each["amount"], locale)
        if each["first"] and each["why"] in _DATED:
            first = locale.day(date.fromisoformat(each["first"]))
            item = say(_SINCE, item=item, date=first)
        elif each["name"] and not brief:
            name = locale.from_left(shown(each["name"]))
            item = say(_NAMED, item=item, name=name)
        told.setdefault(each["why"], []).append(item)
    return [
        say(TOLD[why], listed=first_ones(items, locale)) for why, items in told.items()
    ]


def _minded(found: Sequence[Unjudged], disabled: Collection[str]) -> list[Unjudged]:
    return [each for each in found if not _is_off(each, disabled)]


def _is_off(each: Unjudged, disabled: Collection[str]) -> bool:
    readers = _READERS.get(each["why"], {}).get(each["subject"], ())
    return bool(readers) and set(readers) <= set(disabled)
