"""What of the wallet's balances is not compared, and is told so in words.

Where the wallet's IBAN changes, the balances of the two do not lead to one another:
what moved between them is counted, and that is all; where both have a balance of one
instant, there is no such time. Nor are balances compared of an IBAN that was not the
wallet's then, by `cash_in.wallet_iban` and `wallet_iban_since`.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from recon.reconcile.disclosures.locale import ENGLISH, Locale, first_ones, shown
from recon.reconcile.engine import Ask
from recon.times import EARLIEST, LATEST, format_instant

Change = Mapping[str, Any]
"""`from` and `to` are IBANs, `from_at` and `to_at` the last snapshot of the one and the
first of the other; `movements` are those between that are certain, `amount` their sum
in rials."""

_CHANGES = (
    "select from_wallet, from_at, to_wallet, to_at from int_wallet_changes "
    "where to_at > $since and from_at < $until and from_at < to_at order by to_at"
)
_FIRST = (
    "select to_at, to_rial from int_wallet_changes where to_at <= $until "
    "order by to_at desc, from_at desc limit 1"
)
_BETWEEN = (
    "select count(*) as movements, "
    # as text: a sum of many amounts may be wider than 64 bits
    "cast(sum(cast(effect_rial as decimal(38, 0))) as varchar) as amount "
    "from int_certain_movements where occurred_at > $from_at and occurred_at <= $to_at"
)
_OTHERS = (
    "select wallet, count(*) as snapshots from int_other_snapshots "
    "where snapshot_at > $since and snapshot_at <= $until "
    "group by wallet order by wallet"
)
_CHANGED = (
    "The wallet changed from {old} to {new}: what moved from {from_at} to {to_at} is "
    "not compared{known}."
)
_KNOWN = {
    0: ", and no movement is known of that time",
    1: ", 1 movement of {amount} rials",
}
_MANY_KNOWN = ", {count} movements that come to {amount} rials"
_NOT_THE_WALLET = (
    "Not compared, since by cash_in.wallet_iban they are not the wallet's: {listed}. "
    "Where the wallet changed, cash_in.wallet_iban_since says when."
)
_ONE = "1 balance of {iban}"
_MANY = "{count} balances of {iban}"


def changes(
    ask: Ask, since: datetime = EARLIEST, until: datetime = LATEST
) -> list[dict[str, Any]]:
    """Return the changes of the wallet whose time lies, if in part, in a span.

    In the order of time, each with what is certain to have moved in all of its time.
    """
    found = []
    for row in ask(_CHANGES, since=since, until=until).to_pylist():
        from_at, to_at = row["from_at"], row["to_at"]
        (moved,) = ask(_BETWEEN, from_at=from_at, to_at=to_at).to_pylist()
        found.append(
            {
                "from": row["from_wallet"],
                "to": row["to_wallet"],
                "from_at": format_instant(from_at),
                "to_at": format_instant(to_at),
                "movements": moved["movements"],
                "amount": int(moved["amount"] or 0),
            }
        )
    return found


def first_balance(ask: Ask, until: datetime = LATEST) -> tuple[datetime, int] | None:
    """Return when the wallet of an instant had its first snapshot, and its rials.

    None where it is the wallet's only one by then.
    """
    rows = ask(_FIRST, until=until).to_pylist()
    return (rows[0]["to_at"], rows[0]["to_rial"]) if rows else None


def others(
    ask: Ask, since: datetime = EARLIEST, until: datetime = LATEST
) -> dict[str, int]:
    """Return how many balances between two instants are not the wallet's, by IBAN."""
    rows = ask(_OTHERS, since=since, until=until).to_pylist()
    return {row["wallet"]: row["snapshots"] for row in rows}


def change_words(
    change: Change, locale: Locale = ENGLISH, *, counts: bool = True
) -> str:
    """Tell of a change in one sentence; with `counts` also of what moved meanwhile."""
    say, count, from_left = locale.say, locale.count, locale.from_left
    known = say(
        _KNOWN.get(change["movements"], _MANY_KNOWN),
        count=count(change["movements"]),
        amount=count(change["amount"]),
    )
    return say(
        _CHANGED,
        old=from_left(shown(change["from"])),
        new=from_left(shown(change["to"])),
        from_at=from_left(change["from_at"]),
        to_at=from_left(change["to_at"]),
        known=known if counts else "",
    )


def other_words(found: Mapping[str, int], locale: Locale = ENGLISH) -> str:
    """Tell in one sentence how many balances of which IBANs are not compared."""
    told = [
        locale.say(
            _ONE if each == 1 else _MANY,
            count=locale.count(each),
            iban=locale.from_left(shown(iban)),
        )
        for iban, each in sorted(found.items(), key=lambda one: (-one[1], one[0]))
    ]
    return locale.say(_NOT_THE_WALLET, listed=first_ones(told, locale))
